from typing import cast

from django.http import HttpRequest

from accounts.models import Account


class AccountRequest(HttpRequest):
    """The request of a view under `login_required`: its user is an account."""

    user: Account


def user_of(request: HttpRequest) -> Account:
    """The account of a request for the admin, which only signed-in people reach."""
    return cast(Account, request.user)
