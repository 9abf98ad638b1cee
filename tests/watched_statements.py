"""Watches the statements that the service executes.

1. One about rows of an account names the account. On a cluster a statement that does not would be carried out
   by every node (fitness/db/owned.py), and there each statement is tried: it must need one node alone.
2. Requests write what every node of a cluster has by few functions alone (fitness/db/citus).

What staff, commands and workers do over all accounts is free to need more.
"""

import re
import sys
from contextlib import contextmanager, nullcontext
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import connection
from psycopg.pq import TransactionStatus

from fitness.db.owned import Owned

ROOT = Path(__file__).resolve().parent.parent
# Modules that work on all accounts.
ACROSS_ACCOUNTS = re.compile(
    r"django\.contrib\.admin|\w+\.admin|fitness\.web\.admin|fitness\.site\.(admin|backup|demo)|\w+\.(management|migrations)"
    r"|accounts\.purge|accounts\.checks|training\.models\.catalogue_refresh"
)
# Functions of workers and of monitoring that look for tasks of all accounts.
LOOK_FOR_TASKS = {
    "next_ones",
    "has_rows",
    "soon",
    "are_neglected",
    "tasks_are_neglected",
    "task_facts",
}
# A value, or a list of them: a join alone names no account.
NAMES_ACCOUNT = re.compile(r'"?account_id"? (= \(?%s|IN \()')
# A write of what every node has, which fails while a node is away.
WRITES_EVERYWHERE = re.compile(
    r"(INSERT INTO|UPDATE|DELETE FROM) "
    r'"(accounts_account|accounts_apikey|accounts_oauthclient|training_exercise)"'
)
REQUEST = "RequestLog.__call__"  # among the callers of what a request executes
MAY_WRITE_EVERYWHERE = {
    *(
        "store_newcomer",
        "delete_account",
        "account",
        "profile",
        "set_units",
        "set_time_zone",
    ),
    *("KeyForm.issue", "revoke_key", "key_corrections", "LinkPasswordForm.use", "use_email_link"),
    *("register", "fetched", "exchange_code", "refresh", "revoke"),  # of OAuth
    "store_rights",  # of somebody whom the provider lets in
    "store_last_login",  # the first sign-in to an account that `issue_key` made
    "SignInForm.clean",  # a sign-in whose password is hashed anew
    "make_all",  # own exercises, as all functions below
    *(f"{action}_own_exercise" for action in ("edit", "delete", "retire", "offer", "merge")),
    *("Profile.store", "begin_storing"),  # of an archive: it fills what is empty, and keeps others out
}


@contextmanager
def watched():
    """Collects the statements that break a rule, of those executed inside on this connection."""
    broken = []
    tables = [model._meta.db_table for model in apps.get_models() if issubclass(model, Owned)]
    of_accounts = re.compile(rf"\b({'|'.join(tables)})\b")

    def watch(execute, sql, params, many, context):
        if WRITES_EVERYWHERE.match(sql) and is_of_one_account():
            callers = functions()
            if REQUEST in callers and not MAY_WRITE_EVERYWHERE & callers:
                broken.append(f"{callers} {sql}")
        condition = sql.partition(" WHERE ")[2] if sql.startswith("UPDATE") else sql
        is_anonymous = not (sql.lstrip().startswith("INSERT") or NAMES_ACCOUNT.search(condition))
        is_tried = is_anonymous or settings.CITUS
        if not (is_tried and of_accounts.search(sql) and is_of_one_account()):
            return execute(sql, params, many, context)
        if is_anonymous:
            broken.append(sql)
        with on_one_node() if settings.CITUS else nullcontext():
            return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        yield broken


@contextmanager
def on_one_node():
    """Inside, a statement that needs several nodes of the cluster fails."""
    connection.connection.execute("SET citus.multi_task_query_log_level TO error")
    try:
        yield
    finally:
        # A transaction that failed takes nothing but its rollback, which takes the setting back as well.
        if connection.connection.info.transaction_status != TransactionStatus.INERROR:
            connection.connection.execute("RESET citus.multi_task_query_log_level")


def functions():
    """The names of the callers, with those of their classes."""
    names, frame = set(), sys._getframe(2)
    while frame := frame.f_back:
        if frame.f_code.co_filename.startswith(f"{ROOT}/") and "/.venv/" not in frame.f_code.co_filename:
            names.add(frame.f_code.co_qualname)
    return names


def is_of_one_account():
    """Whether the service executes the statement, not a test, and not for all accounts."""
    innermost, ours = None, f"{ROOT}/"
    frame = sys._getframe(2)
    while frame := frame.f_back:
        name, path = frame.f_globals.get("__name__", ""), frame.f_code.co_filename
        if ACROSS_ACCOUNTS.match(name) or frame.f_code.co_name in LOOK_FOR_TASKS:
            return False
        if innermost is None and path.startswith(ours) and "/.venv/" not in path:
            innermost = name
    return innermost is not None and not innermost.startswith("tests.")
