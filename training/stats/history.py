"""The sessions of an account: the last ones with an exercise, how many, and which exercises it has done."""

import datetime
from collections.abc import Collection, Iterator
from typing import NamedTuple

from django.db.models import Count, F, FloatField, Max, OuterRef, Subquery
from django.db.models.expressions import Exists
from django.db.models.functions import Cast

from accounts.models import Account
from fitness.db.owned import OfAccount
from training.models.exercise import Exercise, ExerciseQuerySet
from training.models.sets import WorkoutSet
from training.models.workout_exercise import WorkoutExercise, first_sets, warmups_of_session
from training.stats.best_sets import best_of_exercise, best_set_on_screens

ESTIMATED_1RM = F("best_weight_kg") * (1 + Cast("best_reps", FloatField()) / 30)  # unrounded


def last_sessions(account: Account, exercise_ids: Collection[str]) -> dict[str, WorkoutExercise]:
    """The account's latest session with each of the exercises it has done, by the exercise's id.

    Annotates `weight_kg` and `reps` of its best set, and its `warmups`.
    """
    latest = account.workout_exercises.sessions_with(OuterRef("pk")).order_by("-started_at", "-workout_id")
    exercises = Exercise.objects.seen_by(account).filter(pk__in=exercise_ids)
    ids = exercises.values_list(Subquery(latest.values("pk")[:1]))
    sessions = WorkoutExercise.objects.filter(OfAccount(account.pk), pk__in=ids)
    sessions = sessions.annotate(warmups=warmups_of_session(), **best_set_on_screens())
    return {session.exercise_id: session for session in sessions}


def recent_sessions(
    account: Account,
    exercise_ids: Collection[str],
    count: int,
    sets: int,
    until: datetime.datetime | None = None,
) -> dict[str, list[WorkoutExercise]]:
    """The account's last sessions with each exercise before `until`, newest first, by the exercise's id.

    They have the columns of a session and `first_sets` (see `with_first_sets`). Each is one look-up in the
    index `session_newest`, however long the history is.
    """
    latest = account.workout_exercises.sessions_with(OuterRef("pk")).started(until=until)
    latest = latest.order_by("-started_at", "-workout_id")
    newest = [Subquery(latest.values("pk")[index : index + 1]) for index in range(count)]
    exercises = Exercise.objects.seen_by(account).filter(pk__in=exercise_ids).values_list(*newest)
    ids = [pk for row in exercises for pk in row if pk is not None]
    rows = WorkoutExercise.objects.filter(OfAccount(account.pk), pk__in=ids).with_first_sets(sets)
    found: dict[str, list[WorkoutExercise]] = {}
    for row in rows.defer("sets", "session_sets").order_by("-started_at", "-workout_id"):
        found.setdefault(row.exercise_id, []).append(row)
    return found


def sets_since(
    account: Account, exercise_ids: Collection[str], since: datetime.datetime, count: int
) -> Iterator[tuple[str, datetime.datetime, list[WorkoutSet]]]:
    """(exercise id, start, first `count` sets) of each session with the exercises from `since` on."""
    rows = account.workout_exercises.started(since).with_first_sets(count)
    rows = rows.filter(exercise__in=exercise_ids, first_of_exercise=True)
    columns = ("exercise_id", "started_at", "first_sets")
    for exercise_id, started_at, text in rows.values_list(*columns):
        yield exercise_id, started_at, first_sets(text, count)[0]


class Summary(NamedTuple):
    """How many sessions with an exercise there were, and the highest estimate of all; None without a set."""

    sessions: int
    highest_1rm_kg: float | None


def summary(account: Account, exercise_id: str) -> Summary:
    """The sessions with an exercise counted, and the highest estimated one-rep maximum of their best sets."""
    found = account.workout_exercises.sessions_with(exercise_id).aggregate(
        sessions=Count("*"), highest=Max(ESTIMATED_1RM, output_field=FloatField())
    )
    highest = found["highest"]
    return Summary(found["sessions"], None if highest is None else round(highest, 1))


def trained(account: Account, exercises: ExerciseQuerySet) -> ExerciseQuerySet:
    """Those of the exercises that the account has done, the one done most first.

    Annotates the number of all `sessions` (that of a search has a bound), when the last one was
    (`last_done`), and `best_weight_kg` and `best_reps` of the best set, which may be None.
    """
    sessions = account.workout_exercises.sessions_with(OuterRef("pk"))
    newest = sessions.order_by("-started_at", "-workout_id")
    counted = sessions.order_by().values("exercise").annotate(found=Count("*"))
    found = exercises.filter(Exists(sessions)).annotate(
        sessions=Subquery(counted.values("found")),
        last_done=Subquery(newest.values("started_at")[:1]),
        best_weight_kg=best_of_exercise(account.pk, "weight_kg"),
        best_reps=best_of_exercise(account.pk, "reps"),
    )
    return found.order_by("-sessions", "-last_done", "name")


def untrained(account: Account, exercises: ExerciseQuerySet) -> ExerciseQuerySet:
    """Those of the exercises that the account has not done."""
    return exercises.exclude(Exists(account.workout_exercises.sessions_with(OuterRef("pk"))))
