"""What Prometheus reads at /metrics: requests, errors and the database's share of their time.

Each process counts for itself. Where several serve, prometheus-client keeps the counts in files of one folder
(gunicorn.conf.py names it in PROMETHEUS_MULTIPROC_DIR), and whichever process answers /metrics adds them up.
Labels are names of operations, views and tools: no address with an id, no e-mail.

1. `RequestMetrics`, a middleware, takes the time and lets `DatabaseTime` see each statement.
2. `operation_of` names what the request asked for: an operation of the API ("log_workout"), else the name of
   the address ("home", "mcp") or its pattern; "unmatched" where there is no such address.
3. The middleware counts, and looks at the pool of connections. Example:
   `fitness_request_seconds_count{operation="log_workout",status="201"} 7.0`.
"""

import time
from collections.abc import Callable
from typing import Any

from django.db import connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from prometheus_client import Counter, Gauge, Histogram

BUCKET_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)

REQUEST_SECONDS = Histogram(
    "fitness_request_seconds",
    "Time from the log's middleware to the response; its count is that of requests.",
    ["operation", "status"],
    buckets=BUCKET_SECONDS,
)
DATABASE_SECONDS = Counter("fitness_database_seconds", "Time in statements.", ["operation"])
ERRORS = Counter("fitness_errors", "Responses in the error envelope, by its code.", ["code"])
TOOL_CALLS = Counter(
    "fitness_tool_calls",
    "Calls of tools; the outcome is ok, refused or a JSON-RPC code.",
    ["tool", "outcome"],
)
WRITERS_WAITING = Gauge(
    "fitness_sqlite_writers_waiting",
    "Transactions that wait for SQLite's one writer.",
    multiprocess_mode="livesum",
)
POOL_CONNECTIONS = Gauge(
    "fitness_pool_connections",
    "Connections to PostgreSQL: open, idle; and requests waiting for one.",
    ["state"],
    multiprocess_mode="livesum",
)
ACCOUNTS = Gauge("fitness_accounts", "Accounts.", multiprocess_mode="mostrecent")
ACTIVE_KEYS = Gauge("fitness_active_keys", "API keys that work.", multiprocess_mode="mostrecent")
TASKS_WAITING = Gauge(
    "fitness_tasks_waiting",
    "Long work that is to be done, or is being done.",
    ["kind"],
    multiprocess_mode="mostrecent",
)
TASKS_FAILED = Gauge(
    "fitness_tasks_failed", "Long work that has failed for good.", ["kind"], multiprocess_mode="mostrecent"
)
TASKS_WAITING_SECONDS = Gauge(
    "fitness_tasks_waiting_seconds",
    "For how long nothing was done for the task that waits the longest; 0 where none waits.",
    multiprocess_mode="mostrecent",
)

Execute = Callable[[str, Any, bool, dict[str, Any]], Any]


class DatabaseTime:
    """Measures the statements of one request; for `connection.execute_wrapper`."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self, execute: Execute, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        started = time.perf_counter()
        try:
            if sql.startswith("BEGIN"):  # of SQLite alone, where it waits for the writer before it
                with WRITERS_WAITING.track_inprogress():
                    return execute(sql, params, many, context)
            return execute(sql, params, many, context)
        finally:
            self.seconds += time.perf_counter() - started


class RequestMetrics:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        started = time.perf_counter()
        database = DatabaseTime()
        with connection.execute_wrapper(database):
            response = self.get_response(request)
        operation = operation_of(request)
        REQUEST_SECONDS.labels(operation, str(response.status_code)).observe(time.perf_counter() - started)
        DATABASE_SECONDS.labels(operation).inc(database.seconds)
        update_pool()
        return response


def operation_of(request: HttpRequest) -> str:
    match = request.resolver_match
    if match is None:
        return "unmatched"
    view: Any = match.func  # of the API: has the class of the viewset, and its actions by method
    if action := getattr(view, "actions", {}).get(str(request.method).lower()):
        return str(view.cls.operation_of(action).name)
    return match.url_name or match.route


def update_pool() -> None:
    """Sets the figures of this process's pool of connections."""
    if pool := getattr(connection, "pool", None):  # on PostgreSQL
        figures = pool.get_stats()
        POOL_CONNECTIONS.labels("open").set(figures["pool_size"])
        POOL_CONNECTIONS.labels("idle").set(figures["pool_available"])
        POOL_CONNECTIONS.labels("requests_waiting").set(figures["requests_waiting"])
