"""Screens in a language of brackets: what is outside of them would be English in every language."""

import re

import pytest
from django.apps import apps
from django.db import models
from django.urls import Resolver404, resolve, reverse
from django.utils import timezone, translation

from accounts.models import Account
from fitness.management.commands import seed_demo
from fitness.web import days, svg_charts
from fitness.web.local_time import zone_names
from tests.conftest import freshly_signed_in
from tests.web.screen_texts import UNREAD, Shown
from training.catalogue.muscles import MUSCLES
from training.models import Exercise
from training.web.train import views

MARKED = re.compile(r"⟦[^⟦⟧]*⟧")
WORDS = re.compile(r"[^\W\d_]{2}")
# Names, units and codes, which are the same in all languages.
SAME = re.compile(
    r"\b(Fitness|MCP|REST|API|openapi\.json|RPE|e?1RM|kg|lb|lbs|cm|in|ft|km|mi|kcal|min|OAuth|CSV|JSON|ZIP|UTC|"
    r"Hevy|Strong|Claude|ChatGPT|Cursor|Apple|Google|Outlook|curl|English|Deutsch|Español|Français|SHA-256)\b"
)
ENGLISH = {"docs", "openapi"}  # what programmers read
ENDING = ("end-", "delete", "remove", "revoke", "sign-out", "clear", "undo")
LINK = re.compile(r'(?:href|action)="(/[^"]*)"')
ALONE = ("sign-in", "sign-up", "reset-password", "offline", "train")  # which no page links to


class Brackets:
    """Stands in for Django's translation: every text that is marked comes back in brackets."""

    def __init__(self, original):
        self.original = original

    def __getattr__(self, name):
        return getattr(self.original, name)

    def gettext(self, text):
        return f"⟦{text}⟧"

    def pgettext(self, context, text):
        return f"⟦{text}⟧"

    def ngettext(self, one, many, number):
        return f"⟦{one if number == 1 else many}⟧"

    def npgettext(self, context, one, many, number):
        return self.ngettext(one, many, number)


def outside(html, known):
    """The texts of a page that no mark and no record of the account has."""
    while MARKED.search(html):
        html = MARKED.sub("", html)
    for text in Shown(html, unread=(*UNREAD, "bdi", "time")).texts:
        rest = text
        for one in known:
            rest = rest.replace(one, "")
        if WORDS.search(SAME.sub("", rest)):
            yield text


def texts_of(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for one in value.values() for text in texts_of(one))
    elif isinstance(value, list):
        yield from (text for one in value for text in texts_of(one))


def stored_texts(account):
    """What the account has written itself, zones, muscles and how to do exercises, the longest first.

    And a program with a name of its own.
    """
    found = {"GZCLP"}
    for model in apps.get_models():
        if model is not Account and not any(field.name == "account" for field in model._meta.fields):
            continue
        names = [
            field.name
            for field in model._meta.fields
            if isinstance(field, models.CharField | models.TextField | models.JSONField) and not field.choices
        ]
        rows = model._base_manager.filter(
            **({"pk": account.pk} if model is Account else {"account": account})
        )
        for row in rows.values_list(*names) if names else ():
            found |= {text for value in row for text in texts_of(value) if WORDS.search(text)}
    found |= {part.replace("_", " ") for one in zone_names() for part in (one, *one.split("/", 1))}
    found |= set(Exercise.objects.values_list("instructions", flat=True))
    muscles = (muscle.words["de"][0] for muscle in MUSCLES.values())
    found |= {word[0].upper() + word[1:] for word in muscles}
    found |= {" ".join(text.split()) for text in found}
    return sorted(found - {""}, key=len, reverse=True)


def links(html):
    """The addresses of this service in a page, without what they ask for."""
    return {address.partition("?")[0].partition("#")[0] for address in LINK.findall(html)}


def pages(browser):
    """(address, html) of one page of each kind that links lead to, and of its form sent empty."""
    waiting = [reverse(name) for name in ALONE] + ["/"]
    seen, kinds = set(waiting), set()
    while waiting:
        address = waiting.pop()
        kind = resolve(address).url_name
        if kind in kinds or kind in ENGLISH or address.startswith("/admin"):
            continue
        kinds.add(kind)
        responses = [browser.get(address)]
        if responses[0].status_code == 200 and not kind.startswith(ENDING):
            responses.append(browser.post(address, {}))
        for response in responses:
            if response.status_code == 200 and "text/html" in response.headers["Content-Type"]:
                html = response.content.decode()
                yield address, html
                new = {one for one in links(html) if one not in seen and is_page(one)}
                seen |= new
                waiting += sorted(new)


def is_page(address):
    try:
        return resolve(address).url_name is not None
    except Resolver404:
        return False


@pytest.fixture
def brackets(monkeypatch):
    monkeypatch.setattr(translation, "_trans", Brackets(translation._trans))
    # Texts of tests before, and for tests after.
    for kept in (days.written, svg_charts.workouts_on, views.train_page):
        monkeypatch.setattr(kept.__module__ + "." + kept.__name__, kept.__wrapped__)


def test_screens_say_nothing_that_is_not_marked(db, brackets):
    account = seed_demo.seed("demo@example.org", timezone.now().date(), 60, "blue horse 77")
    Account.objects.filter(pk=account.pk).update(language="de")
    browser, known = freshly_signed_in(account), stored_texts(account)
    found = {}  # the first page that says it, by text
    for address, html in pages(browser):
        for text in outside(html, known):
            found.setdefault(text, address)
    assert not found, "\n".join(f"{address}: {text}" for text, address in found.items())
