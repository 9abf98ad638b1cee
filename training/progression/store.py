"""How targets of plans follow workouts, in the transaction that stores these. The account is locked.

A workout that is the newest takes two statements more: the UPDATE of the plan, whose row the look-up of the
body has read (`ReadPlan`), and the INSERT of the steps. Any other is folded in its place: the steps from its
own on are made again, at most MAX_SESSIONS of a rule. A session that is older than these changes nothing.
"""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import orjson
from django.db import connection, transaction
from uuid_utils.compat import uuid7

from accounts.models import Account
from fitness.db.writes import insert_rows
from fitness.web.local_time import zone_of
from fitness.web.units import to_unit
from training.models.planned import PlanDay
from training.models.progression import ProgressionStep, ReadPlan
from training.models.workout_exercise import WorkoutEntry
from training.progression.plans import Done, Followed, Position, Progression, Week
from training.progression.reasons import reason
from training.progression.sessions import Session
from training.progression.steps import MAX_SESSIONS, Step, step, walk
from training.progression.targets import Target

MAX_DETAIL = 1000  # characters of an entry of the history, as archives have them
EARLIEST = Position(datetime.datetime.min.replace(tzinfo=datetime.UTC), "")


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


class Changes:
    """What is to be stored of a plan after a workout: its row, and steps that go and come."""

    def __init__(self, plan: Any, account: Account) -> None:
        self.plan, self.account = plan, account
        self.progression: Progression = plan.progressions
        self.week = week_of(account, plan.days)
        self.former: dict[str, Followed] = {}  # of the rules that are folded
        self.gone: list[UUID] = []
        self.rows: list[dict[str, Any]] = []

    def take(self, followed: Followed) -> None:
        """Sets a rule's state."""
        self.former |= {one.id: one for one in self.progression.followed if one.id == followed.id}
        self.progression = replace(
            self.progression,
            followed=tuple(followed if one.id == followed.id else one for one in self.progression.followed),
        )

    def add(self, followed: Followed, weekday: int, made: Step, pk: UUID | None = None) -> None:
        self.rows.append(
            {
                "id": pk or uuid7(),
                "account_id": self.account.pk,
                "plan_id": self.plan.pk,
                "workout_id": UUID(made.workout_id),
                "rule": UUID(followed.id),
                "fold": followed.fold,
                "exercise": self.week.exercise_of(followed).id,
                "weekday": weekday,
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
        if days != self.plan.days:
            self.plan.days = days
            self.plan.add_history(*self.moved(at))
        self.plan.rules = self.progression.to_json()
        if not self.plan.store_targets(read):
            return False
        if self.gone:
            steps = self.account.progression_steps.filter(pk__in=self.gone)
            steps._raw_delete(connection.alias)
        insert_rows(ProgressionStep, self.rows)
        return True

    def moved(self, at: datetime.datetime) -> tuple[str, datetime.datetime, str]:
        """The entry of the history: its kind, its time and what moved."""
        moved = [one for one in self.taken if self.week.asked(one) != self.week.asked(self.former[one.id])]
        newest = {row["rule"]: row for row in self.rows}
        kinds = [row["kind"] for one in moved if (row := newest.get(UUID(one.id)))]
        is_less = bool(kinds) and all(kind == "deloaded" for kind in kinds)
        texts = [self.text(one, newest.get(UUID(one.id))) for one in moved]
        detail = "; ".join(texts)
        if len(detail) >= MAX_DETAIL:
            detail = f"{detail[: MAX_DETAIL - 2]}…"
        return "deloaded" if is_less else "progressed", at, f"{detail}."

    def text(self, followed: Followed, row: dict[str, Any] | None) -> str:
        """Such as "Barbell Bench Press: 4 × 6 at 62.5 kg, up from 60: 4 × 6 done on 9 Nov"."""
        target = list(self.week.asked(followed).values())[-1]
        what = f"{self.week.exercise_of(followed).name}: {target_text(target, self.week.unit)}"
        if row is None:
            return f"{what}, after a change of a workout"
        return f"{what}, {reason(Step.from_json(row['step']), self.week.unit, self.week.zone)}"


def target_text(target: Target, unit: str) -> str:
    weight = "" if target.is_weightless else f" at {to_unit(target.weight_kg, unit)} {unit}"
    return f"{target.sets} × {target.reps}{weight}"


def follow_new(
    account: Account, plan_id: UUID, done: Done, at: datetime.datetime, read: ReadPlan | None
) -> None:
    """Makes the steps of a new workout. Without `read` the plan is read now."""
    plan = plan_as_read(account, plan_id, read) if read else stored_plan(account, plan_id)
    if plan is None:
        return
    changes = newest_steps(Changes(plan, account), done)
    if changes and (not changes.rows or changes.store(at, read)):
        return
    if changes:  # the plan has changed since it was read
        follow_new(account, plan_id, done, at, None)
    else:
        follow_changed(account, UUID(done.position.workout_id), plan_id, done, at)


def plan_as_read(account: Account, plan_id: UUID, read: ReadPlan) -> Any:
    columns = {name: orjson.loads(text) for name, text in read._asdict().items()}
    return account.plans.model(account=account, pk=plan_id, **columns)


def stored_plan(account: Account, plan_id: UUID) -> Any:
    """The plan, if it is there and has rules."""
    plan = account.plans.filter(pk=plan_id, rules__isnull=False).first()
    if plan:
        plan.account = account
    return plan


def newest_steps(changes: Changes, done: Done) -> Changes | None:
    """The steps of a workout; None if it is not the newest of each fold."""
    progression, week = changes.progression, changes.week
    for one in progression.followed:
        found = week.session(progression, one, done)
        if found is None:
            continue
        if one.newest and done.position < one.newest:
            return None
        weekday, session = found
        made = step(one.rule, one.state, session, week.loading(one))
        if made:
            changes.take(replace(one, state=made.after, newest=done.position))
            changes.add(one, weekday, made)
    return changes


def follow_changed(
    account: Account, workout_id: UUID, plan_id: UUID | None, done: Done | None, at: datetime.datetime
) -> None:
    """Folds again from a workout on that was changed, that follows another plan now, or is new but older.

    `done` is None, and its steps go, before the workout is deleted.
    """
    stored = list(account.progression_steps.filter(workout=workout_id))
    plans = {one.plan_id for one in stored} | ({plan_id} if plan_id else set())
    for pk in sorted(plans):
        plan = stored_plan(account, pk)
        if plan:
            changes = Changes(plan, account)
            here = done if pk == plan_id else None
            fold_from(changes, workout_id, here, {str(one.rule): one for one in stored if one.plan_id == pk})
            if changes.gone or changes.rows:
                changes.store(at)
    if done is None and stored:  # also of plans that are being deleted
        account.progression_steps.filter(workout=workout_id)._raw_delete(connection.alias)


def fold_from(
    changes: Changes, workout_id: UUID, done: Done | None, stored: dict[str, ProgressionStep]
) -> None:
    """Folds each rule again to which the workout is a session, or was one."""
    progression, week = changes.progression, changes.week
    for one in progression.followed:
        old = stored.get(one.id)
        if old and old.fold != one.fold:  # of an earlier fold, which has ended
            changes.gone += [] if done else [old.pk]
            continue
        is_part = done and (old or done.stored_at > one.since)
        new = week.session(progression, one, done) if done and is_part else None
        if new is None and old is None:
            continue
        positions = [Position(old.at, str(workout_id))] if old else []
        positions += [done.position] if done and new else []
        sessions = [Dealt(*new)] if new else []
        fold_again(changes, one, min(positions), sessions, instead_of=str(workout_id))


@dataclass(frozen=True)
class Dealt:
    """A session with the day of the plan that it counts for."""

    weekday: int
    session: Session

    @property
    def position(self) -> Position:
        return Position(self.session.at, self.session.workout_id)


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
    for session, _, made in walk(one.rule, state, [dealt.session for dealt in ordered], loading):
        if made:
            state, newest = made.after, Position(made.at, made.workout_id)
            workout_id = session.workout_id
            changes.add(one, sessions[workout_id].weekday, made, known.get(workout_id))
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
        dealt = changes.week.session(Progression(), one, done, row.weekday)
        if dealt:
            found.append(Dealt(*dealt))
    return found


def forget(account: Account, workout_ids: Sequence[UUID], at: datetime.datetime) -> None:
    """Takes back the steps of workouts before they are deleted."""
    steps = account.progression_steps.filter(workout__in=workout_ids)
    for workout_id in list(steps.values_list("workout", flat=True).distinct()):
        follow_changed(account, workout_id, None, None, at)


def fold_all_again(account: Account, plan_id: UUID) -> bool:
    """Makes the last MAX_SESSIONS steps of each rule of a plan again; returns whether its targets changed."""
    with transaction.atomic():
        account.lock()
        return fold_all_of_locked(account, plan_id)


def fold_all_of_locked(account: Account, plan_id: UUID) -> bool:
    plan = stored_plan(account, plan_id)
    if plan is None:
        return False
    changes, known = Changes(plan, account), plan.rules
    for one in changes.progression.followed:
        later = steps_from(account, one, EARLIEST)[-MAX_SESSIONS:]
        if later:
            first = Position(later[0].at, str(later[0].workout_id))
            fold_again(changes, one, first, [], instead_of="")
    at = plan.updated_at or plan.created_at
    if changes.rows and changes.progression.to_json() != known:
        changes.store(at)
        return True
    return False
