"""Run as one of two processes: issues keys for an account from several threads at the same time.

Arguments: email, threads, start of the first round (seconds since 1970), rounds, role. A round takes
ROUND_SECONDS. In its second half the process with the role "sweeper" prints the number of active keys, and
deletes all but eight of them: the next round has two places left.
"""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fitness.settings")
django.setup()

from django.core.exceptions import ValidationError  # noqa: E402
from django.db import connection  # noqa: E402

from accounts.models import Account  # noqa: E402

ROUND_SECONDS = 2
KEEP = 8


def wait_until(starts_at):
    time.sleep(max(0, starts_at - time.time()))


def issue(account, starts_at):
    connection.ensure_connection()
    wait_until(starts_at)
    try:
        account.issue_key("race", "read", "never")
    except ValidationError:
        pass
    finally:
        connection.close()  # the pool of a process has ten connections, as many as there are threads


def main(email, threads, first_round_at, rounds, role):
    account = Account.objects.get(email=email)
    connection.close()
    pool = ThreadPoolExecutor(threads)
    for number in range(rounds):
        starts_at = first_round_at + number * ROUND_SECONDS
        issued = pool.map(lambda _, at: issue(account, at), range(threads), [starts_at] * threads)
        list(issued)
        wait_until(starts_at + ROUND_SECONDS / 2)
        if role == "sweeper":
            print(account.api_keys.active().count())
            keep = account.api_keys.order_by("pk").values_list("pk", flat=True)[:KEEP]
            account.api_keys.exclude(pk__in=list(keep)).delete()
            connection.close()


main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
