"""A new workout under way, with the sets that somebody will probably do."""

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict

import orjson
from django.db import transaction
from django.utils import timezone
from uuid_utils.compat import uuid7

from accounts.models import Account
from fitness.days import today
from training.drafts.cards import Card, cards_of
from training.drafts.context import ExerciseContext, exercise_contexts
from training.models import Plan, ProgressionStep, Routine, TrainingDraft, Workout
from training.models.draft import DraftDocument, DraftSet, TargetOfDraft, Targets, entry_key, moment
from training.models.exercise import WITHOUT_LOAD
from training.models.planning import Planning
from training.models.sets import NOTHING_NOTED, LastSets, SetType, WorkoutSet
from training.models.timed import Measure, TimedSet, timed_measure, timed_sets
from training.models.workout_document import DocumentEntry, WorkoutDocument
from training.plans.plan_rules import ROUTINE_DAY, DayTarget, day_targets, reason_of

MAX_SETS = 500  # of a template: a document has to fit into a request, with all that is done to it


@dataclass(frozen=True)
class StartedSet:
    """A set to begin with; None is what nobody knows."""

    type: str = SetType.WORKING
    weight_kg: float | None = None
    reps: int | None = None
    seconds: int | None = None
    distance_km: float | None = None

    @property
    def timed(self) -> TimedSet:
        return {"seconds": self.seconds, "distance_km": self.distance_km, "weight_kg": self.weight_kg}


@dataclass(frozen=True)
class StartedExercise:
    """An exercise to begin with; its sets are measured as last time where `is_timed` is None.

    `target` is what is asked of it alone; where that `is_binding`, in place of what was lifted last time.
    """

    exercise_id: str
    sets: Sequence[StartedSet]
    is_timed: bool | None = None
    superset_id: str | None = None
    target: TargetOfDraft | None = None
    is_binding: bool = False


@dataclass(frozen=True)
class Template:
    """What a workout begins with."""

    title: str = ""
    plan: Plan | None = None
    weekday: int | None = None  # of the plan
    routine: Routine | None = None
    exercises: Sequence[StartedExercise] = ()
    targets: dict[str, Any] = field(default_factory=dict)
    repeats_workout: bool = False  # with the supersets that it had


def of_routine(routine: Routine) -> Template:
    return Template(routine.name, routine=routine, **adapted(routine, ROUTINE_DAY))


def of_plan(plan: Plan, weekday: int) -> Template:
    label = plan.days[weekday - 1]["label"]
    return Template(label, plan=plan, weekday=weekday, **adapted(plan, weekday))


def adapted(planning: Planning, weekday: int) -> dict[str, Any]:
    """The exercises and the targets of a template, as the plan or routine and its rules have them."""
    cards = list(cards_of(day_targets(planning.week, planning.progressions, weekday, today())))
    return {
        "exercises": [started(card) for card in cards],
        "targets": {card.exercise_id: card.target for card in cards},
    }


def started(card: Card) -> StartedExercise:
    sets = [planned_set(one) for one in card.entries for _ in range(one.target.sets)]
    target = card.target if card.has_target_of_its_own else None
    return StartedExercise(card.exercise_id, sets, target=target, is_binding=card.is_binding)


def planned_set(asked: DayTarget) -> StartedSet:
    """A load of 0 kg is one that the plan leaves open, unless there is none."""
    target = asked.target
    has_load = target.weight_kg > 0 or asked.entry["equipment"] in WITHOUT_LOAD
    return StartedSet(weight_kg=target.weight_kg if has_load else None, reps=target.reps or None)


def targets_in_words(draft: TrainingDraft) -> Targets:
    """The targets of a draft with why they are so, in the language and the unit of who reads them.

    Nothing of that is stored: it is said of the last step of the rule, where the plan or routine still asks
    for the same.
    """
    reasons = reasons_of(draft) if draft.targets_of_entries else {}
    exercises = {entry_key(one["uid"]): one["exercise_id"] for one in draft.document["exercises"]}
    found: Targets = {}
    for key, stored in draft.targets.items():
        target = found[key] = {**stored}
        first = target.get("lines", [target])[0]
        numbers = first["sets"], first["reps"], first["weight_kg"]
        if why := reasons.get((exercises.get(key, key), *numbers)):
            target["reason"] = why
    return found


def reasons_of(draft: TrainingDraft) -> dict[tuple[str, int, int, float], str]:
    """By exercise, sets, repetitions and weight, why the plan or routine of a draft asks for them."""
    account, document = draft.account, draft.document
    planning: Plan | Routine | None
    if document["routine_id"]:
        planning = account.routines.filter(pk=document["routine_id"]).first()
    else:
        planning = account.plans.filter(pk=document["plan_id"]).first() if document["plan_id"] else None
    if planning is None:
        return {}
    week, progression = planning.week, planning.progressions
    steps = account.progression_steps.last_of(progression)
    day = timezone.localdate(datetime.datetime.fromisoformat(document["started_at"]))
    found: dict[tuple[str, int, int, float], str] = {}
    for one in day_targets(week, progression, draft.weekday or ROUTINE_DAY, day):
        target = one.target
        numbers = one.entry["exercise_id"], target.sets, target.reps, target.weight_kg
        found.setdefault(numbers, reason_of(one, steps, week))
    return found


