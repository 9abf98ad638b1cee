"""Names and words of the catalogue in the language of a screen, and the letters of supersets.

English is what is stored, compared and sent. The words that translators find are the labels of choices
(training/models/exercise.py), and the names in training/catalogue/names_to_translate.py.
"""

import bisect
from collections.abc import Iterable
from functools import cache
from string import ascii_uppercase
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils import translation
from django.utils.dates import WEEKDAYS
from django.utils.text import capfirst
from django.utils.translation import pgettext

from fitness.db.keysets import Keyset, Page, Query, Size
from fitness.db.owned import Owner
from fitness.web.language import current, in_english, is_english
from training.catalogue.folding import fold, folded, unmarked
from training.catalogue.names_to_translate import EXERCISES


def exercise_name(name: str) -> str:
    """The name of an exercise; as it is stored where the language is English or has no name for it."""
    return term(name, "exercise")


def term(word: str, context: str) -> str:
    """A word of the catalogue: the label of a choice, such as "Back" in the context "muscle group"."""
    # Pages show hundreds of names: in English none is looked up.
    return word if is_english() else pgettext(context, word)


def meant(text: str) -> list[str]:
    """The stored names of exercises whose name in the language of the screen has all words of a text."""
    words = fold(text)
    if is_english() or not words:
        return []
    return [
        name
        for name, translated in folded_names(current()).items()
        if all(one in translated for one in words)
    ]


def meant_in_any_language(text: str) -> list[str]:
    """As `meant`, in all languages of screens; the shortest names first, which are the plainest exercises."""
    found: set[str] = set()
    for language, _ in settings.LANGUAGES:
        with translation.override(language):
            found.update(meant(text))
    return sorted(found, key=lambda name: (len(name), name))


@cache
def folded_names(language: str) -> dict[str, str]:
    """The names that translators have found, as searches compare them, by the stored name."""
    with in_english():
        stored = [str(name) for name in EXERCISES]
    return {name: folded([pgettext("exercise", name)]) for name in stored}


def terms(words: Iterable[str], context: str) -> str:
    """Several of them, as a list."""
    return ", ".join(term(word, context) for word in words)


class ByShownName(Keyset):
    """The order of exercises by their names in the language of the screen.

    The database knows the English ones. For the others the names of all rows are read, as many as the
    catalogue has.
    """

    def page(
        self,
        queryset: QuerySet[Any, Any],
        query: Query,
        account: Owner,
        scope: str = "",
        size_of: Size | None = None,
    ) -> Page:
        if is_english():
            return super().page(queryset, query, account, scope, size_of)
        position = self.position(queryset, query, account, scope)
        places = sorted(place(*row) for row in queryset.values_list(*self.fields))
        begin = bisect.bisect(places, place(*(one.value for one in position))) if position else 0
        found = queryset.in_bulk([pk for _, pk in places[begin : begin + query["limit"] + 1]])
        rows = sorted(found.values(), key=lambda exercise: place(exercise.name, exercise.pk))
        return self.page_of(rows, query, account, scope, size_of)


def place(name: str, pk: str) -> tuple[str, str]:
    """The position of an exercise in a list that is ordered by shown names."""
    return unmarked(exercise_name(name)), pk


BY_SHOWN_NAME = ByShownName("exercises by name", "name", "id", descending=False)


def weekday_name(weekday: int) -> str:
    """The day of the week, 1 for Monday, as a headline."""
    return capfirst(str(WEEKDAYS[weekday - 1]))


def superset_letters(ids: Iterable[str | None]) -> dict[str, str]:
    """The letter of each superset by its id, in the order of appearance: "A" for the first, whatever its id.

    An id is any text: imports have those of their apps.
    """
    return {pk: letters_at(place) for place, pk in enumerate(filter(None, dict.fromkeys(ids)))}


def letters_at(place: int) -> str:
    """ "A" to "Z", then "AA", as in training/static/training/train/state.js."""
    before, last = divmod(place, len(ascii_uppercase))
    return (letters_at(before - 1) if before else "") + ascii_uppercase[last]
