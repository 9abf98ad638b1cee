"""Rings alarms to the second: what the worker sends to the browsers of accounts.

1. Every LOOK_SECONDS one statement reads the alarms that ring until the next look.
2. Each is taken at its moment (`Alarm.take`): of several workers one rings it, and one that was cancelled or
   moved meanwhile is not there any more.
3. Messages are sent by threads, so that a push service which hangs keeps nobody waiting; what they have found
   out is stored at the next turn.

Example of a failure: the worker was away for an hour. Nobody is told that a rest was over long ago: what is
later than LATE is dropped.
"""

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Account, Alarm, PushSubscription
from accounts.push.models import Outcome
from fitness.days import today
from fitness.web.language import in_language_of
from fitness.web.local_time import zone_of
from training.drafts.next_set import next_set
from training.models import Exercise
from training.models.sets import SetNumber
from training.web.names import exercise_name

LOOK_SECONDS = 5.0
THREADS = 8
LATE = {Alarm.Kind.REST: 30, Alarm.Kind.REMINDER: 3600}  # seconds

Message = dict[str, str]  # {title, body, tag, path}, which fitness/site/service-worker.js shows


class Bell:
    def __init__(self) -> None:
        self.coming: list[Alarm] = []
        self.looks_at = 0.0
        self.senders = ThreadPoolExecutor(THREADS, thread_name_prefix="push")
        self.under_way: dict[Future[Outcome], PushSubscription] = {}

    def ringing(self) -> Iterator[None]:
        """A chore. Yields after each alarm that was due."""
        if time.monotonic() >= self.looks_at:
            self.coming = Alarm.objects.soon(LOOK_SECONDS)
            self.looks_at = time.monotonic() + LOOK_SECONDS
        while self.coming and self.coming[0].due_at <= timezone.now():
            self.ring(self.coming.pop(0))
            yield
        self.collect()

    def ring(self, alarm: Alarm) -> None:
        late = (timezone.now() - alarm.due_at).total_seconds()
        if not alarm.take() or late > LATE[Alarm.Kind(alarm.kind)]:
            return
        message = message_of(alarm) if alarm.account.is_active else None
        if message is None:
            return
        from accounts.push.sending import send  # takes megabytes, which a worker without alarms never needs

        for subscription in alarm.account.push_subscriptions.all():
            sent = self.senders.submit(send, subscription, message, LATE[Alarm.Kind(alarm.kind)])
            self.under_way[sent] = subscription

    def collect(self) -> None:
        """Stores what became of messages."""
        for sent in [one for one in self.under_way if one.done()]:
            subscription = self.under_way.pop(sent)
            subscription.learn(sent.result())


def message_of(alarm: Alarm) -> Message | None:
    """What to say; None where there is nothing to say any more."""
    with timezone.override(zone_of(alarm.account.time_zone)), in_language_of(alarm.account):
        if alarm.kind == Alarm.Kind.REST:
            return rest_message(alarm.account)
        # Another hour where the account has moved to another zone since; the next one is right again.
        return reminder_message(alarm.account) if timezone.localtime().hour == alarm.hour else None


def rest_message(account: Account) -> Message | None:
    """None where the workout was finished or discarded, or has no set left."""
    draft = account.training_drafts.open().first()
    coming = next_set(draft.document) if draft else None
    if coming is None:
        return None
    exercise_id, number = coming
    name = Exercise.objects.seen_by(account).filter(pk=exercise_id).values_list("name", flat=True).first()
    return {
        "title": _("Rest is over"),
        "body": next_in_words(exercise_name(name), number) if name else "",
        "tag": "rest",
        "path": reverse("train"),
    }


def next_in_words(exercise: str, number: SetNumber) -> str:
    if number == "W":
        return _("%(exercise)s, warm-up") % {"exercise": exercise}
    return _("%(exercise)s, set %(number)s") % {"exercise": exercise, "number": number}


def reminder_message(account: Account) -> Message | None:
    """None on a day of rest, or once the plan's day is under way or done."""
    day = today()
    plan = account.plans.active().first()
    planned = plan and plan.days[day.weekday()]
    if not plan or not planned or planned["rest"]:
        return None
    if account.training_drafts.open().exists() or account.workouts.of_plan_on(day, plan.pk).exists():
        return None
    body = planned["label"] or plan.name
    return {"title": _("Training today"), "body": body, "tag": "reminder", "path": reverse("start-training")}
