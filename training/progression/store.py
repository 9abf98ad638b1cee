"""How targets of plans and routines follow workouts, in the transaction that stores these.

The account is locked. Of each rule that a workout has sets for, only the newest session moves the target, and
it does so once:

- It is stored: one step.
- It is corrected: the target is what it was before that step, and the step is made again.
- It is deleted: the target is what it was before that step, and the step goes.
- Any other one, logged late, corrected or deleted, moves nothing; nor does one that is to start more than a
  day after it was stored: one mistyped year would stop a plan for good.

A workout that is new takes two statements more: the UPDATE of the plan, whose row the look-up of the body has
read (`ReadPlan`), and the INSERT of the steps.

A workout does not name the routine and the day that it was begun from (`Begun`), its steps do: a step that
is made again takes both from the one before, and what the person has switched off. A workout whose last step
of a routine is gone, because no set of it is completed any more, is no session of it from then on.
"""

import datetime
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, Self
from uuid import UUID

import orjson
from django.db import connection, models
from django.utils.translation import gettext as _
from uuid_utils.compat import uuid7

from accounts.models import Account
from fitness.web.language import in_english
from fitness.web.local_time import zone_of
from fitness.web.units import to_unit
from training.models.planned import PlanDay
from training.models.progression import ProgressionStep, ReadPlan
from training.models.workout_exercise import WorkoutEntry
from training.progression.plans import Begun, Done, Followed, Position, Progression, Sessions, Week
from training.progression.reasons import local, reason
from training.progression.steps import Step, step
from training.progression.targets import Target

MAX_SAID = 20  # targets in an entry of the history
AHEAD = datetime.timedelta(days=1)  # of a time zone, and of a clock that is somewhat wrong


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
        self.before: Progression = planning.progressions
        self.week = week_of(account, planning.schedule)
        self.changed: dict[str, Followed] = {}  # rules by their ids
        self.gone: list[UUID] = []
        self.rows: list[dict[str, Any]] = []

    @property
    def progression(self) -> Progression:
        followed = tuple(self.changed.get(one.id, one) for one in self.before.followed)
        return replace(self.before, followed=followed)

    @property
    def taken(self) -> list[Followed]:
        return list(self.changed.values())

    def move(self, done: Done, begun: Begun, of: Collection[str] | None = None) -> None:
        """Makes the steps of a workout: of all rules whose newest session it is, or of some of these."""
        if done.position.at > done.stored_at + AHEAD:
            return
        is_of_plan = self.planning.holder.noun == "plan"  # of a routine each exercise is in its one day
        sessions = Sessions(self.week, done, begun.weekday if is_of_plan else None)
        is_deload = self.before.is_deload(sessions.at.date())
        for one in self.progression.followed:
            is_older = one.newest and done.position < one.newest
            if is_older or (of is not None and one.id not in of):
                continue
            found = sessions.of(one, is_deload=is_deload, is_held=one.id in begun.held)
            made = found and step(one.rule, one.state, found[1], self.week.loading(one))
            if found and made:
                self.changed[one.id] = replace(one, state=made.after, newest=done.position)
                self.add(one, found[0], made, begun)

    def take_back(self, one: Followed, made: ProgressionStep) -> None:
        """Puts a target back to what it was before its newest step."""
        steps = self.account.progression_steps.filter(rule=one.id, fold=one.fold).exclude(pk=made.pk)
        last = steps.order_by("-at", "-workout_id").values_list("at", "workout").first()
        newest = Position(last[0], str(last[1])) if last else None
        self.changed[one.id] = replace(one, state=Step.from_json(made.step).before, newest=newest)
        self.gone.append(made.pk)

    def add(self, one: Followed, weekday: int, made: Step, begun: Begun) -> None:
        self.rows.append(
            {
                "id": uuid7(),
                "account_id": self.account.pk,
                "plan_id": None,
                "routine_id": None,
                f"{self.planning.holder.noun}_id": self.planning.pk,
                "workout_id": UUID(made.workout_id),
                "rule": UUID(one.id),
                "fold": one.fold,
                "exercise": self.week.exercise_of(one).id,
                "weekday": weekday,
                "is_day_known": weekday == begun.weekday,
                "is_held": one.id in begun.held,
                "at": made.at,
                "kind": made.kind,
                "step": made.to_json(),
            }
        )

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
        former = self.former
        moved = [one for one in self.taken if self.week.asked(one) != self.week.asked(former[one.id])]
        newest = {row["rule"]: row for row in self.rows}
        kinds = [row["kind"] for one in moved if (row := newest.get(UUID(one.id)))]
        is_less = bool(kinds) and all(kind == "deloaded" for kind in kinds)
        with in_english():  # the history is stored, and clients of the API read it: in English
            texts = [self.text(one, newest.get(UUID(one.id))) for one in moved[:MAX_SAID]]
        if more := len(moved) - len(texts):
            texts.append(f"and {more} more")
        return "deloaded" if is_less else "progressed", at, f"{'; '.join(texts)}."

    def next_time(self) -> list[Next]:
        """The steps for people. Nothing is stored."""
        made = {str(row["rule"]): Step.from_json(row["step"]) for row in self.rows}
        return [self.next_of(one, made[one.id]) for one in self.taken]

    @property
    def former(self) -> dict[str, Followed]:
        """What was there of the rules that have changed."""
        return {one.id: one for one in self.before.followed if one.id in self.changed}

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
    changes.move(done, begun)
    if changes.rows and not changes.store(at, read):  # the plan has changed since it was read
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


