"""What an account's workouts of past months add up to, so that totals of all history need not read the rows.

Derived from workouts and the rows of their exercises. All months before the account's `summed_until` are
summed: a month without a row has no workouts. An account has no sums until `long_sums` finds that they pay.

Whoever changes rows of a summed month sums it again in the same transaction, in which the account is locked
(`sum_again`). The current month is never summed, so a workout of today takes no statement more.
"""

import datetime
import functools
import logging
import operator
from collections.abc import Collection, Iterable
from contextlib import suppress

from django.conf import settings
from django.db import Error, connection, models, transaction
from django.db.models import Q

from accounts.key_use import short_wait
from accounts.models import Account, AccountState
from fitness.days import ONE_DAY, last_of_month, utc_today
from fitness.owned import Owned
from training.models.exercise import MuscleGroup

log = logging.getLogger("fitness.training")

Span = tuple[datetime.date, datetime.date]  # the first days of a month, and of the one after the last

MONTH = {
    "postgresql": "CAST(date_trunc('month', started_at AT TIME ZONE 'UTC') AS date)",
    "sqlite": "substr(started_at, 1, 8) || '01'",
}

# Both parts read a range of an index alone, of each of the `spans` (column1 is its begin, column2 its end).
# SQLite keeps the order of a CROSS JOIN, so that it looks up the rows of a span.
SUM_MONTHS = """
INSERT INTO training_trainingmonth
    (account_id, month, muscle_group, sessions, completed_sets, volume_kg, duration_seconds)
SELECT account_id, {month}, muscle_group, count(*) FILTER (WHERE first_of_group), sum(completed_sets),
    sum(volume_kg), 0
FROM (VALUES {spans}) AS spans CROSS JOIN training_workoutexercise
WHERE account_id = %s AND muscle_group IN ({groups}) AND started_at >= column1 AND started_at < column2
GROUP BY account_id, muscle_group, {month}
HAVING sum(completed_sets) > 0
UNION ALL
SELECT account_id, {month}, '', count(*), 0, 0, sum(duration_seconds)
FROM (VALUES {spans}) AS spans CROSS JOIN training_workout
WHERE account_id = %s AND started_at >= column1 AND started_at < column2
GROUP BY account_id, {month}
"""


class TrainingMonthQuerySet(models.QuerySet["TrainingMonth"]):
    def within(self, spans: Iterable[Span]) -> "TrainingMonthQuerySet":
        """The rows of the months of some spans, of which there is at least one."""
        conditions = (Q(month__gte=first, month__lt=end) for first, end in spans)
        return self.filter(functools.reduce(operator.or_, conditions))

    def correct(self, states: "models.QuerySet[AccountState]") -> None:
        """Sums all months again that are summed, of the accounts that have some."""
        for state in states.filter(summed_until__gt=0):
            account = Account(pk=state.account_id)
            with suppress(Account.DoesNotExist), transaction.atomic():
                account.lock()
                sum_all_again(account)


class TrainingMonth(Owned):
    """What the workouts of one UTC month add up to, for a muscle group or, where it is empty, for all.

    The row for all counts workouts and their duration; sets and volume are in those of the groups.
    """

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="training_months", db_index=False
    )
    month = models.DateField()  # its first day
    muscle_group = models.CharField(max_length=20, choices=MuscleGroup, blank=True)
    sessions = models.PositiveIntegerField()
    completed_sets = models.BigIntegerField()
    volume_kg = models.FloatField()
    duration_seconds = models.BigIntegerField()

    objects = TrainingMonthQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["account", "month", "muscle_group"], name="training_month_of_group"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.month:%Y-%m} {self.muscle_group}".strip()


def sum_past_months(account: Account) -> None:
    """Sums the months up to the current one that are not summed yet, for a request that reads.

    The request must not fail because of this, nor wait: where the account is locked, a later one will do it.
    """
    this_month = utc_today().replace(day=1)
    try:
        with short_wait(), transaction.atomic():
            account.lock(wait=False)
            if account.summed_until < this_month.toordinal():  # nobody else has done it meanwhile
                first = datetime.date.fromordinal(max(account.summed_until, 1))
                sum_months(account, [(first, this_month)])
                state = AccountState.objects.filter(account=account)
                state.update(summed_until=this_month.toordinal())
    except (Error, Account.DoesNotExist) as error:
        log.info("the months of account %s are not summed: %s", account.pk, error)


def sum_again(account: Account, days: Iterable[int]) -> None:
    """Sums the months again, as far as they are summed, in which a locked account's workouts have changed.

    `days` are those of the workouts, before and after the change, in some hundreds of months at most: SQLite
    refuses a condition of more than 1,000 parts.
    """
    firsts = {first_of_month(day) for day in days if day < account.summed_until}
    if firsts:
        sum_months(account, [(first, last_of_month(first) + ONE_DAY) for first in sorted(firsts)])


def sum_all_again(account: Account) -> None:
    """Sums all months of a locked account again that are summed."""
    if account.summed_until:
        sum_months(account, [(datetime.date.min, datetime.date.fromordinal(account.summed_until))])


def sum_months(account: Account, spans: Collection[Span]) -> None:
    """Stores the sums of some months of a locked account, in place of those that are stored."""
    account.training_months.within(spans)._raw_delete(connection.alias)
    adapt = connection.ops.adapt_datetimefield_value
    bounds = [adapt(begin_of(day)) for span in spans for day in span]
    sql = SUM_MONTHS.format(
        month=MONTH[connection.vendor],
        spans=", ".join(["(%s, %s)"] * len(spans)),
        groups=", ".join(["%s"] * len(MuscleGroup)),
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, [*bounds, account.db_pk, *MuscleGroup.values, *bounds, account.db_pk])


def first_of_month(day: int) -> datetime.date:
    """The first day of the month of a day, counted from 0001-01-01 = 1."""
    return datetime.date.fromordinal(day).replace(day=1)


def begin_of(day: datetime.date) -> datetime.datetime:
    """When a day begins in UTC."""
    return datetime.datetime.combine(day, datetime.time(), datetime.UTC)
