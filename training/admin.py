import json
from collections.abc import Iterable
from typing import Any, cast

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from accounts.models import Account
from fitness.web.admin import ReadOnlyAdmin
from training.models import Exercise, Plan, Routine, Workout, WorkoutExercise
from training.models.exercise import SHOWN_IN_WORKOUTS, MuscleGroup
from training.models.planned import PlannedExercise
from training.models.workout import DocumentEntry
from training.tasks import catalogue


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
            raise ValidationError("Use lower-case letters, digits and hyphens.")
        return exercise_id

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        namesakes = Exercise.objects.filter(name__iexact=name)
        if namesakes.exclude(pk=self.instance.pk).exists():
            raise ValidationError("There is an exercise with this name.")
        return name


@admin.register(Exercise)
class ExerciseAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # no parameters at runtime
    """The catalogue. Ids stay the same for ever and workouts point to them, so nothing is deleted."""

    form = ExerciseForm
    list_display = ["name", "muscle_group", "equipment", "level", "category", "edited"]
    list_filter = ["muscle_group", "equipment", "level", "category", "edited"]
    search_fields = ["^id"]  # and names, by the search that members have
    fields = [
        "id",
        "name",
        ("muscle_group", "equipment"),
        ("level", "mechanic"),
        ("force", "category"),
        "secondary_muscles",
        "instructions",
        "images",
        "aliases",
        "edited",
    ]

    def get_readonly_fields(self, request: HttpRequest, exercise: Exercise | None = None) -> list[str]:
        return ["id", "edited"] if exercise else ["edited"]

    def has_delete_permission(self, request: HttpRequest, exercise: Exercise | None = None) -> bool:
        return False

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Exercise], search_term: str
    ) -> tuple[QuerySet[Exercise], bool]:
        by_id, may_have_duplicates = super().get_search_results(request, queryset, search_term)
        account = cast(Account, request.user)  # who is in the admin is signed in
        by_name = Exercise.objects.search(search_term, account).values("pk")
        return by_id | queryset.filter(pk__in=by_name), may_have_duplicates

    def save_model(
        self, request: HttpRequest, exercise: Exercise, form: "forms.ModelForm[Exercise]", change: bool
    ) -> None:
        exercise.edited = True
        super().save_model(request, exercise, form, change)
        if change and set(form.changed_data).intersection(SHOWN_IN_WORKOUTS):
            count = WorkoutExercise.objects.sessions_with(exercise.pk).count()
            self.message_user(request, f"Workouts that follow in the background: {count:,}.")
        transaction.on_commit(catalogue.wake)


def lines(rows: Iterable[str]) -> SafeString | str:
    return format_html_join("", "{}<br>", ((row,) for row in rows)) or "–"


def logged_line(entry: DocumentEntry) -> str:
    sets = ", ".join(f"{one['weight_kg']:g} kg × {one['reps']}" for one in entry["sets"])
    return f"{entry['name']}: {sets}"


def planned_line(entry: PlannedExercise) -> str:
    return f"{entry['name']}: {entry['sets']} × {entry['reps']}, {entry['weight_kg']:g} kg"


@admin.register(Workout)
class WorkoutAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "account", "started_at", "duration_seconds", "volume_kg", "plan_name"]
    list_filter = ["started_at"]
    search_fields = ["title", "account__email"]
    fields = [
        *("id", "account", "title", "notes", "started_at", "duration_seconds", "volume_kg"),
        *("plan_name", "logged", "created_at", "updated_at"),
    ]

    @admin.display(description="exercises")
    def logged(self, workout: Workout) -> str:
        return lines(map(logged_line, json.loads(workout.document)["exercises"]))


@admin.register(Routine)
class RoutineAdmin(ReadOnlyAdmin):
    list_display = ["name", "account", "focus", "use_count", "created_at"]
    search_fields = ["name", "account__email"]
    fields = ["id", "account", "name", "focus", "use_count", "planned", "created_at"]

    @admin.display(description="exercises")
    def planned(self, routine: Routine) -> str:
        return lines(map(planned_line, routine.exercises))


@admin.register(Plan)
class PlanAdmin(ReadOnlyAdmin):
    list_display = ["name", "account", "active", "days_per_week", "source", "created_at"]
    list_filter = ["active", "source"]
    search_fields = ["name", "account__email"]
    fields = [
        *("id", "account", "name", "summary", "progression", "active", "source"),
        *("planned", "changes", "created_at", "updated_at"),
    ]

    @admin.display(description="days")
    def planned(self, plan: Plan) -> str:
        return lines(
            f"{day['weekday']} {day['label']}: "
            + ("rest" if day["rest"] else "; ".join(map(planned_line, day["exercises"])))
            for day in plan.days
        )

    @admin.display(description="history")
    def changes(self, plan: Plan) -> str:
        return lines(f"{entry['at']} {entry['kind']}: {entry['detail']}" for entry in plan.history)
