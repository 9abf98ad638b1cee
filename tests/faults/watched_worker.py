"""The worker of this service, which writes to stderr what it does: `python -m tests.faults.watched_worker`.

Each step is a line of JSON with its account, its begin and its end, in seconds of the machine's monotonic
clock, which all processes share, the seconds of a core that it took, and whether it had much to read. So is
each message to a push service, with its host and the seconds since 1970; hosts whose names begin with "hangs"
never answer.
"""

import json
import os
import sys
import time

import django


def main():
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fitness.settings")
    django.setup()
    from accounts.models.task import LONG_BYTES
    from accounts.push import sending
    from fitness.site.work import alarms, worker

    def write(**facts):
        os.write(sys.stderr.fileno(), f"{json.dumps(facts)}\n".encode())  # at once: threads write, too

    def watched(work):
        def step(task, keep):
            is_long, began, cpu = task.total > LONG_BYTES, time.monotonic(), time.thread_time()
            try:
                return work(task, keep)
            finally:
                facts = {"is_long": is_long, "cpu": time.thread_time() - cpu}
                write(step=str(task.account_id), began=began, ended=time.monotonic(), **facts)

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
