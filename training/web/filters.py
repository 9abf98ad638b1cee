import datetime
from typing import Any, TypeVar

from django import forms
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils import timezone
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter, FilterSet

from accounts.models import Account
from fitness.days import ONE_DAY, begin_and_end, last_of_month, midnight, today
from training import stats
from training.models import Exercise, WorkoutExercise
from training.models.exercise import ExerciseQuerySet, MuscleGroup
from training.models.search import search
from training.models.workout import WorkoutQuerySet
from training.web.names import meant
from training.web.picker import trained_by

Row = TypeVar("Row")

ANY = pgettext_lazy("filter", "Any")
NINETY_DAYS = "90-days"
MAX_YEARS = 100  # to choose from; the first workout may be of any year
LABELS = {
    "muscle_group": _("Muscle group"),
    "equipment": _("Equipment"),
    "level": _("Level"),
    "mechanic": _("Mechanic"),
    "force": _("Force"),
    "category": _("Category"),
}


class ExerciseFilter(FilterSet):  # type: ignore[misc]  # django-filter comes without types
    """The catalogue as people narrow it down; the name is searched as the API searches it, and a word for a
    muscle finds what trains it as well.

    Needs the request: among equal matches, what its account has done most comes first.
    """

    q = CharFilter(
        method="search",
        label=_("Exercise or muscle"),
        max_length=200,
        widget=forms.SearchInput(attrs={"placeholder": _("Bench press"), "autocomplete": "off"}),
    )

    class Meta:
        model = Exercise
        fields = ["muscle_group", "equipment", "level", "mechanic", "force", "category"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in self.Meta.fields:
            self.filters[name].label = LABELS[name]
            self.filters[name].extra["empty_label"] = ANY
        self.form.order_fields(["q", *self.Meta.fields])
        for field in self.form.fields.values():
            field.widget.attrs["class"] = "input"

    def search(self, exercises: ExerciseQuerySet, name: str, text: str) -> ExerciseQuerySet:
        account = self.request.user
        return search(exercises, text, account, [*meant(text), *trained_by(account, text)])


class WorkoutSearch(forms.Form):
    """Workouts as people look for them: by a text, in a month (`2026-03`), on a day.

    What is invalid counts as left out.
    """

    q = forms.CharField(
        label=_("Search"),
        max_length=200,
        required=False,
        widget=forms.SearchInput(
            attrs={"class": "input", "placeholder": _("Exercise, title or notes"), "autocomplete": "off"}
        ),
    )
    month = forms.DateField(input_formats=["%Y-%m"], required=False)
    day = forms.DateField(input_formats=["%Y-%m-%d"], required=False, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        return {name: self.cleaned_data.get(name) for name in self.fields}

    @property
    def chosen(self) -> dict[str, Any]:
        self.is_valid()
        return self.cleaned_data

    @property
    def days(self) -> tuple[datetime.date, datetime.date] | None:
        """The first and the last of the days that are asked for; None for all."""
        if day := self.chosen["day"]:
            return day, day
        if month := self.chosen["month"]:
            return month, last_of_month(month)
        return None

    def narrow(self, account: Account, workouts: WorkoutQuerySet) -> WorkoutQuerySet:
        if self.days:
            workouts = workouts.started(*begin_and_end(*self.days))
        return holding(account, workouts, self.chosen["q"]) if self.chosen["q"] else workouts


def holding(account: Account, workouts: WorkoutQuerySet, text: str) -> WorkoutQuerySet:
    """Workouts with the text in their title or notes, or with an exercise that a search for it finds."""
    found = search(Exercise.objects.seen_by(account), text, account, meant(text))
    exercises = stats.trained(account, found).order_by()
    ids = list(exercises.values_list("pk", flat=True))
    sessions = account.workout_exercises.filter(exercise__in=ids, first_of_exercise=True)
    # With the start, each is a look-up in the index `session_newest`: a page of a frequent lift is found
    # without reading all its sessions, as PostgreSQL would do for EXISTS.
    session = sessions.filter(started_at=OuterRef("started_at"), workout=OuterRef("pk")).values("workout")[:1]
    in_texts = Q(title__icontains=text) | Q(notes__icontains=text)
    return workouts.alias(session=Subquery(session)).filter(in_texts | Q(session__isnull=False))


class RecordFilter(forms.Form):
    """Narrows the board of records to a muscle group and to a time. What is not a choice narrows nothing."""

    muscle_group = forms.ChoiceField(
        label=_("Muscle group"), required=False, choices=[("", ANY), *MuscleGroup.choices]
    )
    period = forms.ChoiceField(label=_("Period"), required=False)

    def __init__(self, *args: Any, account: Account, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        oldest = account.workouts.order_by("started_at", "id").values_list("started_at", flat=True).first()
        this_year = today().year
        first = this_year if oldest is None else timezone.localtime(oldest).year
        years = range(this_year, max(first, this_year - MAX_YEARS) - 1, -1)
        period = self.fields["period"]
        assert isinstance(period, forms.ChoiceField)
        period.choices = [
            ("", gettext("All time")),
            (NINETY_DAYS, gettext("Last 90 days")),
            *((str(year), str(year)) for year in years),
        ]
        for field in self.fields.values():
            field.widget.attrs["class"] = "input"

    def narrowed(self, records: QuerySet[WorkoutExercise, Row]) -> QuerySet[WorkoutExercise, Row]:
        self.is_valid()  # fills cleaned_data with what is a choice
        if group := self.cleaned_data.get("muscle_group"):
            records = records.filter(muscle_group=group)
        if period := self.cleaned_data.get("period"):
            since, until = days_of(period)
            records = records.filter(started_at__gte=midnight(since), started_at__lt=midnight(until))
        return records


def days_of(period: str) -> tuple[datetime.date, datetime.date]:
    """The first day of a period, and the day after its last."""
    if period == NINETY_DAYS:
        return today() - ONE_DAY * 89, today() + ONE_DAY
    return datetime.date(int(period), 1, 1), datetime.date(int(period) + 1, 1, 1)
