from typing import Any

from django import forms
from django_filters import CharFilter, FilterSet

from training.models import Exercise
from training.models.exercise import ExerciseQuerySet


class ExerciseFilter(FilterSet):  # type: ignore[misc]  # django-filter comes without types
    """The catalogue as people narrow it down; the name is searched as the API searches it.

    Needs the request: among equal matches, what its account trained last comes first.
    """

    q = CharFilter(
        method="search",
        label="Name",
        max_length=200,
        widget=forms.SearchInput(attrs={"placeholder": "Bench press", "autocomplete": "off"}),
    )

    class Meta:
        model = Exercise
        fields = ["muscle_group", "equipment", "level", "mechanic", "force", "category"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in self.Meta.fields:
            self.filters[name].extra["empty_label"] = "Any"
        self.form.order_fields(["q", *self.Meta.fields])
        for field in self.form.fields.values():
            field.widget.attrs["class"] = "input"

    def search(self, exercises: ExerciseQuerySet, name: str, text: str) -> ExerciseQuerySet:
        return exercises.search(text, self.request.user)
