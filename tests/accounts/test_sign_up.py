"""Sign-up: the cost of its hashes, its limit, and who may."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from io import StringIO

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts import hashers, links
from accounts.audit import AuditEvent, Event
from accounts.invitations import Invitation
from accounts.models import Account, AccountState
from accounts.web.forms import SignUpForm
from fitness.api import rate_limits
from tests.accounts.people import NEW, NEW_PASSWORD, NEWCOMER, SET_BY_STAFF, sign_in, sign_up
from tests.factories import PASSWORD
from tests.html import signed_in, text


@pytest.fixture
def argon2(settings):
    settings.PASSWORD_HASHERS = ["accounts.hashers.PasswordHasher"]


# --- Hashing -------------------------------------------------------------------------------------


@pytest.fixture
def old_hash(argon2, monkeypatch):
    """A hash with other parameters. Django's hasher takes 100 MiB for one, and a second."""
    monkeypatch.setattr(Argon2PasswordHasher, "memory_cost", 1024)
    return Argon2PasswordHasher().encode(PASSWORD, "a salt of sixteen")


def test_passwords_are_hashed_as_owasp_recommends(argon2, client, db):
    sign_up(client)
    assert Account.objects.get().password.startswith("argon2$argon2id$v=19$m=19456,t=2,p=1$")


def test_an_old_hash_is_replaced_at_the_next_sign_in(client, account, old_hash):
    Account.objects.update(password=old_hash)
    sign_in(client)
    assert signed_in(client)
    assert "m=19456,t=2,p=1" in Account.objects.get().password
    assert Account.objects.get().check_password(PASSWORD)


@pytest.fixture
def hashed(argon2, monkeypatch):
    """Whether a transaction was open, for each hash that was made or compared."""
    open_transactions = []
    for name in ("encode", "verify"):
        method = getattr(hashers.PasswordHasher, name)

        def noted(self, *arguments, method=method):
            open_transactions.append(connection.in_atomic_block)
            return method(self, *arguments)

        monkeypatch.setattr(hashers.PasswordHasher, name, noted)
    return open_transactions


def test_no_transaction_waits_for_a_hash(transactional_db, hashed, old_hash):
    client = Client()
    sign_up(client)
    Account.objects.update(password=old_hash)
    client.logout()
    sign_in(client, email=NEWCOMER["email"])
    client.post(reverse("account"), {"old_password": PASSWORD, **NEW})
    Account.objects.update(is_staff=True, is_superuser=True)
    address = reverse("admin:auth_user_password_change", args=[Account.objects.get().pk])
    client.post(address, SET_BY_STAFF)
    Account.objects.update(is_superuser=False)  # the last one stays
    client.post(reverse("delete-account"), {"password": NEW_PASSWORD})
    assert not Account.objects.exists()
    assert hashed == [False] * len(hashed)
    assert len(hashed) > 6


def test_at_most_two_hashes_are_made_at_once(argon2, monkeypatch):
    """Eight at once, each of which waits a little, so that the others could begin."""
    running, most, begun = 0, 0, threading.Condition()

    def slow(self, password, salt):
        nonlocal running, most
        with begun:
            running += 1
            most = max(most, running)
            begun.notify_all()
            begun.wait_for(lambda: running > 2, timeout=0.1)
            running -= 1
        return "argon2$"

    monkeypatch.setattr(Argon2PasswordHasher, "encode", slow)
    with ThreadPoolExecutor(8) as callers:
        list(callers.map(lambda _: hashers.PasswordHasher().encode("blue", "salt"), range(8)))
    assert most == 2


# --- The limit -----------------------------------------------------------------------------------


def test_an_address_may_sign_up_60_times_an_hour(client, db, time_machine):
    time_machine.move_to("2026-03-02T10:00:00Z", tick=False)
    for number in range(60):
        assert sign_up(Client(), email="", display_name=f"{number}").status_code == 200
    response = sign_up(client)
    assert response.status_code == 429
    wait = int(response.headers["Retry-After"])
    assert 1 <= wait <= 3600
    assert re.search(r"Try again in \d+ (minute|second)s?\.", text(response))
    assert sign_up(Client(REMOTE_ADDR="192.0.2.7")).status_code == 302
    time_machine.shift(wait + 1)
    assert sign_up(client, email="another@example.org").status_code == 302


