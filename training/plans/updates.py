"""How targets of plans and routines follow workouts, in the transaction that stores these.

The account is locked. Of each rule that a workout has sets for, only the newest session moves the target, and
it does so once:

- It is stored: one step (`move_targets`).
- It is corrected: the target is what it was before that step, and the step is made again (`correct_targets`).
- It is deleted: the target is what it was before that step, and the step goes (`correct_targets`, too).
- Any other one, logged late, corrected or deleted, moves nothing; nor does one that is to start more than a
  day after it was stored: one mistyped year would stop a plan for good.

A workout that is new takes two statements more: the UPDATE of the plan, whose row the look-up of the body has
read (`ReadPlan`), and the INSERT of the steps.

A workout does not name the routine and the day that it was begun from (`Origin`), its steps do: a step that
is made again takes both from the one before, and what the person has switched off. Where one of them was held
because sets were not tried, that is no miss from then on either. A workout whose last step of a routine is
gone, because no set of it is completed any more, is no session of it from then on.
"""

import datetime
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import orjson
from django.db import connection
from uuid_utils.compat import uuid7

from accounts.models import Account
from fitness.web.language import in_english
from training.models.planning import Planning
from training.models.progression_step import ProgressionStep, ReadPlan
from training.plans.plan_rules import PlanRule, Progression, SessionKey
from training.plans.rules import Target
from training.plans.steps import Step, step
from training.plans.wording import reason, target_text
from training.plans.workouts import LoggedWorkout, Origin, Sessions

MAX_SAID = 20  # targets in an entry of the history
AHEAD = datetime.timedelta(days=1)  # of a time zone, and of a clock that is somewhat wrong


@dataclass(frozen=True)
class NextTarget:
    """A target before and after a workout that is not stored yet.

    `kind` and `reason` are those of the step. For a wave, the targets are those of its last line.
    """

    rule_id: str
    exercise_id: str
    exercise: str
    kind: str
    before: Target
    after: Target
    reason: str


