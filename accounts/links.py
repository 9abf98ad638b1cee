"""Links that let somebody set a new password, show that an email is theirs, or sign in.

A link has the id of its account, and a token: Django's, a signed digest of what the link will change. So
nothing is stored, and a link ends

1. after 24 hours (PASSWORD_RESET_TIMEOUT), and one that signs in after 10 minutes;
2. when it was used, as what it changes is part of the digest;
3. when the password or the email of the account changes; one that signs in also with any other sign-in.

It has the service's own address, whatever Host the request for it had. Its token is in the query, which is
never logged.

Example of a failure: somebody asks for two links and uses the second. The password, and with it the digest,
has changed: the first one leads to "This link does not work any more".
"""

from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.db.models import QuerySet
from django.http import QueryDict
from django.urls import reverse
from django.utils.http import base36_to_int

from accounts.models import Account
from fitness.addresses import public_address
from fitness.web.shortcuts import uuid_or_none

HOURS_VALID = settings.PASSWORD_RESET_TIMEOUT // 3600
SIGN_IN_SECONDS = 600


class PasswordTokens(PasswordResetTokenGenerator):
    key_salt = "accounts.links.password"

    def _make_hash_value(self, account: Account, timestamp: int) -> str:
        # Not the last sign-in, as Django does: whoever else can sign in would end every link of the owner.
        return repr([str(part) for part in (account.pk, account.password, account.email, timestamp)])


class EmailTokens(PasswordResetTokenGenerator):
    """Tokens to confirm an email: that of the account, or another one, which replaces it."""

    key_salt = "accounts.links.email"

    def __init__(self, email: str) -> None:
        super().__init__()
        self.email = email

    def _make_hash_value(self, account: Account, timestamp: int) -> str:
        before = (account.pk, account.password, account.email, account.email_confirmed_at)
        return repr([str(part) for part in (*before, self.email, timestamp)])


class SignInTokens(PasswordResetTokenGenerator):
    key_salt = "accounts.links.sign_in"

    def _make_hash_value(self, account: Account, timestamp: int) -> str:
        before = (account.pk, account.password, account.email, account.state.last_login)
        return repr([str(part) for part in (*before, timestamp)])

    def check_token(self, account: Account | None, token: str | None) -> bool:
        return super().check_token(account, token) and self.age(token or "") <= SIGN_IN_SECONDS

    def age(self, token: str) -> int:
        """In seconds, of a token that is valid."""
        return self._num_seconds(self._now()) - base36_to_int(token.partition("-")[0])


def sign_in_link(account: Account) -> str:
    """The link that signs the account in."""
    return link("open-sign-in-link", account=account.pk, token=SignInTokens().make_token(account))


def password_link(account: Account) -> str:
    """The link with which somebody sets a new password of the account."""
    return link("set-password", account=account.pk, token=PasswordTokens().make_token(account))


def email_link(account: Account, email: str) -> str:
    """The link that confirms the email, to be sent there and shown nowhere else."""
    token = EmailTokens(email).make_token(account)
    return link("confirm-email", account=account.pk, email=email, token=token)


def link(view: str, **query: object) -> str:
    return f"{public_address()}{reverse(view)}?{urlencode(query)}"


def account_of_password_link(query: QueryDict, accounts: QuerySet[Account]) -> Account | None:
    """The account among `accounts` whose password the link with this query sets; None if it does not work."""
    return account_of(query, accounts, PasswordTokens())


def account_of_sign_in_link(query: QueryDict, accounts: QuerySet[Account]) -> Account | None:
    """The account among `accounts` that the link with this query signs in; None if it does not work."""
    return account_of(query, accounts, SignInTokens())


def account_of_email_link(query: QueryDict, accounts: QuerySet[Account]) -> Account | None:
    """The account among `accounts` for which the link confirms `query["email"]`; None if it does not work."""
    return account_of(query, accounts, EmailTokens(query.get("email", "")))


def account_of(
    query: QueryDict, accounts: QuerySet[Account], tokens: PasswordResetTokenGenerator
) -> Account | None:
    pk = uuid_or_none(query.get("account", ""))
    account = accounts.filter(pk=pk, is_active=True).first() if pk else None
    return account if account and tokens.check_token(account, query.get("token")) else None
