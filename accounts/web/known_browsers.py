"""Which accounts a browser was used for: a mail reports a sign-in with another one.

A cookie has a mark of each of its accounts, which nobody can make without SECRET_KEY. Nothing is stored.
"""

import datetime

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.crypto import salted_hmac
from django.utils.functional import lazy

from accounts import browsers, mail
from accounts.models import Account
from fitness.logs import client_address

MAX_MARKS = 10
LIFETIME = datetime.timedelta(days=400)  # browsers keep no cookie longer


def remember(request: HttpRequest, response: HttpResponseBase, account: Account, *, is_first: bool) -> None:
    """Marks the browser as one of the account. Tells the account if it was not, unless `is_first` ever."""
    known, mark = marks(request), mark_of(account)
    if mark not in known and not is_first:
        browser = lazy(browsers.name_of, str)(request.headers.get("User-Agent", ""))
        mail.notify("new_browser", account, browser=browser, address=client_address.get())
    response.set_cookie(
        settings.BROWSER_COOKIE_NAME,
        ".".join([mark, *(other for other in known if other != mark)][:MAX_MARKS]),
        max_age=LIFETIME,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def marks(request: HttpRequest) -> list[str]:
    return list(filter(None, request.COOKIES.get(settings.BROWSER_COOKIE_NAME, "").split(".")))


def mark_of(account: Account) -> str:
    """Ends with the password, so that a browser that was lost is a new one afterwards."""
    return salted_hmac("accounts.web.known_browsers", f"{account.pk} {account.password}").hexdigest()[:32]
