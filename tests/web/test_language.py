"""The language of screens and mails: the account chooses, the browser proposes. Programs read English."""

import pytest
from django.core import mail
from django.urls import reverse

from accounts import mail as mails
from accounts.models import Account
from tests.conftest import statements
from tests.html import text
from tests.pages import save_settings

GERMAN = {"HTTP_ACCEPT_LANGUAGE": "de-AT,de;q=0.9,en;q=0.5"}
LANGUAGES = {"en": "Sign in", "de": "Anmelden", "es": "Iniciar sesión", "fr": "Se connecter"}


@pytest.fixture
def german(account):
    account.language = "de"
    account.save()
    return account


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_browser_proposes_a_language(client, db, language):
    response = client.get("/sign-in", HTTP_ACCEPT_LANGUAGE=language)
    assert f'<html lang="{language}">' in text(response)
    assert f"<h1>{LANGUAGES[language]}</h1>" in text(response)
    assert f"/words/{language}." in text(response)
    assert "Accept-Language" in response.headers["Vary"]


def test_a_cookie_of_another_service_at_the_host_chooses_nothing(client, db):
    client.cookies["django_language"] = "fr"
    assert '<html lang="de">' in text(client.get("/sign-in", **GERMAN))


@pytest.mark.parametrize("asked", ["", "xx", "tlh, *;q=0.1", "\0", "de" * 300])
def test_an_unknown_language_is_english(client, db, asked):
    assert '<html lang="en">' in text(client.get("/sign-in", HTTP_ACCEPT_LANGUAGE=asked))


def test_the_account_chooses_and_the_choice_wins(page, account):
    assert '<html lang="de">' in text(page.get("/settings/profile", **GERMAN))
    response = save_settings(page, language="fr")
    assert '<html lang="fr">' in text(page.get(response.headers["Location"], **GERMAN))
    account.refresh_from_db()
    assert account.language == "fr"
    save_settings(page, language="")
    assert '<html lang="de">' in text(page.get("/", **GERMAN))


def test_a_language_that_is_not_offered_is_refused(page, account):
    assert save_settings(page, language="tlh").context["form"].errors.keys() == {"language"}
    account.refresh_from_db()
    assert account.language == ""


def test_one_request_leaves_nothing_for_the_next(page, client, german):
    assert '<html lang="de">' in text(page.get("/"))
    assert '<html lang="en">' in text(client.get("/sign-in"))


def test_who_signs_up_keeps_the_language_of_the_form(client, db, settings):
    settings.SIGN_UP = "open"
    password = "blue horse 77"
    fields = {"email": "new@example.org", "password1": password, "password2": password}
    client.post("/sign-up", fields, **GERMAN)
    assert Account.objects.get(email="new@example.org").language == "de"


def test_programs_read_english(api, german):
    headers = {"Accept-Language": "de"}
    english = api.post("/body/weight", {"weight_kg": "82,4"})
    assert english.status_code == 400
    asked_in_german = api.call("POST", "/body/weight", {"weight_kg": "82,4"}, headers=headers)
    assert asked_in_german.content == english.content
    call = {"name": "log_weight", "arguments": {"weight_kg": -1}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    said = [
        api.client.post(
            "/mcp", message, "application/json", headers={"Authorization": f"Bearer {api.key}", **more}
        ).content
        for more in ({}, headers)
    ]
    assert said[0] == said[1]
    assert b"weight_kg" in said[0]


def test_staff_read_english(admin_page):
    Account.objects.filter(is_staff=True).update(language="de")
    response = admin_page.get("/admin/", **GERMAN)
    assert '<html lang="en' in text(response)


def test_error_pages_are_in_the_language_of_the_browser(client, db):
    response = client.get("/no-such-page", **GERMAN)
    assert response.status_code == 404
    assert '<html lang="de">' in text(response)


def test_a_notice_is_mailed_in_the_language_of_the_account(german, sends_mail):
    german.email_confirmed_at = german.created_at
    mails.notify("password_changed", german)
    assert "Passwort" in mail.outbox[0].subject


def test_a_link_for_a_new_password_is_mailed_in_the_language_of_the_account(
    client, admin_page, german, sends_mail
):
    """Whoever asks for it: a browser in French, and staff, who read English."""
    client.post("/reset-password", {"email": german.email}, HTTP_ACCEPT_LANGUAGE="fr")
    admin_page.post(reverse("admin:accounts_account_mail-reset-link", args=[german.pk]))
    assert [one.subject for one in mail.outbox] == ["Ein neues Passwort"] * 2


def test_who_has_an_email_is_told_in_their_language(client, german, sends_mail, settings):
    settings.SIGN_UP = "open"
    password = "blue horse 77"
    fields = {"email": german.email, "password1": password, "password2": password}
    client.post("/sign-up", fields, HTTP_ACCEPT_LANGUAGE="fr")
    assert [one.subject for one in mail.outbox] == ["Du hast ein Konto mit dieser E-Mail-Adresse"]


def test_a_decimal_comma_is_typed_and_shown(page, german):
    typed = {"weight_kg": "82,4", "logged_at": "2026-11-17T08:00"}
    page.post(reverse("log-weight"), typed)
    assert german.weight_logs.get().weight_kg == 82.4
    shown = text(page.get("/body"))
    assert "82,4 kg" in shown
    edit = text(page.get(reverse("edit-weight", args=[german.weight_logs.get().pk])))
    assert 'value="82,4"' in edit


@pytest.mark.parametrize(
    ("language", "typed", "read"),
    [
        *((language, typed, 82.4) for language in LANGUAGES for typed in ("82.4", "82,4", "\uff18\uff12,4 ")),
        *((language, ",5", 0.5) for language in LANGUAGES),
        ("en", "182.375", 182.375),
        ("de", "182,375", 182.375),
        ("en", "182,375", None),
        ("de", "182.375", None),
        *((language, "1" * 400, None) for language in ("en", "de")),
        *(
            ("de", typed, None)
            for typed in ("1.182,5", "1,182.5", "8,2,4", "-", ".", "", "8e1", "1_8", "nan", "inf", "1 182,5")
        ),
    ],
)
def test_a_typed_number_is_read_as_it_is_meant_or_refused(page, account, language, typed, read):
    Account.objects.filter(pk=account.pk).update(language=language)
    page.post(reverse("log-weight"), {"weight_kg": typed, "logged_at": "2026-11-17T08:00"})
    assert [log.weight_kg for log in account.weight_logs.all()] == [read] * (read is not None)


def test_a_page_in_german_takes_no_more_statements(page, account):
    for address in ("/", "/progress", "/workouts", "/body"):
        with statements() as english:
            page.get(address)
        Account.objects.filter(pk=account.pk).update(language="de")
        with statements() as german:
            page.get(address)
        Account.objects.filter(pk=account.pk).update(language="")
        assert len(german) == len(english), address


def test_a_decimal_comma_is_typed_for_the_weights_of_a_program(page, german):
    shown = text(page.get(reverse("start-program", args=["linear-three-days"])))
    assert 'type="number"' not in shown
    assert 'inputmode="decimal"' in shown
