"""What staff edit and see of training: the catalogue, and the records of accounts."""

import datetime
import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.contrib.admin.utils import quote, unquote
from django.core.exceptions import ObjectDoesNotExist, PermissionDenied, ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from accounts.audit import Event, log_event
from accounts.models import Account
from fitness.web.admin import OnlyOfferedMixin, ReadOnlyAdmin, changes
from fitness.web.admin_steps import asks
from fitness.web.stale_saves import StaleSaveMixin
from training.admin.forms import (
    ConfirmedUploadForm,
    ExerciseForm,
    MergeExtent,
    MergeForm,
    TakeForm,
    UploadForm,
)
from training.catalogue.importing import Result, by_outcome, compare, fold_in, summary
from training.models import Exercise, Plan, Routine, Workout, WorkoutExercise, own_exercise
from training.models.exercise import SHOWN_IN_WORKOUTS, ExerciseQuerySet
from training.models.own_exercise import not_shown
from training.models.planned import PlannedExercise
from training.models.search import search
from training.models.workout_document import DocumentEntry

RETIRING = (
    "Searches of members, programs and assistants no longer find these exercises. Workouts, routines and "
    "plans keep them, and their ids can still be read and sent. They can be taken back at any time."
)
MAX_OFFERS = 200  # on the page; those that wait longest
REINSTATING = "Searches find these exercises again."


def why_not_taken(error: Exception) -> str:
    """What staff read where an offered exercise could not be taken."""
    if isinstance(error, ValidationError):
        return str(error.message)
    if isinstance(error, IntegrityError):
        return (
            "Somebody else has just added an exercise with this id or name, or deleted this one. Look at the "
            "offers again."
        )
    return "It is not here any more."


def log_import(user: Account, results: Iterable[Result]) -> None:
    """Notes each exercise that is added or updated in its history: one statement for each different note."""
    noted: defaultdict[tuple[int, str], list[Exercise]] = defaultdict(list)
    for result in results:
        if result.outcome == "added":
            noted[ADDITION, "Added by an import."].append(Exercise(**result.entry))
        elif result.outcome == "updated":
            noted[CHANGE, f"Changed by an import: {result.note}."].append(Exercise(**result.entry))
    for (flag, note), exercises in noted.items():
        LogEntry.objects.log_actions(user.pk, exercises, flag, note)


class StateFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(state, state.capitalize()) for state in ("active", "retired", "merged")]

    # The filter is that of ExerciseAdmin alone, so it gets its QuerySet.
    def queryset(self, request: HttpRequest, exercises: ExerciseQuerySet) -> ExerciseQuerySet:  # type: ignore[override]
        match self.value():
            case "active":
                return exercises.active()
            case "retired":
                return exercises.retired()
            case "merged":
                return exercises.merged()
        return exercises


