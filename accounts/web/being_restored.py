"""While an archive is restored into an account, its pages show what is there and store nothing."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext_noop

from fitness.api.middleware import Middleware
from fitness.web.errors import render_error
from fitness.web.middleware import for_screens

# The first parts of addresses that store no records.
OTHERS = {
    "settings",
    "sign-in",
    "sign-out",
    "sign-up",
    "authorize",
    "reset-password",
    "set-password",
    "admin",
}
TEXTS = (
    gettext_noop("Your account is being restored"),
    gettext_noop(
        "Nothing was saved: until the archive is restored, the account takes no other record. Settings, Data "
        "shows how far it is."
    ),
)


@for_screens
class BeingRestoredGuard(Middleware):
    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        is_read = request.method in ("GET", "HEAD") or request.path.split("/")[1] in OTHERS
        if not is_read and getattr(request.user, "is_being_restored", False):
            return render_error(request, 503, TEXTS)
        return self.get_response(request)
