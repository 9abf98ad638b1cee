from django import forms
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import (
    AdminPasswordChangeForm,
    AuthenticationForm,
    BaseUserCreationForm,
    PasswordChangeForm,
)
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts import audit
from accounts.invitations import Invitation
from accounts.models import Account, ApiKey, normal_email
from accounts.sign_in_limits import PAUSE_MINUTES, Attempts
from fitness.web.forms import Styled


class NewPassword:
    """Says in one sentence what the password validators ask, and lets the second field speak for itself."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        first, second = list(self.fields.values())[-2:]
        first.help_text = "At least 8 characters, not only digits, and nothing common or close to your email."
        second.label, second.help_text = "Repeat the password", ""


class Guarded:
    """Locks sign-in after repeated failures and notes what happened."""

    def clean(self):
        email = self.cleaned_data.get("username", "")
        attempts = Attempts(self.request, email)
        if not attempts.take():
            if attempts.just_locked:
                owner = Account.objects.filter(email=normal_email(email)).first()
                audit.log_event("sign-in locked", owner and owner.pk)
            raise ValidationError(f"Too many failed attempts. Try again in {PAUSE_MINUTES} minutes.")
        cleaned = super().clean()
        if self.user_cache:
            attempts.forgive()
            audit.log_event("signed in", self.user_cache.pk)
        return cleaned


class SignInForm(Styled, Guarded, AuthenticationForm):
    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": "No account has this email and password.",
    }

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["username"].widget.input_type = "email"


class AdminSignInForm(Guarded, AdminAuthenticationForm):
    pass


class NotInvited(Exception):
    """Somebody else made the first account, or used the invitation, in the meantime."""


class SignUpForm(Styled, NewPassword, BaseUserCreationForm):
    """Makes an account: of anybody who may sign up, or of the one who was invited."""

    class Meta:
        model = Account
        fields = ["email", "display_name"]
        widgets = {
            "email": forms.EmailInput(attrs={"autocomplete": "username"}),
            "display_name": forms.TextInput(attrs={"autocomplete": "name"}),
        }

    def __init__(self, invitation: Invitation | None, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.invitation = invitation
        if invitation and invitation.email:
            self.initial["email"] = invitation.email
            self.fields["email"].widget.attrs["readonly"] = True
            self.fields["email"].help_text = "The address that is invited."

    def clean_email(self) -> str:
        email = normal_email(self.cleaned_data["email"])
        if self.invitation and self.invitation.email not in ("", email):
            raise ValidationError(f"This invitation is for {self.invitation.email}.")
        return email

    def save(self) -> Account | None:
        """The new account, or None when another request took the email in the meantime.

        Raises NotInvited.
        """
        account = super().save(commit=False)  # hashes the password; no transaction waits for that
        try:
            with transaction.atomic():
                self.store(account)
        except IntegrityError:
            self.add_error("email", Account._meta.get_field("email").error_messages["unique"])
            return None
        return account

    def store(self, account: Account) -> None:
        if not self.invitation and not Account.objects.still_may_sign_up():
            raise NotInvited
        account.save()
        if self.invitation and not self.invitation.use(account):
            raise NotInvited
        audit.log_event("signed up", account.pk)


class InvitationForm(Styled, forms.ModelForm):
    class Meta:
        model = Invitation
        fields = ["email"]

    def clean_email(self) -> str:
        email = normal_email(self.cleaned_data["email"])
        if email and Account.objects.filter(email=email).exists():
            raise ValidationError(Account._meta.get_field("email").error_messages["unique"])
        return email


class ChangePasswordForm(Styled, NewPassword, PasswordChangeForm):
    pass


class StaffPasswordForm(AdminPasswordChangeForm):
    def save(self, commit=True):
        audit.log_event("password set by staff", self.user.pk)
        return super().save(commit)


class UnitsForm(forms.ModelForm):
    class Meta:
        model = Account
        fields = ["units"]
        labels = {"units": "Show and enter weights in"}
        widgets = {"units": forms.RadioSelect}


class DeleteAccountForm(Styled, forms.Form):
    """The password stands for the person: a screen left open must not be enough."""

    password = forms.CharField(
        label="Your password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, account, *args, **options):
        self.account = account
        super().__init__(*args, **options)

    def clean_password(self):
        password = self.cleaned_data["password"]
        if not self.account.check_password(password):
            raise ValidationError("This is not your password.")
        return password


class ProfileForm(Styled, forms.ModelForm):
    class Meta:
        model = Account
        fields = ["display_name", "height_cm", "birth_date", "gender", "goal"]
        labels = {"display_name": "Name", "height_cm": "Height in cm", "birth_date": "Date of birth"}
        widgets = {
            "display_name": forms.TextInput(attrs={"autocomplete": "name"}),
            "birth_date": forms.DateInput(format="%Y-%m-%d", attrs={"type": "date", "autocomplete": "bday"}),
            "goal": forms.RadioSelect,
        }

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["gender"].choices = [("", "Not given"), *Account.Gender.choices]

    def clean_birth_date(self):
        birth_date = self.cleaned_data["birth_date"]
        if birth_date and birth_date > timezone.now().date():
            raise ValidationError("The date of birth must be in the past.")
        return birth_date


class FormAlreadyUsed(Exception):
    """The form has made its key: it was submitted twice, or the answer to it was reloaded."""


class KeyForm(Styled, forms.Form):
    """Makes one API key. `newest_key` is the newest there was when the form was shown."""

    name = forms.CharField(
        max_length=200,
        help_text="Where you will use it, for example “phone” or “backup script”.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scope = forms.ChoiceField(
        label="Access",
        choices=ApiKey.Scope,
        initial=ApiKey.Scope.READ,
        widget=forms.RadioSelect,
        help_text="A key that may write can also change and delete your records.",
    )
    expires = forms.ChoiceField(
        label="Expires after",
        choices=ApiKey.Expires,
        initial=ApiKey.Expires.DAYS_90,
        widget=forms.RadioSelect,
    )
    newest_key = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def issue(self, account):
        """(the key, its record), or None with the reason among the form's errors.

        Raises FormAlreadyUsed when the account got a key since the form was shown.
        """
        wish = self.cleaned_data
        try:
            with transaction.atomic():
                account.lock()  # two submissions of one form wait for each other here
                if account.api_keys.filter(pk__gt=wish["newest_key"]).exists():
                    raise FormAlreadyUsed
                return account.issue_key(wish["name"], wish["scope"], wish["expires"])
        except ValidationError as error:
            self.add_error(None, error)
