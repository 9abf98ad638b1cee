"""The instructions that a client gets before it calls a tool. They are the account's own, so never shared."""

import datetime

from django.utils import timezone

from accounts.models import Account, ApiKey
from fitness.web.local_time import zone_of

RULES = """\
Training and body data of the one user that the API key belongs to.
Weights are kilograms: 1 lb = 0.45359237 kg, rounded to 0.01. Lengths are cm, energy kcal, macronutrients g, \
durations seconds.
{clock}
Timestamps are RFC 3339 with an offset and come back in UTC; days are YYYY-MM-DD.
Exercise ids come from search_exercises only: search first, never invent one.
{corrections}
Lists show 25 records unless limit (1 to 100) says otherwise; cursor goes on from next_cursor; detail brief \
keeps an answer short. notices, where a result has them, say what its data do not.
A refused call changed nothing; its text says what to correct."""
WITHOUT_CORRECTIONS = """\
Tools cannot change what is saved: calling again saves once more. Only log_nutrition replaces its day, and \
set_goal the whole current goal. Corrections are made in the app."""
WITH_CORRECTIONS = """\
A log_ or create_ tool that is called again saves once more; only log_nutrition replaces its day, and \
set_goal the whole current goal. The user lets you correct and delete: update_ tools change what is saved; \
delete_, remove_, undo_ and clear_ tools delete it. Before deleting, say what would go and wait for a yes. \
Results hold what was there before."""
SCREENS = {
    Account.Units.KG: "The user's screens are in kilograms.",
    Account.Units.LB: "The user's screens are in pounds: convert what is said, and answer in lb.",
}


def instructions(key: ApiKey) -> str:
    return RULES.format(
        clock=" ".join(clock(key.account)),
        corrections=WITH_CORRECTIONS if key.may_correct else WITHOUT_CORRECTIONS,
    )


def clock(account: Account) -> list[str]:
    """The current time in UTC, whose days all data have, and the time zone and the unit of the screens."""
    now, zone = timezone.now(), zone_of(account.time_zone)
    own = "UTC" if zone is datetime.UTC else f"{account.time_zone}: {moment(now.astimezone(zone))} there"
    return [
        f"It is {moment(now)} UTC now; days of the service are UTC days.",
        f"The user's own zone is {own}.",
        SCREENS[Account.Units(account.units)],
    ]


def moment(at: datetime.datetime) -> str:
    """`Friday 20 Nov 2026, 23:30`, in the time zone of the datetime."""
    return f"{at:%A} {at.day} {at:%b} {at.year}, {at:%H:%M}"
