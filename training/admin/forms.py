"""The forms of the admin of exercises: of one, of a merge or an offer, and of an upload."""

import base64
import binascii
import gzip
from dataclasses import dataclass
from typing import Any, Self

from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.core.validators import URLValidator

from training.catalogue import CatalogueEntry
from training.catalogue.importing import BadFile, entries_of
from training.catalogue.name_index import TakenNames
from training.models import Exercise, Plan, Routine, WorkoutExercise
from training.models.exercise import MuscleGroup
from training.models.own_exercise import PREFIX

# The preview holds the file compressed, in base64, for the request that stores it.
MAX_COMPRESSED_BYTES = settings.MAX_BODY_BYTES * 7 // 10
ID_CHARACTERS = "Use lower-case letters from a to z, digits, hyphens and underscores, without spaces."


def refuse_own(exercise_id: str) -> None:
    """Raises ValidationError for the id of an account's exercise, in whose place one would be stored."""
    if exercise_id.startswith(PREFIX):
        raise ValidationError(f"{PREFIX} begins the ids of exercises of accounts' own.")


class LinesField(forms.CharField):
    """A list of texts, one a line."""

    widget = forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField"})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    # CharField's value is a text.
    def to_python(self, value: Any) -> list[str]:  # type: ignore[override]
        return [line.strip() for line in (super().to_python(value) or "").splitlines() if line.strip()]

    def has_changed(self, initial: list[str] | None, data: Any) -> bool:
        return self.to_python(data) != (initial or [])


class ExerciseForm(forms.ModelForm):  # type: ignore[type-arg]  # no parameters at runtime
    class Meta:
        error_messages = {"id": {"invalid": ID_CHARACTERS}}

    secondary_muscles = forms.MultipleChoiceField(
        choices=MuscleGroup, required=False, widget=forms.CheckboxSelectMultiple
    )
    aliases = LinesField(
        required=False,
        help_text="One a line. Searches find the exercise by these too, and imports match them.",
    )
    images = LinesField(required=False, help_text="Addresses of pictures, one a line.")

    def clean_images(self) -> list[str]:
        addresses: list[str] = self.cleaned_data["images"]
        for address in addresses:
            URLValidator(schemes=["https", "http"])(address)
        return addresses

    def clean_id(self) -> str:
        exercise_id: str = self.cleaned_data["id"]
        if exercise_id != exercise_id.lower():
            raise ValidationError(ID_CHARACTERS)
        refuse_own(exercise_id)
        return exercise_id

    def clean(self) -> dict[str, Any]:
        """Refuses new names that mean another exercise: searches would find both, and imports either."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        exercises = Exercise.objects.with_kept()
        taken = TakenNames(one for one in exercises if one.kept.pk != self.instance.pk)
        for field in ("id", "name", "aliases"):
            given = cleaned.get(field, []) if field in self.changed_data else []
            for name in [given] if isinstance(given, str) else given:
                if problem := taken.problem(name):
                    self.add_error(field, f"{problem}. Choose another, or take it away there first.")
        return cleaned


class MergeForm(forms.Form):
    kept = forms.ModelChoiceField(
        Exercise.objects.with_kept(),
        label="Exercise to keep",
        widget=AutocompleteSelect(Exercise._meta.get_field("merged_into"), admin.site),
    )

    def __init__(self, given_up: Exercise, *args: Any) -> None:
        super().__init__(*args)
        self.given_up = given_up

    def clean_kept(self) -> Exercise:
        kept: Exercise = self.cleaned_data["kept"]
        is_done = self.given_up.merged_into == kept
        if not is_done and (problem := self.given_up.merge_problem(kept)):
            raise ValidationError(problem)
        return kept


class TakeForm(forms.Form):
    """What becomes of an exercise that an account offers: one of the catalogue, or a new one with this id."""

    kept = forms.ModelChoiceField(
        Exercise.objects.active(),
        label="It is the same as",
        required=False,
        widget=AutocompleteSelect(Exercise._meta.get_field("merged_into"), admin.site),
    )
    new_id = forms.SlugField(max_length=120, label="Or add it under the new id", required=False)
    seen = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, offered: Exercise, *args: Any) -> None:
        super().__init__(*args)
        self.offered = offered
        said = ["weight is help"] * offered.is_assisted
        said += [f"measured by {offered.measures[0].value}"] * offered.is_timed
        self.initial["seen"] = ", ".join([*offered.shown.values(), *said])

    def clean_seen(self) -> None:
        if self.cleaned_data["seen"] != self.initial["seen"]:
            raise ValidationError("Its owner has changed it since you opened the page; look at it again.")

    def clean_new_id(self) -> str:
        new_id: str = self.cleaned_data["new_id"]
        refuse_own(new_id)
        if Exercise.objects.of_everyone().filter(pk=new_id).exists() or new_id != new_id.lower():
            raise ValidationError("Choose an id in lower case that no exercise has.")
        return new_id

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        kept, new_id = cleaned.get("kept"), cleaned.get("new_id")
        if not self.errors and bool(kept) == bool(new_id):
            raise ValidationError("Choose an exercise, or give a new id.")
        taken = TakenNames(Exercise.objects.with_kept())
        if taken.by(self.offered.name) not in (None, kept):
            self.add_error(None, f"{taken.problem(self.offered.name)}. Choose that one.")
        return cleaned


@dataclass(frozen=True)
class MergeExtent:
    """How many workouts, routines, plans and accounts have an exercise."""

    workouts: int
    routines: int
    plans: int
    accounts: int

    @classmethod
    def of(cls, exercise: Exercise) -> Self:
        sessions = WorkoutExercise.objects.sessions_with(exercise.pk).order_by()
        routines, plans = (model.objects.with_exercise(exercise).order_by() for model in (Routine, Plan))
        owners = [rows.values_list("account", flat=True).distinct() for rows in (sessions, routines, plans)]
        accounts = set().union(*owners)
        return cls(sessions.count(), routines.count(), plans.count(), len(accounts))


class UploadForm(forms.Form):
    file = forms.FileField(
        help_text="A JSON array in the layout of free-exercise-db. Compress a large file with gzip first: an "
        f"upload may have {settings.MAX_BODY_BYTES // 1024} KB, and free-exercise-db becomes 170 KB.",
    )

    entries: list[CatalogueEntry]
    packed: str  # the file as a ConfirmedUploadForm takes it

    def clean_file(self) -> UploadedFile:
        file: UploadedFile = self.cleaned_data["file"]
        content = file.read()
        self.entries = entries_in(content, file.name or "The file")
        self.packed = packed(content)
        return file


class ConfirmedUploadForm(forms.Form):
    packed = forms.CharField(widget=forms.HiddenInput)

    def clean_packed(self) -> list[CatalogueEntry]:
        try:
            content = base64.urlsafe_b64decode(self.cleaned_data["packed"])
        except (binascii.Error, ValueError):
            raise ValidationError("The file is damaged; upload it again.") from None
        return entries_in(content, "The file")


def entries_in(content: bytes, name: str) -> list[CatalogueEntry]:
    try:
        return entries_of(content, name)
    except BadFile as error:
        raise ValidationError(f"{error}.") from None


def packed(content: bytes) -> str:
    compressed = content if content.startswith(b"\x1f\x8b") else gzip.compress(content)
    if len(compressed) > MAX_COMPRESSED_BYTES:
        raise ValidationError(
            f"The file has more than {MAX_COMPRESSED_BYTES // 1000} KB when it is compressed; split it, or "
            "use manage.py import_exercises."
        )
    return base64.urlsafe_b64encode(compressed).decode()
