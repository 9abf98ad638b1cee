"""The sets of a form without repetitions: a time held, a distance covered, as texts in its fields.

They are stored as lines in the notes of their exercise (training/models/timed.py).
"""

import re
from collections.abc import Sequence
from itertools import compress
from typing import TypedDict

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import Account
from fitness.web import units
from training.models.timed import KM_OF, Measure, TimedSet, distance_unit, timed_lines, timed_text
from training.web.forms.base import MAX_WEIGHT_KG, SetRow, number_text, weight_in_kg

CLOCK = re.compile(r"(?:(\d{1,3}):(?=[0-5]\d:))?(\d{1,5}):([0-5]\d)", re.ASCII)
MINUTE = 60
MAX_SECONDS = 604_800
MAX_KM = 10_000
# How many seconds a number is that somebody types as the time of a set.
SECONDS_OF = {Measure.TIME.value: 1, Measure.DISTANCE.value: MINUTE}
ASKED = {
    Measure.TIME.value: gettext_lazy("Enter seconds, or minutes as 1:30."),
    Measure.DISTANCE.value: gettext_lazy("Enter minutes, as 32 or 32:30."),
}


# As parsedSeconds in training/static/training/train/units.js.
def typed_seconds(typed: str, seconds: int) -> int | None:
    """A time as somebody types it: "1:30", "1:02:05" or so many `seconds`; None where it is none."""
    if clock := CLOCK.fullmatch(typed.strip()):
        hours, minutes, rest = (int(part or 0) for part in clock.groups())
        return (hours * MINUTE + minutes) * MINUTE + rest
    value = units.typed_number(typed)
    return None if value is None or not 0 <= value * seconds <= MAX_SECONDS else round(value * seconds)


def minutes_text(seconds: int) -> str:
    """Minutes as somebody types them: 54, and 53:59 between two of them."""
    minutes, rest = divmod(seconds, MINUTE)
    return f"{minutes}:{rest:02}" if rest else str(minutes)


def is_timed(row: SetRow) -> bool:
    """Whether the set has fields for a time, in place of repetitions."""
    return row["measure"] in SECONDS_OF


def is_just_ticked(row: SetRow) -> bool:
    """Whether the set of a template is ticked, and nobody knows for how long it was held."""
    return bool(row["suggested_reps"]) and not (time_of(row) or distance_of(row) or row["weight"])


def time_of(row: SetRow) -> str:
    return row["time"] or row["suggested_time"]


def distance_of(row: SetRow) -> str:
    return row["distance"] or row["suggested_distance"]


class TimeTexts(TypedDict):
    """Those of a SetRow that a stored set fills."""

    measure: str
    time: str
    distance: str
    weight: str
    weight_kg: str


def time_texts(one: TimedSet, measure: str, account: Account) -> TimeTexts:
    """What the fields of a stored set show."""
    seconds, km, kg = one["seconds"], one["distance_km"], one["weight_kg"]
    is_in_minutes = SECONDS_OF[measure] == MINUTE
    far = "" if km is None else number_text(units.rounded(km / KM_OF[distance_unit(account.units)], 1000))
    return {
        "measure": measure,
        "time": "" if seconds is None else minutes_text(seconds) if is_in_minutes else str(seconds),
        "distance": far,
        "weight": number_text(units.to_unit(kg, account.units)) if kg else "",
        "weight_kg": repr(kg) if kg else "",
    }


def time_texts_of(row: SetRow) -> TimeTexts:
    return {
        "measure": row["measure"],
        "time": row["time"],
        "distance": row["distance"],
        "weight": row["weight"],
        "weight_kg": row["weight_kg"],
    }


def timed_set(row: SetRow, account: Account) -> TimedSet:
    """The numbers of a row; None in the place of what is empty or none."""
    kg = weight_in_kg(row, account.units) if row["weight"] else None
    far = units.typed_number(distance_of(row))
    return {
        "seconds": typed_seconds(time_of(row), SECONDS_OF[row["measure"]]),
        "distance_km": None if far is None else far * KM_OF[distance_unit(account.units)],
        "weight_kg": kg if not isinstance(kg, str) else None,
    }


def problems_of(row: SetRow, account: Account) -> dict[str, str]:
    """What is wrong in the fields of a row, by their names."""
    one, found = timed_set(row, account), {}
    if one["seconds"] is None and (time_of(row) or not distance_of(row)):
        found["time"] = str(ASKED[row["measure"]])
    if distance_of(row) and not is_within(one["distance_km"], MAX_KM):
        unit = distance_unit(account.units)
        most = units.group_thousands(int(MAX_KM / KM_OF[unit]))
        found["distance"] = _("Enter a distance of at most %(most)s %(unit)s.") % {"most": most, "unit": unit}
    if row["weight"] and not is_within(one["weight_kg"], MAX_WEIGHT_KG):
        most = units.group_thousands(int(units.to_unit(MAX_WEIGHT_KG, account.units)))
        said = _("Enter a weight of at most %(most)s %(unit)s, or nothing.")
        found["weight_kg"] = said % {"most": most, "unit": account.units}
    return found


def is_within(value: float | None, most: float) -> bool:
    return value is not None and 0 <= value <= most


def notes_with_times(typed: str, rows: Sequence[SetRow], account: Account) -> str:
    """The notes of an exercise with its sets without repetitions; of those that were not done in words."""
    is_done = [bool(row["completed"] or row["typed_is_done"]) for row in rows]
    sets = [timed_set(row, account) for row in rows]
    others = [one for one, done in zip(sets, is_done, strict=True) if not done]
    lines = timed_lines(list(compress(sets, is_done)), account.units)
    if others:
        words = "; ".join(timed_text(one, account.units) for one in others)
        lines.append(_("Not done: %(sets)s") % {"sets": words})
    return "\n".join(filter(None, [typed, *lines]))
