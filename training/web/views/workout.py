import functools
import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from operator import attrgetter
from typing import Any, Protocol, TypedDict, cast
from uuid import UUID

import orjson
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext_lazy

from accounts.models import Account
from accounts.web.requests import AccountRequest
from fitness.web import days
from fitness.web.language import current
from fitness.web.shortcuts import PAGE_SIZE, get_page, uuid_or_none
from training import stats
from training.models import Workout, WorkoutExercise
from training.models.planned import PlannedExercise
from training.models.sets import (
    NOTED_FIELDS,
    DoneSets,
    Lift,
    SetNumber,
    SetType,
    counted,
    counts_as_work,
    done_sets,
    set_numbers,
)
from training.models.workout import WorkoutQuerySet
from training.models.workout_document import DocumentEntry
from training.web.comparing import ComparedExercise, compared, volume_change
from training.web.filters import WorkoutSearch
from training.web.forms.base import EntriesForm
from training.web.forms.workout import WorkoutForm
from training.web.names import superset_letters
from training.web.picture import picture_of
from training.web.train.next_time import unmoved
from training.web.views.common import describe
from training.web.views.form_views import FormViews, Words

MAX_SETS = 500  # shown of a workout at once
LISTED_EXERCISES = 4  # of each workout in the list
IN_MONTH = 60  # workouts of a month or a day, on a page
MOST_USED = 8  # routines that a new workout offers
COPIED, LOOKED_AT = 5, 20  # earlier workouts that it offers, of so many newest ones


class ListedWorkout(Protocol):
    """A Workout of the list, with what `list_exercises` and `mark_records` add to it."""

    pk: UUID
    started_at: datetime
    exercise_count: int
    listed: list[tuple[int, str]]
    more: int
    has_record: bool
    is_first: bool


class EarlierWorkout(TypedDict):
    """A workout that a new one may copy."""

    pk: UUID
    title: str
    started_at: datetime


class WorkoutFormViews(FormViews[Workout]):
    noun = "workout"
    create_url = "log-workout"
    words = Words(
        save=gettext_lazy("Save workout"),
        saved=gettext_lazy("Your workout is saved."),
        delete=gettext_lazy("Delete workout"),
        delete_warning=gettext_lazy(
            "Its sets leave your history, records and totals. This cannot be undone."
        ),
    )
    entry_template = "training/workout_entry.html"
    form_class = WorkoutForm

    def get_object(self, request: AccountRequest, pk: UUID) -> Workout:
        return get_object_or_404(request.user.workouts.to_change(request.user.pk), pk=pk)

    def remove(self, instance: Workout) -> None:
        instance.remove()

    def empty_form(self, request: AccountRequest) -> WorkoutForm:
        """With the sets of a workout, a routine or a plan's day where the query names one."""
        account = request.user
        if workout_id := uuid_or_none(request.GET.get("workout", "")):
            return WorkoutForm.again(account, get_object_or_404(account.workouts, pk=workout_id))
        if routine_id := uuid_or_none(request.GET.get("routine", "")):
            routine = get_object_or_404(account.routines, pk=routine_id)
            texts = {"title": routine.name, "routine": str(routine.pk)}
            return suggested_form(account, routine.exercises, **texts)
        if plan_id := uuid_or_none(request.GET.get("plan", "")):
            plan = get_object_or_404(account.plans, pk=plan_id)
            day = next((day for day in plan.days if str(day["weekday"]) == request.GET.get("day")), None)
            if day:
                texts = {"title": day["label"], "plan_id": str(plan.pk)}
                return suggested_form(account, day["exercises"], **texts)
        form = WorkoutForm.blank(account)
        form.add_exercise(f"exercises {request.GET.get('exercise', '')}")
        return form

    def said(self, text: str, account: Account, instance: Workout) -> str:
        """With the targets that an older workout has not moved."""
        return " ".join(filter(None, [text, unmoved(account, instance)]))

    def extra_context(
        self, account: Account, form: EntriesForm[Workout, Any], is_new: bool
    ) -> dict[str, Any]:
        context: dict[str, Any] = {
            "plans": list(account.plans.order_by("-active", "-created_at").values("pk", "name")[:100]),
        }
        if is_new:
            context["routines"] = [] if form.size else account.routines.names()[:MOST_USED]
            context["earlier"] = [] if form.size else newest_of_titles(account)
        return context


