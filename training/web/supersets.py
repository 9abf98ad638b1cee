"""What screens call the supersets of a workout."""

from collections.abc import Iterable
from string import ascii_uppercase


def superset_letters(ids: Iterable[str | None]) -> dict[str, str]:
    """The letter of each superset by its id, in the order of appearance: "A" for the first, whatever its id.

    An id is any text: imports have those of their apps.
    """
    return {pk: letters(place) for place, pk in enumerate(filter(None, dict.fromkeys(ids)))}


def letters(place: int) -> str:
    """ "A" to "Z", then "AA", as in training/static/training/train/state.js."""
    before, last = divmod(place, len(ascii_uppercase))
    return (letters(before - 1) if before else "") + ascii_uppercase[last]
