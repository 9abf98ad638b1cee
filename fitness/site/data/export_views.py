"""Files that an account takes along: small ones at once, large ones once a worker has made them."""

import re
from collections.abc import Callable
from functools import wraps
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST, require_safe

from accounts.models import Account, StoredFile
from accounts.web.requests import AccountRequest
from fitness.api import rate_limits
from fitness.api.exceptions import RateLimited
from fitness.api.renderers import json_response
from fitness.site.data import exports, preparing
from fitness.web.compression import uncompressed
from fitness.web.errors import render_error
from fitness.web.local_time import zone_of
from fitness.web.shortcuts import too_many_requests

GONE = (
    gettext_noop("This file is not here any more"),
    gettext_noop("A newer one has replaced it, or its day is over. Prepare it again under Settings, Data."),
)
ONE_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII | re.IGNORECASE)
FileView = Callable[[AccountRequest, StoredFile], HttpResponseBase]


def of_form(form: str) -> Callable[[AccountRequest], HttpResponse]:
    """The view of a form: the file, the question whether to prepare it, and on POST its preparation."""

    @login_required
    @never_cache
    @require_http_methods(["GET", "HEAD", "POST"])
    def view(request: AccountRequest) -> HttpResponse:
        chosen = choices(request)
        if request.method == "POST":
            return prepare(request, form, chosen)
        if exports.is_large(request.user):
            context = {"form": exports.FORMS[form], "address": preparing.address_of(form, chosen.unit)}
            return render(request, "data/prepare.html", context)
        return made_at_once(exports.FORMS[form].file(request.user, chosen))

    return view


export = of_form("json")
export_everything = of_form("everything")
export_strong = of_form("strong")
export_hevy = of_form("hevy")


def choices(request: AccountRequest) -> exports.Choices:
    """The account's zone, and the unit of the query or of the account. Raises Http404 for another unit."""
    account = request.user
    unit = request.GET.get("unit", account.units)
    if unit not in Account.Units.values:
        raise Http404("there is no such unit")
    return exports.Choices(zone_of(account.time_zone), unit)


def prepare(request: AccountRequest, form: str, chosen: exports.Choices) -> HttpResponse:
    try:
        rate_limits.count(request, "exports", str(request.user.pk))
    except RateLimited as error:
        return too_many_requests(request, error.wait, _("You have had twenty files made in this hour."))
    return redirect("prepared-export", preparing.prepare(request.user, form, chosen).pk)


def made_at_once(file: exports.File) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{exports.dated(file.name)}"'}
    response = HttpResponse(b"".join(file.pieces), content_type=file.content_type, headers=headers)
    return uncompressed(response) if file.content_type == exports.ZIP else response


def of_file(view: FileView) -> Callable[[AccountRequest, UUID], HttpResponseBase]:
    """A view of one of the account's prepared files, which the path names."""

    @wraps(view)
    def of_path(request: AccountRequest, pk: UUID) -> HttpResponseBase:
        file = request.user.stored_files.exports().select_related("account").filter(pk=pk).first()
        return view(request, file) if file else render_error(request, 404, GONE)

    return of_path


@login_required
@never_cache
@require_GET
@of_file
def prepared_export(request: AccountRequest, file: StoredFile) -> HttpResponse:
    """How far a file is, and then where it is downloaded; for a script how far it is."""
    progress = preparing.progress(file)
    if "application/json" in request.headers.get("Accept", ""):
        return json_response(progress)
    again = preparing.address_of(file.form, file.unit)
    form = exports.FORMS[file.form]
    return render(
        request, "data/export.html", {"file": file, "form": form, "progress": progress, "again": again}
    )


@login_required
@never_cache
@require_safe
@of_file
def download(request: AccountRequest, file: StoredFile) -> HttpResponseBase:
    """A file that is made, or the range of it with which a download goes on."""
    if not file.is_whole:
        return redirect("prepared-export", file.pk)
    etag = f'"{file.pk.hex}"'
    asked = asked_range(request, file.size, etag)
    sent = range(file.size) if asked is None else asked
    headers = {
        "Content-Disposition": f'attachment; filename="{file.name}"',
        "Content-Length": str(len(sent)),
        "Accept-Ranges": "bytes",
        "ETag": etag,
    }
    if not sent:
        headers |= {"Content-Range": f"bytes */{file.size}"}
        return uncompressed(HttpResponse(status=416, headers=headers))
    if asked is not None:
        headers["Content-Range"] = f"bytes {sent.start}-{sent.stop - 1}/{file.size}"
    pieces = iter(()) if request.method == "HEAD" else file.pieces(sent.start, sent.stop)
    status = 200 if asked is None else 206
    return uncompressed(
        StreamingHttpResponse(pieces, status=status, content_type=file.content_type, headers=headers)
    )


@login_required
@require_POST
@of_file
def delete(request: AccountRequest, file: StoredFile) -> HttpResponse:
    preparing.remove(file)
    return redirect("data")


def asked_range(request: HttpRequest, size: int, etag: str) -> range | None:
    """The bytes that a request asks for (RFC 9110, section 14); an empty range if the file has none of them.

    None means the whole file: without a range, with several, with one that is malformed, and where the client
    has the beginning of another file.
    """
    if request.method != "GET" or request.headers.get("If-Range", etag) != etag:
        return None
    found = ONE_RANGE.fullmatch(request.headers.get("Range", "").strip())
    if found is None:
        return None
    first, last = (int(digits) if digits else None for digits in found.groups())
    if first is None:
        return None if last is None else range(max(size - last, 0), size)  # the last bytes
    if last is None:
        return range(first, size)
    return range(first, min(last + 1, size)) if first <= last else None
