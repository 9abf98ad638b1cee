import datetime
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol, TypedDict
from uuid import UUID

from django.db.models import DateTimeField, IntegerField, QuerySet
from rest_framework.exceptions import NotFound, ValidationError

from accounts.api.viewsets import AccountViewSet
from fitness.addresses import public_address, site_address
from fitness.api.operations import operation
from fitness.db.keysets import PreparedPages
from training.api.serializers.exercise import (
    ExercisePageSerializer,
    ExerciseQuery,
    ExerciseSerializer,
    HistoryQuery,
    HistorySerializer,
)
from training.catalogue.folding import search_terms
from training.models import Exercise, WorkoutExercise
from training.models.exercise import ExerciseQuerySet
from training.models.search import BEST_FIRST, matching
from training.models.workout_exercise import (
    SESSION_FIELDS,
    Session,
    SessionRow,
    WorkoutExerciseQuerySet,
    session,
)
from training.pictures.index import pictures

ENTRY = tuple(ExerciseSerializer().fields)


class ExercisePage(TypedDict):
    exercises: Sequence[dict[str, Any]]  # the fields of an ExerciseSerializer
    next_cursor: str | None


class ExerciseName(TypedDict):
    id: str
    name: str


class History(TypedDict):
    """A page of what the account has done with one exercise, as clients read it."""

    exercise: ExerciseName
    sessions: list[Session]
    next_cursor: str | None


class HistoryRow(SessionRow, Protocol):
    """A row of a history; each has the exercise's id and name."""

    exercise_id: str
    exercise__name: str


def all_exercises(account: UUID, muscle_group: str | None, equipment: str | None) -> QuerySet[Exercise, Any]:
    exercises = Exercise.objects.seen_by(account).active().filter_by(muscle_group, equipment)
    return exercises.values_list(*ENTRY, named=True)


def matches(
    account: UUID,
    muscle_group: str | None,
    equipment: str | None,
    whole: str,
    phrase: str,
    words: list[str],
    beginnings: list[str],
) -> QuerySet[Exercise, Any]:
    exercises = Exercise.objects.seen_by(account).active().filter_by(muscle_group, equipment)
    return matching(exercises, account, whole, phrase, words, beginnings).values_list(
        *ENTRY, "rank", "sessions", "trained", "length", named=True
    )


class ExerciseViewSet(AccountViewSet):
    """The exercise catalogue, and what the account has done with each exercise."""

    tag = "Exercises"
    all_exercises = PreparedPages(ExerciseQuerySet.by_name, Exercise, all_exercises)
    matches = PreparedPages(
        BEST_FIRST,
        Exercise,
        matches,
        rank=IntegerField(),
        sessions=IntegerField(),
        trained=DateTimeField(),
        length=IntegerField(),
    )

    def get_object(self, exercise_id: str) -> Exercise:
        return Exercise.objects.seen_by(self.account).find(parse_slug(exercise_id))

    @operation("search_exercises", query=ExerciseQuery, responses={200: ExercisePageSerializer})
    def list(self) -> ExercisePage:
        """Search the catalogue

        Without `q`, all exercises by name. Ids stay the same for ever, so they can be kept. A retired
        exercise is not listed, but can still be read, logged and planned by its id.
        """
        text = self.query["q"]
        narrowed = {name: self.query[name] for name in ("muscle_group", "equipment")}
        if text.strip():
            rows, next_cursor = self.matches.page(
                self.query, self.account, scope=text, **narrowed, **search_terms(text)
            )
        else:
            rows, next_cursor = self.all_exercises.page(self.query, self.account, **narrowed)
        exercises = [{name: getattr(row, name) for name in ENTRY} for row in rows]
        return {"exercises": self.with_pictures(exercises), "next_cursor": next_cursor}

    @operation("get_exercise", responses={200: ExerciseSerializer})
    def retrieve(self) -> dict[str, Any]:
        """Get one exercise

        Also one that is retired. For an exercise that was merged into another one, the response is that other
        one, with its id; workouts, routines and plans with the old id are stored with that id, too.
        """
        (exercise,) = self.with_pictures([ExerciseSerializer.rendered(self.instance)])
        return exercise

    def with_pictures(self, exercises: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
        """The exercises; behind the images that staff have named, theirs that are loaded here."""
        if loaded := pictures():
            for one in exercises:
                found = loaded.get(one["id"], ())
                one["images"] = [*one["images"], *(self.site + picture.large.address for picture in found)]
        return exercises

    @cached_property
    def site(self) -> str:
        """The address of the service. A tool that calls this view has no request for it."""
        request = getattr(self, "request", None)
        return site_address(request) if request else public_address()


def sessions(
    account: UUID, exercise: str, since: datetime.datetime | None, until: datetime.datetime | None
) -> QuerySet[WorkoutExercise, Any]:
    kept_id = Exercise.objects.seen_by(account).kept_id(exercise)
    rows = WorkoutExercise.objects.filter(account=account).sessions_with(kept_id).started(since, until)
    return rows.values_list("exercise_id", "exercise__name", *SESSION_FIELDS, named=True)


def size_of(row: SessionRow) -> int:
    return len(row.session_sets or row.sets)


class HistoryViewSet(AccountViewSet):
    """The exercise catalogue, and what the account has done with each exercise."""

    tag = "Exercises"
    sessions = PreparedPages(WorkoutExerciseQuerySet.newest_first, WorkoutExercise, sessions, size_of)

    def read_path(self) -> None:
        """Leaves the look-up to `list`: sessions carry the exercise, so most responses need none."""
        self.exercise_id = parse_slug(self.kwargs["exercise_id"])

    def read(self) -> None:
        try:
            super().read()
        except ValidationError:
            Exercise.objects.seen_by(self.account).get(
                pk=self.exercise_id
            )  # an unknown exercise is reported first
            raise

    @operation("get_exercise_history", query=HistoryQuery, responses={200: HistorySerializer})
    def list(self) -> History:
        """Get the account's history with one exercise

        One session for each workout with the exercise, newest first, with its best set. The id of an
        exercise that was merged into another one has the history of that other one.
        """
        rows: Sequence[HistoryRow]
        rows, next_cursor = self.sessions.page(
            self.query,
            self.account,
            scope=self.exercise_id,
            exercise=self.exercise_id,
            since=self.query["since"],
            until=self.query["until"],
        )
        return {
            "exercise": self.exercise_of(rows),
            "sessions": list(map(session, rows)),
            "next_cursor": next_cursor,
        }

    def exercise_of(self, rows: Sequence[HistoryRow]) -> ExerciseName:
        if rows:
            return {"id": rows[0].exercise_id, "name": rows[0].exercise__name}
        exercise = Exercise.objects.seen_by(self.account).find(self.exercise_id)
        return {"id": exercise.pk, "name": exercise.name}


def parse_slug(text: str) -> str:
    """Raises NotFound for a text that cannot be an exercise's id, and that a database may reject."""
    if not text.isascii() or "\0" in text:
        raise NotFound()
    return text
