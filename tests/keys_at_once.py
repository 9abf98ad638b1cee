"""Run as a process: issues keys for an account from several threads, all at one moment.

Arguments: email, number of threads, the moment to start (seconds since 1970). Prints how many it got.
"""

import os
import sys
import threading
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fitness.settings")
django.setup()

from django.core.exceptions import ValidationError  # noqa: E402
from django.db import connection  # noqa: E402

from accounts.models import Account  # noqa: E402


def issue(account, moment, issued):
    connection.ensure_connection()
    time.sleep(max(0, moment - time.time()))
    try:
        issued.append(account.issue_key("race", "read", "never"))
    except ValidationError:
        pass
    finally:
        connection.close()


email, threads, moment = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
account, issued = Account.objects.get(email=email), []
workers = [threading.Thread(target=issue, args=(account, moment, issued)) for _ in range(threads)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
print(len(issued))
