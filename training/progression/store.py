"""How targets of plans and routines follow workouts, in the transaction that stores these.

The account is locked. A workout that is the newest takes two statements more: the UPDATE of the plan, whose
row the look-up of the body has read (`ReadPlan`), and the INSERT of the steps. Any other is folded in its
place: the steps from its own on are made again, at most MAX_SESSIONS of a rule. A session that is older than
these changes nothing.

A workout does not name the routine and the day that it was begun from (`Begun`), its steps do: folds that are
made again take both from them, and what the person has switched off. A workout whose last step of a routine
is gone, because no set of it is completed any more, is no session of the routine from then on.
"""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, Self
from uuid import UUID

import orjson
from django.db import connection, models, transaction
from django.utils.translation import gettext as _
from uuid_utils.compat import uuid7

from accounts.models import Account
from fitness.web.language import in_english
from fitness.web.local_time import zone_of
from fitness.web.units import to_unit
from training.models.planned import PlanDay
from training.models.progression import ProgressionStep, ReadPlan
from training.models.workout_exercise import WorkoutEntry
from training.progression.plans import Begun, Done, Followed, Position, Progression, Week
from training.progression.reasons import local, reason
from training.progression.sessions import Session
from training.progression.steps import MAX_SESSIONS, Step, step, walk
from training.progression.targets import Target

MAX_DETAIL = 1000  # characters of an entry of the history, as archives have them
EARLIEST = Position(datetime.datetime.min.replace(tzinfo=datetime.UTC), "")


class Holder(NamedTuple):
    """The plan or routine that has rules."""

    noun: str  # "plan" or "routine"
    pk: UUID

    @property
    def reference(self) -> dict[str, UUID]:
        """As a condition for steps."""
        return {self.noun: self.pk}

    @classmethod
    def of(cls, step: ProgressionStep) -> Self:
        noun = "plan" if step.plan_id else "routine"
        return cls(noun, getattr(step, f"{noun}_id"))

    @classmethod
    def all_of(cls, plan_id: UUID | None, begun: Begun) -> list[Self]:
        """What a workout follows."""
        plan = [cls("plan", plan_id)] if plan_id else []
        return [*plan, cls("routine", begun.routine_id)] if begun.routine_id else plan


class HasRules(Protocol):
    """A plan or routine: `Adapting`, which imports this module."""

    pk: Any
    account: Any
    schedule: list[PlanDay]
    rules: Any

    @property
    def holder(self) -> Holder: ...
    @property
    def progressions(self) -> Progression: ...
    @property
    def changed_at(self) -> datetime.datetime: ...
    def add_history(self, kind: str, at: datetime.datetime, detail: str) -> None: ...
    def store_targets(self, read: ReadPlan | None) -> bool: ...


def week_of(account: Account, days: Sequence[PlanDay]) -> Week:
    return Week(days, account.units, zone_of(account.time_zone))


def day_of(account: Account, at: datetime.datetime) -> datetime.date:
    return at.astimezone(zone_of(account.time_zone)).date()


def done_of(
    workout_id: UUID,
    started_at: datetime.datetime,
    stored_at: datetime.datetime,
    entries: Iterable[WorkoutEntry],
) -> Done:
    sets_of: dict[str, list[Any]] = {}
    for entry in entries:
        sets_of.setdefault(entry["exercise"].id, []).append(entry["sets"])
    return Done(Position(started_at, str(workout_id)), stored_at, sets_of)


@dataclass(frozen=True)
class Dealt:
    """A session, the day of the plan that it counts for, and whether its workout was begun from that day."""

    weekday: int
    session: Session
    is_day_known: bool = False

    @property
    def position(self) -> Position:
        return Position(self.session.at, self.session.workout_id)


@dataclass(frozen=True)
class Next:
    """What a workout would do to a target: what is asked before and after it.

    `kind` is a Kind of steps, and `reason` as of the step. Of a wave, they are those of its judged line.
    """

    rule_id: str
    exercise_id: str
    exercise: str
    kind: str
    before: Target
    after: Target
    reason: str