def test_opening_the_form_is_not_counted(client, db, monkeypatch):
    monkeypatch.setitem(rate_limits.LIMITS, "sign-up", "1/h")
    for _ in range(2):
        client.get(reverse("sign-up"))
    assert sign_up(client).status_code == 302


# --- Who may -------------------------------------------------------------------------------------


@pytest.fixture
def by_invitation(settings):
    settings.SIGN_UP = "invite"


@pytest.fixture
def closed(settings):
    settings.SIGN_UP = "closed"


def invite(capsys, *arguments):
    """The path of a link that manage.py invite prints."""
    call_command("invite", *arguments)
    site, address = capsys.readouterr().out.strip().rsplit("/", 1)
    assert site == "http://localhost:8000"
    return f"/{address}"


def is_rejected(response, words):
    assert response.status_code == 403
    assert words in text(response)
    assert "whoever runs this service" in text(response)
    return not Account.objects.filter(email="new@example.org").exists()


CLOSED = "This service takes no new accounts"
INVITED_ONLY = "Accounts here are by invitation"
SPENT = "This invitation does not work any more"


@pytest.mark.parametrize(("mode", "words"), [("closed", CLOSED), ("invite", INVITED_ONLY)])
def test_a_stranger_sees_why_there_is_no_account_for_them(client, account, settings, mode, words):
    settings.SIGN_UP = mode
    assert is_rejected(client.get(reverse("sign-up")), words)
    assert is_rejected(sign_up(client), words)


@pytest.mark.parametrize("mode", ["closed", "invite", "open"])
def test_the_first_account_can_always_be_created(client, db, settings, mode):
    settings.SIGN_UP = mode
    assert reverse("sign-up") in text(client.get("/"))
    assert sign_up(client).headers["Location"] == reverse("home")
    second = sign_up(Client(), email="second@example.org")
    assert second.status_code == (302 if mode == "open" else 403)


@pytest.mark.parametrize("mode", ["closed", "invite"])
@pytest.mark.parametrize("address", ["/", "/docs", "/sign-in"])
def test_sign_up_is_not_offered_where_it_is_not_possible(client, account, settings, mode, address):
    assert reverse("sign-up") in text(client.get(address))
    settings.SIGN_UP = mode
    assert reverse("sign-up") not in text(client.get(address))


def test_an_invitation_is_for_one_account(client, account, by_invitation, capsys):
    address = invite(capsys)
    assert "You are invited." in text(client.get(address))
    assert sign_up(client, address).headers["Location"] == reverse("home")
    assert signed_in(client)
    assert SPENT in text(Client().get(address))
    assert sign_up(Client(), address, email="second@example.org").status_code == 403
    assert Account.objects.count() == 2


def test_a_form_with_errors_does_not_use_the_invitation(client, account, by_invitation, capsys):
    address = invite(capsys)
    for change in ({"email": account.email}, {"password2": "another"}):
        assert sign_up(client, address, **change).status_code == 200
    assert sign_up(client, address).status_code == 302


def test_an_email_taken_by_another_request_leaves_the_invitation_unused(
    client, account, by_invitation, capsys, monkeypatch
):
    address = invite(capsys)
    with monkeypatch.context() as patch:
        patch.setattr(Account, "validate_unique", lambda *args, **kwargs: None)
        page = text(sign_up(client, address, email=account.email))
    assert "There is an account with this email." in page
    assert sign_up(client, address).status_code == 302


def test_an_invitation_for_an_email_is_valid_for_that_address_only(client, account, by_invitation, capsys):
    address = invite(capsys, "New@Example.org")
    assert 'value="new@example.org"' in text(client.get(address))
    page = text(sign_up(client, address, email="other@example.org"))
    assert "This invitation is for new@example.org." in page
    assert sign_up(client, address).status_code == 302


def test_an_invitation_is_valid_for_seven_days(client, account, by_invitation, capsys, time_machine):
    time_machine.move_to("2026-03-02T10:00:00Z", tick=False)
    address = invite(capsys)
    time_machine.move_to("2026-03-09T09:59:59Z", tick=False)
    assert client.get(address).status_code == 200
    time_machine.move_to("2026-03-09T10:00:00Z", tick=False)
    assert is_rejected(client.get(address), SPENT)
    assert is_rejected(sign_up(client, address), SPENT)