class TargetChanges:
    """The changes of a plan or routine by a workout: new targets, new steps, and steps that are deleted."""

    def __init__(self, planning: Planning) -> None:
        self.planning, self.account, self.week = planning, planning.account, planning.week
        self.before = planning.progressions
        self.former = {one.id: one for one in self.before.rules}
        self.changed: dict[str, PlanRule] = {}  # these three by the id of the rule
        self.made: dict[str, Step] = {}
        self.new_steps: dict[str, ProgressionStep] = {}
        self.old_steps: list[UUID] = []

    @property
    def progression(self) -> Progression:
        rules = tuple(self.changed.get(one.id, one) for one in self.before.rules)
        return replace(self.before, rules=rules)

    def apply(self, workout: LoggedWorkout, origin: Origin, of: Collection[str] | None = None) -> None:
        """Makes the steps of a workout: of all rules whose newest session it is, or of some of these."""
        if workout.key.at > workout.stored_at + AHEAD:
            return
        noun, pk = self.planning.noun, self.planning.pk
        # Of a routine each exercise is in its one day.
        sessions = Sessions(self.week, workout, origin.weekday if noun == "plan" else None)
        is_deload = self.before.is_deload(sessions.at.date())
        for one in self.progression.rules:
            is_older = one.newest and workout.key < one.newest
            if is_older or (of is not None and one.id not in of):
                continue
            is_held = one.id in origin.held_rules
            found = sessions.of(
                one, is_deload=is_deload, is_held=is_held, forgives_untried=origin.forgives_untried
            )
            made = found and step(one.rule, one.state, found[1], self.week.loading(one))
            if not found or not made:
                continue
            self.changed[one.id] = replace(one, state=made.after, newest=workout.key)
            self.made[one.id] = made
            self.new_steps[one.id] = ProgressionStep(
                id=uuid7(),
                account=self.account,
                plan_id=pk if noun == "plan" else None,
                routine_id=pk if noun == "routine" else None,
                workout_id=UUID(made.workout_id),
                rule=UUID(one.id),
                fold=one.fold,
                exercise=self.week.entry_of(one)["exercise_id"],
                weekday=found[0],
                is_day_known=found[0] == origin.weekday,
                is_held=is_held,
                at=made.at,
                kind=made.kind,
                step=made.to_json(),
            )

    def take_back(self, one: PlanRule, last_step: ProgressionStep) -> None:
        """Puts a target back to what it was before its newest step."""
        steps = self.account.progression_steps.filter(rule=one.id, fold=one.fold).exclude(pk=last_step.pk)
        last = steps.order_by("-at", "-workout_id").values_list("at", "workout").first()
        newest = SessionKey(last[0], str(last[1])) if last else None
        self.changed[one.id] = replace(one, state=Step.from_json(last_step.step).before, newest=newest)
        self.old_steps.append(last_step.pk)

    def store(self, at: datetime.datetime, read: ReadPlan | None = None) -> bool:
        """Stores them, with `read` only if the plan is still as it was read; returns whether it is."""
        days = self.week.with_targets(self.changed.values())
        if days != self.week.days:
            self.planning.schedule = days
            self.add_history(at)
        self.planning.rules = self.progression.to_json()
        if not self.planning.store_targets(read):
            return False
        if self.old_steps:
            steps = self.account.progression_steps.filter(pk__in=self.old_steps)
            steps._raw_delete(connection.alias)
        ProgressionStep.objects.bulk_create(self.new_steps.values())
        return True

    def add_history(self, at: datetime.datetime) -> None:
        """Notes what moved: "Barbell Bench Press: 4 × 6 at 62.5 kg, up from 60: 4 × 6 done on 9 Nov"."""
        targets, former = self.week.targets, self.former
        moved = [one for one in self.changed.values() if targets(one) != targets(former[one.id])]
        kinds = {self.made[one.id].kind for one in moved if one.id in self.made}
        texts = []
        with in_english():  # the history is stored, and clients of the API read it: in English
            for one in moved[:MAX_SAID]:
                target = target_text(self.target(one), self.week.unit)
                why = self.reason(one) if one.id in self.made else "after a change of a workout"
                texts.append(f"{self.week.entry_of(one)['name']}: {target}, {why}")
        if more := len(moved) - len(texts):
            texts.append(f"and {more} more")
        kind = "deloaded" if kinds == {"deloaded"} else "progressed"
        self.planning.add_history(kind, at, f"{'; '.join(texts)}.")

    def next_targets(self) -> list[NextTarget]:
        """The changes of targets, without storing them."""
        return [
            NextTarget(
                one.id,
                self.week.entry_of(one)["exercise_id"],
                self.week.entry_of(one)["name"],
                self.made[one.id].kind,
                self.target(self.former[one.id]),
                self.target(one),
                self.reason(one),
            )
            for one in self.changed.values()
        ]

    def target(self, rule: PlanRule) -> Target:
        return list(self.week.targets(rule).values())[-1]

    def reason(self, rule: PlanRule) -> str:
        return reason(self.made[rule.id], self.week.unit, self.week.zone)


def plans_and_routines(
    account: Account, plan_ids: Iterable[UUID | None], routine_ids: Iterable[UUID | None]
) -> list[Planning]:
    """The plans and routines with these ids, as far as they have rules: at most two statements."""
    found: list[Planning] = []
    if plans := [pk for pk in plan_ids if pk]:
        found += account.plans.with_rules().filter(pk__in=plans)
    if routines := [pk for pk in routine_ids if pk]:
        found += account.routines.with_rules().filter(pk__in=routines)
    for planning in found:
        planning.account = account
    return found