def newest_of_titles(account: Account) -> list[EarlierWorkout]:
    """The newest workout of each title that was used lately."""
    newest = account.workouts.order_by(*WorkoutQuerySet.newest_first.order)[:LOOKED_AT]
    found: dict[str, EarlierWorkout] = {}
    for one in newest.values("pk", "title", "started_at"):
        found.setdefault(one["title"], one)
    return list(found.values())[:COPIED]


def suggested_form(account: Account, entries: Iterable[PlannedExercise], **texts: str) -> WorkoutForm:
    """A form of planned exercises that suggests what was done of them last time."""
    form = WorkoutForm.planned(account, entries, **texts)
    describe(account, form.entries)
    form.suggest_last_time()
    return form


form_views = WorkoutFormViews()


@login_required
def workouts(request: AccountRequest) -> HttpResponse:
    account, search = request.user, WorkoutSearch(request.GET)
    found = search.narrow(account, account.workouts.all())
    rows = found.with_exercise_count_of(account).defer("document", "notes")
    size = IN_MONTH if search.days and not search.chosen["q"] else PAGE_SIZE
    page, next_cursor = get_page(request, WorkoutQuerySet.newest_first, rows, size)
    listed = cast(list[ListedWorkout], page)  # once list_exercises and mark_records have added what it lists
    list_exercises(account, listed)
    history = stats.months_of_history(account)
    mark_records(account, listed, history)
    months = {month: list(group) for month, group in itertools.groupby(listed, key=month_of)}
    totals = stats.totals_of_months(account, found, list(months))
    context = {
        "search": search,
        "months": [(month, group, totals[month]) for month, group in months.items()],
        "years": month_choices(history),
        "count": account.state.workout_count,
        "is_narrowed": any(search.chosen.values()),
        "next_cursor": next_cursor,
    }
    return render(request, "training/workouts.html", context)


def month_choices(months: Iterable[date]) -> list[tuple[int, list[tuple[str, str]]]]:
    """(year, [(value, text)]): there are 384 of 32 years, so that the template only puts them down."""
    language = current()
    years = itertools.groupby(months, key=attrgetter("year"))
    return [
        (year, [(month.isoformat()[:7], days.written(month.toordinal(), "F Y", language)) for month in group])
        for year, group in years
    ]


def month_of(workout: ListedWorkout) -> date:
    """The first day of the month in which a workout began, in the current time zone."""
    return timezone.localdate(workout.started_at).replace(day=1)


