"""What watches the service reads: /healthz, /readyz and /metrics.

`Monitoring` answers before any other check. Load balancers and Prometheus call a process by the address of
its machine, which is no host of the service; their requests are neither counted nor redirected to https.

Example of a failure: somebody elsewhere asks for /metrics without METRICS_TOKEN. Nothing answers here, so the
request goes on and ends as a 404, like that of any address that does not exist.
"""

import hmac
import os
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user
from django.db import connection
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from accounts.models import Account, ApiKey, Task
from accounts.sessions import SessionStore
from fitness import __version__, logs
from fitness.api import rate_limits
from fitness.api.middleware import Middleware
from fitness.api.renderers import json_response
from fitness.db.faults import DATABASE_FAULTS
from fitness.metrics import ACCOUNTS, ACTIVE_KEYS, TASKS_FAILED, TASKS_WAITING, TASKS_WAITING_SECONDS

MIN_FREE_BYTES = 10_000_000  # SQLite's write-ahead log takes some megabytes


class Monitoring(Middleware):
    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        view = VIEWS.get(request.path)
        response = view(request) if view and request.method in ("GET", "HEAD") else None
        return response or self.get_response(request)


def healthz(request: HttpRequest) -> HttpResponse:
    """Liveness: 200 while the process responds. To METRICS_TOKEN and to staff it names the version, too."""
    version = {"version": __version__} if has_token(request) or is_staff(request) else {}
    return json_response({"status": "ok", **version})


def is_staff(request: HttpRequest) -> bool:
    """Whether a browser of staff asks. Who sends no cookie of a session causes no statement."""
    session_key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    if not session_key:
        return False
    request.session = SessionStore(session_key)
    try:
        return get_user(request).is_staff
    except DATABASE_FAULTS:
        return False


def readyz(request: HttpRequest) -> HttpResponse:
    """Readiness: 503 without the database; "degraded" where people are served, but not as they should be."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DATABASE_FAULTS:
        return json_response({"status": "unavailable", "database": "does not answer"}, 503)
    if disk_is_full():
        return degraded(disk="is full: writes may be refused")
    if not rate_limits.shared_counters_available():
        return degraded(counters="each process counts for itself")
    if tasks_are_neglected():
        return degraded(tasks="nobody works on them")
    return json_response({"status": "ok"})


def degraded(**what: str) -> HttpResponse:
    logs.note(code="degraded")
    return json_response({"status": "degraded", **what})


def disk_is_full() -> bool:
    """Whether SQLite may soon have no space for a write. The disk of a database server is not checked."""
    if connection.vendor != "sqlite":
        return False
    disk = os.statvfs(Path(connection.settings_dict["NAME"]).parent)
    return disk.f_bavail * disk.f_frsize < MIN_FREE_BYTES


def tasks_are_neglected() -> bool:
    """Whether no worker runs. A node of a cluster that is away must not make its web machines look dead."""
    try:
        return Task.objects.are_neglected()
    except DATABASE_FAULTS:
        return False


def metrics(request: HttpRequest) -> HttpResponse | None:
    """The figures of fitness/metrics.py in Prometheus's text format; None for who may not read them."""
    if not may_read_metrics(request):
        return None
    try:
        ACCOUNTS.set(Account.objects.count())
        ACTIVE_KEYS.set(ApiKey.objects.active().count())
        task_facts()
    except DATABASE_FAULTS:
        pass  # the other figures matter most just then
    return HttpResponse(generate_latest(registry()), content_type=CONTENT_TYPE_LATEST)


def task_facts() -> None:
    """Sets the figures of tasks from their rows."""
    for gauge, tasks in ((TASKS_WAITING, Task.objects.waiting()), (TASKS_FAILED, Task.objects.failed())):
        counts = dict(tasks.values_list("kind").annotate(Count("pk")))
        for kind in Task.Kind.values:
            gauge.labels(kind).set(counts.get(kind, 0))
    TASKS_WAITING_SECONDS.set(Task.objects.waiting_seconds())


def may_read_metrics(request: HttpRequest) -> bool:
    """With the token from anywhere; without it from this machine, where the service is not published."""
    if settings.METRICS_TOKEN and "Authorization" in request.headers:
        return has_token(request)
    return rate_limits.is_from_this_machine(request)


def has_token(request: HttpRequest) -> bool:
    """Whether the request brings METRICS_TOKEN."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    is_equal = hmac.compare_digest(token.strip().encode(), settings.METRICS_TOKEN.encode())
    return bool(settings.METRICS_TOKEN) and scheme.lower() == "bearer" and is_equal


def registry() -> CollectorRegistry:
    """Of this process, or of all of them where they share a folder."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return REGISTRY
    shared = CollectorRegistry()
    MultiProcessCollector(shared)
    return shared


VIEWS: dict[str, Callable[[HttpRequest], HttpResponse | None]] = {
    "/healthz": healthz,
    "/readyz": readyz,
    "/metrics": metrics,
}
