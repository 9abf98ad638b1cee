"""Forms that the serializers of the API validate."""

import datetime
import uuid
from typing import Any, ClassVar, Protocol

from django import forms
from django.core.signing import BadSignature, Signer
from django.db.models import Manager, Model, QuerySet
from django.forms.utils import to_current_timezone
from django.http import Http404, QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from uuid_utils.compat import uuid7

from fitness.api.serializers import StrictSerializer, Values
from fitness.web import units
from fitness.web.local_time import moment_typed, read_clock


class FormAccount(Protocol):
    """What the forms read of an Account: this package imports no app."""

    @property
    def pk(self) -> Any: ...
    @property
    def units(self) -> str: ...


def form_id_signer(account: FormAccount) -> Signer:
    return Signer(salt=f"new record of {account.pk}")


def sign_form_id(account: FormAccount, instance_id: uuid.UUID) -> str:
    """The signed text in which a form carries the id of the instance that it will create."""
    return form_id_signer(account).sign(str(instance_id))


def read_form_id(account: FormAccount, text: str) -> uuid.UUID:
    """The id that a form carries; a new one if the text is not signed for this account."""
    try:
        return uuid.UUID(form_id_signer(account).unsign(text))
    except (BadSignature, ValueError):
        return uuid7()


class StyledFormMixin(forms.BaseForm):
    """Adds the stylesheet's class to every text field and select of a form, and lets none take the focus.

    Django's own forms do: a page would scroll to them, and a phone open its keyboard.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs.pop("autofocus", None)
            if not isinstance(field.widget, forms.RadioSelect | forms.CheckboxInput):
                field.widget.attrs["class"] = "input"


class NumberField(forms.FloatField):
    """A number as the language of the page writes it: 82.4, in German 82,4; `units.typed_number` reads it.

    Not an input of numbers, in which browsers expect the comma or the dot of their own language.
    """

    widget = forms.TextInput(attrs={"inputmode": "decimal"})

    def __init__(self, **options: Any) -> None:
        super().__init__(localize=True, **options)

    def to_python(self, value: Any) -> float | None:  # type: ignore[override]  # FloatField is an IntegerField
        if value in self.empty_values:
            return None
        number = units.typed_number(str(value))
        if number is None:
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid")
        return number


class WeightField(NumberField):
    """A weight in `unit`; the serializer gets it in kg."""

    unit: str  # that of the account, which the form sets

    def to_api(self, value: float | None) -> float | None:
        return None if value is None else units.to_kg(value, self.unit)


class NotesField(forms.CharField):
    """Text of several lines, in which only the line ends are normalised."""

    def __init__(self, **options: Any) -> None:
        super().__init__(strip=False, widget=forms.Textarea(attrs={"rows": 2}), **options)

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")


class DateTimeField(forms.DateTimeField):
    """A date and a time in the current time zone, to the minute."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")

    def to_python(self, value: Any) -> datetime.datetime | None:
        """Unlike Django's field, takes times that clocks show twice or skip when they change."""
        if value in self.empty_values:
            return None
        try:
            return moment_typed(str(value))
        except ValueError:
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid") from None

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Compares what clocks show: a moment that was not touched stays, also where they show it twice."""
        try:
            return read_clock(str(data)) != to_current_timezone(initial)
        except ValueError:
            return True

    def to_api(self, value: datetime.datetime | None) -> str | None:
        return value.isoformat() if value else None


class DayField(forms.DateField):
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")

    def to_api(self, value: datetime.date | None) -> str | None:
        return value.isoformat() if value else None


class SerializerForm(StyledFormMixin, forms.Form):
    """A form that creates or edits one instance of an account, validated by the serializer of the API.

    An edit sends only changed fields to the serializer: an unchanged weight in pounds, which is rounded,
    would change the stored one. A new instance gets the id that is signed in its form: a form that is
    submitted twice creates one instance.

    Fields whose value the API expects in another form have a method `to_api(value)`.
    """

    serializer: ClassVar[type[StrictSerializer]]
    manager_name: ClassVar[str]  # of the account's manager of such instances
    max_count: ClassVar[int | None] = None  # of an account's instances, where one screen lists all of them
    form_id = forms.CharField(widget=forms.HiddenInput, required=False)
    answer: dict[str, str] | None = None  # of a button that says of a slip that it is right: label, value

    def __init__(
        self,
        account: FormAccount,
        data: QueryDict | None = None,
        instance: Model | None = None,
        initial: Values | None = None,
    ) -> None:
        self.account, self.instance = account, instance
        super().__init__(data, initial=self.initial_values(instance) if instance else initial)
        self.initial["form_id"] = sign_form_id(account, uuid7())
        for field in self.fields.values():
            if isinstance(field, WeightField):
                field.unit = account.units
                field.label = f"{field.label} ({account.units})"

    def initial_values(self, instance: Model) -> Values:
        """The values of an instance as the fields display them."""
        values: Values = {}
        for name, field in self.base_fields.items():
            value = getattr(instance, name, None)
            if isinstance(field, WeightField) and value is not None:
                value = units.to_unit(value, self.account.units)
            if isinstance(field, DateTimeField) and value is not None:
                value = value.replace(second=0, microsecond=0)
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            values[name] = value
        return values

    def clean_form_id(self) -> uuid.UUID:
        return read_form_id(self.account, self.cleaned_data["form_id"])

    def clean(self) -> None:
        """Fills `values` with the validated values, or adds the serializer's errors to the fields."""
        if self.max_count and self.instance is None and self.other_instances.count() >= self.max_count:
            full = _("You have %(count)s of them, and more do not fit on a page. Remove some first.")
            self.add_error(None, full % {"count": self.max_count})
        serializer = self.serializer(
            data=self.body,
            partial=self.instance is not None,
            context={"account": self.account, "instance": self.instance},
        )
        if serializer.is_valid():
            self.values: Values = serializer.validated_data
            return
        for name, messages in serializer.errors.items():
            self.add_serializer_error(name, messages)

    @property
    def manager(self) -> Manager[Any]:
        manager: Manager[Any] = getattr(self.account, self.manager_name)
        return manager

    @property
    def other_instances(self) -> QuerySet[Any]:
        """The account's instances without that of this form, which an earlier submission may have created."""
        return self.manager.exclude(pk=self.cleaned_data["form_id"])

    def save(self) -> None:
        """Stores the values. A form that is submitted again updates the instance that it created."""
        if self.instance is None:
            self.manager.update_or_create(pk=self.cleaned_data["form_id"], defaults=self.values)
        elif self.values and not self.manager.filter(pk=self.instance.pk).update(**self.values):
            raise Http404  # deleted since the form was opened

    @property
    def body(self) -> Values:
        """The body that a client of the API would send."""
        names = self.changed_data if self.instance else self.fields
        return {
            name: self.api_value(name) for name in names if name in self.cleaned_data and name != "form_id"
        }

    def api_value(self, name: str) -> Any:
        value = self.cleaned_data[name]
        to_api = getattr(self.fields[name], "to_api", None)
        return to_api(value) if to_api else value

    def add_serializer_error(self, name: str, messages: str | list[str]) -> None:
        """Adds an error of the serializer to the field of that name, unless the field has an error already.

        Errors at names that are not fields are added to the form.
        """
        if name in self.errors:
            return
        if name not in self.fields:
            self.add_error(None, messages)
        elif isinstance(self.fields[name], WeightField):
            self.add_error(name, self.weight_message(name))
        else:
            self.add_error(name, messages)

    def weight_message(self, name: str) -> str:
        number_field: Any = self.serializer().fields[name]
        maximum = units.to_unit(number_field.max_value, self.account.units)
        most = f"{units.group_thousands(maximum)} {self.account.units}"
        return _("Enter a weight over 0, at most %(weight)s.") % {"weight": most}


def this_minute() -> datetime.datetime:
    """The current time, to the minute."""
    return timezone.now().replace(second=0, microsecond=0)
