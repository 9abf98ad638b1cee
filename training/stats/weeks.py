"""What was trained in each week of a window, for the texts of tools. Weeks begin on Mondays, in UTC."""

import datetime
from collections import Counter
from dataclasses import dataclass, field

from django.db.models import Count, F, IntegerField, Sum, Value

from accounts.models import Account
from fitness.days import ONE_DAY
from training.models.workout_exercise import done_warmups

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
    # Days are counted from 0001-01-01 = 1, which was a Monday.
    sessions = (
        account.workouts.started(since, until)
        .order_by()
        .values(week=(F("day") - 1) / DAYS, group=Value(NO_GROUP))
        .annotate(count=Count("pk"), warmups=Value(0, IntegerField()))
    )
    sets = (
        account.workout_exercises.started(since, until)
        .filter(completed_sets__gt=0)
        .order_by()
        .values(week=(F("workout__day") - 1) / DAYS, group=F("muscle_group"))
        .annotate(count=Sum("completed_sets"), warmups=Sum(done_warmups()))
    )
    columns = ("week", "group", "count", "warmups")
    rows = sessions.values_list(*columns).union(sets.values_list(*columns), all=True)
    found: dict[int, Week] = {}
    for number, group, count, warmups in rows:
        week = found.setdefault(number, Week(datetime.date.min + number * DAYS * ONE_DAY))
        if group == NO_GROUP:
            week.sessions = count
        else:
            week.warmups += warmups
            week.working_sets[group] += count - warmups
    return [found[number] for number in sorted(found)]