def mark_records(account: Account, workouts: list[ListedWorkout], history: Sequence[date]) -> None:
    """Gives each workout of a list, newest first, `has_record`, and `is_first` where its records beat none.

    `history` are the months of its account.
    """
    if not workouts:
        return
    in_newer_half = month_of(workouts[-1]) in history[: len(history) // 2]
    half: stats.Half = "newer" if in_newer_half else "older"
    found = stats.workouts_with_records(account, [workout.pk for workout in workouts], half)
    for workout in workouts:
        workout.has_record, workout.is_first = workout.pk in found, not found.get(workout.pk)


def list_exercises(account: Account, workouts: list[ListedWorkout]) -> None:
    """Gives each workout of a list its first exercises as `listed`, (sets, name), and how many `more` it has.

    Read from their rows: parsing the documents of fifteen workouts of 10,000 sets took 110 ms.
    """
    ids = [workout.pk for workout in workouts]
    heads = WorkoutExercise.objects.heads(account.pk, ids, LISTED_EXERCISES)
    listed: dict[UUID, list[tuple[int, str]]] = defaultdict(list)
    counts = ("done", "done_warmups", "notes")
    for pk, name, *counted_of in heads.values_list("workout_id", "exercise__name", *counts):
        listed[pk].append((counted(*counted_of).sets, name))
    for workout in workouts:
        workout.listed = listed.get(workout.pk, [])
        workout.more = workout.exercise_count - len(workout.listed)


@login_required
def workout(request: AccountRequest, pk: UUID) -> HttpResponse:
    return workout_page(request, pk, "training/workout.html", "1")


@login_required
def workout_sets(request: AccountRequest, pk: UUID) -> HttpResponse:
    """All sets of a workout that has more than `workout` shows."""
    return workout_page(request, pk, "training/workout_sets.html", request.GET.get("page"))


def workout_page(request: AccountRequest, pk: UUID, template: str, number: str | None) -> HttpResponse:
    """One page, of MAX_SETS sets, of a workout."""
    stored = get_object_or_404(request.user.workouts, pk=pk)
    workout: dict[str, Any] = orjson.loads(stored.document)
    exercises: list[DocumentEntry] = workout.pop("exercises")
    workout["started_at"] = timezone.localtime(datetime.fromisoformat(workout["started_at"]))
    counts = (done_sets(entry["sets"], entry["notes"]) for entry in exercises)
    done = functools.reduce(DoneSets.plus, counts, DoneSets(0, 0))
    records = stats.personal_records_in(request.user, pk, {entry["exercise_id"] for entry in exercises})
    mark_personal_records(exercises, records)
    last_times = compared(request.user, exercises, workout["started_at"])
    change = volume_change(last_times.values())
    picture = picture_of(stored, last_times.values(), request.user.units)
    letters = superset_letters(entry["superset_id"] for entry in exercises)
    page = Paginator(range(sum(map(rows_of, exercises))), MAX_SETS).get_page(number)
    assisted = {pk for pk, one in last_times.items() if one["is_assisted"]}
    just_done = {pk for pk, one in last_times.items() if one["is_just_done"]}
    entries = []
    for entry, places in entries_within(exercises, cast(range, page.object_list)):  # a slice of the range
        last_time = last_times.pop(entry["exercise_id"], None)  # beside its first sets alone
        superset = letters.get(entry["superset_id"] or "")
        shown = shown_entry(entry, places, last_time)
        kind = {
            "is_assisted": entry["exercise_id"] in assisted,
            "is_just_done": entry["exercise_id"] in just_done,
        }
        entries.append({**shown, **kind, "superset": superset})
    context = {
        "workout": workout,
        "done": done,
        "picture": picture,
        "exercise_count": len(exercises),
        "page": page,
        "volume_change": change,
        "entries": entries,
    }
    del exercises  # 4 MB of a very long workout, which rendering would hold on to
    return render(request, template, context)


def rows_of(entry: DocumentEntry) -> int:
    """How many rows an exercise takes: one for each set, and one if it has none."""
    return len(entry["sets"]) or 1


def entries_within(exercises: Iterable[DocumentEntry], rows: range) -> Iterator[tuple[DocumentEntry, slice]]:
    """The exercises that have some of these rows of a workout, with the places of their sets among them."""
    start = 0
    for entry in exercises:
        first, last = max(rows.start - start, 0), min(rows.stop - start, rows_of(entry))
        if first < last:
            yield entry, slice(first, last)
        start += rows_of(entry)


def shown_entry(entry: DocumentEntry, places: slice, compared: ComparedExercise | None) -> dict[str, Any]:
    """Some sets of an exercise with their numbers, what is noted of any of them, and those of last time."""
    numbers = list(set_numbers(one["type"] == SetType.WARMUP for one in entry["sets"]))
    last = compared["last"]["sets"] if compared and compared["last"] else []
    last_of: dict[SetNumber, Lift] = {at: (one["weight_kg"], one["reps"]) for at, one in enumerate(last, 1)}
    sets: list[Any] = entry["sets"][places]  # mypy looks up keys of a TypedDict by literals only
    fields = [field for field in NOTED_FIELDS if any(one[field.name] is not None for one in sets)]
    return {
        **entry,
        "compared": compared,
        "noted": fields,
        "sets": [
            {
                **one,
                "number": number,
                "noted": [one[field.name] for field in fields],
                "last": last_of.get(number),
            }
            for one, number in zip(sets, numbers[places], strict=True)
        ],
    }


def mark_personal_records(exercises: Iterable[DocumentEntry], personal_records: Iterable[Any]) -> None:
    """Marks the first set of each exercise that is the account's personal record with it."""
    best = {row.exercise_id: (row.weight_kg, row.reps) for row in personal_records}
    for entry in exercises:
        sets: list[Any] = entry["sets"]
        for one in sets:
            is_best = (one["weight_kg"], one["reps"]) == best.get(entry["exercise_id"])
            if is_best and counts_as_work(one):
                one["is_record"] = True
                del best[entry["exercise_id"]]
