"""What an account's calendar shows: the plan's days of the next weeks, and the workouts of the last ones."""

import datetime
import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Account
from fitness.days import ONE_DAY, today
from fitness.db.owned import OfAccount
from fitness.web.templatetags.units import weight, whole_weight
from training.models import Plan, Workout, WorkoutExercise
from training.models.sets import DoneSets, counted
from training.models.timed import NOTES, timed_in_short
from training.progression.asking import Asked, asked_on
from training.templatetags.training import counted_sets, done_in_words, lift
from training.web.names import exercise_name

DAYS_AHEAD, DAYS_BACK = 28, 90
MAX_WORKOUTS = 500
LINES = 15  # of the exercises of a day or workout
WEEK = 7

Moment = datetime.date | datetime.datetime


class Event(NamedTuple):
    uid: str
    begins: Moment  # a date for a whole day
    ends: Moment | None
    summary: str
    lines: list[str]
    path: str
    changed_at: datetime.datetime


def events_of(account: Account) -> Iterator[Event]:
    """The events in the current time zone: what is planned from today on, then workouts, newest first."""
    workouts = recent_workouts(account)
    plan = account.plans.active().first()
    if plan:
        yield from planned(plan, is_done=is_done_today(plan, workouts))
    yield from done(account, workouts)


def recent_workouts(account: Account) -> list[Workout]:
    since = timezone.now() - datetime.timedelta(days=DAYS_BACK)
    newest = account.workouts.started(since).order_by("-started_at", "-id")
    return list(newest.defer("document", "notes")[:MAX_WORKOUTS])


def is_done_today(plan: Plan, workouts: Iterable[Workout]) -> bool:
    return any(one.plan_id == plan.pk and timezone.localdate(one.started_at) == today() for one in workouts)


def planned(plan: Plan, *, is_done: bool) -> Iterator[Event]:
    """The days on which the plan trains; today only while that is not done."""
    week, rules = plan.week, plan.progressions
    for number in range(int(is_done), DAYS_AHEAD):
        day = today() + ONE_DAY * number
        planned_day = plan.days[day.weekday()]
        if planned_day["rest"]:
            continue
        asked = asked_on(week, rules, planned_day["weekday"], day)
        label, is_deload = planned_day["label"] or _("Training"), rules.is_deload(day)
        lines = [asked_line(one, week.unit, is_next=number < WEEK) for one in asked]
        yield Event(
            uid=f"{plan.pk}-{day:%Y%m%d}",
            begins=day,
            ends=day + ONE_DAY,
            summary=_("%(day)s (deload)") % {"day": label} if is_deload else label,
            lines=[*filter(None, [planned_day["focus"]]), *shortened(lines)],
            path=reverse("plan", args=[plan.pk]),
            changed_at=plan.changed_at,
        )


def asked_line(asked: Asked, unit: str, *, is_next: bool) -> str:
    """An exercise of a planned day.

    Where a rule decides, the target of a later week depends on what is lifted until then, so it is left out.
    """
    name, target = exercise_name(asked.entry["name"]), asked.target
    if asked.followed and not is_next:
        return name
    load = f" · {weight(target.weight_kg, unit)}" if target.weight_kg else ""
    return f"{name}: {target.sets} × {target.reps}{'+' if target.open else ''}{load}"


def done(account: Account, workouts: list[Workout]) -> Iterator[Event]:
    exercises = exercises_of(account, [one.pk for one in workouts])
    for one in workouts:
        ends = one.started_at + datetime.timedelta(seconds=one.duration_seconds)
        yield Event(
            uid=str(one.pk),
            begins=one.started_at,
            ends=ends if one.duration_seconds else None,
            summary=one.title or _("Workout"),
            lines=workout_lines(one, exercises[one.pk], account.units),
            path=reverse("workout", args=[one.pk]),
            changed_at=one.updated_at,
        )


def exercises_of(account: Account, workout_ids: list[UUID]) -> dict[UUID, list[WorkoutExercise]]:
    """By workout its exercises, with their done sets."""
    rows = WorkoutExercise.objects.filter(OfAccount(account.pk), workout__in=workout_ids)
    rows = rows.with_done_sets().select_related("exercise")
    found: dict[UUID, list[WorkoutExercise]] = defaultdict(list)
    for row in rows.defer("sets", "session_sets").order_by("workout", "position"):
        found[row.workout_id].append(row)
    return found


def workout_lines(workout: Workout, exercises: list[WorkoutExercise], unit: str) -> list[str]:
    done: dict[str, DoneSets] = defaultdict(lambda: DoneSets(0, 0))
    for row in exercises:
        done[row.exercise_id] = done[row.exercise_id].plus(done_in(row))
    total = functools.reduce(DoneSets.plus, done.values(), DoneSets(0, 0))
    volume = [whole_weight(workout.volume_kg, unit)] if workout.volume_kg else []
    head = [", ".join([done_in_words(total), *volume])] if any(total) else []
    rows = [row for row in exercises if row.first_of_exercise]
    return [*head, *shortened([done_line(row, done[row.exercise_id], unit) for row in rows])]


def done_in(row: WorkoutExercise) -> DoneSets:
    return counted(row.done, row.done_warmups, row.notes)  # type: ignore[attr-defined]  # of exercises_of


def done_line(row: WorkoutExercise, done: DoneSets, unit: str) -> str:
    name = exercise_name(row.exercise.name)
    if times := timed_in_short(row.notes[:NOTES], unit):
        return f"{name}: {times}"
    if not done.sets:
        return name
    count = counted_sets(done.sets)
    if row.best_weight_kg is None or row.best_reps is None or row.exercise.is_assisted:
        return f"{name}: {count}"
    best = lift((row.best_weight_kg, row.best_reps), unit)
    return _("%(name)s: %(sets)s, best %(best)s") % {"name": name, "sets": count, "best": best}


def shortened(lines: list[str]) -> list[str]:
    if len(lines) <= LINES:
        return lines
    return [*lines[:LINES], _("and %(count)s more") % {"count": len(lines) - LINES}]
