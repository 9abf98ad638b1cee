"""How a workout that is under way becomes a stored one.

Under the lock of the account, so that two devices take turns:

1. The document that was sent is merged into the stored one (`put`).
2. With `finish`, the serializer of the API checks what was done, and the workout is stored under the id of
   the draft, which is closed in the same transaction.
   What that would do to targets is asked before (`foreseen_moves`).
3. A closed draft takes no changes: `Finished` names the workout, and the sets that were done on another
   device meanwhile. `add_missing` puts these into the workout.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict
from uuid import UUID

import orjson
from django.db import IntegrityError, transaction
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from rest_framework.exceptions import ValidationError
from uuid_utils.compat import uuid7

from accounts.models import Account
from fitness.imports.documents import bound
from fitness.web.units import group_thousands
from training.api.serializers.workout import WorkoutExerciseSerializer, WorkoutSerializer
from training.models import Exercise, ExerciseHabit, TrainingDraft, Workout
from training.models.draft import (
    DraftDocument,
    DraftExercise,
    DraftSet,
    done_sets,
    is_lifted,
    is_timed,
    listed,
    merged,
    moment,
    timed_set,
    with_past_times,
)
from training.models.exercise_habit import Habit
from training.models.sets import NOTHING_NOTED, SET_FIELDS
from training.models.timed import TimedSet, timed_lines, timed_text
from training.plans.loading import TOLERANCE_KG
from training.plans.rules import Wave, current_targets
from training.plans.updates import NextTarget, next_targets
from training.plans.workouts import LoggedWorkout, Origin
from training.web.names import exercise_name

LARGE = 0.25  # of the weight that is usual: a number may be mistyped
MAX_NOTES = bound(WorkoutExerciseSerializer, "notes", "max_length")
WRITABLE_OF_ENTRY = ("exercise_id", "notes", "superset_id", "sets")


class MissingSet(TypedDict):
    """A set that was done, and is not in the workout."""

    exercise_id: str
    name: str
    weight_kg: float | None
    reps: int | None
    seconds: int | None
    distance_km: float | None


class AnotherOpen(Exception):
    """The account has another workout under way."""


class Discarded(Exception):
    """The workout was discarded, or was deleted after it was finished."""


class Finished(Exception):
    """The workout was finished before, without the sets that are `missing`."""

    def __init__(self, workout_id: UUID, missing: list[MissingSet]) -> None:
        super().__init__()
        self.workout_id, self.missing = workout_id, missing


@dataclass(frozen=True)
class Put:
    """What a page sends. `finish` has the fields of a FinishSerializer, or is None."""

    document: DraftDocument
    finish: Mapping[str, Any] | None = None
    add_missing: bool = False


def put(account: Account, sent: Put) -> TrainingDraft:
    """The draft with what was sent; closed if it was finished.

    Raises ValidationError, StorageFull, AnotherOpen, Discarded, Finished and Http404.
    """
    document = with_past_times(sent.document, moment(timezone.now()))
    with transaction.atomic():
        account.lock()
        draft = account.training_drafts.filter(pk=document["id"]).first() or opened(account, document)
        if draft.closed_at:
            return with_missing(draft, document) if sent.add_missing else reject(draft, document)
        before = draft.document
        draft.store(merged(before, document))
        if sent.finish is not None:
            finish(draft, sent.finish)
        else:
            remember_changes(account, before, draft.document)
    return draft


def opened(account: Account, document: DraftDocument) -> TrainingDraft:
    """A draft that a page has begun by itself."""
    if account.workouts.filter(pk=document["id"]).exists():  # its draft is kept no longer
        raise Finished(UUID(document["id"]), [])
    if account.training_drafts.open().exists():
        raise AnotherOpen()
    try:
        with transaction.atomic():
            return TrainingDraft.objects.open_new(account, document, targets={})
    except IntegrityError:  # the id is one of another account
        raise Http404 from None


def finish(draft: TrainingDraft, options: Mapping[str, Any]) -> None:
    """Stores the workout, and closes the draft."""
    account, document = draft.account, draft.document
    if not any(done_sets(document)):
        raise ValidationError({"exercises": [_("Tick a set first, or discard the workout.")]})
    body = body_of(account, document, options)
    values = validated(account, body)
    workout = log(account, values, draft.pk, origin_of(draft, values, options))
    remember(account, habits_of(document))
    draft.close(workout.pk)


def origin_of(draft: TrainingDraft, values: Any, options: Mapping[str, Any]) -> Origin:
    """What the workout was begun from, and the rules that are held. Counts the use of its routine.

    Held is also what moves so far that somebody has to confirm it: a page without a connection has not asked.
    """
    account, routine_id = draft.account, draft.document["routine_id"]
    is_there = routine_id and account.routines.filter(pk=routine_id).count_use()
    origin = begun_from(draft, routine_id if is_there else None)
    logged = LoggedWorkout.of(draft.pk, values["started_at"], timezone.now(), values["exercises"])
    large = {one.next.rule_id for one in moves(account, values["plan_id"], logged, origin) if one.is_large}
    unconfirmed = large.difference(options.get("confirmed", ()))
    return replace(origin, held_rules=frozenset(unconfirmed.union(options.get("held", ()))))


def begun_from(draft: TrainingDraft, routine_id: str | None) -> Origin:
    return Origin(UUID(routine_id) if routine_id else None, draft.weekday, forgives_untried=True)


@dataclass(frozen=True)
class Move:
    """What becomes of one target; `is_large` where somebody is asked whether it is right."""

    next: NextTarget
    is_large: bool


def moves(account: Account, plan_id: UUID | None, workout: LoggedWorkout, origin: Origin) -> list[Move]:
    """What storing a workout would do to the targets of its plan and routine. Stores nothing."""
    rows = next_targets(account, plan_id, workout, origin)
    waves = waves_of(account, plan_id, origin) if any(map(may_be_of_wave, rows)) else {}
    return [Move(row, is_large(row, waves.get(row.rule_id, row.before.weight_kg))) for row in rows]


def is_large(row: NextTarget, usual_kg: float) -> bool:
    if row.before == row.after or usual_kg <= TOLERANCE_KG:
        return False
    return abs(row.after.weight_kg - usual_kg) > usual_kg * LARGE


def may_be_of_wave(row: NextTarget) -> bool:
    """Whether its rule has to be read: the weeks of a wave differ, so the target before says little."""
    return row.kind == "next_week" or row.before.open or is_large(row, row.before.weight_kg)


def waves_of(account: Account, plan_id: UUID | None, origin: Origin) -> dict[str, float]:
    """By the id of each wave what its next week asks with the training max of today."""
    plan = account.plans.filter(pk=plan_id).first() if plan_id else None
    routine = account.routines.filter(pk=origin.routine_id).first() if origin.routine_id else None
    found: dict[str, float] = {}
    for planning in filter(None, (plan, routine)):
        for one in planning.progressions.rules:
            if isinstance(one.rule, Wave):
                following = replace(one.state, week=(one.state.week + 1) % len(one.rule.weeks))
                found[one.id] = current_targets(one.rule, following, planning.week.loading(one))[-1].weight_kg
    return found


def foreseen_moves(account: Account, document: DraftDocument, *, keep_undone: bool) -> list[Move]:
    """What finishing a workout with this document would do to targets. Stores nothing.

    An entry of which no set was done counts with `keep_undone`: a lift that a day has twice is then split by
    its entries.

    Raises ValidationError as finishing does, and Http404 where no such workout is under way.
    """
    draft = account.training_drafts.open().filter(pk=document["id"]).first()
    if draft is None:
        raise Http404
    document = merged(draft.document, with_past_times(document, moment(timezone.now())))
    if not any(done_sets(document)):
        return []
    options = {"duration_seconds": 0, "keep_undone": keep_undone}
    values = validated(account, body_of(account, document, options))
    logged = LoggedWorkout.of(draft.pk, values["started_at"], timezone.now(), values["exercises"])
    origin = begun_from(draft, document["routine_id"])
    return moves(account, values["plan_id"], logged, origin)


def log(account: Account, values: Any, workout_id: UUID, origin: Origin) -> Workout:
    try:
        with transaction.atomic():
            return Workout.objects.log(account, values, workout_id, origin)
    except IntegrityError:  # the id is one of another account's workout
        return Workout.objects.log(account, values, uuid7(), origin)


def body_of(account: Account, document: DraftDocument, options: Mapping[str, Any]) -> dict[str, Any]:
    """The workout as a client of the API would send it."""
    plan_id = document["plan_id"]
    has_plan = plan_id is not None and account.plans.filter(pk=plan_id).exists()
    entries = [
        entry_body(one, account, keep_undone=options["keep_undone"]) for one in listed(document["exercises"])
    ]
    return {
        "title": document["title"],
        "notes": document["notes"],
        "started_at": document["started_at"],
        "duration_seconds": options["duration_seconds"],
        "plan_id": plan_id if has_plan else None,
        "exercises": [entry for entry in entries if entry["sets"] or entry["notes"]],
    }


def validated(account: Account, body: Mapping[str, Any]) -> Any:
    """What the serializer of the API makes of a body; notes that are too long are refused by name."""
    too_long = {entry["exercise_id"] for entry in body["exercises"] if len(entry["notes"]) > MAX_NOTES}
    if too_long:
        for exercise in Exercise.objects.seen_by(account).find_all(too_long).values():
            message = _(
                "Shorten the note of %(exercise)s: "
                "with the times of its sets it may have %(limit)s characters."
            )
            values = {"exercise": exercise_name(exercise.name), "limit": group_thousands(MAX_NOTES)}
            raise ValidationError(message % values)
    return WorkoutSerializer.validated(body, {"account": account})


def entry_body(exercise: DraftExercise, account: Account, *, keep_undone: bool) -> dict[str, Any]:
    sets = [one for one in listed(exercise["sets"]) if one["done_at"] or keep_undone]
    lifted = [one for one in sets if is_lifted(one) and not is_timed(exercise, one)]
    others = [one for one in sets if one not in lifted]
    timed = [timed_set(one) for one in others if one["done_at"]]
    notes = [with_timed(exercise["notes"], timed, account)]
    if undone := [in_words(one, account.units) for one in others if not one["done_at"]]:
        notes.append(_("Not done: %(sets)s") % {"sets": "; ".join(undone)})
    return {
        "exercise_id": exercise["exercise_id"],
        "notes": "\n".join(filter(None, notes)),
        "superset_id": exercise["superset_id"],
        "sets": [set_body(one) for one in lifted],
    }


def with_timed(notes: str, sets: Sequence[TimedSet], account: Account) -> str:
    return "\n".join(filter(None, [notes, *timed_lines(sets, account.units)]))


def in_words(one: DraftSet, units: str) -> str:
    """A set that has no place among sets with a weight and repetitions."""
    count = one["reps"]
    reps = "" if count is None else ngettext("%(count)s rep", "%(count)s reps", count) % {"count": count}
    return ", ".join(filter(None, [timed_text(timed_set(one), units), reps])) or _("a set without numbers")


def set_body(one: DraftSet) -> dict[str, Any]:
    values = {**NOTHING_NOTED, **one, "completed": bool(one["done_at"])}
    return {field.name: values[field.name] for field in SET_FIELDS}


def habits_of(document: DraftDocument) -> dict[str, Habit]:
    """Habits by the id of the exercise."""
    return {
        one["exercise_id"]: Habit(one["rest_seconds"], one["rests_in_superset"], one["setup"])
        for one in listed(document["exercises"])
    }


def remember(account: Account, habits: dict[str, Habit]) -> None:
    known = Exercise.objects.seen_by(account).find_all(habits)
    kept = {known[given].pk: habit for given, habit in habits.items() if given in known}
    ExerciseHabit.objects.remember(account, kept)


def remember_changes(account: Account, before: DraftDocument, after: DraftDocument) -> None:
    known = habits_of(before)
    if changed := {pk: habit for pk, habit in habits_of(after).items() if known.get(pk) != habit}:
        remember(account, changed)


def discard(account: Account, draft_id: UUID) -> None:
    """Ends a workout under way without storing it. One that is closed stays as it is. Raises Http404."""
    with transaction.atomic():
        account.lock()
        draft = account.training_drafts.filter(pk=draft_id).first()
        if draft is None:
            raise Http404
        if draft.closed_at is None:
            draft.close()


# --- After the finish -------------------------------------------------------------------------------


def reject(draft: TrainingDraft, document: DraftDocument) -> TrainingDraft:
    """Raises Finished or Discarded."""
    workout = workout_of(draft)
    missing = missing_sets(draft, document)
    seen = Exercise.objects.seen_by(draft.account_id)
    names = seen.find_all({exercise["exercise_id"] for exercise, _ in missing})
    raise Finished(
        workout.pk,
        [
            {
                "exercise_id": exercise["exercise_id"],
                "name": exercise_name(names[exercise["exercise_id"]].name),
                "reps": one["reps"],
                **timed_set(one),
            }
            for exercise, one in missing
            if exercise["exercise_id"] in names
        ],
    )


def workout_of(draft: TrainingDraft) -> Workout:
    """The workout that a closed draft became. Raises Discarded."""
    workouts = (
        draft.account.workouts.filter(pk=draft.workout_id) if draft.workout_id else Workout.objects.none()
    )
    if (workout := workouts.first()) is None:
        raise Discarded()
    return workout


def missing_sets(draft: TrainingDraft, document: DraftDocument) -> list[tuple[DraftExercise, DraftSet]]:
    """The sets that are done once both are merged, and were not when the draft was closed."""
    done = {(exercise["uid"], one["uid"]) for exercise, one in done_sets(draft.document)}
    both = done_sets(merged(draft.document, document))
    return [(exercise, one) for exercise, one in both if (exercise["uid"], one["uid"]) not in done]


def with_missing(draft: TrainingDraft, document: DraftDocument) -> TrainingDraft:
    """Puts the missing sets into the workout. The second time there is none."""
    account, workout = draft.account, workout_of(draft)
    stored: Any = orjson.loads(workout.document)  # a WorkoutDocument
    entries = [{name: entry[name] for name in WRITABLE_OF_ENTRY} for entry in stored["exercises"]]
    missing = missing_sets(draft, document)
    kept = Exercise.objects.seen_by(account).find_all({exercise["exercise_id"] for exercise, _ in missing})
    for exercise, one in missing:
        pk = kept[exercise["exercise_id"]].pk if exercise["exercise_id"] in kept else exercise["exercise_id"]
        entry = next((entry for entry in entries if entry["exercise_id"] == pk), None)
        if entry is None:
            entry = entry_body({**exercise, "sets": []}, account, keep_undone=False)
            entries.append(entry)
        if is_timed(exercise, one):
            entry["notes"] = with_timed(entry["notes"], [timed_set(one)], account)
        else:
            entry["sets"].append(set_body(one))
    body = {**{name: stored[name] for name in Workout.WRITABLE}, "exercises": entries}
    workout.replace(validated(account, body))
    draft.store(merged(draft.document, document))
    return draft
