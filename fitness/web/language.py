"""The language of screens and mails: what an account has chosen, else what the browser proposes.

`fitness.middleware.Localization` activates it for screens. For the API, the tools, the admin and commands
none is active, which is English. The words are in `locale/`, those of scripts in `static/words/`
(`make messages`).
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Protocol

from django.conf import settings
from django.utils import translation

# That of the page: its numbers and days ask for it hundreds of times, 2 ms by the function of Django.
page_language: ContextVar[str | None] = ContextVar("page_language", default=None)


class Reader(Protocol):
    """What this reads of an Account: this package imports no app."""

    @property
    def language(self) -> str: ...


def is_known(language: str) -> bool:
    return language in dict(settings.LANGUAGES)


def current() -> str:
    """The language of the page, or of whatever else is written."""
    return page_language.get() or translation.get_language() or settings.LANGUAGE_CODE


def is_english() -> bool:
    """Whether texts are those of the code, which need no look-up."""
    return current() == settings.LANGUAGE_CODE


@contextmanager
def in_language(language: str) -> Iterator[None]:
    """English texts are those of the code: without a language nothing is looked up in catalogues."""
    before = page_language.set(language)
    try:
        with translation.override(None if language == settings.LANGUAGE_CODE else language):
            yield
    finally:
        page_language.reset(before)


def in_english() -> AbstractContextManager[None]:
    """For what a page stores or logs for others than its reader."""
    return in_language(settings.LANGUAGE_CODE)


def activate_language_of(account: Reader) -> None:
    """For the rest of a request; an account that has chosen none keeps what its browser proposes."""
    if not is_known(account.language):
        return
    page_language.set(account.language)
    if account.language == settings.LANGUAGE_CODE:
        translation.deactivate_all()
    else:
        translation.activate(account.language)


def in_language_of(account: Reader) -> AbstractContextManager[None]:
    """For what an account gets that is no page of its own, as a mail or its calendar.

    One that has chosen no language gets that of the page, and without one English.
    """
    return in_language(account.language if is_known(account.language) else current())
