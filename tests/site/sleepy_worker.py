"""A worker whose tasks only sleep: `python -m tests.site.sleepy_worker FILE`.

It writes down what it does, a line of JSON each, with the seconds of the machine's monotonic clock, which all
processes share. A task is done after three steps; its subject says what a step is, "<name> <seconds>". "meet"
waits until another thread does so, too.
"""

import json
import os
import sys
import threading
import time

import django

STEPS = 3


class Notes:
    def __init__(self, path):
        self.path = path

    def write(self, what, **facts):
        line = json.dumps({"what": what, "at": time.monotonic(), **facts}) + "\n"
        with open(self.path, "ab", buffering=0) as file:
            file.write(line.encode())


def main():
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fitness.settings")
    django.setup()
    from accounts.models import Task
    from accounts.push import sending
    from fitness.site.work import alarms, worker

    notes, meeting = Notes(sys.argv[1]), threading.Barrier(2)

    def step(task, keep):
        name, seconds = task.subject.split()
        facts = {"account": str(task.account_id), "task": task.subject}
        notes.write("begins", **facts)
        if name == "meet":
            meeting.wait(600)
        time.sleep(float(seconds))
        task.done += 1
        notes.write("ends", **facts)
        return task.done < STEPS

    def send(subscription, message, ttl_seconds):
        notes.write("rings")
        return sending.Outcome.SENT

    sending.send = send
    alarms.message_of = lambda alarm: {"title": "x"}
    worker.Worker({Task.Kind.EXPORT: step}, []).run()


if __name__ == "__main__":
    main()
