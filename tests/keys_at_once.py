"""Run as one of two processes: issues keys for an account from several threads, all at one moment.

Arguments: email, threads, moment of the first round (seconds since 1970), rounds, role. A round takes
SLOT seconds. In its second half the process called "sweeper" prints how many active keys the account
has, and takes it back to eight.
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

SLOT = 2
KEPT = 8


def wait_until(moment):
    time.sleep(max(0, moment - time.time()))


def issue(account, moment):
    connection.ensure_connection()
    wait_until(moment)
    try:
        account.issue_key("race", "read", "never")
    except ValidationError:
        pass
    finally:
        connection.close()  # a process has ten, as many as there are threads


def main(email, threads, first, rounds, role):
    account = Account.objects.get(email=email)
    connection.close()
    pool = ThreadPoolExecutor(threads)
    for number in range(rounds):
        moment = first + number * SLOT
        issued = pool.map(lambda _, at: issue(account, at), range(threads), [moment] * threads)
        list(issued)
        wait_until(moment + SLOT / 2)
        if role == "sweeper":
            print(account.api_keys.active().count())
            kept = account.api_keys.order_by("pk").values_list("pk", flat=True)[:KEPT]
            account.api_keys.exclude(pk__in=list(kept)).delete()
            connection.close()


main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
