"""A form that is sent after the session has ended."""

import pytest
from django.conf import settings
from django.urls import URLPattern, get_resolver

from tests.accounts.people import sign_in
from tests.factories import PASSWORD
from tests.html import text

PORTION = {"portion": "1", "unit": "piece"}
OATS = PORTION | {"name": "Oats", "calories": "520", "protein_g": "38.5", "carbs_g": "66", "fat_g": "11"}
SITE = {"HTTP_REFERER": "http://testserver/supplements"}


@pytest.fixture
def browser(client, account):
    """A browser in which the session of the account has ended."""
    sign_in(client)
    del client.cookies[settings.SESSION_COOKIE_NAME]
    return client


SENTENCE = "You were signed out, so nothing was saved."


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("/body/weight/log", {"weight_kg": "81.4"}),
        ("/nutrition/foods/add", OATS),
        ("/settings/account", {"old_password": PASSWORD}),
        ("/settings/data/delete", {"password": PASSWORD}),
    ],
)
def test_after_the_sign_in_one_is_back_on_the_page_with_one_sentence(browser, account, path, values):
    asked = browser.post(path, values, **SITE)
    assert asked.headers["Location"] == "/sign-in?next=%2Fsupplements"
    assert text(browser.get(asked.headers["Location"])).count(SENTENCE) == 1
    assert sign_in(browser, next="/supplements").headers["Location"] == "/supplements"
    assert text(browser.get("/supplements")).count(SENTENCE) == 1
    assert SENTENCE not in text(browser.get("/supplements"))
    assert not account.weight_logs.exists()
    assert not account.foods.exists()


def test_staff_are_told_that_a_form_of_the_admin_is_not_saved(browser):
    asked = browser.post("/admin/accounts/account/add/", {"email": "x@example.org"}, follow=True)
    assert asked.request["PATH_INFO"] == "/sign-in"
    assert SENTENCE in text(asked)


def addresses(patterns=None, prefix=""):
    """The addresses of screens without a parameter."""
    for one in patterns or get_resolver().url_patterns:
        route = f"{prefix}{getattr(one.pattern, '_route', '')}"
        if isinstance(one, URLPattern):
            yield f"/{route}"
        else:
            yield from addresses(one.url_patterns, route)


def test_no_address_answers_with_an_empty_page(page):
    routes = {one for one in addresses() if "<" not in one and not one.startswith(("/api", "/mcp", "/admin"))}
    empty = [one for one in sorted(routes) if (got := page.get(one)).status_code == 405 and not got.content]
    assert len(routes) > 40
    assert empty == []
    assert "Go back to the page" in text(page.get("/settings/profile/units"))


def test_a_form_leads_back_to_the_page_that_it_was_on(browser):
    page = "/settings/account"
    asked = browser.post(page, {"old_password": "x"}, HTTP_REFERER=f"http://testserver{page}?a=1")
    assert asked.headers["Location"] == "/sign-in?next=%2Fsettings%2Faccount%3Fa%3D1"


@pytest.mark.parametrize("path", ["//evil.example.org/x", "/\\evil.example.org/x"])
def test_a_form_leads_to_no_page_of_another_site(browser, path):
    asked = browser.post("/body/weight/log", {"weight_kg": "81.4"}, HTTP_REFERER=f"http://testserver{path}")
    assert asked.headers["Location"] == "/sign-in?next=%2F"


def test_a_consent_is_asked_for_again_with_what_its_address_says(browser, program):
    asked = browser.post(program.address(), {"choice": "connect"})
    assert asked.headers["Location"].startswith("/sign-in?next=/authorize%3F")