@admin.register(Exercise)
class ExerciseAdmin(StaleSaveMixin, OnlyOfferedMixin):
    """The catalogue. Ids stay the same for ever and workouts point to them, so nothing is deleted."""

    form = ExerciseForm
    list_display = ["name", "muscle_group", "equipment", "level", "category", "state", "edited"]
    list_filter = [StateFilter, "muscle_group", "equipment", "level", "category", "is_assisted", "edited"]
    list_select_related = ["merged_into"]
    ordering = ["name"]
    search_fields = ["^id"]  # and names, by the search that members have
    fields = [
        "id",
        "name",
        ("muscle_group", "equipment"),
        ("level", "mechanic"),
        ("force", "category"),
        "is_assisted",
        "secondary_muscles",
        "instructions",
        "images",
        "aliases",
        ("edited", "retired_at", "merged_into"),
    ]
    readonly_fields = ["edited", "retired_at", "merged_into"]
    actions = ["retire", "reinstate"]

    def get_readonly_fields(self, request: HttpRequest, exercise: Exercise | None = None) -> list[str]:
        return [*(["id"] if exercise else []), *self.readonly_fields]

    def has_change_permission(self, request: HttpRequest, exercise: Exercise | None = None) -> bool:
        """A merged exercise is no more than another id of the one that is kept."""
        is_merged = exercise is not None and exercise.merged_into is not None
        return not is_merged and super().has_change_permission(request, exercise)

    def has_delete_permission(self, request: HttpRequest, exercise: Exercise | None = None) -> bool:
        return False

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Exercise], search_term: str
    ) -> tuple[QuerySet[Exercise], bool]:
        by_id, may_have_duplicates = super().get_search_results(request, queryset, search_term)
        account = cast(Account, request.user)  # who is in the admin is signed in
        by_name = search(Exercise.objects.all(), search_term, account).values("pk")
        return by_id | queryset.filter(pk__in=by_name), may_have_duplicates

    def save_model(
        self, request: HttpRequest, exercise: Exercise, form: "forms.ModelForm[Exercise]", change: bool
    ) -> None:
        exercise.edited = True
        exercise.save(update_fields=Exercise.description_fields() if change else None)
        event = Event.EXERCISE_CHANGED if change else Event.EXERCISE_ADDED
        log_event(event, None, detail=f"{exercise.pk}\n{changes(form, form.changed_data)}")
        if change and set(form.changed_data).intersection(SHOWN_IN_WORKOUTS):
            count = WorkoutExercise.objects.sessions_with(exercise.pk).count()
            self.message_user(request, f"Workouts that follow in the background: {count:,}.")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("<path:exercise_id>/merge/", view(self.merge), name="training_exercise_merge"),
            path("offers/", view(self.offers), name="training_exercise_offers"),
            path("offers/<path:exercise_id>/", view(self.take), name="training_exercise_take"),
            path("upload/", view(self.upload), name="training_exercise_upload"),
            path("import/", view(self.import_file), name="training_exercise_import"),
            *super().get_urls(),
        ]

    def merge(self, request: HttpRequest, exercise_id: str) -> HttpResponse:
        """Asks which exercise to keep, shows what a merge changes, and merges once that is confirmed."""
        if not super().has_change_permission(request):
            raise PermissionDenied
        given_up = get_object_or_404(Exercise.objects.with_kept(), pk=unquote(exercise_id))
        choice = request.POST if request.method == "POST" else request.GET
        form = MergeForm(given_up, choice if "kept" in choice else None)
        is_chosen = form.is_valid()
        if is_chosen and request.method == "POST":
            return self.carry_out_merge(request, given_up, form.cleaned_data["kept"])
        context = {
            **self.admin_site.each_context(request),
            "title": f"Merge {given_up} into another exercise",
            "given_up": given_up,
            "form": form,
            "media": self.media + form.media,
            "kept": form.cleaned_data["kept"] if is_chosen else None,
            "extent": MergeExtent.of(given_up) if is_chosen else None,
        }
        return render(request, "admin/training/exercise/merge.html", context)

    def carry_out_merge(self, request: HttpRequest, given_up: Exercise, kept: Exercise) -> HttpResponse:
        """Merges two exercises. What the merge changes follows in the background."""
        try:
            with transaction.atomic():
                if given_up.merge_into(kept):
                    self.log_change(request, given_up, f"Merged into {kept.pk}.")
                    self.log_change(request, kept, f"Took over {given_up.pk}.")
                    log_event(Event.EXERCISE_MERGED, None, detail=f"{given_up.pk} → {kept.pk}")
        except ValidationError as error:  # somebody else has merged or retired one of the two just now
            self.message_user(request, error.message, messages.ERROR)
            return redirect("admin:training_exercise_merge", quote(given_up.pk))
        message = f"{given_up} is merged into {kept}. Workouts, routines and plans follow in the background."
        self.message_user(request, message, messages.SUCCESS)
        return redirect("admin:training_exercise_change", quote(kept.pk))

    def offers(self, request: HttpRequest) -> HttpResponse:
        """What accounts have offered to the catalogue; of their other own exercises the numbers."""
        if not super().has_change_permission(request):
            raise PermissionDenied
        own = Exercise.objects.of_everyone().filter(merged_into=None, owner__isnull=False)
        context = {
            **self.admin_site.each_context(request),
            "title": "Exercises that accounts offer",
            "offered": Exercise.objects.offered().order_by("offered_at", "pk")[:MAX_OFFERS],
            "own_count": own.count(),
            "account_count": own.aggregate(found=Count("owner", distinct=True))["found"],
        }
        return render(request, "admin/training/exercise/offers.html", context)

    def take(self, request: HttpRequest, exercise_id: str) -> HttpResponse:
        """Merges an offered exercise into one of the catalogue, or into a new one."""
        if not self.has_upload_permission(request):
            raise PermissionDenied
        offered = get_object_or_404(Exercise.objects.offered(), pk=unquote(exercise_id))
        form = TakeForm(offered, request.POST if request.method == "POST" else None)
        if form.is_valid():
            return self.carry_out_take(request, offered, form)
        context = {
            **self.admin_site.each_context(request),
            "title": f"Take {offered} into the catalogue",
            "offered": offered,
            "form": form,
            "media": self.media + form.media,
        }
        return render(request, "admin/training/exercise/take.html", context)

    def carry_out_take(self, request: HttpRequest, offered: Exercise, form: TakeForm) -> HttpResponse:
        try:
            with transaction.atomic():
                kept = form.cleaned_data["kept"] or self.added(request, offered, form.cleaned_data["new_id"])
                own_exercise.merge(offered, kept, is_taken=True)
                self.log_change(request, kept, f"Took over {offered.pk}, which an account has offered.")
                log_event(Event.EXERCISE_MERGED, None, detail=f"{offered.pk} → {kept.pk}")
        # Since the form was validated it was merged, retired or deleted, or another one has its id or name.
        except (ValidationError, ObjectDoesNotExist, IntegrityError) as error:
            self.message_user(request, why_not_taken(error), messages.ERROR)
            return redirect("admin:training_exercise_offers")
        message = f"{offered} is taken into {kept}. Workouts, routines and plans follow in the background."
        self.message_user(request, message, messages.SUCCESS)
        return redirect("admin:training_exercise_change", quote(kept.pk))

    def added(self, request: HttpRequest, offered: Exercise, new_id: str) -> Exercise:
        """A new entry of the catalogue, with what staff have seen of an offered exercise."""
        described = {**offered.shown, "is_assisted": offered.is_assisted}
        exercise = Exercise(id=new_id, edited=True, **described, **not_shown(offered.measures[0]))
        exercise.save(force_insert=True)
        self.log_addition(request, exercise, "Added: an account has offered it.")
        log_event(Event.EXERCISE_ADDED, None, detail=exercise.pk)
        return exercise

    def has_upload_permission(self, request: HttpRequest) -> bool:
        return self.has_add_permission(request) and self.has_change_permission(request)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        context = {"has_upload_permission": self.has_upload_permission(request), **(extra_context or {})}
        return super().changelist_view(request, context)

    def upload(self, request: HttpRequest) -> HttpResponse:
        """Takes a file of exercises, and shows what an import of it would do."""
        if not self.has_upload_permission(request):
            raise PermissionDenied
        is_post = request.method == "POST"
        form = UploadForm(request.POST, request.FILES) if is_post else UploadForm()
        context = {**self.admin_site.each_context(request), "title": "Import exercises", "form": form}
        if form.is_valid():
            results = compare(form.entries)
            context |= {
                "form": ConfirmedUploadForm(initial={"packed": form.packed}),
                "results": by_outcome(results),
                "summary": summary(results),
            }
        return render(request, "admin/training/exercise/upload.html", context)

    def import_file(self, request: HttpRequest) -> HttpResponse:
        """Stores the file that `upload` has shown, and notes it in the history of each exercise."""
        if not self.has_upload_permission(request):
            raise PermissionDenied
        form = ConfirmedUploadForm(request.POST)
        if not form.is_valid():
            self.message_user(request, "The file was damaged on the way; choose it again.", messages.ERROR)
            return redirect("admin:training_exercise_upload")
        with transaction.atomic():
            results = fold_in(form.cleaned_data["packed"])
            log_import(cast(Account, request.user), results)
            log_event(Event.EXERCISES_IMPORTED, None, detail=summary(results))
        self.message_user(request, f"Imported. {summary(results)}.", messages.SUCCESS)
        return redirect("admin:training_exercise_changelist")

    @admin.display(ordering="retired_at")
    def state(self, exercise: Exercise) -> str:
        if exercise.merged_into:
            return f"merged into {exercise.merged_into}"
        return "retired" if exercise.retired_at else "active"

    @admin.action(description="Retire the selected exercises", permissions=["change"])
    @asks(RETIRING, ExerciseQuerySet.active)
    def retire(self, request: HttpRequest, exercises: ExerciseQuerySet) -> None:
        self.set_retired_at(request, exercises, timezone.now(), Event.EXERCISE_RETIRED)

    @admin.action(description="Take the selected exercises back from retirement", permissions=["change"])
    @asks(REINSTATING, ExerciseQuerySet.retired)
    def reinstate(self, request: HttpRequest, exercises: ExerciseQuerySet) -> None:
        self.set_retired_at(request, exercises, None, Event.EXERCISE_REINSTATED)

    @transaction.atomic
    def set_retired_at(
        self, request: HttpRequest, exercises: ExerciseQuerySet, at: datetime.datetime | None, event: Event
    ) -> None:
        """Retires exercises, or takes them back where `at` is None."""
        chosen = list(exercises.select_for_update(of=("self",)))
        exercises.update(retired_at=at)
        for exercise in chosen:
            self.log_change(request, exercise, f"{event.label}.")
            log_event(event, None, detail=exercise.pk)
        self.message_user(request, f"{event.label}: {len(chosen):,}.", messages.SUCCESS)


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
