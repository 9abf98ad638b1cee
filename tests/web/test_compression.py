"""Screens and the API's description are compressed; secrets and responses to keys are not."""

import gzip
import json

import pytest
from django.urls import reverse
from django.utils import timezone

from fitness.management.commands import seed_demo
from tests.accounts.test_admin import issue
from tests.accounts.test_web import create_key
from tests.conftest import a_set

DESCRIPTION = "/api/v1/openapi.json"
GZIP = {"Accept-Encoding": "gzip, deflate"}


@pytest.fixture
def long_page(client, db):
    """The browser of somebody with three months of training."""
    client.force_login(seed_demo.seed("demo@example.org", timezone.now().date(), 90, "blue horse 77"))
    return client


@pytest.mark.parametrize(("address", "times"), [("/", 5), ("/workouts", 4), ("/docs", 2), (DESCRIPTION, 8)])
def test_a_screen_is_compressed(long_page, address, times):
    plain, small = long_page.get(address), long_page.get(address, headers=GZIP)
    assert small.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in small.headers["Vary"]
    assert int(small.headers["Content-Length"]) == len(small.content) < len(plain.content) / times
    assert len(gzip.decompress(small.content)) == len(plain.content)
    assert not plain.has_header("Content-Encoding")


def test_the_compressed_length_of_a_screen_varies(page):
    assert len({len(page.get("/docs", headers=GZIP).content) for _ in range(20)}) > 1


def test_the_export_is_compressed(page, log_workout):
    log_workout(a_set(), title="Leg day")
    answer = page.get(reverse("export"), headers=GZIP)
    assert int(answer.headers["Content-Length"]) == len(answer.content)
    assert "Leg day" in json.dumps(json.loads(gzip.decompress(answer.content)))


def test_responses_to_keys_are_not_compressed(api, log_workout):
    log_workout(a_set(), notes="x" * 5000)
    for method, address, body in [
        ("GET", "/workouts", None),
        ("GET", "/nowhere", None),
        ("POST", "/goals", {}),
    ]:
        assert not api.call(method, address, body, headers=GZIP).has_header("Content-Encoding")


def test_a_screen_with_a_new_key_is_not_compressed(page, admin_page, stranger):
    for client, make in [(page, create_key), (admin_page, lambda client: issue(client, stranger))]:
        client.defaults["HTTP_ACCEPT_ENCODING"] = "gzip"
        made = make(client)
        assert made.headers["Content-Encoding"] == "identity"
        assert b"svc_" in made.content
