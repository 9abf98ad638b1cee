"""Workouts out of an archive, and the exercises that archives refer to.

An exercise that this catalogue lacks is not invented: what was done of it becomes a line of the workout's
notes, and a plan or a routine goes without it. The preview says so.
"""

from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import Any, NamedTuple, cast
from uuid import UUID

from django.utils.translation import gettext_noop as _
from rest_framework.exceptions import ValidationError

from accounts.imports.archived import Document, Place
from accounts.imports.kinds import Brought, Context
from fitness.api.fields import StringField
from fitness.imports.findings import Findings, Rows
from fitness.imports.formats import Candidate
from fitness.imports.sentences import sentence
from training.api.serializers.references import References
from training.api.serializers.workout import WorkoutSerializer
from training.imports.names import CatalogueNames, catalogue_names
from training.models import Exercise
from training.models.workout_values import WorkoutValues

KEPT_AS_NOTE = sentence(_("is not in this catalogue; kept as a note: %(line)s"))
CUT = sentence(_("is cut after %(length)s characters"))
LABEL = "workouts"
OWN_EXERCISE = "own_exercise"  # the kind of those records of an archive


class Catalogue(References):
    """Every exercise, for all documents of an archive. Their plans are not looked up."""

    def __init__(self, context: Context) -> None:
        super().__init__(context.account, None)
        self.exercises = {**exercises_of(context)}
        self.context = {"account": context.account, "known_references": self}


def exercises_of(context: Context) -> dict[str, Exercise]:
    """What the ids of an archive mean here: exercises by their ids, and those of the archive's own.

    While a preview is made, these are not stored yet; they have the names and the id of the archive.
    """
    names = catalogue_names(context.account)
    brought = context.found(OWN_EXERCISE)
    own = {key: brought_exercise(key, one, names) for key, one in brought.items()}
    return {**{key: exercise for key, exercise in own.items() if exercise}, **names.by_id}


def brought_exercise(key: str, one: Brought, names: CatalogueNames) -> Exercise | None:
    if one.document is None:
        return names.by_id.get(one.record_id)
    shown = {name: one.document.get(name, "") for name in Exercise.SHOWN}
    is_assisted = bool(one.document.get("is_assisted"))
    return names.taken.by(shown["name"]) or Exercise(id=key, is_assisted=is_assisted, **shown)


def kept_ids(context: Context) -> Callable[[str | None], str]:
    """A function that returns the id of an archive's exercise, or of the one that it was merged into.

    It raises ValidationError for an exercise that this catalogue lacks.
    """
    kept = exercises_of(context)

    def kept_id(exercise_id: str | None) -> str:
        if exercise_id not in kept:
            raise ValidationError({"exercise_id": ["There is no such exercise here."]})
        return kept[exercise_id].pk

    return kept_id


def ids_here(context: Context) -> Callable[[str], str]:
    """A function that returns the id here of an exercise of the archive's own, and any other id as it is."""
    here, found = catalogue_names(context.account).by_id, exercises_of(context)
    return lambda pk: found[pk].pk if pk in found and pk not in here else pk


class ArchivedWorkout(NamedTuple):
    values: WorkoutValues
    rows: Rows  # sets, and sets or entries that are kept as notes


def workout_reader(context: Context) -> Callable[[Candidate, Findings], ArchivedWorkout | None]:
    """A function that returns the workout of an archive's Candidate, or refuses it and returns None."""
    catalogue_of = cache(Catalogue)  # read with the first workout: most files are no archives

    def read(candidate: Candidate, findings: Findings) -> ArchivedWorkout | None:
        place = Place(LABEL, candidate, findings)
        document: Document = {**candidate.payload["document"], "plan_id": None}
        plan_id = context.new_id("plan", str(candidate.payload["document"].get("plan_id")))
        catalogue = catalogue_of(context)
        lines = list(take_unknown(document, catalogue.exercises, place))
        try:
            values = WorkoutSerializer.validated(with_notes(document, lines, place), catalogue.context)
        except ValidationError as error:
            place.refuse(error)
            return None
        workout = cast(WorkoutValues, {**values, "plan_id": UUID(plan_id) if plan_id else None})
        return ArchivedWorkout(workout, rows_of(workout, kept=len(lines)))

    return read


def rows_of(workout: WorkoutValues, kept: int) -> Rows:
    sets = [len(entry["sets"]) for entry in workout["exercises"]]
    return Rows(sets=sum(sets), notes=sets.count(0) + kept)


def take_unknown(document: Document, known: Collection[str], place: Place) -> Iterator[str]:
    """Takes the exercises that the catalogue lacks out of a document, and yields a line of notes for each.

    What cannot be written as a line stays: the serializer refuses it.
    """
    entries = document.get("exercises")
    if not isinstance(entries, list):
        return
    kept = []
    for index, entry in enumerate(entries):
        line = None if is_known(entry, known) else line_of(entry)
        if line is None:
            kept.append(entry)
        else:
            place.change(f"exercises[{index}]", KEPT_AS_NOTE % {"line": line})
            yield line
    document["exercises"] = kept


def is_known(entry: Any, known: Collection[str]) -> bool:
    """Whether the catalogue has the exercise of an entry; also for what the serializer is to refuse."""
    exercise_id = entry.get("exercise_id") if isinstance(entry, dict) else None
    return not isinstance(exercise_id, str) or exercise_id in known


def line_of(entry: dict[str, Any]) -> str | None:
    """What was done of an exercise: "Ohio State: 40 kg × 12, 40 kg × 10"; None where the entry is broken."""
    try:
        sets = [f"{float(one['weight_kg']):g} kg × {int(one['reps'])}" for one in entry["sets"]]
        done = [*sets, entry["notes"]] if entry["notes"] else sets
        return f"{entry['name']}: {', '.join(done)}" if done else str(entry["name"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def with_notes(document: Document, lines: list[str], place: Place) -> Document:
    """The document with further lines of notes, as far as the API's limit allows."""
    notes = document.get("notes", "")
    if not lines or not isinstance(notes, str):
        return document
    text = "\n".join(filter(None, [notes, *lines]))
    longest = cast(StringField, WorkoutSerializer.shared().fields["notes"]).max_length or 0
    if len(text) > longest:
        place.change("notes", CUT % {"length": f"{longest:,}"})
    return {**document, "notes": text[:longest]}
