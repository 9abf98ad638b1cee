"""What the screens that add, edit and delete have in common, on those of weight logs."""

import pytest
from django.contrib.messages import get_messages
from django.urls import reverse

METHODS = ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]


@pytest.fixture
def log(account):
    return account.weight_logs.create(weight_kg=80)


@pytest.fixture
def addresses(log):
    """Of the three screens."""
    return [
        reverse("log-weight"),
        *(reverse(name, args=[log.pk]) for name in ["edit-weight", "delete-weight"]),
    ]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_but_post_shows_the_form_and_changes_nothing(page, account, addresses, method):
    body, form = b"weight_kg=1", "application/x-www-form-urlencoded"
    for address in addresses:
        response = page.generic(method, address, body, content_type=form)
        assert (response.status_code, bool(response.content)) == (200, method != "HEAD")
    assert account.weight_logs.get().weight_kg == 80


@pytest.mark.parametrize("method", METHODS)
def test_visitors_are_asked_to_sign_in(client, addresses, method):
    for address in addresses:
        response = client.generic(method, address)
        assert (response.status_code, response.headers["Location"]) == (302, f"/sign-in?next={address}")


def test_visitors_are_asked_to_sign_in_before_a_form_is_sent(client, addresses):
    for address in addresses:
        response = client.post(address)
        assert (response.status_code, response.headers["Location"]) == (302, "/sign-in?next=%2F")


def test_an_empty_post_shows_the_form_without_errors(page, account, addresses):
    for address in addresses[:2]:
        response = page.post(address)
        assert (response.status_code, response.context["form"].is_bound) == (200, False)


def test_no_cache_keeps_a_screen(page, addresses):
    for address in addresses:
        assert "no-store" in page.get(address).headers["Cache-Control"]


def test_a_message_on_the_next_screen_confirms_success(page, addresses):
    for address, message in zip(
        addresses,
        ["Your body weight is logged.", "Your changes are saved.", "The weight is deleted."],
        strict=True,
    ):
        response = page.post(address, {"weight_kg": "81", "logged_at": "2026-03-02T06:45"})
        assert (response.status_code, response.headers["Location"]) == (302, "/body")
        assert [str(one) for one in get_messages(response.wsgi_request)][-1] == message


def test_a_name_may_hold_braces(page, account):
    supplement = account.supplements.create(name="{name} {0}", time="08:00")
    response = page.post(reverse("remove-supplement", args=[supplement.pk]))
    assert "{name} {0}" in str(next(iter(get_messages(response.wsgi_request))))
