"""The language of screens and mails: what an account has chosen, else what the browser proposes.

`fitness.middleware.Language` activates it for screens. For the API, the tools, the admin and commands none is
active, which is English. The words are in `locale/`, those of scripts in `static/words/` (`make messages`).
"""

from contextlib import AbstractContextManager
from typing import Protocol

from django.conf import settings
from django.utils import translation


class Reader(Protocol):
    """What this reads of an Account: this package imports no app."""

    @property
    def language(self) -> str: ...


def is_known(language: str) -> bool:
    return language in dict(settings.LANGUAGES)


def current() -> str:
    """The language of the page, or of whatever else is written."""
    return translation.get_language() or settings.LANGUAGE_CODE


def is_english() -> bool:
    """Whether texts are those of the code, which need no look-up."""
    return current() == settings.LANGUAGE_CODE


def in_language(language: str) -> AbstractContextManager[None]:
    """English texts are those of the code: without a language nothing is looked up in catalogues."""
    return translation.override(None if language == settings.LANGUAGE_CODE else language)


def activate_language_of(account: Reader) -> None:
    """For the rest of a request; an account that has chosen none keeps what its browser proposes."""
    if account.language == settings.LANGUAGE_CODE:
        translation.deactivate_all()
    elif is_known(account.language):
        translation.activate(account.language)


def in_language_of(account: Reader) -> AbstractContextManager[None]:
    """For what an account gets that is no page of its own, as a mail or its calendar.

    One that has chosen no language gets that of the page, and without one English.
    """
    return in_language(account.language if is_known(account.language) else current())
