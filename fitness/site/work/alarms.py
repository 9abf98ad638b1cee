"""Rings alarms: what the worker sends to the browsers of accounts, in a thread beside those of tasks.

1. The worker looks each second whether an alarm rings soon. Then the bell reads those that do.
2. Each is taken at its moment (`Alarm.take`): of several workers one rings it, and one that was cancelled or
   moved meanwhile is not there any more. Of one account the next one rings APART_SECONDS later.
3. Its messages wait until a sender is free and none of the account is under way. After each one those of
   other accounts come first. What is too late when its turn comes is dropped.
4. This thread stores what senders have found out: they have no connection to the database.

Examples of failures: the worker was away for an hour. Nobody is told that a rest was over long ago: what is
later than LATE is dropped. A push service never answers: the message fails after five seconds, one sender is
busy meanwhile, and other accounts have theirs from the others.
"""

import math
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Account, Alarm, PushSubscription
from accounts.push.models import Outcome
from fitness.days import today
from fitness.web.language import in_language_of
from fitness.web.local_time import zone_of
from training.models import Exercise
from training.models.draft import next_set
from training.models.sets import SetNumber
from training.web.names import exercise_name

LOOK_SECONDS = 1.0
APART_SECONDS = 5.0
RUNG_AT_ONCE = 20  # before the next look
SENDERS = 8
MAX_WAITING = 1000
LATE = {Alarm.Kind.REST: 30, Alarm.Kind.REMINDER: 3600}  # seconds

Message = dict[str, str]  # {title, body, tag, path}, which fitness/site/service-worker.js shows


@dataclass(frozen=True)
class Waiting:
    """A message to one browser."""

    subscription: PushSubscription
    message: Message
    alarm: Alarm

    @property
    def account_id(self) -> UUID:
        return self.alarm.account_id

    def is_replaced_by(self, alarm: Alarm) -> bool:
        return (self.account_id, self.alarm.kind) == (alarm.account_id, alarm.kind)


class Bell:
    def __init__(self) -> None:
        self.coming: list[Alarm] = []
        self.looks_at = 0.0
        self.rang_at: dict[UUID, float] = {}  # accounts, for APART_SECONDS
        self.waiting: list[Waiting] = []
        self.senders = ThreadPoolExecutor(SENDERS, thread_name_prefix="push")
        self.under_way: dict[Future[Outcome], PushSubscription] = {}
        self.woken = threading.Event()

    def go_on(self) -> bool:
        """Rings what is due, and waits for the next alarm that is known; returns whether anything is left."""
        if not self.ring_some():
            self.wait()
        return bool(self.coming or self.waiting or self.under_way)

    def wait(self) -> None:
        """Until the next alarm that is known, until something is sent, or until the next look."""
        coming = map(self.seconds_until, self.coming if self.has_room else ())
        self.woken.wait(max(min([LOOK_SECONDS, *coming]), 0))
        self.woken.clear()

    @property
    def has_room(self) -> bool:
        """Otherwise the next one rings once something is sent."""
        return len(self.waiting) < MAX_WAITING

    def ring_some(self) -> bool:
        """Rings alarms that are due, and sends what waits; returns whether more alarms are due."""
        self.collect()
        if time.monotonic() >= self.looks_at:
            self.coming = Alarm.objects.soon(2 * LOOK_SECONDS)
            self.looks_at = time.monotonic() + LOOK_SECONDS
            apart = time.monotonic() - APART_SECONDS
            self.rang_at = {account: at for account, at in self.rang_at.items() if at > apart}
        due = [alarm for alarm in self.coming if self.seconds_until(alarm) <= 0]
        due.sort(key=is_reminder)
        for alarm in due[:RUNG_AT_ONCE]:
            # Not where another one of the account has just rung.
            if self.has_room and self.seconds_until(alarm) <= 0:
                self.coming.remove(alarm)
                self.ring(alarm)
        self.send_some()
        return len(due) > RUNG_AT_ONCE and self.has_room

    def seconds_until(self, alarm: Alarm) -> float:
        apart = self.rang_at.get(alarm.account_id, -math.inf) + APART_SECONDS - time.monotonic()
        return max((alarm.due_at - timezone.now()).total_seconds(), apart)

    def ring(self, alarm: Alarm) -> None:
        is_told = alarm.take() and not is_late(alarm) and alarm.account.is_active
        message = message_of(alarm) if is_told else None
        if message is None:
            return
        self.rang_at[alarm.account_id] = time.monotonic()
        self.waiting = [one for one in self.waiting if not one.is_replaced_by(alarm)]
        for subscription in alarm.account.push_subscriptions.order_by("failures", "created_at"):
            self.waiting.append(Waiting(subscription, message, alarm))

    def send_some(self) -> None:
        """Sends what waits while a sender is free, of an account one at a time; drops what is late."""
        serving = {subscription.account_id for subscription in self.under_way.values()}
        for one in self.waiting.copy():
            if is_late(one.alarm):
                self.waiting.remove(one)
            elif one.account_id not in serving and len(self.under_way) < SENDERS:
                self.waiting.remove(one)
                serving.add(one.account_id)
                self.send(one)

    def send(self, one: Waiting) -> None:
        from accounts.push.sending import send  # takes megabytes, which a worker without alarms never needs

        sent = self.senders.submit(send, one.subscription, one.message, LATE[Alarm.Kind(one.alarm.kind)])
        self.under_way[sent] = one.subscription
        sent.add_done_callback(lambda _: self.woken.set())

    def collect(self) -> None:
        """Stores what became of messages."""
        for sent in [one for one in self.under_way if one.done()]:
            subscription = self.under_way.pop(sent)
            self.let_others_first(subscription.account_id)
            subscription.learn(sent.result())

    def let_others_first(self, account_id: UUID) -> None:
        self.waiting.sort(key=lambda one: (is_reminder(one.alarm), one.account_id == account_id))


def is_late(alarm: Alarm) -> bool:
    return (timezone.now() - alarm.due_at).total_seconds() > LATE[Alarm.Kind(alarm.kind)]


def is_reminder(alarm: Alarm) -> bool:
    return alarm.kind == Alarm.Kind.REMINDER


def message_of(alarm: Alarm) -> Message | None:
    """What to say; None where there is nothing to say any more."""
    with timezone.override(zone_of(alarm.account.time_zone)), in_language_of(alarm.account):
        if not is_reminder(alarm):
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