def test_a_closed_service_accepts_no_invitation(client, account, by_invitation, capsys, settings):
    address = invite(capsys)
    settings.SIGN_UP = "closed"
    assert is_rejected(sign_up(client, address), CLOSED)
    with pytest.raises(CommandError, match="SIGN_UP is closed"):
        call_command("invite")
    settings.SIGN_UP = "invite"
    assert sign_up(client, address).status_code == 302


@pytest.mark.parametrize("token", ["", "nonsense", "x" * 5000, "%00"])
def test_an_unknown_token_is_rejected(client, account, by_invitation, token):
    assert is_rejected(client.get(f"/sign-up?invitation={token}"), SPENT)


def test_an_old_link_is_ignored_where_sign_up_is_open(client, account):
    assert sign_up(client, "/sign-up?invitation=old").status_code == 302


@pytest.mark.parametrize("email", ["nonsense", "lifter@example.org", f"{'a' * 250}@example.org"])
def test_invite_rejects_an_email_that_nobody_could_sign_up_with(account, email):
    with pytest.raises(CommandError):
        call_command("invite", email)
    assert not Invitation.objects.exists()


def test_a_link_names_the_public_address(db, settings, capsys):
    settings.PUBLIC_URL = "https://fitness.example.org"
    call_command("invite")
    assert capsys.readouterr().out.startswith("https://fitness.example.org/sign-up?invitation=")


def test_only_the_hash_of_a_token_is_stored_and_the_token_is_never_logged(
    client, account, by_invitation, capsys, caplog
):
    address = invite(capsys)
    token = address.partition("=")[2]
    assert "no-store" in client.get(address).headers["Cache-Control"]
    sign_up(client, address)
    stored = [*Invitation.objects.values_list(), *AuditEvent.objects.values_list()]
    assert token not in str(stored)
    assert all(token not in str(vars(record)) for record in caplog.records)


def test_two_forms_of_one_invitation_create_one_account(account, by_invitation, capsys, monkeypatch):
    """The second passes the look-up before the first is stored."""
    address = invite(capsys)
    invitation = Invitation.objects.look_up(address.partition("=")[2])
    assert sign_up(Client(), address).status_code == 302
    monkeypatch.setattr(type(Invitation.objects), "look_up", lambda *arguments: invitation)
    late = sign_up(Client(), address, email="late@example.org")
    assert late.status_code == 403
    assert SPENT in text(late)
    assert not Account.objects.filter(email="late@example.org").exists()


def test_the_account_of_an_invitation_can_be_deleted(client, account, by_invitation, capsys):
    sign_up(client, invite(capsys))
    client.post(reverse("delete-account"), {"password": NEW_PASSWORD})
    assert not Account.objects.filter(email="new@example.org").exists()
    assert not Invitation.objects.exists()


# --- An account that issue_key made --------------------------------------------------------------


@pytest.fixture
def issued(db):
    """An account that `issue_key` made, in the words of an operator."""
    call_command("issue_key", "New@Example.org", stdout=StringIO(), stderr=StringIO())
    return Account.objects.get()


