"""What was trained in each week of a window, for the texts of tools. Weeks begin on Mondays, in UTC."""

import datetime
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, F, IntegerField, QuerySet, Sum, Value

from accounts.models import Account
from fitness.days import ONE_DAY
from training.models.exercise import MuscleGroup
from training.models.workout import Workout

DAYS = 7
NO_GROUP = ""  # in rows that count sessions


@dataclass
class Week:
    """Sessions, completed working sets by muscle group, and completed warm-ups."""

    monday: datetime.date
    sessions: int = 0
    warmups: int = 0
    working_sets: Counter[str] = field(default_factory=Counter)


def weeks(account: Account, since: datetime.datetime, until: datetime.datetime) -> list[Week]:
    """The weeks with a workout that started from `since` (inclusive) to `until` (exclusive), oldest first.

    One statement, which reads the sets of the window alone: warm-ups have no column.
    """
    found: dict[int, Week] = {}
    for row in week_rows(account, since, until):
        week = found.setdefault(row.week, Week(datetime.date.min + row.week * DAYS * ONE_DAY))
        if row.group == NO_GROUP:
            week.sessions = row.count
        else:
            week.warmups += row.warmups
            week.working_sets[row.group] += row.count - row.warmups
    return [found[number] for number in sorted(found)]


def week_rows(account: Account, since: datetime.datetime, until: datetime.datetime) -> QuerySet[Workout, Any]:
    """Completed sets and warm-ups of each muscle group in a week, and its sessions (NO_GROUP).

    Weeks are counted from 0001-01-01 = 0, which was a Monday.
    """
    columns = ("week", "group", "count", "warmups")
    sessions = (
        account.workouts.started(since, until)
        .order_by()
        .values(week=(F("day") - 1) / DAYS, group=Value(NO_GROUP))
        .annotate(count=Count("pk"), warmups=Value(0, IntegerField()))
    )
    sets = (
        account.workout_exercises.started(since, until)
        # All groups, by name: then each is a range of the index `session_totals`.
        .filter(muscle_group__in=MuscleGroup.values, completed_sets__gt=0)
        .order_by()
        .values(week=(F("workout__day") - 1) / DAYS, group=F("muscle_group"))
        .annotate(count=Sum("completed_sets"), warmups=Sum("done_warmups"))
    )
    return sessions.values_list(*columns, named=True).union(sets.values_list(*columns, named=True), all=True)
