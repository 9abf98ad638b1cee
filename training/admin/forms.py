from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator

from training.catalogue.name_index import TakenNames
from training.models import Exercise
from training.models.exercise import MuscleGroup
from training.models.own_exercise import PREFIX

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
