"""Whether two names mean the same movement."""

import difflib
import heapq
import re
import unicodedata
from collections.abc import Iterable
from typing import Protocol, TypeVar

from training.catalogue.folding import fold, words_of

MAX_ID_LENGTH = 120
LIKELY = 16  # exercises whose names are compared letter by letter
COMPARED_LENGTH = 40  # of a text; few names are longer


class NamedExercise(Protocol):
    """An Exercise, or a row with its id and names."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def names_folded(self) -> str: ...


Named = TypeVar("Named", bound=NamedExercise)


def slug(name: str) -> str:
    """The id of an exercise of that name; empty when the name has no Latin letter and no digit."""
    return "-".join(ascii_words(name))[:MAX_ID_LENGTH].strip("-")


def words(name: str) -> tuple[str, ...]:
    """The name's folded words as a tuple to compare.

    They are sorted, as "Incline Dumbbell Fly" is "Dumbbell Incline Fly"; but a name with "to" keeps
    its order, as "High to Low" is not "Low to High".
    """
    found = fold(name)
    return tuple(found if "to" in found else sorted(found))


def ascii_words(name: str) -> list[str]:
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.findall(r"[a-z0-9]+", letters.lower().replace("'", ""))


def nearest(text: str, catalogue: Iterable[Named], count: int = 3) -> list[Named]:
    """The exercises of which the name or an alias is most like a text, such as a mistaken id; best first.

    Pairs of letters, looked for in folded names, single out the likely ones. Shared words, beginnings of
    words and spelling decide among these.
    """
    wanted = fold(text[:COMPARED_LENGTH])
    whole = "".join(wanted)
    pairs = {whole[start : start + 2] for start in range(len(whole) - 1)}
    spelling = difflib.SequenceMatcher(b=whole)

    def likely(exercise: NamedExercise) -> tuple[int, int]:
        names = exercise.names_folded
        return sum(map(names.__contains__, pairs)), names.count("|")  # well-known exercises have more names

    def alike(exercise: NamedExercise) -> float:
        return max(map(likeness, words_of(exercise.names_folded)))

    def likeness(found: list[str]) -> float:
        """From 0, when nothing is shared, to 2, when the words are equal."""
        ours, theirs = beginnings(found), beginnings(wanted)
        spelling.set_seq1("".join(found))
        return 2 * len(ours & theirs) / (len(ours) + len(theirs) or 1) + spelling.ratio()

    return sorted(heapq.nlargest(LIKELY, catalogue, key=likely), key=alike, reverse=True)[:count]


def beginnings(found: list[str]) -> set[str]:
    """The words and the first four letters of each: "benchpress" has those of "bench"."""
    return {*found, *(word[:4] for word in found)}
