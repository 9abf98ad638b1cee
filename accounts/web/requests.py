from django.http import HttpRequest

from accounts.models import Account


class AccountRequest(HttpRequest):
    """The request of a view that is only reached signed in (`login_required`), so there is an account."""

    user: Account
