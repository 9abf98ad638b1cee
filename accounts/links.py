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

from typing import ClassVar
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


class LinkTokens(PasswordResetTokenGenerator):
    """The tokens of one kind of link."""

    view: ClassVar[str]  # the page that the link opens

    def link(self, account: Account, **query: object) -> str:
        query = {"account": account.pk, **query, "token": self.make_token(account)}
        return f"{public_address()}{reverse(self.view)}?{urlencode(query)}"

    def account_of(self, query: QueryDict, accounts: QuerySet[Account] | None = None) -> Account | None:
        """The account of the link with this query, among `accounts` or all; None if it does not work."""
        pk = uuid_or_none(query.get("account", ""))
        among = Account.objects.all() if accounts is None else accounts
        account = among.filter(pk=pk, is_active=True).first() if pk else None
        return account if account and self.check_token(account, query.get("token")) else None

    def locked_account_of(self, query: QueryDict) -> Account | None:
        """The same, locked: of two that use a link at once the second waits, and finds the link used."""
        if found := self.account_of(query):
            found.lock()
        return found and self.account_of(query)


class PasswordTokens(LinkTokens):
    """Of links with which somebody sets a new password."""

    view = "set-password"
    key_salt = "accounts.links.password"

    def _make_hash_value(self, account: Account, timestamp: int) -> str:
        # Not the last sign-in, as Django does: whoever else can sign in would end every link of the owner.
        return repr([str(part) for part in (account.pk, account.password, account.email, timestamp)])


class EmailTokens(LinkTokens):
    """Of links that confirm an email: that of the account, or another one, which replaces it.

    A link is sent to the email, and shown nowhere else.
    """

    view = "confirm-email"
    key_salt = "accounts.links.email"

    def __init__(self, email: str) -> None:
        super().__init__()
        self.email = email

    def link(self, account: Account, **query: object) -> str:
        return super().link(account, email=self.email, **query)

    def _make_hash_value(self, account: Account, timestamp: int) -> str:
        before = (account.pk, account.password, account.email, account.email_confirmed_at)
        return repr([str(part) for part in (*before, self.email, timestamp)])


class SignInTokens(LinkTokens):
    view = "open-sign-in-link"
    key_salt = "accounts.links.sign_in"

    def _make_hash_value(self, account: Account, timestamp: int) -> str:
        before = (account.pk, account.password, account.email, account.state.last_login)
        return repr([str(part) for part in (*before, timestamp)])

    def check_token(self, account: Account | None, token: str | None) -> bool:
        return super().check_token(account, token) and self.age(token or "") <= SIGN_IN_SECONDS

    def age(self, token: str) -> int:
        """In seconds, of a token that is valid."""
        return self._num_seconds(self._now()) - base36_to_int(token.partition("-")[0])


PASSWORD, SIGN_IN = PasswordTokens(), SignInTokens()