HERE = {"REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "localhost:8000"}
TAKEN = "There is an account with this email."


def here(**change):
    return Client(**{**HERE, **change})


@pytest.mark.parametrize("email", ["new@example.org", " NEW@Example.ORG "])
@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
def test_whoever_made_a_key_first_signs_up_with_the_same_email_at_this_machine(issued, peer, email):
    browser = here(REMOTE_ADDR=peer)
    answer = sign_up(browser, email=email, display_name="Newcomer", time_zone="Europe/Berlin")
    assert answer.headers["Location"] == reverse("home")
    assert signed_in(browser)
    claimed = Account.objects.get()
    assert (claimed.pk, claimed.display_name) == (issued.pk, "Newcomer")
    assert claimed.time_zone == "Europe/Berlin"
    assert claimed.check_password(NEW_PASSWORD)
    assert claimed.api_keys.active().count() == 1
    events = AuditEvent.objects.filter(account=issued).values_list("event", "detail")
    assert ("signed up", "in the account that issue_key made") in events


@pytest.mark.parametrize("change", [{"password1": "12345678", "password2": "12345678"}, {"password2": "x"}])
def test_the_password_of_a_claimed_account_is_held_to_the_same_rules(issued, change):
    assert sign_up(here(), **change).status_code == 200
    issued.refresh_from_db()
    assert not issued.has_usable_password()


ELSEWHERE = {
    "another machine": {"REMOTE_ADDR": "192.0.2.7"},
    "another machine that names this one": {"REMOTE_ADDR": "192.0.2.7", "HTTP_X_FORWARDED_FOR": "127.0.0.1"},
    "a socket without an address": {"REMOTE_ADDR": ""},
    "a proxy here": {"HTTP_X_FORWARDED_FOR": "127.0.0.1"},
    "a proxy here, in the standard's words": {"HTTP_FORWARDED": "for=127.0.0.1"},
    "a proxy here that names itself": {"HTTP_VIA": "1.1 proxy"},
    "a proxy here that names the address alone": {"HTTP_X_REAL_IP": "127.0.0.1"},
    "a proxy here that names the scheme alone": {"HTTP_X_FORWARDED_PROTO": "https"},
    "nginx here, with proxy_pass alone": {"HTTP_HOST": "127.0.0.1:8000", "SERVER_PROTOCOL": "HTTP/1.0"},
}


def is_refused(response, issued):
    issued.refresh_from_db()
    return (
        response.status_code == 200
        and TAKEN in text(response)
        and "manage.py reset_link" in text(response)
        and not issued.has_usable_password()
    )


@pytest.mark.parametrize("change", ELSEWHERE.values(), ids=ELSEWHERE.keys())
def test_nobody_claims_it_from_elsewhere(issued, change):
    assert is_refused(sign_up(here(**change)), issued)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PUBLIC_URL", "http://localhost:8000"),
        ("AUTH_HEADER", "Remote-Email"),
        ("OIDC_ISSUER", "https://auth.example.org"),
        ("TRUSTED_PROXIES", 1),
    ],
)
def test_nobody_claims_it_where_the_service_is_published_or_others_say_who_somebody_is(
    issued, settings, name, value
):
    settings.SIGN_UP = "open"
    setattr(settings, name, value)
    assert is_refused(sign_up(here()), issued)


def by_password(account):
    account.set_password(PASSWORD)
    account.store_password(Event.PASSWORD_RESET)


def by_sign_in_link(account):
    Client().post(links.SIGN_IN.link(account).removeprefix("http://localhost:8000"))
    assert account.sessions.exists()


def by_promotion(account):
    call_command("promote", account.email, "--role", "Support", stdout=StringIO())


OPENED = {
    "it has a password": by_password,
    "its owner has signed in by a link": by_sign_in_link,
    "it is one of staff": by_promotion,
    "it rests": Account.deactivate,
}


@pytest.mark.parametrize("happen", OPENED.values(), ids=OPENED.keys())
def test_an_account_is_not_claimed_once_anything_else_opens_it(issued, happen):
    happen(issued)
    before = Account.objects.values().get()
    response = sign_up(here())
    assert TAKEN in text(response)
    assert Account.objects.values().get() == before


def test_no_account_is_claimed_that_others_made(db, admin_page, by_invitation, capsys):
    """Staff, a provider or a proxy, or an invitation."""
    Account.objects.create_user("new@example.org")
    address = invite(capsys)
    assert TAKEN in text(sign_up(here(), address))
    assert not Account.objects.get(email="new@example.org").has_usable_password()


def test_an_invitation_claims_no_account(issued, by_invitation, capsys):
    assert is_refused(sign_up(here(), invite(capsys)), issued)


def test_a_deleted_account_leaves_its_email_to_a_new_one(issued):
    issued.mark_deleted()
    assert sign_up(here()).status_code == 302
    assert Account.objects.get().pk != issued.pk


def test_of_two_browsers_that_claim_at_once_the_second_is_refused(issued, monkeypatch):
    """It has found the account unclaimed before the first one stored its password."""
    assert sign_up(here()).status_code == 302
    monkeypatch.setattr(SignUpForm, "is_claim", lambda form: True)
    late = {"password1": "green horse 88", "password2": "green horse 88"}
    assert TAKEN in text(sign_up(here(), **late))
    assert Account.objects.get().check_password(NEW_PASSWORD)


