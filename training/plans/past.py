"""Past sessions of an account under a rule, for pages and tools that show what it would have done."""

import datetime
from collections.abc import Iterator

from django.utils import timezone

from accounts.models import Account
from training.models.workout_exercise import first_sets
from training.plans.forecasts import Tested, back_test
from training.plans.plan_rules import PlanRule, PlanWeek, Progression
from training.plans.steps import Session

YEARS = 2
MOST_SESSIONS = 800  # of these years: more than one a day
SETS = 60  # read of a session


def tested(account: Account, progression: Progression, week: PlanWeek, one: PlanRule) -> list[Tested]:
    """The sessions that would have moved the target, oldest first. Those in a deload week would not have."""
    sessions = past_sessions(account, progression, week, week.entry_of(one)["exercise_id"])
    return [row for row in back_test(one.rule, one.state, sessions, week.loading(one)) if row.step]


def past_sessions(
    account: Account, progression: Progression, week: PlanWeek, exercise_id: str
) -> Iterator[Session]:
    """The sessions of the last two years, by one look-up in their index."""
    since = timezone.now() - datetime.timedelta(days=365 * YEARS)
    rows = account.workout_exercises.sessions_with(exercise_id).started(since).with_first_sets(SETS)
    newest = rows.defer("sets", "session_sets").order_by("-started_at", "-workout_id")[:MOST_SESSIONS]
    for row in newest:
        sets = first_sets(row.first_sets, SETS)[0]
        at = row.started_at.astimezone(week.zone)
        yield Session(str(row.workout_id), at, sets, is_deload=progression.is_deload(at.date()))
