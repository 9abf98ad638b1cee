"""The instructions that a client gets before it calls a tool. They are the account's own, so never shared."""

from django.utils import timezone

from accounts.models import Account

RULES = """\
Training and body data of the one user that the API key belongs to.
Weights are kilograms: 1 lb = 0.45359237 kg, rounded to 0.01. Lengths are cm, energy kcal, macronutrients g, \
durations seconds.
{clock}
Timestamps are RFC 3339 with an offset and come back in UTC; days are YYYY-MM-DD.
Exercise ids come from search_exercises only: search first, never invent one.
Tools cannot change what is saved: calling again saves once more. Only log_nutrition replaces its day, and \
set_goal the whole current goal. Corrections are made in the app.
Lists show 25 records unless limit (1 to 100) says otherwise; cursor goes on from next_cursor; detail brief \
keeps an answer short.
A refused call changed nothing; its text says what to correct."""
POUNDS = "The user reads and types weights in pounds: convert what is said, and answer in lb."


def instructions(account: Account) -> str:
    rules = RULES.format(clock=clock(account))
    return f"{rules}\n{POUNDS}" if account.units == Account.Units.LB else rules


def clock(account: Account) -> str:
    """The current time in UTC: the time zone of an account is that of its screens alone."""
    now = timezone.now()
    return f"It is {now.day} {now:%b %Y, %H:%M} UTC now; days are UTC days."