def next_time(account: Account, plan_id: UUID | None, done: Done, begun: Begun) -> list[Next]:
    """What logging a workout would do to the targets of its plan and routine. Stores nothing.

    One statement for each of both. A rule that has a newer session is left out, and one of which the workout
    makes no step.
    """
    found: list[Next] = []
    for holder in Holder.all_of(plan_id, begun):
        if planning := stored_planning(account, holder):
            changes = Changes(planning, account)
            changes.move(done, begun)
            found += changes.next_time()
    return found


def unmoved(account: Account, planning: HasRules, done: Done, begun: Begun) -> list[Followed]:
    """The rules that a stored workout has sets for and has not moved: a later session of theirs is stored."""
    sessions = Sessions(week_of(account, planning.schedule), done, begun.weekday)
    later = [one for one in planning.progressions.followed if one.newest and one.newest.at > done.position.at]
    return [one for one in later if sessions.of(one)]


def follow_changed(
    account: Account, workout_id: UUID, plan_id: UUID | None, done: Done | None, at: datetime.datetime
) -> None:
    """Makes the steps of a workout again that was changed, or that follows another plan now.

    `done` is None, and its steps go, before the workout is deleted.
    """
    steps = ProgressionStep.objects.of_workouts(account.pk, [workout_id])
    stored = list(steps)
    holders = {Holder.of(row) for row in stored} | set(Holder.all_of(plan_id, Begun()))
    for holder in sorted(holders):
        rows = [row for row in stored if Holder.of(row) == holder]
        is_left = holder.noun == "plan" and holder.pk != plan_id
        correct(account, holder, rows, None if is_left else done, at)
    if done is None and stored:  # also those of earlier sessions, and of plans that are being deleted
        steps._raw_delete(connection.alias)


def correct(
    account: Account,
    holder: Holder,
    rows: Sequence[ProgressionStep],
    done: Done | None,
    at: datetime.datetime,
) -> None:
    """Takes back what a workout, which has made these steps, did last to its targets, and makes it again."""
    planning = stored_planning(account, holder)
    if planning is None:
        return
    changes, known = Changes(planning, account), {str(row.rule): row for row in rows}
    followed = changes.before.followed
    for one in followed:
        if (row := known.get(one.id)) and is_newest_step(row, one):
            changes.take_back(one, row)
    if done:
        unknown = {one.id for one in followed if one.id not in known and done.stored_at > one.since}
        changes.move(done, begun_of(rows), changes.changed.keys() | unknown)
    if changes.gone or changes.rows:
        changes.store(at)


def is_newest_step(row: ProgressionStep, one: Followed) -> bool:
    """Whether this step is the last one of its rule, so that it can be taken back."""
    newest = one.newest.workout_id if one.newest else None
    return (row.fold, str(row.workout_id)) == (one.fold, newest)


def begun_of(rows: Iterable[ProgressionStep]) -> Begun:
    """What the steps of a workout keep of how it was begun and finished."""
    rows = list(rows)
    weekday = next((row.weekday for row in rows if row.is_day_known), None)
    return Begun(weekday=weekday, held=frozenset(str(row.rule) for row in rows if row.is_held))


def forget(account: Account, workout_ids: Sequence[UUID], at: datetime.datetime) -> None:
    """Takes back the steps of workouts before they are deleted, of the newest one first."""
    steps = ProgressionStep.objects.of_workouts(account.pk, workout_ids).order_by("-at", "-workout_id")
    for workout_id in dict.fromkeys(steps.values_list("workout", flat=True)):
        follow_changed(account, workout_id, None, None, at)
