"""Sets without repetitions: a time held, a distance covered.

The sets of the specification have no place for them, so they are lines in the notes of an exercise, in the
words of imports (training/imports/building.py): "90 s" where it is the exercise's only one, else
"Set 2: 1800 s, 5.2 km".
"""

import re
from collections.abc import Sequence
from operator import itemgetter
from typing import TypedDict

from django.db import models

KM_OF = {"km": 1.0, "m": 0.001, "mi": 1.609344}
DISTANCE = r"(?P<distance>\d{1,6}(?:\.\d{1,4})?) (?P<unit>km|mi|m)"
LINE = re.compile(
    rf"(?:Set \d+: )?(?:(?P<time>\d{{1,6}}) s|(?:(?P<seconds>\d{{1,6}}) s, )?{DISTANCE})", re.ASCII
)


class Measure(models.TextChoices):
    """What somebody enters of a set of an exercise."""

    REPS = "reps"  # and the weight
    TIME = "time"
    DISTANCE = "distance"  # and the time


class TimedSet(TypedDict):
    """At least one of the two is not None."""

    seconds: int | None
    distance_km: float | None


def timed_sets(notes: str) -> list[TimedSet]:
    """The sets that the lines of an exercise's notes name, in their order."""
    return [timed_set(line) for text in notes.splitlines() if (line := LINE.fullmatch(text.strip()))]


def remarks(notes: str) -> str:
    """The other lines of the notes."""
    return "\n".join(text for text in notes.splitlines() if not LINE.fullmatch(text.strip()))


def timed_set(line: re.Match[str]) -> TimedSet:
    seconds, distance = line["time"] or line["seconds"], line["distance"]
    return {
        "seconds": int(seconds) if seconds else None,
        "distance_km": float(distance) * KM_OF[line["unit"]] if distance else None,
    }


def timed_lines(sets: Sequence[TimedSet], unit: str) -> list[str]:
    """The lines of the notes; `unit` is that of the distances, "km" or "mi"."""
    texts = [timed_text(one, unit) for one in sets]
    return texts if len(texts) == 1 else [f"Set {place}: {text}" for place, text in enumerate(texts, 1)]


def timed_text(one: TimedSet, unit: str) -> str:
    """A set in words: "1800 s, 5.2 km"."""
    seconds = "" if one["seconds"] is None else f"{one['seconds']} s"
    return ", ".join(filter(None, [seconds, distance(one["distance_km"], unit)]))


def longest(sets: Sequence[TimedSet]) -> TimedSet:
    """The longest time of some sets, and the longest distance."""
    return {
        "seconds": max(filter(None, map(itemgetter("seconds"), sets)), default=None),
        "distance_km": max(filter(None, map(itemgetter("distance_km"), sets)), default=None),
    }


def timed_in_short(notes: str, unit: str) -> str:
    """The sets that the notes name, for people: "1:30 · 45 s", "30:00, 5.2 km"; empty without one."""
    return " · ".join(in_short(one, unit) for one in timed_sets(notes))


def in_short(one: TimedSet, unit: str) -> str:
    return ", ".join(filter(None, [clock(one["seconds"]), distance(one["distance_km"], unit)]))


def clock(seconds: int | None) -> str:
    if seconds is None:
        return ""
    if seconds < 60:
        return f"{seconds} s"
    hours, minutes = divmod(seconds // 60, 60)
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"


def distance(km: float | None, unit: str) -> str:
    return "" if km is None else f"{round(km / KM_OF[unit], 2):g} {unit}"


def distance_unit(weight_unit: str) -> str:
    """The unit of distances for an account with that unit of weights."""
    return "mi" if weight_unit == "lb" else "km"
