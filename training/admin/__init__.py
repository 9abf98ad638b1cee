"""What staff edit and see of training: the catalogue, and the records of accounts."""

import json
from collections.abc import Iterable

from django.contrib import admin
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from fitness.web.admin import ReadOnlyAdmin
from training.admin.exercise import ExerciseAdmin
from training.models import Plan, Routine, Workout
from training.models.planned import PlannedExercise
from training.models.workout_document import DocumentEntry

__all__ = ["ExerciseAdmin", "PlanAdmin", "RoutineAdmin", "WorkoutAdmin"]


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
