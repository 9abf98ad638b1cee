"""What the provider meets here: second factors, OIDC_ONLY, programs that connect; and where it is off."""

from contextlib import nullcontext

import pytest
from django.apps import apps
from django.conf import settings as all_settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts import links
from accounts.models import Account, ProviderTie
from tests.accounts.devices import code_of
from tests.accounts.oidc.conftest import Visitor
from tests.accounts.programs import Program
from tests.accounts.test_factors import set_up_app
from tests.conftest import client_of, freshly_signed_in, path_of, statements
from tests.factories import PASSWORD
from tests.html import plain, text
from tests.operations.test_settings import settings_of

# --- Second factors ----------------------------------------------------------------------------------


def test_a_second_factor_is_not_asked_for_behind_the_provider(visitor, tied):
    set_up_app(freshly_signed_in(tied))
    visitor.sign_in()
    assert visitor.account == tied


def test_a_second_factor_is_asked_for_if_the_operator_wants_it(visitor, tied, settings, events, time_machine):
    time_machine.move_to("2026-11-18T12:00:00Z", tick=False)
    key, _ = set_up_app(freshly_signed_in(tied))
    settings.OIDC_ASK_FACTOR = True
    assert visitor.sign_in(next="/workouts").headers["Location"] == reverse("factor")
    assert visitor.account is None
    time_machine.move_to("2026-11-18T12:01:00Z", tick=False)
    response = visitor.client.post(reverse("factor"), {"code": code_of(key)})
    assert response.headers["Location"] == "/workouts"
    assert visitor.account == tied
    assert events()[-1][2] == "with Authentik and an authenticator code"
    assert visitor.client.session["provider_session"]  # ends with that of the provider


@pytest.mark.parametrize(("asks", "leads_to"), [(False, "/workouts"), (True, "/settings/account/factors")])
def test_who_must_have_a_factor_has_that_of_the_provider(visitor, tied, settings, asks, leads_to):
    settings.REQUIRE_SECOND_FACTOR, settings.OIDC_ASK_FACTOR = "everyone", asks
    visitor.sign_in()
    response = visitor.client.get("/workouts")
    assert response.headers.get("Location", "/workouts") == leads_to


# --- OIDC_ONLY ---------------------------------------------------------------------------------------


@pytest.fixture
def only(settings, provider):
    settings.OIDC_ONLY = True


def sign_in_by_password(email, password=PASSWORD):
    client = Client()
    response = client.post(reverse("sign-in"), {"username": email, "password": password})
    return response, "_auth_user_id" in client.session


@pytest.mark.parametrize("password", [PASSWORD, "a wrong one"])
def test_no_password_signs_in_or_is_called_right(account, only, password):
    response, is_signed_in = sign_in_by_password(account.email, password)
    assert not is_signed_in
    assert "Passwords are for staff here. Sign in with Authentik." in text(response)


def test_whoever_has_an_account_already_is_told_whom_to_ask(only, visitor, account):
    page = visitor.client.get(visitor.sign_in().headers["Location"])
    assert "Sign in to it once with a passkey, or ask whoever runs this service" in text(page)


def test_the_password_of_staff_signs_in(account, only):
    Account.objects.update(is_staff=True)
    assert sign_in_by_password(account.email)[1]


def test_nobody_signs_up_with_a_password(only, db, client):
    page = client.get(reverse("sign-up"))
    assert "Go on with Authentik" in text(page)
    assert 'type="password"' not in text(page)
    client.post(reverse("sign-up"), {"email": "a@example.org", "password1": PASSWORD, "password2": PASSWORD})
    assert not Account.objects.exists()


@pytest.mark.parametrize("sends", [True, False])
def test_nobody_gets_a_new_password_by_mail(only, account, client, settings, sends, mailoutbox):
    settings.SENDS_MAIL = sends
    assert "Sign in with Authentik." in text(client.post(reverse("reset-password"), {"email": account.email}))
    assert mailoutbox == []


@pytest.mark.parametrize(("is_staff", "status"), [(False, 403), (True, 200)])
def test_a_link_to_a_new_password_is_for_staff(only, account, client, is_staff, status):
    Account.objects.update(is_staff=is_staff)
    assert client.get(path_of(links.PASSWORD.link(account))).status_code == status


@pytest.mark.parametrize("is_staff", [False, True])
def test_the_command_makes_no_link_that_would_not_work(only, account, is_staff):
    Account.objects.update(is_staff=is_staff)
    with nullcontext() if is_staff else pytest.raises(CommandError, match="staff alone"):
        call_command("reset_link", account.email)


def test_a_link_lets_somebody_in_to_connect_their_account(only, account, visitor, capsys):
    call_command("sign_in_link", account.email)
    visitor.client.post(path_of(capsys.readouterr().out.strip()))
    visitor.sign_in(reverse("begin-tie"))
    visitor.client.post(reverse("tie-provider"))
    assert ProviderTie.objects.get().account == account


def test_the_settings_offer_no_password(only, visitor, tied):
    visitor.sign_in()
    page = text(visitor.client.get(reverse("account")))
    assert "Change password" not in page
    assert "Set a password" not in page


