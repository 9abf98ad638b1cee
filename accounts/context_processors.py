from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from accounts.models import Account


def sign_up(request: HttpRequest) -> dict[str, SimpleLazyObject]:
    """`may_sign_up`: whether to link to the sign-up. Lazy: it may take a query, and few templates use it."""
    return {"may_sign_up": SimpleLazyObject(Account.objects.may_sign_up)}
