"""Forms of records: typed by a person, checked by the serializer of the API."""

import uuid

from django import forms
from django.core.signing import BadSignature, Signer
from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone
from uuid_utils.compat import uuid7

from fitness.web import units


def signer(account):
    return Signer(salt=f"new record of {account.pk}")


def sign_form_id(account, instance_id):
    """The text by which a form carries the id of the record that it will make."""
    return signer(account).sign(str(instance_id))


def read_form_id(account, text):
    """The id that a form carries; a new one where it carries none of this account's."""
    try:
        return uuid.UUID(signer(account).unsign(text))
    except (BadSignature, ValueError):
        return uuid7()


class Styled:
    """Gives the stylesheet's class to every text field and select of a form."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            if not isinstance(field.widget, forms.RadioSelect):
                field.widget.attrs["class"] = "input"


class NumberField(forms.FloatField):
    widget = forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"})

    def wire(self, value):
        return value


class WeightField(NumberField):
    """A weight in the account's unit, and in kg for the serializer."""

    def wire(self, value):
        return None if value is None else units.to_kg(value, self.units)


class NotesField(forms.CharField):
    """Text of several lines, kept as it was typed."""

    def __init__(self, **options):
        super().__init__(strip=False, widget=forms.Textarea(attrs={"rows": 2}), **options)

    def to_python(self, value):
        return super().to_python(value).replace("\r\n", "\n")


class MomentField(forms.DateTimeField):
    """A date and a time in UTC, to the minute."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")

    def wire(self, value):
        return value.isoformat()


class DayField(forms.DateField):
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")

    def wire(self, value):
        return value and value.isoformat()


class SerializerForm(Styled, forms.Form):
    """A form of one record of an account, new or stored.

    The serializer has the last word on every value; what nobody changed in a stored record is not
    sent to it, so that a weight shown in pounds stays the weight that it was. A new record gets the
    id that is sealed in its form: sent twice, the form makes one record.
    """

    serializer = None
    manager_name = None  # the account's manager of such records, by name
    most = None  # how many of them an account can hold, where one page shows them all
    form_id = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, account, posted=None, instance=None, initial=None):
        self.account, self.instance = account, instance
        super().__init__(posted, initial=self.shown(instance) if instance else initial)
        self.initial["form_id"] = sign_form_id(account, uuid7())
        for field in self.fields.values():
            if isinstance(field, WeightField):
                field.units = account.units
                field.label = f"{field.label} ({account.units})"

    def shown(self, instance):
        """The record's values as the fields show them."""
        values = {}
        for name, field in self.base_fields.items():
            value = getattr(instance, name, None)
            if isinstance(field, WeightField) and value is not None:
                value = units.shown(value, self.account.units)
            if isinstance(field, MomentField) and value is not None:
                value = value.replace(second=0, microsecond=0)
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            values[name] = value
        return values

    def clean_form_id(self):
        return read_form_id(self.account, self.cleaned_data["form_id"])

    def clean(self):
        if self.most and self.instance is None and self.others.count() >= self.most:
            self.add_error(
                None, f"You have {self.most} of them, and more do not fit on a page. Remove some first."
            )
        serializer = self.serializer(
            data=self.body,
            partial=self.instance is not None,
            context={"account": self.account, "instance": self.instance},
        )
        if serializer.is_valid():
            self.values = serializer.validated_data
            return
        for name, messages in serializer.errors.items():
            self.complain(name, messages)

    @property
    def others(self) -> QuerySet:
        """The account's records but for the one that this form makes, which it may have made already."""
        return getattr(self.account, self.manager_name).exclude(pk=self.cleaned_data["form_id"])

    def save(self):
        """Stores the values. A form that made its record already changes that record."""
        manager = getattr(self.account, self.manager_name)
        if self.instance is None:
            manager.update_or_create(pk=self.cleaned_data["form_id"], defaults=self.values)
        elif self.values and not manager.filter(pk=self.instance.pk).update(**self.values):
            raise Http404  # deleted since the form was opened

    @property
    def body(self):
        """What a client of the API would send."""
        names = self.changed_data if self.instance else self.fields
        return {name: self.wired(name) for name in names if name in self.cleaned_data and name != "form_id"}

    def wired(self, name):
        wire = getattr(self.fields[name], "wire", None)
        return wire(self.cleaned_data[name]) if wire else self.cleaned_data[name]

    def complain(self, name, messages):
        if name in self.errors:
            return
        if name not in self.fields:
            self.add_error(None, messages)
        elif isinstance(self.fields[name], WeightField):
            self.add_error(name, self.weight_range(name))
        else:
            self.add_error(name, messages)

    def weight_range(self, name):
        most = units.shown(self.serializer().fields[name].max_value, self.account.units)
        return f"Enter a weight over 0, at most {units.spelled(most)} {self.account.units}."


def this_minute():
    return timezone.now().replace(second=0, microsecond=0)