def test_a_password_is_no_way_in_that_would_be_left(only, visitor, tied):
    visitor.sign_in()
    visitor.client.post(reverse("untie-provider"))
    assert ProviderTie.objects.exists()


def test_a_password_confirms_nothing(only, page):
    response = page.post(reverse("confirm-password"), {"password": PASSWORD})
    assert response.status_code == 200


def test_the_form_for_passwords_is_folded_away(only, db, client):
    page = text(client.get(reverse("sign-in")))
    assert "For staff: sign in with a password" in page
    assert "Forgot your password?" not in page


def test_keys_go_on_working(only, account):
    assert client_of(account).get("/me").status_code == 200


# --- What comes after the sign-in --------------------------------------------------------------------


def test_the_admin_leads_through_the_provider(visitor, tied):
    Account.objects.update(is_staff=True, is_superuser=True)
    response = visitor.client.get(reverse("admin:login"), {"next": "/admin/"})
    page = text(visitor.client.get(response.headers["Location"]))
    assert f'href="{reverse("provider")}?next=%2Fadmin%2F"' in page
    assert visitor.sign_in(next="/admin/").headers["Location"] == "/admin/"
    assert visitor.client.get("/admin/").status_code == 200


def test_a_program_is_connected_behind_the_provider(visitor, tied, settings):
    settings.PUBLIC_URL = "https://fit.example.org"
    program = Program()
    to_sign_in = visitor.client.get(program.address()).headers["Location"]
    page = visitor.client.get(to_sign_in)
    assert page.headers["Cross-Origin-Opener-Policy"] == "unsafe-none"
    location = visitor.begin(next=program.address())
    back = visitor.come_back(**visitor.fake.let_in(location))
    assert back.headers["Location"] == program.address()
    assert back.headers["Cross-Origin-Opener-Policy"] == "unsafe-none"
    assert "to your training data?" in text(visitor.client.get(program.address()))
    tokens = program.connect(visitor.client)
    settings.PUBLIC_URL = "http://localhost:8000"
    visitor.client.post(reverse("sign-out"))
    assert tokens["access_token"]


def test_a_new_browser_is_reported_as_after_a_password(visitor, tied, sends_mail, mailoutbox):
    freshly_signed_in(tied)  # not the first sign-in
    visitor.sign_in()
    assert len(mailoutbox) == 1
    visitor.client.post(reverse("sign-out"))
    visitor.sign_in()
    assert len(mailoutbox) == 1


def test_a_form_that_was_sent_too_late_waits_behind_the_provider(visitor, tied):
    visitor.sign_in()
    visitor.client.session.flush()
    response = visitor.client.post(reverse("set-units"), {"units": "lb"})
    assert response.status_code == 302


def test_a_tie_by_a_page_is_reported_by_mail(provider, account, sends_mail, mailoutbox):
    owner = Visitor(provider, freshly_signed_in(account))
    owner.sign_in(reverse("begin-tie"))
    owner.client.post(reverse("tie-provider"))
    assert [message.subject for message in mailoutbox] == ["Authentik opens your account"]


# --- Off ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        *(f"/sign-in/provider{rest}" for rest in ("", "/return", "/signed-out", "/left")),
        *(f"/settings/account/provider{rest}" for rest in ("", "/tie", "/untie")),
    ],
)
def test_without_a_provider_its_pages_are_not_there(client, db, path):
    assert client.get(path).status_code == 404


def test_without_a_provider_nothing_is_asked_of_the_database(page, client, db):
    with statements() as executed:
        page.get(reverse("account"))
        page.get(reverse("confirm-password"))
        client.get(reverse("sign-in"))
    assert [sql for sql in executed if "providertie" in sql] == []


def test_without_a_provider_no_page_speaks_of_one(page, client, db):
    assert "Connect" not in plain(text(page.get(reverse("account"))))
    assert "Sign in with " not in plain(text(client.get(reverse("sign-in")))).replace(
        "Sign in with a passkey", ""
    )


def test_a_role_that_there_is_not_stops_the_start(settings):
    named = settings_of(OIDC_STAFF_GROUP="cn=admins,admins=superuser", SECRET_KEY="a key for tests only")
    settings.OIDC_STAFF_GROUP = named["OIDC_STAFF_GROUP"]
    with pytest.raises(SystemExit, match=r"^OIDC_STAFF_GROUP: cn=admins: the roles are superuser, Keys"):
        apps.get_app_config("accounts").ready()


def test_the_secret_may_be_in_a_file(tmp_path):
    (tmp_path / "secret").write_text("from a file\n")
    found = settings_of(
        OIDC_ISSUER="https://auth.example.org",
        OIDC_CLIENT_ID="fitness",
        PUBLIC_URL="https://fit.example.org",
        OIDC_CLIENT_SECRET_FILE=str(tmp_path / "secret"),
        SECRET_KEY="a key for tests only",
    )
    assert (found["OIDC_CLIENT_SECRET"], found["OIDC_NAME"]) == ("from a file", "auth.example.org")


def test_no_provider_is_set_up_in_the_suite():
    assert not all_settings.OIDC_ISSUER