def of_workout(workout: Workout) -> Template:
    """An earlier workout again. With rules it begins with what its plan asks for today.

    Without the plan where none of its days has these exercises any more: what is done then moves no target.
    """
    document: WorkoutDocument = orjson.loads(workout.document)
    exercises = [one for entry in document["exercises"] for one in repeated(entry)]
    plan, title = workout.plan, document["title"]
    if plan is None or plan.progressions.is_empty:
        return Template(title, plan=plan, exercises=exercises, repeats_workout=True)
    plan.account = workout.account
    weekday = day_of(workout, plan, {one.exercise_id for one in exercises})
    if weekday is None:
        return Template(title, exercises=exercises, repeats_workout=True)
    day = of_plan(plan, weekday)
    return replace(day, title=title, exercises=list(as_asked(exercises, day)), repeats_workout=True)


def day_of(workout: Workout, plan: Plan, exercise_ids: Set[str]) -> int | None:
    """The day of its plan that a workout was, as its steps say, else the one that it shares most with."""
    steps = ProgressionStep.objects.of_workouts(workout.account_id, [workout.pk]).filter(plan=plan.pk)
    known = steps.values_list("weekday", flat=True).first()
    own = timezone.localtime(workout.started_at).isoweekday()
    shared = {
        day["weekday"]: len(exercise_ids & {one["exercise_id"] for one in day["exercises"]})
        for day in plan.days
    }
    weekday = max(shared, key=lambda one: (one == known and shared[one] > 0, shared[one], one == own))
    return weekday if shared[weekday] else None


def as_asked(exercises: Iterable[StartedExercise], day: Template) -> Iterator[StartedExercise]:
    """The exercises of a workout; where the day of its plan is binding, with what that asks for."""
    binding = [one for one in day.exercises if one.is_binding]
    ids, given = {one.exercise_id for one in binding}, set[str]()
    for one in exercises:
        if one.exercise_id not in ids:
            yield one
        elif one.exercise_id not in given:
            given.add(one.exercise_id)
            of_day = [other for other in binding if other.exercise_id == one.exercise_id]
            warm_ups = [row for row in one.sets if row.type == SetType.WARMUP]
            first, *others = (replace(other, superset_id=one.superset_id) for other in of_day)
            yield from (replace(first, sets=[*warm_ups, *first.sets]), *others)


def repeated(entry: DocumentEntry) -> Iterator[StartedExercise]:
    """The sets alone: remarks are about the day on which they were made.

    An exercise of a workout under way has one measure, so an entry with sets and times becomes two.
    """
    exercise_id, superset_id = entry["exercise_id"], entry["superset_id"]
    sets = [StartedSet(one["type"], one["weight_kg"], one["reps"]) for one in entry["sets"]]
    timed = [StartedSet(**one) for one in timed_sets(entry["notes"])]
    if sets:
        yield StartedExercise(exercise_id, sets, is_timed=False, superset_id=superset_id)
    if timed:
        yield StartedExercise(exercise_id, timed, is_timed=True, superset_id=superset_id)
    if not sets and not timed:
        yield StartedExercise(exercise_id, [StartedSet()], superset_id=superset_id)


def of_exercise(exercise_id: str) -> Template:
    return Template(exercises=[StartedExercise(exercise_id, [StartedSet()])])


def start(account: Account, template: Template) -> TrainingDraft:
    """The workout that is under way from now on; the one that is under way already, if there is one."""
    contexts = exercise_contexts(account, {one.exercise_id for one in template.exercises}, template.targets)
    with transaction.atomic():
        account.lock()
        if draft := account.training_drafts.open().first():
            return draft
        document = document_of(str(uuid7()), timezone.now(), template, contexts)
        targets = template.targets | targets_of_entries(template, contexts)
        return TrainingDraft.objects.open_new(account, document, targets, template.weekday)


def document_of(
    draft_id: str, now: datetime.datetime, template: Template, contexts: dict[str, ExerciseContext]
) -> DraftDocument:
    at = moment(now)
    known = known_exercises(template, contexts)
    supersets = supersets_of(template, known, contexts)
    last = {pk: LastSets(sets_of_last(context)) for pk, context in contexts.items()}
    return {
        "id": draft_id,
        "started_at": at,
        "title": template.title,
        "notes": "",
        "changed_at": at,
        "plan_id": str(template.plan.pk) if template.plan else None,
        "routine_id": str(template.routine.pk) if template.routine else None,
        "exercises": [
            {
                "uid": exercise_uid(index),
                "exercise_id": one.exercise_id,
                "order": index,
                **habit_of(contexts[one.exercise_id]),
                "notes": "",
                "superset_id": superset,
                "changed_at": at,
                "removed_at": None,
                **measured(one, contexts[one.exercise_id], last[one.exercise_id], at),
            }
            for index, (one, superset) in enumerate(zip(known, supersets, strict=True))
        ],
    }


