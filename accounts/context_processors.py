from collections.abc import Callable

from django.http import HttpRequest

from accounts.models import Account


def sign_up(request: HttpRequest) -> dict[str, Callable[[], bool]]:
    """Whether pages offer an account. Only asked, perhaps of the database, by templates that use it."""
    return {"may_sign_up": Account.objects.may_sign_up}
