from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from accounts.models import Account


def sign_up(request: HttpRequest) -> dict[str, SimpleLazyObject]:
    """Whether pages offer an account: asked, perhaps of the database, once and where a template needs it."""
    return {"may_sign_up": SimpleLazyObject(Account.objects.may_sign_up)}
