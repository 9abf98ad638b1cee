"""The sentence at the top of /progress, made of figures alone."""

import datetime
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

SPARSE = 3  # a best week says something with at least so many trained weeks before it
RECENT = 4  # weeks: to beat these alone is nothing special
YEAR = 51  # weeks, the last of them perhaps not over


class Change(NamedTuple):
    """What a lift was, and what it is, by a measure: kg, reps, seconds or km."""

    then: float
    now: float
    measure: str = "e1rm"

    @property
    def text(self) -> str:
        """As a column shows it: "+9 %", "-2 reps", "-75 % help"."""
        amount = -self.amount if self.measure == "help" else self.amount
        return f"{'+' if amount > 0 else ''}{amount} {self.noun}"

    @property
    def amount(self) -> int:
        """In percent or in reps; more than 0 is better."""
        if self.measure == "reps":
            return round(self.now - self.then)
        difference = self.then - self.now if self.measure == "help" else self.now - self.then
        return round(100 * difference / (self.then or self.now or 1))

    @property
    def noun(self) -> str:
        if self.measure == "help":
            return "% help"
        if self.measure == "reps":
            return "rep" if abs(self.amount) == 1 else "reps"
        return "%"


class Changed(NamedTuple):
    """A lift with its sessions and its Change in 90 days; None where it has nothing to compare."""

    name: str
    sessions: int
    change: Change | None


class WeekTotals(Protocol):
    @property
    def monday(self) -> datetime.date: ...
    @property
    def sets(self) -> int: ...
    @property
    def work_sets(self) -> int: ...
    @property
    def volume_kg(self) -> float: ...


def headline(lifts: Sequence[Changed], weeks: Sequence[WeekTotals]) -> str:
    """For example "Squat up 9 % in 90 days; best week since March." `weeks` end with the current one."""
    if not any(week.sets for week in weeks):
        return "Nothing done in the last year."
    sentence = "; ".join(part for part in (lift_part(lifts), week_part(weeks)) if part)
    return f"{sentence[0].upper()}{sentence[1:]}."


def lift_part(lifts: Sequence[Changed]) -> str:
    """The lift that was trained most among those that changed."""
    compared = [(lift.sessions, lift.name, lift.change) for lift in lifts if lift.change]
    changed = [one for one in compared if one[2].amount]
    if not changed:
        return "your lifts are where they were 90 days ago" if compared else ""
    _, name, change = max(changed, key=lambda one: (one[0], one[2].now))
    if change.measure == "help":
        less = "less" if change.amount > 0 else "more"
        return f"{name} with {abs(change.amount)} % {less} help than 90 days ago"
    direction = "up" if change.amount > 0 else "down"
    return f"{name} {direction} {abs(change.amount)} {change.noun} in 90 days"


def week_part(weeks: Sequence[WeekTotals]) -> str:
    """That this week, or else the last one, is the best for a while; else how far this week is."""
    # Volume does not count what is lifted without weight.
    value: Callable[[WeekTotals], float] = volume if any(map(volume, weeks)) else sets
    values = [value(week) for week in weeks]
    if span := best_since(weeks, values, len(weeks) - 1):
        return f"best week {span}"
    if span := best_since(weeks, values, len(weeks) - 2):
        return f"last week was the best {span}"
    done = weeks[-1].work_sets
    return f"{done or 'no'} set{'' if done == 1 else 's'} {'so far' if done else 'yet'} this week"


def volume(week: WeekTotals) -> float:
    return week.volume_kg


def sets(week: WeekTotals) -> float:
    return week.sets


def best_since(weeks: Sequence[WeekTotals], values: Sequence[float], number: int) -> str:
    """ "since March", "in a year", "in 9 weeks", or nothing where a week is not the best for a while."""
    if number < 0 or not values[number]:
        return ""
    earlier = [index for index in range(number) if values[index]]
    better = [index for index in earlier if values[index] >= values[number]]
    if len(earlier) < SPARSE or (better and number - better[-1] <= RECENT):
        return ""
    if better:
        return f"since {month_of(weeks[better[-1]].monday, weeks[number].monday)}"
    span = number - earlier[0] + 1
    return "in a year" if span >= YEAR else f"in {span} weeks"


def month_of(day: datetime.date, seen_from: datetime.date) -> str:
    """The name of the month, with its year where another month of that name is nearer."""
    months = (seen_from.year - day.year) * 12 + seen_from.month - day.month
    return f"{day:%B} {day.year}" if months >= 12 else f"{day:%B}"
