"""What was trained in each week of a window, for the texts of tools. Weeks begin on Mondays, in UTC."""

import datetime
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Protocol

from django.db.models import Count, F, IntegerField, QuerySet, Sum, Value

from accounts.models import Account
from fitness.days import ONE_DAY
from fitness.db.prepared_queries import Placeholder, PreparedQuery
from training.models.exercise import MuscleGroup
from training.models.workout import Workout
from training.models.workout_exercise import WorkoutExercise

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
    for row in week_rows(account=account.pk, since=since, until=until):
        week = found.setdefault(row.week, Week(datetime.date.min + row.week * DAYS * ONE_DAY))
        if row.group == NO_GROUP:
            week.sessions = row.count
        else:
            week.warmups += row.warmups
            week.working_sets[row.group] += row.count - row.warmups
    return [found[number] for number in sorted(found)]


class WeekRow(Protocol):
    """Completed sets and warm-ups of a muscle group in a week, or the sessions of the week (NO_GROUP).

    Weeks are counted from 0001-01-01 = 0, which was a Monday.
    """

    week: int
    group: str
    count: int
    warmups: int


@PreparedQuery[WeekRow]
def week_rows(account: Placeholder, since: Placeholder, until: Placeholder) -> QuerySet[Workout, Any]:
    columns = ("week", "group", "count", "warmups")
    sessions = (
        Workout.objects.filter(account=account)
        .started(since, until)
        .order_by()
        .values(week=(F("day") - 1) / DAYS, group=Value(NO_GROUP))
        .annotate(count=Count("pk"), warmups=Value(0, IntegerField()))
    )
    sets = (
        WorkoutExercise.objects.filter(account=account)
        .started(since, until)
        # All groups, by name: then each is a range of the index `session_totals`.
        .filter(muscle_group__in=MuscleGroup.values, completed_sets__gt=0)
        .order_by()
        .values(week=(F("workout__day") - 1) / DAYS, group=F("muscle_group"))
        .annotate(count=Sum("completed_sets"), warmups=Sum("done_warmups"))
    )
    return sessions.values_list(*columns, named=True).union(sets.values_list(*columns, named=True), all=True)
