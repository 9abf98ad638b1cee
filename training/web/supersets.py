"""What screens call the supersets of a workout."""

from collections.abc import Iterable
from itertools import cycle
from string import ascii_uppercase


def superset_letters(ids: Iterable[str | None]) -> dict[str, str]:
    """The letter of each superset by its id, in the order of appearance: "A" for the first, whatever its id.

    An id is any text: imports have those of their apps.
    """
    return dict(zip(filter(None, dict.fromkeys(ids)), cycle(ascii_uppercase), strict=False))