def move_targets(
    account: Account,
    plan_id: UUID | None,
    workout: LoggedWorkout,
    at: datetime.datetime,
    read: ReadPlan | None,
    origin: Origin,
) -> None:
    """Makes the steps of a new workout.

    `read` is its plan as it was read before the account was locked. Without it, and where the plan has
    changed since, it is read now.
    """
    if plan_id and read:
        columns = {name: orjson.loads(text) for name, text in read._asdict().items()}
        changes = TargetChanges(account.plans.model(account=account, pk=plan_id, **columns))
        changes.apply(workout, origin)
        if not changes.new_steps or changes.store(at, read):
            plan_id = None
    for planning in plans_and_routines(account, [plan_id], [origin.routine_id]):
        changes = TargetChanges(planning)
        changes.apply(workout, origin)
        if changes.new_steps:
            changes.store(at)


def next_targets(
    account: Account, plan_id: UUID | None, workout: LoggedWorkout, origin: Origin
) -> list[NextTarget]:
    """What logging a workout would do to the targets of its plan and routine. Stores nothing.

    A rule that has a newer session is left out, and one of which the workout makes no step.
    """
    found: list[NextTarget] = []
    for planning in plans_and_routines(account, [plan_id], [origin.routine_id]):
        changes = TargetChanges(planning)
        changes.apply(workout, origin)
        found += changes.next_targets()
    return found


def unmoved_exercises(
    planning: Planning, workout: LoggedWorkout, weekday: int | None = None, moved: Collection[str] = ()
) -> list[str]:
    """The names of the exercises of which a stored workout moves no target: a later session is stored.

    `weekday` is the day of the plan that the workout was begun from; `moved` are the ids of rules that it has
    moved when it was the newest.
    """
    week, rules = planning.week, planning.progressions.rules
    sessions = Sessions(week, workout, weekday)
    later = [one for one in rules if one.newest and one.newest.at > workout.key.at and one.id not in moved]
    return list(dict.fromkeys(week.entry_of(one)["name"] for one in later if sessions.of(one)))


def correct_targets(
    account: Account,
    workout_id: UUID,
    plan_id: UUID | None,
    workout: LoggedWorkout | None,
    at: datetime.datetime,
) -> None:
    """Makes the steps of a workout again that was changed, or that follows another plan now.

    What it did last to each target is taken back first. `workout` is None, and its steps go, before the
    workout is deleted.
    """
    steps = ProgressionStep.objects.of_workouts(account.pk, [workout_id])
    stored = list(steps)
    plan_ids = {plan_id, *(row.plan_id for row in stored)}
    for planning in plans_and_routines(account, plan_ids, {row.routine_id for row in stored}):
        changes = TargetChanges(planning)
        rules = changes.before.rules
        step_of = {str(row.rule): row for row in stored if planning.pk in (row.plan_id, row.routine_id)}
        for one in rules:
            row = step_of.get(one.id)
            if row and row.is_last_of(one):
                changes.take_back(one, row)
        is_left = planning.noun == "plan" and planning.pk != plan_id
        if workout and not is_left:
            made = step_of.values()  # they keep how the workout was begun and finished
            weekday = next((row.weekday for row in made if row.is_day_known), None)
            held_rules = frozenset(str(row.rule) for row in made if row.is_held)
            stored_at = workout.stored_at
            without_step = {one.id for one in rules if one.id not in step_of and stored_at > one.began_at}
            forgives_untried = any(row.step["why"] == "untried" for row in made)
            origin = Origin(weekday=weekday, held_rules=held_rules, forgives_untried=forgives_untried)
            changes.apply(workout, origin, changes.changed.keys() | without_step)
        if changes.old_steps or changes.new_steps:
            changes.store(at)
    if workout is None and stored:  # also those of earlier sessions, and of plans that are being deleted
        steps._raw_delete(connection.alias)


def take_back_steps(account: Account, workout_ids: Sequence[UUID], at: datetime.datetime) -> None:
    """Takes back the steps of workouts before they are deleted, of the newest one first."""
    steps = ProgressionStep.objects.of_workouts(account.pk, workout_ids).order_by("-at", "-workout_id")
    for workout_id in dict.fromkeys(steps.values_list("workout", flat=True)):
        correct_targets(account, workout_id, None, None, at)
