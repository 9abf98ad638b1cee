import datetime
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, cast

from django import forms
from django.conf import settings
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import (
    AuthenticationForm,
    PasswordChangeForm,
)
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import IntegrityError, transaction
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from accounts import audit, factors, mail, sign_in_limits
from accounts.invitations import Invitation, store_newcomer
from accounts.models import Account, ApiKey, normalize_email
from accounts.models.account import USUAL_RACKS, Rack
from accounts.sign_in_limits import PAUSE_MINUTES, SignInAttempt
from accounts.web.requests import AccountRequest
from fitness.api.serializers import Values
from fitness.days import today
from fitness.web import language
from fitness.web.bases import AdminPasswordChangeForm, BaseUserCreationForm, ModelForm
from fitness.web.forms import NumberField, StyledFormMixin
from fitness.web.local_time import known_zone, zone_choices
from fitness.web.units import in_local_form, typed_number


class NewPasswordMixin(forms.BaseForm):
    """For forms whose last two fields are a new password and its repetition: shortens their help texts."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        first, second = list(self.fields.values())[-2:]
        first.help_text = _(
            "At least 8 characters, not only digits, and nothing common or close to your email."
        )
        second.label, second.help_text = _("Repeat the password"), ""


@contextmanager
def counted_attempt(request: HttpRequest, email: str) -> Iterator[SignInAttempt]:
    """Counts a password or a code that was sent for an email; what is inside raises ValidationError for a
    wrong one. Raises it itself over the limits. Either is logged.
    """
    attempt = SignInAttempt(request, email)
    try:
        if not attempt.count():
            if attempt.is_first_rejected:
                account = Account.objects.filter(email=normalize_email(email)).first()
                audit.log_event(audit.Event.SIGN_IN_LOCKED, account)
            text = _("Too many failed attempts. Try again in %(minutes)s minutes.")
            raise ValidationError(text % {"minutes": PAUSE_MINUTES})
        yield attempt
    except ValidationError:
        sign_in_limits.log_failure()
        raise


class SignInForm(StyledFormMixin, AuthenticationForm):
    """Checks email and password, within the limits of accounts/sign_in_limits.py.

    Where the form is valid, the view notes in its `attempt` how the sign-in went on.
    """

    request: HttpRequest  # AuthenticationForm takes None too, but the view of the sign-in passes its own
    attempt: SignInAttempt
    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": gettext_lazy("No account has this email and password."),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = _("Email")
        self.fields["username"].widget.input_type = "email"

    def clean(self) -> Values:
        with counted_attempt(self.request, self.cleaned_data.get("username", "")) as self.attempt:
            return super().clean()

    def confirm_login_allowed(self, user: Account) -> None:
        super().confirm_login_allowed(user)
        if not user.may_use_password:
            raise self.get_invalid_login_error()

    def get_invalid_login_error(self) -> ValidationError:
        """With OIDC_ONLY a wrong password and a right one, which opens nothing, get the same answer."""
        if settings.OIDC_ONLY:
            text = _("Passwords are for staff here. Sign in with %(provider)s.")
            return ValidationError(text % {"provider": settings.OIDC_NAME})
        return super().get_invalid_login_error()


TAKEN = gettext_lazy(
    "There is an account with this email. If it is yours and you have no password, ask whoever runs this "
    "service for a link: manage.py reset_link makes one."
)


class SignUpForm(StyledFormMixin, NewPasswordMixin, BaseUserCreationForm):
    """Creates an account, with an invitation or without; accounts/invitations.py lists the steps.

    With `may_claim` the email may be that of an account that `issue_key` made, which gets the password.
    `first` is the code that makes the first account a superuser (accounts/first_account.py).
    """

    class Meta:
        model = Account
        fields = ["email", "display_name"]
        error_messages = {"email": {"unique": TAKEN}}
        labels = {"email": gettext_lazy("Email"), "display_name": gettext_lazy("Display name")}
        widgets = {
            "email": forms.EmailInput(attrs={"autocomplete": "username"}),
            "display_name": forms.TextInput(attrs={"autocomplete": "name"}),
        }

    def __init__(
        self,
        invitation: Invitation | None,
        *args: Any,
        may_claim: bool = False,
        first: str = "",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.invitation = invitation
        self.may_claim = may_claim and invitation is None and not first
        self.first = first
        if invitation and invitation.email:
            self.initial["email"] = invitation.email
            self.fields["email"].widget.attrs["readonly"] = True
            self.fields["email"].help_text = _("The address that is invited.")

    def clean_email(self) -> str:
        email = normalize_email(self.cleaned_data["email"])
        if self.invitation and self.invitation.email not in ("", email):
            text = _("This invitation is for %(email)s.")
            raise ValidationError(text % {"email": self.invitation.email})
        return email

    def validate_unique(self) -> None:
        """Does not say that an email is taken where the service sends mail: the mail says it."""
        if not (settings.SENDS_MAIL or self.is_claim()):
            super().validate_unique()

    def is_claim(self) -> bool:
        return self.may_claim and Account.objects.unclaimed().filter(email=self.instance.email).exists()

    def create_account(self) -> Account | None:
        """Stores and returns the account; None if there is one with this email already.

        The form says so, unless the service sends mail: then the mail does. Raises NotInvited.
        """
        account: Account = self.save(commit=False)  # hashes the password outside of the transaction
        account.time_zone = known_zone(self.data.get("time_zone", ""))  # of the browser, by time_zone.js
        account.language = language.current()  # which the browser has proposed
        try:
            with transaction.atomic():
                return store_newcomer(account, self.invitation, may_claim=self.may_claim, first=self.first)
        except IntegrityError:
            if not settings.SENDS_MAIL:
                self.add_error("email", str(TAKEN))
            return None


class InvitationForm(StyledFormMixin, ModelForm):
    class Meta:
        model = Invitation
        fields = ["email"]

    def clean_email(self) -> str:
        email = normalize_email(self.cleaned_data["email"])
        if email and Account.objects.filter(email=email).exists():
            raise ValidationError(Account._meta.get_field("email").error_messages["unique"])
        return email


class ChangePasswordForm(StyledFormMixin, NewPasswordMixin, PasswordChangeForm):
    """Limits failed attempts at the old password, as PasswordForm does."""

    def __init__(self, request: AccountRequest, data: QueryDict | None = None) -> None:
        self.request = request
        super().__init__(request.user, data)

    def clean_old_password(self) -> str:
        with counted_attempt(self.request, self.request.user.email) as attempt:
            password: str = super().clean_old_password()
        attempt.succeed()
        return password

    def change(self) -> Account:
        """Stores the password, and ends the other sessions."""
        account: Account = self.save(commit=False)  # hashes, for which no transaction waits
        with transaction.atomic():
            account.lock()
            update_session_auth_hash(self.request, account)
            session = self.request.session.session_key
            account.store_password(audit.Event.PASSWORD_CHANGED, keep_session=session)
        return account


class StaffPasswordForm(AdminPasswordChangeForm):
    def save(self, commit: bool = True) -> Account:
        account: Account = super().save(commit=False)  # hashes, for which no transaction waits
        account.store_password(audit.Event.PASSWORD_SET_BY_STAFF)
        sign_in_limits.lift_lock(account)
        factors.lift_pause(account)
        mail.notify("password_changed", account)
        return account


class AccountForm(ModelForm):
    """Stores its own fields alone: others may have changed since the account was read."""

    _meta: Any
    stored: ClassVar[Sequence[str]] = ()  # besides the fields of the model that are in the form

    def save(self, commit: bool = True) -> Account:
        account: Account = self.instance
        account.save(update_fields=[*self._meta.fields, *self.stored])
        return account


class UnitsForm(AccountForm):
    class Meta:
        model = Account
        fields = ["units"]


class TimeZoneForm(StyledFormMixin, AccountForm):
    time_zone = forms.ChoiceField(choices=zone_choices)

    class Meta:
        model = Account
        fields = ["time_zone"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # What is not chosen, or not known to this machine, is shown as UTC.
        self.initial["time_zone"] = known_zone(self.instance.time_zone) or "UTC"


RESTS = (0, 30, 45, 60, 75, 90, 120, 150, 180, 210, 240, 300)


def shown_rack(rack: Rack) -> dict[str, str]:
    """The texts of its two fields."""
    return {"bar": shown_number(rack["bar"]), "plates": " ".join(map(shown_number, rack["plates"]))}


def shown_number(value: float) -> str:
    return in_local_form(f"{value:g}")


def rest_choices() -> list[tuple[int, str]]:
    return [(rest, f"{rest // 60}:{rest % 60:02}" if rest else _("No rest")) for rest in RESTS]


MAX_PLATE, MAX_PLATES = 100, 20


class PasswordForm(StyledFormMixin, forms.Form):
    """Asks for the password again: an unattended browser must not be enough.

    Failed attempts are limited as at the sign-in: somebody at the browser could go on guessing.
    """

    password = forms.CharField(
        label=gettext_lazy("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, request: AccountRequest, data: QueryDict | None = None) -> None:
        self.request = request
        super().__init__(data)

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        account = self.request.user
        with counted_attempt(self.request, account.email) as attempt:
            if not (account.may_use_password and account.check_password(password)):
                raise ValidationError(_("This is not your password."))
        attempt.succeed()
        return password


class ProfileForm(TimeZoneForm):
    """All that an account chooses for its screens and for Train, and what apps see of it.

    Bar and plates are those of the unit that the account has had. Left empty, they are the usual ones.
    """

    stored = ["racks"]
    language = forms.ChoiceField(
        label=gettext_lazy("Language"),
        choices=[("", gettext_lazy("The language of your browser")), *settings.LANGUAGES],
        required=False,
    )
    rest_seconds = forms.TypedChoiceField(
        label=gettext_lazy("Default rest"),
        choices=rest_choices,
        coerce=int,
        help_text=gettext_lazy("For exercises that you train for the first time. Then each keeps its own."),
    )
    bar = NumberField(required=False, min_value=1, max_value=MAX_PLATE)
    plates = forms.CharField(required=False, max_length=200)

    class Meta:
        model = Account
        fields = [
            *("display_name", "height_cm", "birth_date", "gender", "goal"),
            *("language", "time_zone", "units", "theme", "first_weekday", "rest_seconds"),
        ]
        labels = {
            "display_name": gettext_lazy("Name"),
            "height_cm": gettext_lazy("Height in cm"),
            "birth_date": gettext_lazy("Date of birth"),
            "gender": gettext_lazy("Gender"),
            "goal": pgettext_lazy("of training", "Goal"),
            "units": gettext_lazy("Weights in"),
            "theme": gettext_lazy("Theme"),
            "first_weekday": gettext_lazy("Calendars begin on"),
        }
        help_texts = {
            "first_weekday": gettext_lazy("Weeks of totals and of plans begin on Monday, as for apps.")
        }
        field_classes = {"height_cm": NumberField}
        widgets = {
            "display_name": forms.TextInput(attrs={"autocomplete": "name"}),
            "birth_date": forms.DateInput(format="%Y-%m-%d", attrs={"type": "date", "autocomplete": "bday"}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        gender = cast(forms.ChoiceField, self.fields["gender"])  # that of a model field with choices
        gender.choices = [("", _("Not given")), *Account.Gender.choices]
        if (height := self.initial["height_cm"]) and height.is_integer():
            self.initial["height_cm"] = int(height)
        self.rack_units = units = self.instance.units  # the form may change it
        self.fields["time_zone"].label = _("Time zone")
        self.fields["bar"].label = _("Bar (%(unit)s)") % {"unit": units}
        self.fields["plates"].label = _("Plates (%(unit)s)") % {"unit": units}
        self.fields["plates"].help_text = _("One of each kind, for the plates and warm-ups of Train.")
        for name, text in shown_rack(USUAL_RACKS[units]).items():
            self.fields[name].widget.attrs["placeholder"] = text
        if units in (self.instance.racks or {}):
            self.initial.update(shown_rack(self.instance.rack))

    def clean_birth_date(self) -> datetime.date | None:
        birth_date: datetime.date | None = self.cleaned_data["birth_date"]
        if birth_date and birth_date > today():
            raise ValidationError(_("The date of birth must be in the past."))
        return birth_date

    def clean_plates(self) -> list[float]:
        """The heaviest first. Between them is what is no part of a number."""
        typed = [text.strip(",") for text in re.split(r"[\s;]+", self.cleaned_data["plates"])]
        numbers = [typed_number(text) for text in typed if text]
        plates = {number for number in numbers if number is not None and 0 < number <= MAX_PLATE}
        if len(plates) < len(numbers) or len(plates) > MAX_PLATES:
            text = _("Enter each kind of plate once, with spaces between: numbers of at most %(most)s.")
            raise ValidationError(text % {"most": MAX_PLATE})
        return sorted(plates, reverse=True)

    def save(self, commit: bool = True) -> Account:
        units, usual = self.rack_units, USUAL_RACKS[self.rack_units]
        bar, plates = self.cleaned_data["bar"], self.cleaned_data["plates"]
        chosen: Rack = {"bar": bar or usual["bar"], "plates": plates or usual["plates"]}
        racks = {unit: rack for unit, rack in (self.instance.racks or {}).items() if unit != units}
        self.instance.racks = racks if chosen == usual else {**racks, units: chosen}
        return super().save(commit)


class FormAlreadyUsed(Exception):
    """The form has created its key already: it was submitted twice, or its response was reloaded."""


class RightsForm(StyledFormMixin, forms.Form):
    """What a key or a connection may do. Forms that offer it declare `scope`."""

    may_correct = forms.BooleanField(
        label=gettext_lazy("May also correct and delete"),
        required=False,
        help_text=gettext_lazy(
            "Assistants get tools that change and delete your data. Needs read and write."
        ),
    )
    field_order = ["name", "scope", "may_correct", "expires"]

    def clean(self) -> None:
        may_read_only = self.cleaned_data.get("scope") == ApiKey.Scope.READ
        if may_read_only and self.cleaned_data.get("may_correct"):
            self.add_error("may_correct", _("Choose read and write, or untick this."))


class KeyForm(RightsForm):
    """Creates one API key. `newest_key` is the id of the account's newest key when the form was rendered."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=200,
        validators=[RegexValidator(r"^[^\x00-\x1f\x7f]*\Z", gettext_lazy("A name is one line."))],
        help_text=gettext_lazy("Where you will use it, for example “phone” or “backup script”."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scope = forms.ChoiceField(
        label=gettext_lazy("Access"),
        choices=ApiKey.Scope,
        initial=ApiKey.Scope.READ,
        widget=forms.RadioSelect,
        help_text=gettext_lazy(
            "Over the REST API, a key that may write can also change and delete your data."
        ),
    )
    expires = forms.ChoiceField(
        label=gettext_lazy("Expires after"),
        choices=ApiKey.Expires,
        initial=ApiKey.Expires.DAYS_90,
        widget=forms.RadioSelect,
    )
    newest_key = forms.IntegerField(widget=forms.HiddenInput, min_value=0)
    by_staff = False

    def issue(self, account: Account) -> tuple[str, ApiKey] | None:
        """The text of the new key and its ApiKey; or None, and the reason is among the form's errors.

        Raises FormAlreadyUsed if the account got a key since the form was rendered.
        """
        values = self.cleaned_data
        try:
            with transaction.atomic():
                account.lock()  # a second submission of the form waits here for the first
                if account.api_keys.pasted().filter(pk__gt=values["newest_key"]).exists():
                    raise FormAlreadyUsed
                return account.issue_key(
                    values["name"],
                    values["scope"],
                    values["expires"],
                    may_correct=values["may_correct"],
                    by_staff=self.by_staff,
                )
        except ValidationError as error:
            self.add_error(None, error)
            return None
