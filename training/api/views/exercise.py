from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypedDict

from rest_framework.exceptions import NotFound, ValidationError

from accounts.api.viewsets import AccountViewSet
from fitness.addresses import public_address, site_address
from fitness.api.operations import operation
from fitness.api.serializers import WindowPageQuery
from training.api.serializers.exercise import (
    ExercisePageSerializer,
    ExerciseQuery,
    ExerciseSerializer,
    HistorySerializer,
)
from training.models import Exercise, WorkoutExercise
from training.models.search import BEST_FIRST, search
from training.models.workout_exercise import (
    SESSION_FIELDS,
    Session,
    session,
)
from training.pictures import pictures

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


class ExerciseViewSet(AccountViewSet):
    """The exercise catalogue, and what the account has done with each exercise."""

    tag = "Exercises"

    def get_object(self, exercise_id: str) -> Exercise:
        return Exercise.objects.seen_by(self.account).find(parse_slug(exercise_id))

    @operation("search_exercises", query=ExerciseQuery, responses={200: ExercisePageSerializer})
    def list(self) -> ExercisePage:
        """Search the catalogue

        Without `q`, all exercises by name. Ids stay the same for ever, so they can be kept. A retired
        exercise is not listed, but can still be read, logged and planned by its id.
        """
        text = self.query["q"]
        seen = Exercise.objects.seen_by(self.account).active()
        wanted = {name: self.query[name] for name in ("muscle_group", "equipment") if self.query[name]}
        narrowed = seen.filter(**wanted)
        if text.strip():
            found = search(narrowed, text, self.account).only(*ENTRY)
            rows, next_cursor = BEST_FIRST.page(found, self.query, self.account, scope=text)
        else:
            rows, next_cursor = seen.by_name.page(narrowed.only(*ENTRY), self.query, self.account)
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


def size_of(row: WorkoutExercise) -> int:
    return len(row.session_sets or row.sets)


class HistoryViewSet(AccountViewSet):
    """The exercise catalogue, and what the account has done with each exercise."""

    tag = "Exercises"

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

    @operation("get_exercise_history", query=WindowPageQuery, responses={200: HistorySerializer})
    def list(self) -> History:
        """Get the account's history with one exercise

        One session for each workout with the exercise, newest first, with its best set. The id of an
        exercise that was merged into another one has the history of that other one.
        """
        kept_id = Exercise.objects.seen_by(self.account).kept_id(self.exercise_id)
        sessions = self.account.workout_exercises.sessions_with(kept_id)
        sessions = sessions.started(self.query["since"], self.query["until"])
        shown = sessions.select_related("exercise").only("account", "exercise__name", *SESSION_FIELDS)
        rows, next_cursor = shown.newest_first.page(
            shown, self.query, self.account, scope=self.exercise_id, size_of=size_of
        )
        return {
            "exercise": self.exercise_of(rows),
            "sessions": list(map(session, rows)),
            "next_cursor": next_cursor,
        }

    def exercise_of(self, rows: Sequence[WorkoutExercise]) -> ExerciseName:
        if rows:
            return {"id": rows[0].exercise_id, "name": rows[0].exercise.name}
        exercise = Exercise.objects.seen_by(self.account).find(self.exercise_id)
        return {"id": exercise.pk, "name": exercise.name}


def parse_slug(text: str) -> str:
    """Raises NotFound for a text that cannot be an exercise's id, and that a database may reject."""
    if not text.isascii() or "\0" in text:
        raise NotFound()
    return text
