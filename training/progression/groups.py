"""Which entries of a plan share one target, so that one session moves it for all of them."""

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from training.progression.rules import Rule, Wave, share
from training.progression.targets import Target


class Entry(NamedTuple):
    """An exercise of a plan's day with its rule and what it asks now."""

    weekday: int
    position: int
    exercise_id: str
    rule: Rule
    target: Target


class Group(NamedTuple):
    """Entries of one exercise that share a target: `rule` is of all of them.

    A wave asks one target of each entry, in their order; other rules ask the same of all.
    """

    entries: list[Entry]
    rule: Rule


def groups(entries: Iterable[Entry]) -> list[Group]:
    """The groups in the order of their first entries.

    The waves of an exercise in one day share its training max. Other entries of an exercise share a target on
    all days where they have the same rule and ask the same: "2.5 kg a session" is more than 2.5 kg a week.
    """
    found: dict[Hashable, list[Entry]] = {}
    for entry in entries:
        found.setdefault(key(entry), []).append(entry)
    return [Group(of_group, shared_rule(of_group)) for of_group in found.values()]


def key(entry: Entry) -> Hashable:
    if isinstance(entry.rule, Wave):
        return entry.exercise_id, entry.weekday, len(entry.rule.weeks)
    return entry.exercise_id, entry.rule, entry.target


def shared_rule(entries: list[Entry]) -> Rule:
    waves = [entry.rule for entry in entries if isinstance(entry.rule, Wave)]
    return share(waves) if waves else entries[0].rule
