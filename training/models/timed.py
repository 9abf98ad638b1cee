"""Sets without repetitions: a time held, a distance covered.

The sets of the specification have no place for them, so they are lines in the notes of an exercise, in the
words of imports (training/imports/building.py): "90 s" where it is the exercise's only one, else
"Set 2: 1800 s, 5.2 km". A weight that was carried follows: "60 s, 10 kg".
"""

import re
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import TypedDict

from django.db import models

from fitness.web.units import KG_PER_POUND, in_local_form, rounded, to_unit

# Characters of an exercise's notes, and entries with notes, in which times and distances are looked for.
NOTES, NOTED_ENTRIES = 1_000, 10_000
KG_OF = {"kg": 1.0, "lb": KG_PER_POUND}
KM_OF = {"km": 1.0, "m": 0.001, "mi": 1.609344}
DISTANCE = r"(?P<distance>\d{1,6}(?:\.\d{1,4})?) (?P<unit>km|mi|m)"
WEIGHT = r"(?P<weight>1?\d{1,3}(?:\.\d{1,4})?) (?P<weight_unit>kg|lb)"  # of at most 2,000, as in sets
LINE = re.compile(
    rf"(?:Set \d+: )?(?:(?P<time>\d{{1,6}}) s|(?:(?P<seconds>\d{{1,6}}) s, )?{DISTANCE})(?:, {WEIGHT})?",
    re.ASCII,
)


class Measure(models.TextChoices):
    """What somebody enters of a set of an exercise."""

    REPS = "reps"  # and the weight
    TIME = "time"
    DISTANCE = "distance"  # and the time


class TimedSet(TypedDict):
    """At least one of time and distance is not None."""

    seconds: int | None
    distance_km: float | None
    weight_kg: float | None


def timed_sets(notes: str) -> list[TimedSet]:
    """The sets that the lines of an exercise's notes name, in their order."""
    return [timed_set(line) for text in notes.splitlines() if (line := LINE.fullmatch(text.strip()))]


def remarks(notes: str) -> str:
    """The other lines of the notes."""
    return "\n".join(text for text in notes.splitlines() if not LINE.fullmatch(text.strip()))


def with_times_of(notes: str, other: str) -> str:
    """The `other` notes with the times and distances of `notes`; as they are where these name none."""
    lines = [text for text in notes.splitlines() if LINE.fullmatch(text.strip())]
    return "\n".join(filter(None, [remarks(other), *lines])) if lines else other


def timed_set(line: re.Match[str]) -> TimedSet:
    seconds, distance, weight = line["time"] or line["seconds"], line["distance"], line["weight"]
    return {
        "seconds": int(seconds) if seconds else None,
        "distance_km": float(distance) * KM_OF[line["unit"]] if distance else None,
        "weight_kg": float(weight) * KG_OF[line["weight_unit"]] if weight else None,
    }


def timed_measure(sets: Iterable[TimedSet], measures: Sequence[str]) -> str:
    """What such sets are measured by in an exercise with these measures."""
    has_distance = any(one["distance_km"] is not None for one in sets)
    is_covered = Measure.DISTANCE in measures and Measure.TIME not in measures
    return Measure.DISTANCE.value if has_distance or is_covered else Measure.TIME.value


def timed_lines(sets: Sequence[TimedSet], units: str) -> list[str]:
    """The lines of the notes, with the account's units, "kg" or "lb"."""
    texts = [timed_text(one, units) for one in sets]
    return texts if len(texts) == 1 else [f"Set {place}: {text}" for place, text in enumerate(texts, 1)]


def timed_text(one: TimedSet, units: str) -> str:
    """A set in words: "1800 s, 5.2 km"."""
    seconds = "" if one["seconds"] is None else f"{one['seconds']} s"
    return joined(seconds, one, units)


def longest(sets: Sequence[TimedSet]) -> TimedSet:
    """The longest time of some sets, and the longest distance."""
    return {
        "seconds": max(filter(None, map(itemgetter("seconds"), sets)), default=None),
        "distance_km": max(filter(None, map(itemgetter("distance_km"), sets)), default=None),
        "weight_kg": None,
    }


def timed_in_short(notes: str, units: str) -> str:
    """The sets that the notes name, for people: "1:30 · 0:45", "30:00, 5.2 km"; empty without one."""
    return " · ".join(in_short(one, units) for one in timed_sets(notes))


def in_short(one: TimedSet, units: str) -> str:
    """A distance of 0, of a machine that shows none, is left out."""
    covered: TimedSet = {**one, "distance_km": one["distance_km"] or None}
    return joined(clock(one["seconds"]), covered, units, in_local_form)


def joined(time: str, one: TimedSet, units: str, written: Callable[[str], str] = str) -> str:
    """`written` makes the numbers those of a language; notes, which are read again, have those of English."""
    weight = f"{written(str(to_unit(one['weight_kg'], units)))} {units}" if one["weight_kg"] else ""
    return ", ".join(filter(None, [time, distance(one["distance_km"], units, written), weight]))


def clock(seconds: int | None) -> str:
    if seconds is None:
        return ""
    hours, minutes = divmod(seconds // 60, 60)
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"


def distance(km: float | None, units: str, written: Callable[[str], str] = in_local_form) -> str:
    """To a metre; in miles where weights are in pounds."""
    if km is None:
        return ""
    unit = distance_unit(units)
    return f"{written(f'{rounded(km / KM_OF[unit], 1000):.3f}'.rstrip('0').rstrip('.'))} {unit}"


def distance_unit(units: str) -> str:
    return "mi" if units == "lb" else "km"
