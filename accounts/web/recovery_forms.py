"""The forms of links (accounts/links.py): a new password, a new email."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import audit, factors, links, sign_in_limits
from accounts.models import Account, has_domain, normalize_email
from accounts.web.forms import NewPasswordMixin
from fitness.web.bases import SetPasswordForm
from fitness.web.forms import StyledFormMixin

MAX_LENGTH = Account._meta.get_field("email").max_length


class EmailField(forms.EmailField):
    """An email of an account, as it is stored."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=MAX_LENGTH, validators=[has_domain], **options)

    def clean(self, value: Any) -> str:
        return normalize_email(super().clean(value))


class AskForLinkForm(StyledFormMixin, forms.Form):
    email = EmailField(
        label=gettext_lazy("Email"), widget=forms.EmailInput(attrs={"autocomplete": "username"})
    )


class LinkPasswordForm(StyledFormMixin, NewPasswordMixin, SetPasswordForm):
    """Sets the password of the account of a link."""

    def use(self, query: QueryDict) -> bool:
        """Stores the password, and ends all sessions. False if the link was used in between."""
        password = self.save(commit=False).password  # hashes, for which no transaction waits
        with transaction.atomic():
            account = links.PASSWORD.locked_account_of(query)
            if account is None:
                return False
            account.password = password
            account.store_password(audit.Event.PASSWORD_RESET)
        sign_in_limits.lift_lock(account)
        factors.lift_pause(account)
        return True


class ChangeEmailForm(StyledFormMixin, forms.Form):
    email = EmailField(
        label=gettext_lazy("New email"), widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )

    def __init__(self, account: Account, data: QueryDict | None = None) -> None:
        self.account = account
        super().__init__(data)

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        if email == self.account.email:
            raise ValidationError(_("This is your email already."))
        return email
