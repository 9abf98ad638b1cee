"""Who is signed in, by the statement that reads the session."""

from functools import partial
from typing import cast

from django.conf import settings
from django.contrib import auth
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject

from accounts.models import Account
from accounts.sessions import SessionStore
from fitness import logs
from fitness.web.middleware import for_screens


@for_screens
class Authentication(AuthenticationMiddleware):
    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(partial(get_user, request))  # type: ignore[assignment]  # as Django does


def get_user(request: HttpRequest) -> Account | AnonymousUser:
    """The account that was read with the session, if it is signed in without a doubt.

    Anything else is left to Django's function, which reads the account again: it also accepts sessions of
    SECRET_KEY_FALLBACKS, and ends one that a new password has made invalid.
    """
    user = signed_in_account(cast(SessionStore, request.session)) or auth.get_user(request)
    if user.pk:
        logs.note(account=str(user.pk))
    return user


def signed_in_account(session: SessionStore) -> Account | None:
    """The account of a session whose data name it as well, with the hash of its password; None otherwise."""
    named = session.get(SESSION_KEY)  # loads the session, and with it the account
    account = session.account
    if account is None or named != str(account.pk) or not account.is_active:
        return None
    if session.get(BACKEND_SESSION_KEY) not in settings.AUTHENTICATION_BACKENDS:
        return None
    is_current = constant_time_compare(session.get(HASH_SESSION_KEY, ""), account.get_session_auth_hash())
    return account if is_current else None