class Changes:
    """What is to be stored of a plan or routine after a workout: its row, and steps that go and come."""

    def __init__(self, planning: HasRules, account: Account) -> None:
        self.planning, self.account = planning, account
        self.progression: Progression = planning.progressions
        self.week = week_of(account, planning.schedule)
        self.former: dict[str, Followed] = {}  # of the rules that are folded
        self.gone: list[UUID] = []
        self.rows: list[dict[str, Any]] = []

    def session(self, followed: Followed, done: Done, begun: Begun) -> Dealt | None:
        """What a workout is to a rule; of a routine each exercise is in its one day."""
        known = begun.weekday if self.planning.holder.noun == "plan" else None
        is_held = followed.id in begun.held
        found = self.week.session(self.progression, followed, done, known, is_held=is_held)
        return found and Dealt(*found, known is not None)

    def take(self, followed: Followed) -> None:
        """Sets a rule's state."""
        self.former |= {one.id: one for one in self.progression.followed if one.id == followed.id}
        self.progression = replace(
            self.progression,
            followed=tuple(followed if one.id == followed.id else one for one in self.progression.followed),
        )

    def add(self, followed: Followed, dealt: Dealt, made: Step, pk: UUID | None = None) -> None:
        self.rows.append(
            {
                "id": pk or uuid7(),
                "account_id": self.account.pk,
                "plan_id": None,
                "routine_id": None,
                f"{self.planning.holder.noun}_id": self.planning.pk,
                "workout_id": UUID(made.workout_id),
                "rule": UUID(followed.id),
                "fold": followed.fold,
                "exercise": self.week.exercise_of(followed).id,
                "weekday": dealt.weekday,
                "is_day_known": dealt.is_day_known,
                "is_held": dealt.session.is_held,
                "at": made.at,
                "kind": made.kind,
                "step": made.to_json(),
            }
        )

    @property
    def taken(self) -> list[Followed]:
        return [one for one in self.progression.followed if one.id in self.former]

    def store(self, at: datetime.datetime, read: ReadPlan | None = None) -> bool:
        """Stores them, with `read` only if the plan is still as it was read; returns whether it is."""
        days = self.week.with_targets(self.taken)
        if days != self.week.days:
            self.planning.schedule = days
            self.planning.add_history(*self.moved(at))
        self.planning.rules = self.progression.to_json()
        if not self.planning.store_targets(read):
            return False
        if self.gone:
            steps = self.account.progression_steps.filter(pk__in=self.gone)
            steps._raw_delete(connection.alias)
        ProgressionStep.objects.bulk_create(ProgressionStep(**row) for row in self.rows)
        return True

    def moved(self, at: datetime.datetime) -> tuple[str, datetime.datetime, str]:
        """The entry of the history: its kind, its time and what moved."""
        moved = [one for one in self.taken if self.week.asked(one) != self.week.asked(self.former[one.id])]
        newest = {row["rule"]: row for row in self.rows}
        kinds = [row["kind"] for one in moved if (row := newest.get(UUID(one.id)))]
        is_less = bool(kinds) and all(kind == "deloaded" for kind in kinds)
        with in_english():  # the history is stored, and clients of the API read it: in English
            texts = [self.text(one, newest.get(UUID(one.id))) for one in moved]
        detail = "; ".join(texts)
        if len(detail) >= MAX_DETAIL:
            detail = f"{detail[: MAX_DETAIL - 2]}…"
        return "deloaded" if is_less else "progressed", at, f"{detail}."

    def next_time(self) -> list[Next]:
        """The steps for people. Nothing is stored."""
        made = {str(row["rule"]): Step.from_json(row["step"]) for row in self.rows}
        return [self.next_of(one, made[one.id]) for one in self.taken]

    def next_of(self, followed: Followed, made: Step) -> Next:
        exercise = self.week.exercise_of(followed)
        return Next(
            followed.id,
            exercise.id,
            exercise.name,
            made.kind,
            self.asked(self.former[followed.id]),
            self.asked(followed),
            reason(made, self.week.unit, self.week.zone),
        )

    def asked(self, followed: Followed) -> Target:
        return list(self.week.asked(followed).values())[-1]

    def text(self, followed: Followed, row: dict[str, Any] | None) -> str:
        """Such as "Barbell Bench Press: 4 × 6 at 62.5 kg, up from 60: 4 × 6 done on 9 Nov"."""
        what = f"{self.week.exercise_of(followed).name}: {target_text(self.asked(followed), self.week.unit)}"
        if row is None:
            return f"{what}, after a change of a workout"
        return f"{what}, {reason(Step.from_json(row['step']), self.week.unit, self.week.zone)}"


def target_text(target: Target, unit: str) -> str:
    """Such as "4 × 6 at 62.5 kg"; "1 × 5+" where the last set is for as many repetitions as possible."""
    reps = f"{target.sets} × {target.reps}{'+' * target.open}"
    if target.is_weightless:
        return reps
    weight = f"{local(to_unit(target.weight_kg, unit))} {unit}"
    return _("%(reps)s at %(weight)s") % {"reps": reps, "weight": weight}


