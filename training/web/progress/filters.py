import datetime
from typing import Any, TypeVar

from django import forms
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from accounts.models import Account
from fitness.days import ONE_DAY, midnight, today
from training.models import WorkoutExercise
from training.web.names import choices

Row = TypeVar("Row")

NINETY_DAYS = "90-days"
MAX_YEARS = 100  # to choose from; the first workout may be of any year


def muscle_groups() -> list[tuple[str, str]]:
    return [("", pgettext("filter", "Any")), *choices("muscle group")]


class RecordFilter(forms.Form):
    """Narrows the board of records to a muscle group and to a time. What is not a choice narrows nothing."""

    muscle_group = forms.ChoiceField(
        label=gettext_lazy("Muscle group"), required=False, choices=muscle_groups
    )
    period = forms.ChoiceField(label=gettext_lazy("Period"), required=False)

    def __init__(self, *args: Any, account: Account, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        oldest = account.workouts.order_by("started_at", "id").values_list("started_at", flat=True).first()
        this_year = today().year
        first = this_year if oldest is None else timezone.localtime(oldest).year
        years = range(this_year, max(first, this_year - MAX_YEARS) - 1, -1)
        period = self.fields["period"]
        assert isinstance(period, forms.ChoiceField)
        period.choices = [
            ("", _("All time")),
            (NINETY_DAYS, _("Last 90 days")),
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
