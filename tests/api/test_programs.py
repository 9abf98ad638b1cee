"""Requests of programs pass by the middleware of screens, and their answers have the same headers."""

import pytest
from django.urls import URLPattern, get_resolver
from django.urls.resolvers import RegexPattern

from fitness.api.middleware import FOR_PROGRAMS
from tests.conftest import statements

OF_BROWSERS = ("Content-Security-Policy", "X-Frame-Options", "X-Content-Type-Options", "Referrer-Policy")


def views_of_programs(patterns=None, prefix="/"):
    """(path, view) of each address that `is_for_programs` is true of."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        path = prefix + path_of(pattern.pattern)
        if not isinstance(pattern, URLPattern):
            yield from views_of_programs(pattern.url_patterns, path)
        elif FOR_PROGRAMS.match(path):
            yield path, pattern.callback


def path_of(pattern):
    """A beginning of the paths that match, without what a regular expression adds."""
    text = str(pattern)
    return text.lstrip("^").partition("(/")[0].lstrip("(").partition("/.+")[0] if is_regex(pattern) else text


def is_regex(pattern):
    return isinstance(pattern, RegexPattern)


def test_no_view_of_programs_expects_the_token_of_a_form():
    """They have no session either, so a form that somebody else's page sends would change nothing."""
    found = dict(views_of_programs())
    assert {"/mcp", "/token", "/register", "/revoke", "/api/v1/workouts", "/api"} <= set(found)
    assert [path for path, view in found.items() if not getattr(view, "csrf_exempt", False)] == []


@pytest.mark.parametrize(
    "path", ["/api/v1/workouts", "/api/nothing", "/mcp", "/token", "/.well-known/nothing"]
)
def test_headers_for_browsers_are_those_of_screens(client, db, path):
    screen, answer = client.get("/sign-in"), client.get(path)
    for name in OF_BROWSERS:
        assert answer.headers[name] == screen.headers[name]
    assert "Set-Cookie" not in answer.headers
    assert "Cookie" not in answer.headers.get("Vary", "")


def test_a_session_opens_no_address_of_programs(page):
    with statements() as executed:
        response = page.get("/api/v1/workouts")
    assert (response.status_code, executed) == (401, [])