@pytest.mark.parametrize("mode", ["closed", "invite"])
def test_an_account_that_issue_key_made_is_not_the_first(issued, settings, mode):
    settings.SIGN_UP = mode
    assert sign_up(Client(), email="first@example.org").status_code == 302
    assert sign_up(Client(), email="second@example.org").status_code == 403


@pytest.mark.parametrize("mode", ["closed", "invite"])
def test_it_is_the_first_once_it_is_claimed(issued, settings, mode):
    settings.SIGN_UP = mode
    assert sign_up(here()).status_code == 302
    assert sign_up(Client(), email="second@example.org").status_code == 403


@pytest.mark.parametrize("happen", [by_password, by_sign_in_link, by_promotion])
def test_it_is_the_first_once_its_owner_opens_it_in_another_way(issued, settings, happen):
    settings.SIGN_UP = "closed"
    happen(issued)
    assert sign_up(Client(), email="second@example.org").status_code == 403


def test_with_mail_the_mail_confirms_the_email_of_a_claimed_account(issued, sends_mail):
    assert "new@example.org" in text(sign_up(here()))
    assert Account.objects.get().check_password(NEW_PASSWORD)


# --- Invitations in the admin --------------------------------------------------------------------

LINK = re.compile(r"<code>http://testserver(/sign-up\?invitation=[\w-]+)</code>")


def made_by_staff(admin_page, email=""):
    response = admin_page.post(reverse("admin:accounts_invitation_add"), {"email": email})
    assert "no-store" in response.headers["Cache-Control"]
    return LINK.search(text(response))[1]


def test_staff_invite_and_see_who_came(admin_page, client, by_invitation):
    address = made_by_staff(admin_page, "new@example.org")
    changelist = reverse("admin:accounts_invitation_changelist")
    listed = text(admin_page.get(changelist))
    assert "valid" in listed
    assert address.partition("=")[2] not in listed
    assert sign_up(client, address).status_code == 302
    invitation = Invitation.objects.get()
    assert (invitation.state, invitation.used_by.email) == ("used", "new@example.org")
    assert (invitation.invited_by.email, invitation.email) == ("root@example.org", "new@example.org")
    shown = text(admin_page.get(reverse("admin:accounts_invitation_change", args=[invitation.pk])))
    assert "used" in shown
    assert "new@example.org" in shown
    events = AuditEvent.objects.order_by("at", "id").values_list("event", "account__email")
    assert list(events) == [
        ("invited", "root@example.org"),
        ("invitation used", "new@example.org"),
        ("signed up", "new@example.org"),
    ]


def test_staff_withdraw_an_invitation_before_it_is_used(admin_page, client, by_invitation):
    withdrawn, used = made_by_staff(admin_page), made_by_staff(admin_page)
    sign_up(Client(), used, email="first@example.org")
    everything = {"action": "withdraw", "_selected_action": Invitation.objects.values_list("pk", flat=True)}
    invitations = reverse("admin:accounts_invitation_changelist")
    assert "This concerns 1 invitation:" in text(admin_page.post(invitations, everything))
    assert not Invitation.objects.exclude(withdrawn_at=None).exists()
    answer = admin_page.post(invitations, {**everything, "confirmed": "Withdraw"}, follow=True)
    assert "1 invitation withdrawn." in text(answer)
    assert "nothing needs that" in text(admin_page.post(invitations, everything, follow=True))
    assert is_rejected(sign_up(client, withdrawn), SPENT)
    assert sorted(invitation.state for invitation in Invitation.objects.all()) == ["used", "withdrawn"]
    assert (
        AuditEvent.objects.filter(event="invitation withdrawn", account__email="root@example.org").count()
        == 1
    )


def test_staff_cannot_invite_an_existing_account_or_while_sign_up_is_closed(admin_page, account, settings):
    add = reverse("admin:accounts_invitation_add")
    page = text(admin_page.post(add, {"email": "LIFTER@example.org"}))
    assert "There is an account with this email." in page
    settings.SIGN_UP = "closed"
    assert admin_page.get(add).status_code == 403
    assert admin_page.post(add, {"email": ""}).status_code == 403
    assert not Invitation.objects.exists()


def test_staff_see_what_an_account_stores(admin_page, account):
    AccountState.objects.update(workout_count=7, stored_bytes=123_456)
    page = text(admin_page.get(reverse("admin:accounts_account_change", args=[account.pk])))
    assert "120.6\xa0KB" in page