def follow_new(
    account: Account,
    plan_id: UUID | None,
    done: Done,
    at: datetime.datetime,
    read: ReadPlan | None,
    begun: Begun,
) -> None:
    """Makes the steps of a new workout. Without `read` the plan is read now."""
    for holder in Holder.all_of(plan_id, begun):
        follow_newest(account, holder, done, at, read if holder.noun == "plan" else None, begun)


def follow_newest(
    account: Account, holder: Holder, done: Done, at: datetime.datetime, read: ReadPlan | None, begun: Begun
) -> None:
    planning = plan_as_read(account, holder.pk, read) if read else stored_planning(account, holder)
    if planning is None:
        return
    changes = Changes(planning, account)
    if not newest_steps(changes, done, begun):
        fold_from(account, holder, UUID(done.position.workout_id), done, at, [], begun)
    elif changes.rows and not changes.store(at, read):  # the plan has changed since it was read
        follow_newest(account, holder, done, at, None, begun)


def plan_as_read(account: Account, plan_id: UUID, read: ReadPlan) -> HasRules:
    columns = {name: orjson.loads(text) for name, text in read._asdict().items()}
    return account.plans.model(account=account, pk=plan_id, **columns)


def stored_planning(account: Account, holder: Holder) -> HasRules | None:
    """The plan or routine, if it is there and has rules."""
    rows: models.QuerySet[Any] = account.plans.all() if holder.noun == "plan" else account.routines.all()
    planning: HasRules | None = rows.filter(pk=holder.pk, rules__isnull=False).first()
    if planning:
        planning.account = account
    return planning


def newest_steps(changes: Changes, done: Done, begun: Begun) -> bool:
    """Makes the steps of a workout; of a rule that has a newer session none. Returns whether no rule has."""
    are_all_newest = True
    for one in changes.progression.followed:
        dealt = changes.session(one, done, begun)
        if dealt is None:
            continue
        if one.newest and done.position < one.newest:
            are_all_newest = False
            continue
        made = step(one.rule, one.state, dealt.session, changes.week.loading(one))
        if made:
            changes.take(replace(one, state=made.after, newest=done.position))
            changes.add(one, dealt, made)
    return are_all_newest


def next_time(account: Account, plan_id: UUID | None, done: Done, begun: Begun) -> list[Next]:
    """What logging a workout would do to the targets of its plan and routine. Stores nothing.

    One statement for each of both. A rule that has a newer session is left out, and one of which the workout
    makes no step.
    """
    found: list[Next] = []
    for holder in Holder.all_of(plan_id, begun):
        if planning := stored_planning(account, holder):
            changes = Changes(planning, account)
            newest_steps(changes, done, begun)
            found += changes.next_time()
    return found


def follow_changed(
    account: Account, workout_id: UUID, plan_id: UUID | None, done: Done | None, at: datetime.datetime
) -> None:
    """Folds again from a workout on that was changed, or that follows another plan now.

    `done` is None, and its steps go, before the workout is deleted.
    """
    steps = ProgressionStep.objects.of_workouts(account.pk, [workout_id])
    stored = list(steps)
    holders = {Holder.of(row) for row in stored} | set(Holder.all_of(plan_id, Begun()))
    for holder in sorted(holders):
        rows = [row for row in stored if Holder.of(row) == holder]
        is_left = holder.noun == "plan" and holder.pk != plan_id
        fold_from(account, holder, workout_id, None if is_left else done, at, rows, begun_of(rows))
    if done is None and stored:  # also of plans that are being deleted
        steps._raw_delete(connection.alias)


def begun_of(rows: Iterable[ProgressionStep]) -> Begun:
    """What the steps of a workout keep of how it was begun and finished."""
    rows = list(rows)
    weekday = next((row.weekday for row in rows if row.is_day_known), None)
    return Begun(weekday=weekday, held=frozenset(str(row.rule) for row in rows if row.is_held))


def fold_from(
    account: Account,
    holder: Holder,
    workout_id: UUID,
    done: Done | None,
    at: datetime.datetime,
    rows: Iterable[ProgressionStep],
    begun: Begun,
) -> None:
    """Folds each rule again to which the workout is a session, or was one and had these steps."""
    planning = stored_planning(account, holder)
    if planning is None:
        return
    changes, stored = Changes(planning, account), {str(row.rule): row for row in rows}
    for one in changes.progression.followed:
        old = stored.get(one.id)
        if old and old.fold != one.fold:  # of an earlier fold, which has ended
            changes.gone += [] if done else [old.pk]
            continue
        is_part = done and (old or done.stored_at > one.since)
        new = changes.session(one, done, begun) if done and is_part else None
        if new is None and old is None:
            continue
        positions = [Position(old.at, str(workout_id))] if old else []
        positions += [new.position] if new else []
        fold_again(changes, one, min(positions), [new] if new else [], instead_of=str(workout_id))
    if changes.gone or changes.rows:
        changes.store(at)