class HabitOfDraft(TypedDict):
    """The part of a DraftExercise that is remembered from workout to workout."""

    rest_seconds: int
    rests_in_superset: bool
    setup: str


def habit_of(context: ExerciseContext) -> HabitOfDraft:
    return {
        "rest_seconds": context["rest_seconds"],
        "rests_in_superset": context["rests_in_superset"],
        "setup": context["setup"],
    }


def supersets_of(
    template: Template, exercises: Sequence[StartedExercise], contexts: dict[str, ExerciseContext]
) -> list[str | None]:
    """The superset of each exercise: of an earlier workout as it was there.

    Plans and routines have none, so lifts that were one superset when each was done last are one again.
    """
    if template.repeats_workout:
        return [one.superset_id for one in exercises]
    ids = [one.exercise_id for one in exercises]
    last = [superset_of_last(contexts[pk]) for pk in ids]
    lifts = Counter(superset for superset, _ in set(zip(last, ids, strict=True)))
    return [exercise_uid(last.index(one)) if one and lifts[one] > 1 else None for one in last]


def superset_of_last(context: ExerciseContext) -> str | None:
    return context["sessions"][0]["superset"] if context["sessions"] else None


def known_exercises(template: Template, contexts: dict[str, ExerciseContext]) -> list[StartedExercise]:
    return [one for one in first_exercises(template.exercises) if one.exercise_id in contexts]


def exercise_uid(index: int) -> str:
    return f"e{index}"


def targets_of_entries(template: Template, contexts: dict[str, ExerciseContext]) -> dict[str, TargetOfDraft]:
    return {
        entry_key(exercise_uid(index)): one.target
        for index, one in enumerate(known_exercises(template, contexts))
        if one.target
    }


class Measured(TypedDict):
    """The part of a DraftExercise that depends on what its sets are measured by."""

    measure: str
    sets: list[DraftSet]


def measured(started: StartedExercise, context: ExerciseContext, last: LastSets, at: str) -> Measured:
    measure = measure_to_start(started, context)
    rows = list(enumerate(started.sets))
    if measure == Measure.REPS:
        make = asked_set_of if started.is_binding else set_of
        return {"measure": measure, "sets": [make(number, row, last, at) for number, row in rows]}
    before = context["sessions"][0]["timed"] if context["sessions"] else []
    return {"measure": measure, "sets": [timed_set_of(number, row, before, at) for number, row in rows]}


def measure_to_start(started: StartedExercise, context: ExerciseContext) -> str:
    if started.is_timed is None:
        return context["measures"][0]
    timed = [one.timed for one in started.sets]
    return timed_measure(timed, context["measures"]) if started.is_timed else Measure.REPS.value


def sets_of_last(context: ExerciseContext) -> Sequence[WorkoutSet]:
    return context["sessions"][0]["sets"] if context["sessions"] else ()


def first_exercises(exercises: Iterable[StartedExercise]) -> Iterator[StartedExercise]:
    """Yields those that have MAX_SETS sets together."""
    room = MAX_SETS
    for one in exercises:
        if room:
            yield replace(one, sets=one.sets[:room])
            room -= len(one.sets[:room])


def set_of(number: int, planned: StartedSet, last: LastSets, at: str) -> DraftSet:
    """A set with weight and repetitions of last time."""
    same = last.take(planned.type)
    return {
        **empty_set(number, at),
        "type": planned.type,
        "weight_kg": same["weight_kg"] if same else planned.weight_kg,
        "reps": same["reps"] if same else planned.reps,
    }


def asked_set_of(number: int, asked: StartedSet, last: LastSets, at: str) -> DraftSet:
    """A set with what is asked for; of last time only what the target leaves open."""
    one = set_of(number, asked, last, at)
    if asked.weight_kg is not None:
        one["weight_kg"] = asked.weight_kg
    if asked.reps is not None:
        one["reps"] = asked.reps
    return one


def timed_set_of(number: int, started: StartedSet, before: Sequence[TimedSet], at: str) -> DraftSet:
    """A set with time and distance of last time; those of the last set, if there were fewer."""
    same = before[min(number, len(before) - 1)] if before else started.timed
    return {**empty_set(number, at), **same}


def empty_set(number: int, at: str) -> DraftSet:
    return {
        "uid": f"s{number}",
        "order": number,
        "type": SetType.WORKING,
        "weight_kg": None,
        "reps": None,
        "seconds": None,
        "distance_km": None,
        **NOTHING_NOTED,
        "done_at": None,
        "changed_at": at,
        "removed_at": None,
    }
