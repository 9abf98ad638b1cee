"""The worker of this service, which writes to stderr what it does: `python -m tests.faults.watched_worker`.

Each step is a line of JSON with its account, its begin and its end, in seconds of the machine's monotonic
clock, which all processes share. So is each message to a push service, with its host and the seconds since
1970; hosts whose names begin with "hangs" never answer.
"""

import json
import os
import sys
import time

import django


def main():
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fitness.settings")
    django.setup()
    from accounts.push import sending
    from fitness.site.work import alarms, worker

    def write(**facts):
        os.write(sys.stderr.fileno(), f"{json.dumps(facts)}\n".encode())  # at once: threads write, too

    def watched(work):
        def step(task, keep):
            began = time.monotonic()
            try:
                return work(task, keep)
            finally:
                write(step=str(task.account_id), began=began, ended=time.monotonic())

        return step

    def answered(subscription, message, ttl_seconds):
        write(push=str(subscription), at=time.time())
        if str(subscription).startswith("hangs"):
            time.sleep(sending.SECONDS)
            raise TimeoutError
        return 201

    sending.answered = answered
    alarms.message_of = lambda alarm: {"title": "Rest is over"}
    worker.Worker({kind: watched(work) for kind, work in worker.WORKS.items()}, worker.CHORES).run()


if __name__ == "__main__":
    main()
