from django.http import HttpRequest

from accounts.models import Account


class AccountRequest(HttpRequest):
    """The request of a view under `login_required`: its user is an account."""

    user: Account
