"""What is computed over an account's workouts: totals of a window, the streak, personal records."""

import datetime

from django.db import connection
from django.db.models import Count, DateTimeField, ExpressionWrapper, F, OuterRef, Q, Subquery, Sum
from django.db.models.expressions import RawSQL
from django.db.models.functions import TruncDay

from fitness.api.fields import timestamp
from training.models.workout import estimated_1rm_kg

DAY = datetime.timedelta(days=1)
INSTANT = datetime.timedelta(microseconds=1)

# The id of the best session with each exercise. A loose scan of the index `session_best`: it goes
# from one exercise to the next, so its cost follows the number of exercises and not the history.
BEST_SESSIONS = """
WITH RECURSIVE used(exercise_id) AS (
    SELECT min(exercise_id) FROM training_workoutexercise
    WHERE account_id = %s AND best_weight_kg IS NOT NULL
    UNION ALL
    SELECT (
        SELECT min(exercise_id) FROM training_workoutexercise
        WHERE account_id = %s AND best_weight_kg IS NOT NULL AND exercise_id > used.exercise_id
    )
    FROM used WHERE used.exercise_id IS NOT NULL
)
SELECT (
    SELECT id FROM training_workoutexercise
    WHERE account_id = %s AND best_weight_kg IS NOT NULL AND exercise_id = used.exercise_id
    ORDER BY best_weight_kg DESC, best_reps DESC, started_at, workout_id LIMIT 1
)
FROM used WHERE exercise_id IS NOT NULL
"""


def totals(account, since, until):
    """Training totals (spec.md, "Training stats") of workouts that started in [since, until).

    Volumes in kg to 2 decimals, durations in seconds; muscle groups by volume, largest first.
    """
    workouts = account.workouts.started(since, until).aggregate(
        sessions=Count("id"), total_duration_seconds=Sum("duration_seconds", default=0)
    )
    groups = muscle_groups(account, since, until)
    return {
        "since": timestamp(since),
        "until": timestamp(until),
        "sessions": workouts["sessions"],
        "completed_sets": sum(group["sets"] for group in groups),
        "volume_kg": round(sum(group["volume_kg"] for group in groups), 2),
        "total_duration_seconds": workouts["total_duration_seconds"],
        "by_muscle_group": [{**group, "volume_kg": round(group["volume_kg"], 2)} for group in groups],
        "streak_days": streak_days(account, until),
    }


def muscle_groups(account, since, until):
    """Sessions, completed sets and volume of each muscle group with a completed set."""
    rows = account.workout_exercises.started(since, until)
    return list(
        rows.values("muscle_group")
        .annotate(sessions=Count("id", filter=F("first_of_group")), sets=Sum("completed_sets"))
        .filter(sets__gt=0)
        .annotate(volume_kg=Sum("volume_kg"))
        .order_by("-volume_kg", "muscle_group")
    )


def streak_days(account, until):
    """Consecutive UTC days with a workout, up to the last day before `until` or the day before that.

    A statement finds the streak's first day: the latest day with a workout and none the day before.
    """
    workouts = account.workouts.started(until=until).order_by("-started_at", "-id")
    earlier = workouts.filter(started_at__lt=OuterRef("midnight"))
    next_midnight = ExpressionWrapper(TruncDay("earlier", tzinfo=datetime.UTC) + DAY, DateTimeField())
    first = (
        workouts.annotate(
            midnight=TruncDay("started_at", tzinfo=datetime.UTC),
            earlier=Subquery(earlier.values("started_at")[:1]),
            newest=Subquery(workouts.values("started_at")[:1]),
        )
        .filter(Q(earlier=None) | Q(midnight__gt=next_midnight))
        .values_list("started_at", "newest")
        .first()
    )
    if first is None:
        return 0
    first_day, newest_day = (moment.date() for moment in first)
    last_day = (until - INSTANT).date()  # there is a workout before `until`, so this cannot underflow
    return (newest_day - first_day).days + 1 if last_day - newest_day <= DAY else 0


def records(account):
    """The best session with each exercise: heaviest completed working set, then reps, then earliest."""
    parameter = account._meta.pk.get_db_prep_value(account.pk, connection)
    best = RawSQL(BEST_SESSIONS, [parameter] * 3)
    return account.workout_exercises.filter(id__in=best).select_related("exercise")


def record(session):
    """A personal record (spec.md) of a row of `records`."""
    return {
        "exercise_id": session.exercise_id,
        "name": session.exercise.name,
        "weight_kg": session.best_weight_kg,
        "reps": session.best_reps,
        "estimated_1rm_kg": estimated_1rm_kg(session.best_weight_kg, session.best_reps),
        "workout_id": str(session.workout_id),
        "date": timestamp(session.started_at),
    }
