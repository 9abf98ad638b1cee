import datetime

from django import forms
from django.utils.translation import gettext_lazy as _

from fitness.web.forms import SerializerForm
from supplements.api.serializers import SupplementSerializer
from supplements.models import MAX_SUPPLEMENTS


class TimeField(forms.TimeField):
    widget = forms.TimeInput(attrs={"type": "time"}, format="%H:%M")

    def to_api(self, value: datetime.time) -> str:
        return f"{value:%H:%M}"


class SupplementForm(SerializerForm):
    serializer = SupplementSerializer
    manager_name = "supplements"
    max_count = MAX_SUPPLEMENTS

    name = forms.CharField(label=_("Name"), strip=False)
    dosage = forms.CharField(
        label=_("Dosage"), strip=False, required=False, help_text=_("For example 5 g, or 2 capsules.")
    )
    time = TimeField(label=_("Time of day"))
