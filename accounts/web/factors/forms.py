from collections.abc import Callable

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.factors import models
from accounts.factors.models import Passkey
from accounts.factors.sealing import Unreadable, seal, unseal
from accounts.models import Account
from accounts.web.forms import counted_attempt
from fitness.web.bases import ModelForm
from fitness.web.forms import StyledFormMixin

SETUP_SECONDS = 900  # within which the form that sets up an app is sent

CODE_ATTRIBUTES = {"autocomplete": "one-time-code", "inputmode": "numeric", "spellcheck": "false"}


class SecondStepForm(StyledFormMixin, forms.Form):
    """A code in the second step of a sign-in. Wrong ones count as failed attempts of the account's email."""

    wrong: Promise
    verify: Callable[[Account, str], bool]

    def __init__(self, request: HttpRequest, account: Account, data: QueryDict | None = None) -> None:
        self.request, self.account = request, account
        super().__init__(data)

    def clean_code(self) -> str:
        code: str = self.cleaned_data["code"]
        with counted_attempt(self.request, self.account.email) as attempt:
            if not self.verify(self.account, code):
                raise ValidationError(str(self.wrong))
        attempt.succeed()
        return code


class AuthenticatorCodeForm(SecondStepForm):
    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=40,
        widget=forms.TextInput(attrs={**CODE_ATTRIBUTES, "autofocus": True}),
    )
    wrong = gettext_lazy(
        "This code is not right, or it was used already. Wait for the next one; after several wrong codes, "
        "wait some minutes."
    )
    verify = staticmethod(models.Authenticator.objects.verify)

    def clean_code(self) -> str:
        self.cleaned_data["code"] = self.cleaned_data["code"].replace(" ", "")
        return super().clean_code()


class RecoveryCodeForm(SecondStepForm):
    code = forms.CharField(
        label=gettext_lazy("Recovery code"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    wrong = gettext_lazy("This is none of your recovery codes, or it was used already.")
    verify = staticmethod(models.RecoveryCode.objects.use)


class SetUpAuthenticatorForm(StyledFormMixin, forms.Form):
    """Confirms that an app has the secret, which the form carries sealed: nothing is stored before."""

    code = forms.CharField(
        label=gettext_lazy("Code that the app shows"),
        max_length=10,
        widget=forms.TextInput(attrs=CODE_ATTRIBUTES),
    )
    sealed = forms.CharField(widget=forms.HiddenInput, max_length=400)

    def __init__(self, account: Account, secret: bytes, data: QueryDict | None = None) -> None:
        super().__init__(data)
        self.secret = secret
        self.initial["sealed"] = sealed_for(account, secret)
        self.step = -1  # that of the code

    def clean_code(self) -> str:
        code: str = self.cleaned_data["code"].replace(" ", "")
        step = models.step_of(self.secret, code)
        if step is None:
            raise ValidationError(_("This is not the code of now. Is the clock of the phone right?"))
        self.step = step
        return code


def sealed_for(account: Account, secret: bytes) -> str:
    return seal(account.pk.bytes + secret)


def opened(account: Account, sealed: str) -> bytes | None:
    """The secret of a form of this account; None for another's, an old or a damaged one."""
    try:
        content = unseal(sealed, SETUP_SECONDS)
    except Unreadable:
        return None
    return content.removeprefix(account.pk.bytes) if content.startswith(account.pk.bytes) else None


class PasskeyForm(StyledFormMixin, ModelForm):
    class Meta:
        model = Passkey
        fields = ["name"]
        widgets = {"name": forms.TextInput(attrs={"autocomplete": "off"})}
        labels = {"name": gettext_lazy("Name")}
        help_texts = {"name": gettext_lazy("Where it is stored, for example “phone” or “password manager”.")}


class NewPasskeyForm(PasskeyForm):
    credential = forms.CharField(widget=forms.HiddenInput, max_length=20_000)
