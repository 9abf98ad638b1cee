"""Sets to failure and drop sets, which are working sets here: two lines at the end of an exercise's notes.

Imports write these lines, and exports in the forms of other apps read them back.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from training.imports.source import DROP, FAILURE
from training.models.sets import SetType, WorkoutSet

PLACES = r"([0-9]{1,4}(?:, [0-9]{1,4})*)"
FAILURES, DROPS = re.compile(rf"To failure: sets? {PLACES}"), re.compile(rf"Drop sets: {PLACES}")
# A set that is no set here, so that the numbers in the two lines are not those of the sets that are left.
TIMED = re.compile(r"^Set \d+: .*\d (?:s|km|mi|m)\b", re.MULTILINE)


def lines_of(failures: Sequence[int], drops: Sequence[int]) -> Iterator[str]:
    """The lines about sets at these places, which count from 1."""
    if failures:
        yield f"To failure: {sets_at(failures).lower()}"
    if drops:
        yield f"Drop sets: {listed(drops)}"


def sets_at(places: Sequence[int]) -> str:
    return f"Set {places[0]}" if len(places) == 1 else f"Sets {listed(places)}"


def listed(places: Sequence[int]) -> str:
    return ", ".join(map(str, places))


def marked(notes: str, sets: Sequence[WorkoutSet]) -> tuple[str, Mapping[int, str]]:
    """The notes without the lines, and FAILURE or DROP by the places of sets.

    Where an import of the result would not write the same lines again, they stay in the notes.
    """
    own = notes.split("\n")
    drops, failures = taken(own, DROPS), taken(own, FAILURES)
    rest = "\n".join(own)
    kinds = {**dict.fromkeys(failures, FAILURE), **dict.fromkeys(drops, DROP)}
    is_same = (
        "\n".join([*own, *lines_of(failures, drops)]) == notes
        and (not own or rest.strip() == rest != "")
        and len(kinds) == len(failures) + len(drops)
        and not TIMED.search(rest)
        and all(is_done(sets, place) for place in kinds)
    )
    return (rest, kinds) if is_same else (notes, {})


def taken(lines: list[str], pattern: re.Pattern[str]) -> list[int]:
    """The places that the last line names, which is taken away; none if it is not such a line."""
    match = pattern.fullmatch(lines[-1]) if lines else None
    if not match:
        return []
    lines.pop()
    return [int(place) for place in match[1].split(", ")]


def is_done(sets: Sequence[WorkoutSet], place: int) -> bool:
    """Whether exports hold a working set at the place: they leave out sets that were not done."""
    is_there = 1 <= place <= len(sets) and all(one["completed"] for one in sets[:place])
    return is_there and sets[place - 1]["type"] != SetType.WARMUP