def fold_again(
    changes: Changes, one: Followed, begin: Position, added: Sequence[Dealt], instead_of: str
) -> None:
    """Makes a rule's steps from a position on again. Nothing changes if that is too long ago."""
    later = steps_from(changes.account, one, begin)
    if len(later) > MAX_SESSIONS:
        changes.gone += [row.pk for row in later if str(row.workout_id) == instead_of and not added]
        return
    state = Step.from_json(later[0].step).before if later else one.state
    others = [row for row in later if str(row.workout_id) != instead_of]
    sessions = {dealt.session.workout_id: dealt for dealt in [*sessions_of(changes, one, others), *added]}
    ordered = sorted(sessions.values(), key=lambda dealt: dealt.position)
    known = {str(row.workout_id): row.pk for row in later}
    newest = None
    loading = changes.week.loading(one)
    for session, _targets, made in walk(one.rule, state, [dealt.session for dealt in ordered], loading):
        if made:
            state, newest = made.after, Position(made.at, made.workout_id)
            workout_id = session.workout_id
            changes.add(one, sessions[workout_id], made, known.get(workout_id))
    gone = [row.pk for row in later]
    changes.gone += gone
    newest = newest or newest_of(changes.account, one, gone)
    changes.take(replace(one, state=state, newest=newest))


def steps_from(account: Account, one: Followed, begin: Position) -> list[ProgressionStep]:
    """The steps of a fold from a position on in their order; of more than MAX_SESSIONS one more."""
    steps = account.progression_steps.filter(rule=one.id, fold=one.fold, at__gte=begin.at)
    newest = steps.order_by("-at", "-workout_id")[: MAX_SESSIONS + 2]
    found = [row for row in newest if (row.at, str(row.workout_id)) >= begin]
    return found[: MAX_SESSIONS + 1][::-1]


def newest_of(account: Account, one: Followed, but: Sequence[UUID]) -> Position | None:
    steps = account.progression_steps.filter(rule=one.id, fold=one.fold).exclude(pk__in=but)
    row = steps.order_by("-at", "-workout_id").first()
    return Position(row.at, str(row.workout_id)) if row else None


def sessions_of(changes: Changes, one: Followed, rows: Sequence[ProgressionStep]) -> list[Dealt]:
    """The sessions that have made these steps, with the sets that their workouts have now."""
    if not rows:
        return []
    exercise_id = changes.week.exercise_of(one).id
    ids = [row.workout_id for row in rows]
    entries = changes.account.workout_exercises.filter(workout__in=ids, exercise=exercise_id)
    sets_of: dict[UUID, list[Any]] = {}
    for workout_id, sets in entries.order_by("workout", "position").values_list("workout", "sets"):
        sets_of.setdefault(workout_id, []).append(orjson.loads(sets))
    found = []
    for row in rows:
        occurrences = sets_of.get(row.workout_id, [])
        done = Done(Position(row.at, str(row.workout_id)), row.at, {exercise_id: occurrences})
        # It made a step, so its week was no deload.
        dealt = changes.week.session(Progression(), one, done, row.weekday, is_held=row.is_held)
        if dealt:
            found.append(Dealt(*dealt, row.is_day_known))
    return found


def forget(account: Account, workout_ids: Sequence[UUID], at: datetime.datetime) -> None:
    """Takes back the steps of workouts before they are deleted."""
    steps = ProgressionStep.objects.of_workouts(account.pk, workout_ids)
    for workout_id in list(steps.values_list("workout", flat=True).distinct()):
        follow_changed(account, workout_id, None, None, at)


def fold_all_again(account: Account, holder: Holder) -> bool:
    """Makes the last MAX_SESSIONS steps of each rule again; returns whether the targets changed."""
    with transaction.atomic():
        account.lock()
        return fold_all_of_locked(account, holder)


def fold_all_of_locked(account: Account, holder: Holder) -> bool:
    planning = stored_planning(account, holder)
    if planning is None:
        return False
    changes, known = Changes(planning, account), planning.rules
    for one in changes.progression.followed:
        later = steps_from(account, one, EARLIEST)[-MAX_SESSIONS:]
        if later:
            first = Position(later[0].at, str(later[0].workout_id))
            fold_again(changes, one, first, [], instead_of="")
    at = planning.changed_at
    if changes.rows and changes.progression.to_json() != known:
        changes.store(at)
        return True
    return False
