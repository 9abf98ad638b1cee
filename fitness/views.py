"""What belongs to no app: health, error pages."""

import sys

from django.db import connection
from django.shortcuts import render

from fitness.api import ratelimit
from fitness.api.errors import DATABASE_FAULTS, refusal_of
from fitness.api.middleware import is_api
from fitness.api.renderers import json_response
from fitness.api.views import refuse, unrouted


def healthz(request):
    """The process answers."""
    return json_response({"status": "ok"})


def readyz(request):
    """503 without the database; "degraded" while the shared counters do not answer."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DATABASE_FAULTS:
        return json_response({"status": "unavailable", "database": "does not answer"}, 503)
    if not ratelimit.shared_counters_answer():
        return json_response({"status": "degraded", "counters": "each process counts for itself"})
    return json_response({"status": "ok"})


def bad_request(request, exception=None):
    return refuse(exception) if is_api(request) else error_page(request, 400)


def forbidden(request, exception=None):
    return error_page(request, 403)


def not_found(request, exception=None):
    return unrouted(request) if is_api(request) else error_page(request, 404)


def server_error(request):
    """Also meets database faults from outside the API's views, which are 503, not 500."""
    exc = sys.exc_info()[1]
    return refuse(exc) if is_api(request) else error_page(request, refusal_of(exc).status)


def error_page(request, status):
    return render(request, "error.html", {"status": status}, status=status)
