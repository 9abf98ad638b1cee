"""Second factors: setting them up, signing in with them, and every way around them."""

import datetime
import re
from urllib.parse import unquote

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone

from accounts import factors, links, sign_in_limits
from accounts.audit import AuditEvent, Event
from accounts.factors.models import Authenticator, Passkey, RecoveryCode
from accounts.models import Account
from accounts.sessions import Session
from accounts.web.sign_in import PENDING_SECONDS
from tests.accounts.devices import PRESENT, SoftPasskey, code_of
from tests.accounts.people import NEW, sign_in
from tests.conftest import client_of, path_of, statements
from tests.factories import PASSWORD
from tests.html import signed_in, text
from tests.operations.test_settings import settings_of
from tests.scriptless import Scriptless
from tests.server import ROOT
from tests.test_architecture import OURS

KEY = re.compile(r'<code id="key">([A-Z2-7 ]+)</code>')
SEALED = re.compile(r'name="sealed" value="([^"]+)"')
CODES = re.compile(r'<code id="codes">((?:(?:[a-z2-9]{4}-){3}[a-z2-9]{4}\n?)+)</code>')
WRONG_CODE = "This code is not right"
NOON = "2026-03-02T12:00:00Z"


@pytest.fixture(autouse=True)
def noon(time_machine):
    """A fixed time, which tests shift: codes are of steps of 30 seconds."""
    time_machine.move_to(NOON, tick=False)
    return time_machine


def codes_in(answer):
    found = CODES.search(text(answer))
    return found[1].split() if found else []


def set_up_app(page):
    """Sets an authenticator app up; returns its key and the recovery codes that are shown."""
    form = text(page.get(reverse("set-up-authenticator")))
    key, sealed = KEY.search(form)[1], SEALED.search(form)[1]
    answer = page.post(reverse("set-up-authenticator"), {"code": code_of(key), "sealed": sealed})
    return key, codes_in(answer)


def add_passkey(page, name="phone", device=None):
    device = device or SoftPasskey()
    credential = device.create(page.post(reverse("new-passkey-options")).json())
    answer = page.post(reverse("add-passkey"), {"name": name, "credential": credential})
    return device, codes_in(answer)


def send_code(client, code):
    return client.post(reverse("factor"), {"code": code})


def answer_with(client, device, step="passkey", **more):
    options = client.post(reverse(f"{step}-options")).json()
    return client.post(reverse(step), {"credential": device.get(options), **more})


@pytest.fixture
def page(account):
    """A browser in which the account has just signed in."""
    client = Client()
    sign_in(client)
    return client


@pytest.fixture
def app(page, noon):
    """The key of the account's app. The code that set it up is of an earlier step."""
    key, _ = set_up_app(page)
    noon.shift(60)
    return key


@pytest.fixture
def codes(account):
    return RecoveryCode.objects.replace(account)


@pytest.fixture
def waiting(app):
    """A browser that has given the password and nothing more."""
    client = Client()
    assert sign_in(client).headers["Location"] == reverse("factor")
    return client


# --- Setting up ------------------------------------------------------------------------------------


def test_an_app_is_set_up_with_a_code_and_ten_recovery_codes_are_shown_once(page, account):
    _, codes = set_up_app(page)
    assert len(set(codes)) == 10
    assert factors.has_factor(account)
    overview = text(page.get(reverse("factors")))
    assert "10 left" in overview
    assert not any(code in overview for code in codes)


def test_nothing_is_stored_before_the_code_is_right(page, account):
    form = text(page.get(reverse("set-up-authenticator")))
    answer = page.post(reverse("set-up-authenticator"), {"code": "000000", "sealed": SEALED.search(form)[1]})
    assert "This is not the code of now" in text(answer)
    assert KEY.search(text(answer))[1] == KEY.search(form)[1]  # the app that was scanned goes on
    assert not factors.has_factor(account)


@pytest.mark.parametrize("sealed", ["", "nonsense", "é" * 30])
def test_a_damaged_form_begins_anew(page, account, sealed):
    answer = page.post(reverse("set-up-authenticator"), {"code": "123456", "sealed": sealed}, follow=True)
    assert "Here is a new key" in text(answer)
    assert KEY.search(text(answer))
    assert not factors.has_factor(account)


def test_the_form_of_another_account_begins_anew(page, stranger):
    theirs = Client()
    sign_in(theirs, email=stranger.email)
    form = text(theirs.get(reverse("set-up-authenticator")))
    sealed, code = SEALED.search(form)[1], code_of(KEY.search(form)[1])
    answer = page.post(reverse("set-up-authenticator"), {"code": code, "sealed": sealed}, follow=True)
    assert KEY.search(text(answer))[1] != KEY.search(form)[1]
    assert not Authenticator.objects.exists()


def test_the_picture_of_the_key_has_no_inline_style(page):
    form = text(page.get(reverse("set-up-authenticator")))
    assert "<svg" in form
    assert " style=" not in form
    assert "otpauth://totp/Fitness%3Alifter%40example.org?secret=" in form


def test_a_new_factor_ends_the_other_sessions(page, account):
    elsewhere = Client()
    sign_in(elsewhere)
    before = page.session.session_key
    set_up_app(page)
    assert page.get(reverse("profile")).status_code == 200
    assert page.session.session_key != before
    assert elsewhere.get(reverse("profile")).status_code == 302


def test_another_app_takes_the_place_of_the_first(page, app, noon):
    another, codes = set_up_app(page)
    assert codes == []  # those of the first go on
    noon.shift(60)
    assert not signed_in_with(code_of(app))
    noon.shift(1)
    assert signed_in_with(code_of(another))


def signed_in_with(code):
    client = Client()
    sign_in(client)
    send_code(client, code)
    return signed_in(client)


@pytest.mark.parametrize("name", ["remove-authenticator", "make-recovery-codes"])
def test_a_link_changes_nothing(page, app, account, name):
    before = list(account.recovery_codes.values_list("digest", flat=True))
    assert page.get(reverse(name)).status_code == 200
    assert factors.has_factor(account)
    assert list(account.recovery_codes.values_list("digest", flat=True)) == before


def test_without_the_last_factor_the_password_is_enough_again(page, app, account):
    elsewhere = Client()
    elsewhere.force_login(account)
    page.post(reverse("remove-authenticator"))
    assert not account.recovery_codes.exists()
    assert elsewhere.get(reverse("profile")).status_code == 302
    client = Client()
    sign_in(client)
    assert signed_in(client)


def test_new_recovery_codes_replace_the_old_ones(page, app, account):
    (old, *_) = RecoveryCode.objects.replace(account)
    new = codes_in(page.post(reverse("make-recovery-codes")))
    assert len(set(new)) == 10
    client = Client()
    sign_in(client)
    assert "none of your recovery codes" in text(client.post(reverse("recovery-code"), {"code": old}))
    client.post(reverse("recovery-code"), {"code": new[0]})
    assert signed_in(client)


def test_an_account_without_a_factor_has_no_recovery_codes(page, account):
    assert page.post(reverse("make-recovery-codes")).headers["Location"] == reverse("factors")
    assert not account.recovery_codes.exists()


def test_passkeys_are_listed_renamed_and_removed(page, account):
    add_passkey(page, "my phone")
    passkey = account.passkeys.get()
    assert "my phone" in text(page.get(reverse("factors")))
    page.post(reverse("rename-passkey", args=[passkey.pk]), {"name": "old phone"})
    assert "old phone" in text(page.get(reverse("account")))
    page.post(reverse("remove-passkey", args=[passkey.pk]))
    assert not factors.has_factor(account)


@pytest.mark.parametrize("name", ["rename-passkey", "remove-passkey"])
def test_a_strangers_passkey_does_not_exist(page, stranger, name):
    theirs = Client()
    sign_in(theirs, email=stranger.email)
    add_passkey(theirs)
    address = reverse(name, args=[stranger.passkeys.get().pk])
    assert page.get(address).status_code == page.post(address, {"name": "mine"}).status_code == 404
    assert stranger.passkeys.get().name == "phone"


@pytest.mark.parametrize(
    ("name", "method"),
    [
        *((name, "get") for name in ("set-up-authenticator", "add-passkey")),
        *(
            (name, method)
            for name in ("remove-authenticator", "make-recovery-codes")
            for method in ("get", "post")
        ),
    ],
)
def test_after_five_minutes_the_password_is_asked_for(page, app, noon, name, method):
    noon.shift(301)
    answer = getattr(page, method)(reverse(name))
    confirm = f"{reverse('confirm-password')}?next="
    assert answer.headers["Location"].startswith(confirm)
    wrong = page.post(answer.headers["Location"], {"password": "wrong", "next": reverse(name)})
    assert "This is not your password." in text(wrong)
    right = page.post(answer.headers["Location"], {"password": PASSWORD, "next": reverse(name)})
    assert right.headers["Location"] == reverse(name)
    assert page.get(reverse(name)).status_code == 200


def test_a_code_may_be_sent_some_minutes_after_the_key_was_scanned(page, account, noon):
    form = text(page.get(reverse("set-up-authenticator")))
    noon.shift(600)
    code, sealed = code_of(KEY.search(form)[1]), SEALED.search(form)[1]
    page.post(reverse("set-up-authenticator"), {"code": code, "sealed": sealed})
    assert factors.has_factor(account)


def test_a_passkey_is_not_added_without_a_fresh_sign_in(page, account, noon):
    noon.shift(301)
    assert page.post(reverse("new-passkey-options")).url.startswith(reverse("confirm-password"))
    add_with = {"name": "phone", "credential": "{}"}
    assert "could not be checked" in text(page.post(reverse("add-passkey"), add_with))
    assert not factors.has_factor(account)


@pytest.mark.parametrize("credential", ["[" * 60_000, "{}", "null", "\x00"])
def test_what_is_no_passkey_is_refused(client, db, credential):
    client.post(reverse("passkey-options"))
    answer = client.post(reverse("passkey"), {"credential": credential})
    assert answer.url == reverse("sign-in")


def test_a_name_of_a_page_is_no_address(page):
    answer = page.post(reverse("confirm-password"), {"password": PASSWORD, "next": "foo"})
    assert answer.headers["Location"] == "foo"


def test_a_new_password_ends_the_pause_after_wrong_codes(app, account):
    Authenticator.objects.update(throttling_failure_count=11, throttling_failure_timestamp=timezone.now())
    link = path_of(links.PASSWORD.link(account))
    Client().post(link, NEW)
    assert Authenticator.objects.get().throttling_failure_count == 0


@pytest.mark.parametrize("address", ["https://evil.example", "//evil.example", "/\\evil.example"])
def test_the_question_for_the_password_leads_to_this_site_alone(page, address):
    answer = page.post(reverse("confirm-password"), {"password": PASSWORD, "next": address})
    assert answer.headers["Location"] == reverse("account")


def test_passwords_are_not_guessed_by_who_finds_the_browser_open(page):
    for _ in range(sign_in_limits.MAX_FAILURES):
        page.post(reverse("confirm-password"), {"password": "wrong"})
    assert "Too many failed attempts" in text(page.post(reverse("confirm-password"), {"password": PASSWORD}))


# --- The second step -------------------------------------------------------------------------------


def test_a_code_of_the_app_signs_in_and_goes_on_to_next(app):
    client = Client()
    sign_in(client, next="/settings/developer")
    assert not signed_in(client)
    assert send_code(client, code_of(app)).headers["Location"] == "/settings/developer"
    assert client.get("/settings/developer").status_code == 200


def test_a_code_may_have_a_space(waiting, app):
    code = code_of(app)
    send_code(waiting, f"{code[:3]} {code[3:]}")
    assert signed_in(waiting)


def test_an_app_and_a_recovery_code_need_no_scripts(account, noon):
    person = {"username": account.email, "password": PASSWORD}
    owner = Scriptless().goto(reverse("sign-in"))
    assert [list(form.buttons) for form in owner.page.forms] == [["Sign in"]]
    owner.press("Sign in", **person)
    owner.goto(reverse("set-up-authenticator"))
    key = KEY.search(text(owner.response))[1]
    owner.press("Confirm the code", code=code_of(key))
    codes = codes_in(owner.response)
    assert downloaded_codes(owner) == codes
    noon.shift(60)
    by_code, by_recovery_code = (Scriptless().goto(reverse("sign-in")) for _ in range(2))
    for browser in (by_code, by_recovery_code):
        browser.press("Sign in", **person)
    by_code.press("Sign in", code=code_of(key))
    assert signed_in(by_code.client)
    by_recovery_code.follow("Use a recovery code")
    by_recovery_code.press("Sign in", code=codes[0])
    assert by_recovery_code.shows("You have 9 recovery codes left.")


def downloaded_codes(browser):
    """The codes in the file that the page has as a link."""
    (link,) = [link for link in browser.page.links if "download" in link.given]
    assert link.given["download"] == "fitness-recovery-codes.txt"
    kind, content = link.given["href"].split(",", 1)
    assert kind == "data:text/plain;charset=utf-8"
    return unquote(content).split()


@pytest.mark.parametrize("seconds", [-30, 30])
def test_the_clock_of_a_phone_may_be_half_a_minute_wrong(waiting, app, noon, seconds):
    send_code(waiting, code_of(app, seconds))
    assert signed_in(waiting)


@pytest.mark.parametrize("seconds", [-90, 90])
def test_a_code_of_a_minute_ago_or_ahead_is_not_taken(waiting, app, seconds):
    assert WRONG_CODE in text(send_code(waiting, code_of(app, seconds)))


@pytest.mark.parametrize("code", ["", "000000", "abcdef", "१२३४५६", "-1", "1" * 41, "\0"])
def test_a_wrong_code_signs_nobody_in(waiting, code):
    assert send_code(waiting, code).status_code == 200
    assert not signed_in(waiting)


def test_a_recovery_code_signs_in_as_people_type_it(waiting, account, codes):
    waiting.post(reverse("recovery-code"), {"code": f" {codes[0].upper().replace('-', ' ')} "})
    assert signed_in(waiting)
    assert account.recovery_codes.unused().count() == 9
    assert "You have 9 recovery codes left" in text(waiting.get("/"))


def test_a_passkey_is_a_second_factor(page, noon):
    device, codes = add_passkey(page)
    assert len(codes) == 10
    client = Client()
    sign_in(client, next="/workouts")
    assert answer_with(client, device, "factor-passkey").headers["Location"] == "/workouts"
    assert signed_in(client)


def test_many_sign_ins_with_a_passkey_are_no_failures(page, noon):
    device, _ = add_passkey(page)
    for _ in range(7):
        client = Client()
        sign_in(client)
        answer_with(client, device, "factor-passkey")
        assert signed_in(client)


def test_a_session_of_a_visitor_ends_soon_and_that_of_a_sign_in_does_not(page, noon):
    device, _ = add_passkey(page)
    client = Client()
    client.post(reverse("passkey-options"))
    assert client.session.get_expiry_age() == 300
    answer_with(client, device)
    assert client.session.get_expiry_age() == 14 * 24 * 3600


def test_a_passkey_signs_in_without_email_and_password(page, account):
    device, _ = add_passkey(page)
    client = Client()
    assert answer_with(client, device, next="/workouts").headers["Location"] == "/workouts"
    assert client.session["_auth_user_id"] == str(account.pk)
    assert account.passkeys.get().sign_count == 1


def test_the_sign_in_takes_two_statements_more_for_an_account_without_a_factor(account):
    with statements() as executed:
        sign_in(Client())
    asked = [sql for sql in executed if "accounts_authenticator" in sql or "accounts_passkey" in sql]
    assert len(asked) == 2


# --- Around the second step ------------------------------------------------------------------------


def all_addresses(patterns=None, prefix="/"):
    """Every address of the service that takes no argument, and those of the admin."""
    for entry in patterns or get_resolver().url_patterns:
        route = prefix + str(entry.pattern)
        if hasattr(entry, "url_patterns"):
            yield from all_addresses(entry.url_patterns, route)
        elif not re.search(r"[(<^\\$]", route):
            yield route


@pytest.mark.parametrize("method", ["get", "post"])
def test_half_a_sign_in_opens_nothing_that_a_visitor_cannot_open(waiting, method):
    """Compares every address with what a visitor gets there."""
    addresses = set(all_addresses())
    of_the_second_step = {address for address in addresses if address.startswith("/sign-in/")}
    assert len(addresses) > 60
    for address in sorted(addresses - of_the_second_step):
        answers = [getattr(client, method)(address) for client in (waiting, Client())]
        seen = [(answer.status_code, answer.headers.get("Location")) for answer in answers]
        assert seen[0] == seen[1], address
        assert not signed_in(waiting), address


@pytest.mark.parametrize("name", ["factor", "recovery-code", "factor-passkey", "factor-passkey-options"])
def test_the_second_step_needs_the_first(client, app, name):
    code = code_of(app)
    assert client.post(reverse(name), {"code": code}).headers["Location"] == reverse("sign-in")
    assert not signed_in(client)


def test_the_first_step_is_good_for_five_minutes(waiting, app, noon):
    noon.shift(PENDING_SECONDS + 1)
    assert send_code(waiting, code_of(app)).headers["Location"] == reverse("sign-in")
    assert not signed_in(waiting)


def change_password(account):
    account.set_password("blue horse 77")
    account.save()


@pytest.mark.parametrize(
    "end", [change_password, Account.deactivate, Account.delete], ids=lambda end: end.__name__
)
def test_the_first_step_ends_with_the_password_and_the_account(waiting, app, account, end):
    end(account)
    assert send_code(waiting, code_of(app)).headers["Location"] == reverse("sign-in")
    assert not signed_in(waiting)


def test_the_admin_is_not_opened_by_the_password_alone(page, app, account):
    Account.objects.update(is_staff=True, is_superuser=True)
    client = Client()
    client.post("/admin/login/?next=/admin/", {"username": account.email, "password": PASSWORD})
    assert client.get("/admin/").status_code == 302
    sign_in(client, next="/admin/")
    assert client.get("/admin/").status_code == 302
    assert send_code(client, code_of(app)).headers["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200


def test_a_used_code_is_not_taken_again(waiting, app, noon):
    other = Client()
    sign_in(other)
    code = code_of(app)
    send_code(waiting, code)
    assert WRONG_CODE in text(send_code(other, code))
    assert (signed_in(waiting), signed_in(other)) == (True, False)


def test_the_code_that_set_the_app_up_does_not_sign_in(page, account):
    key, _ = set_up_app(page)
    assert not signed_in_with(code_of(key))


def test_a_code_older_than_the_last_one_is_not_taken(waiting, app, noon):
    older = code_of(app, -30)
    assert signed_in_with(code_of(app))
    assert WRONG_CODE in text(send_code(waiting, older))


def test_codes_are_not_guessed_from_one_address(waiting, app, account):
    """The password and four codes: what follows is locked, the right code too."""
    for _ in range(sign_in_limits.MAX_FAILURES - 1):
        send_code(waiting, "000000")
    assert "Too many failed attempts" in text(send_code(waiting, code_of(app)))
    assert AuditEvent.objects.get(event=Event.SIGN_IN_LOCKED).account == account


def test_codes_are_taken_after_a_clock_that_was_a_day_ahead(page, noon):
    key, _ = set_up_app(page)
    noon.shift(24 * 3600)
    assert signed_in_with(code_of(key))
    noon.move_to(NOON, tick=False)
    code = code_of(key, -30)
    assert signed_in_with(code)
    assert not signed_in_with(code)


def test_the_pause_of_a_clock_that_was_a_day_ahead_begins_anew(app, account, noon):
    failed_at = timezone.now() + datetime.timedelta(days=1)
    Authenticator.objects.update(throttling_failure_count=3, throttling_failure_timestamp=failed_at)
    assert not signed_in_with(code_of(app))
    noon.shift(5)
    assert signed_in_with(code_of(app))


def test_codes_are_not_guessed_from_many_addresses(app, account, noon):
    """Each wrong code doubles the pause before the next one is looked at, up to 17 minutes."""
    clients = [Client(REMOTE_ADDR=f"192.0.2.{number}") for number in range(14)]
    for client in clients:
        sign_in(client)
    for client in clients[:-2]:
        send_code(client, "000000")
        noon.shift(1)
    assert WRONG_CODE in text(send_code(clients[-1], code_of(app)))
    assert account.authenticator.throttling_failure_count == 4  # with pauses of 1, 2 and 4 seconds
    noon.shift(60)
    send_code(clients[-2], code_of(app))
    assert signed_in(clients[-2])


def test_the_owner_is_shut_out_for_minutes_and_not_for_years(app, account, noon):
    Authenticator.objects.filter(account=account).update(throttling_failure_count=11)
    device = account.authenticator
    device.throttle_increment()
    noon.shift(18 * 60)
    assert signed_in_with(code_of(app))


WRONG_FACTORS = {
    "a code of the app": ("factor", {"code": "000000"}),
    "a recovery code": ("recovery-code", {"code": "aaaa-bbbb-cccc-dddd"}),
    "a passkey": ("factor-passkey", {"credential": "{}"}),
    "a passkey alone": ("passkey", {"credential": "{}"}),
}


@pytest.mark.parametrize(("step", "wrong"), WRONG_FACTORS.values(), ids=WRONG_FACTORS.keys())
def test_a_wrong_factor_is_a_failed_sign_in_in_the_log(waiting, caplog, step, wrong):
    waiting.post(reverse(step), wrong)
    failed = [record for record in caplog.records if record.getMessage() == "sign-in failed"]
    assert [record.address for record in failed] == ["127.0.0.1"]
    assert not signed_in(waiting)


def test_a_wrong_code_does_not_lock_the_recovery_codes(waiting, codes):
    for _ in range(2):
        send_code(waiting, "000000")
    waiting.post(reverse("recovery-code"), {"code": codes[0]})
    assert signed_in(waiting)


def test_signing_in_forgets_earlier_failures_of_the_second_step(app, noon):
    for _ in range(3):
        client = Client()
        sign_in(client)
        send_code(client, "000000")
        noon.shift(60)
        send_code(client, code_of(app))
        assert signed_in(client)


def test_many_people_behind_one_address_sign_in_with_a_factor(app, noon, monkeypatch):
    """The right passwords are no failures of the address."""
    monkeypatch.setattr(sign_in_limits, "MAX_FAILURES_OF_ADDRESS", sign_in_limits.MAX_FAILURES + 3)
    for _ in range(sign_in_limits.MAX_FAILURES_OF_ADDRESS + 1):
        noon.shift(30)
        if not signed_in_with(code_of(app)):
            pytest.fail("the address is locked")


def test_a_recovery_code_works_once(app, codes):
    for expected in (True, False):
        client = Client()
        sign_in(client)
        client.post(reverse("recovery-code"), {"code": codes[0]})
        assert signed_in(client) is expected


def test_a_recovery_code_of_another_account_does_not_sign_in(waiting, stranger):
    (theirs, *_) = RecoveryCode.objects.replace(stranger)
    waiting.post(reverse("recovery-code"), {"code": theirs})
    assert not signed_in(waiting)
    assert stranger.recovery_codes.unused().count() == 10


def test_both_steps_change_the_key_of_the_session(app):
    client = Client()
    client.get(reverse("sign-in"))
    session = client.session
    session["before"] = True
    session.save()
    client.cookies["session"] = planted = session.session_key
    sign_in(client)
    between = client.session.session_key
    send_code(client, code_of(app))
    after = client.session.session_key
    assert len({planted, between, after}) == 3
    assert not Session.objects.filter(session_key__in=[planted, between]).exists()


@pytest.mark.parametrize(
    "address", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_no_step_redirects_to_another_site(page, app, address):
    client = Client()
    sign_in(client, next=address)
    assert send_code(client, code_of(app)).headers["Location"] == "/"
    device, _ = add_passkey(page)
    assert answer_with(Client(), device, next=address).headers["Location"] == "/"


# --- Passkeys that must not sign in ----------------------------------------------------------------


@pytest.fixture
def device(page):
    return add_passkey(page)[0]


def test_a_passkey_of_another_account_is_no_second_factor(device, stranger):
    theirs = Client()
    sign_in(theirs, email=stranger.email)
    their_device, _ = add_passkey(theirs, device=SoftPasskey(b"of the stranger"))
    client = Client()
    sign_in(client)
    assert answer_with(client, their_device, "factor-passkey").headers["Location"] == reverse("factor")
    their_device.user_handle = device.user_handle
    assert answer_with(Client(), their_device).headers["Location"] == reverse("sign-in")
    assert not signed_in(client)


def test_one_credential_of_two_accounts_signs_in_its_owner_alone(device, account, stranger):
    """Somebody registers the id of another's passkey with a key of their own."""
    theirs = Client()
    sign_in(theirs, email=stranger.email)
    copy, _ = add_passkey(theirs, device=SoftPasskey(device.credential_id))
    client, forger = Client(), Client()
    answer_with(client, device)
    assert client.session["_auth_user_id"] == str(account.pk)
    copy.user_handle = account.pk.bytes
    answer_with(forger, copy)
    assert not signed_in(forger)


def refused(client, credential, **more):
    client.post(reverse("passkey"), {"credential": credential, **more})
    return not signed_in(client)


def test_an_answer_is_taken_once(device):
    client, other = Client(), Client()
    credential = device.get(client.post(reverse("passkey-options")).json())
    assert not refused(client, credential)
    client.post(reverse("sign-out"))
    assert refused(client, credential)
    other.post(reverse("passkey-options"))
    assert refused(other, credential)


def test_an_answer_is_for_its_session_and_its_purpose_alone(device, page):
    client = Client()
    sign_in(client)
    credential = device.get(client.post(reverse("factor-passkey-options")).json())
    assert refused(client, credential)
    new = SoftPasskey(b"another").create(page.post(reverse("new-passkey-options")).json())
    other = Client()
    sign_in(other)
    other.post(reverse("factor-passkey-options"))
    assert refused(other, new)


def test_an_answer_comes_within_five_minutes(device, noon):
    client = Client()
    credential = device.get(client.post(reverse("passkey-options")).json())
    noon.shift(301)
    assert refused(client, credential)


def without_verification(device):
    device.flags = PRESENT


def at_another_site(device):
    device.origin = "https://evil.example"


def with_another_key(device):
    device.key = SoftPasskey().key


def with_a_copied_key(device):
    device.count = -1  # the service has seen 0, and later counts


def of_nobody(device):
    device.user_handle = b"0" * 16


@pytest.mark.parametrize(
    "spoil", [without_verification, at_another_site, with_another_key, of_nobody, with_a_copied_key]
)
def test_an_answer_that_proves_too_little_is_refused(device, spoil):
    if spoil is with_a_copied_key:
        answer_with(Client(), device)
    spoil(device)
    client = Client()
    assert refused(client, device.get(client.post(reverse("passkey-options")).json()))


@pytest.mark.parametrize("credential", ["", "[]", "null", "{}", '{"id": 1}', "x" * 100_000, "\0"])
def test_a_damaged_answer_is_refused(device, page, credential):
    client = Client()
    client.post(reverse("passkey-options"))
    assert refused(client, credential)
    page.post(reverse("new-passkey-options"))
    assert page.post(reverse("add-passkey"), {"name": "x", "credential": credential}).status_code == 200
    assert Passkey.objects.count() == 1


def test_a_passkey_of_a_closed_account_does_not_sign_in(device, account):
    account.deactivate()
    client = Client()
    answer_with(client, device)
    assert not signed_in(client)


def test_a_passkey_that_does_not_verify_its_user_is_not_added(page, account):
    device = SoftPasskey()
    device.flags = PRESENT
    add_passkey(page, device=device)
    assert not factors.has_factor(account)


def test_a_passkey_is_added_once(device, page, account):
    add_passkey(page, device=device)
    assert account.passkeys.count() == 1


def test_an_account_has_up_to_twenty_passkeys(page, account):
    for number in range(21):
        add_passkey(page, device=SoftPasskey(b"%d" % number))
    assert account.passkeys.count() == 20


# --- Secrets ---------------------------------------------------------------------------------------


def test_no_secret_is_readable_in_the_database_a_backup_or_the_log(page, account, caplog):
    key, codes = set_up_app(page)
    bare = key.replace(" ", "")
    client = Client()
    sign_in(client)
    client.post(reverse("recovery-code"), {"code": codes[0]})
    stored = "".join(
        str(row)
        for model in (Authenticator, RecoveryCode, AuditEvent)
        for row in model.objects.filter(account=account).values_list()
    )
    stored += "".join(str(session.get_decoded()) for session in Session.objects.all())
    secrets = [key, bare, *codes, *(code.replace("-", "") for code in codes)]
    assert not [secret for secret in secrets if secret in stored + caplog.text]


def test_a_secret_needs_the_secret_key(waiting, app, account, settings, codes, caplog):
    old, settings.SECRET_KEY = settings.SECRET_KEY, "another key of the tests"
    client = Client()
    sign_in(client)
    assert WRONG_CODE in text(send_code(client, code_of(app)))
    assert "SECRET_KEY does not open the secret" in caplog.text
    client.post(reverse("recovery-code"), {"code": codes[0]})
    assert signed_in(client)
    settings.SECRET_KEY_FALLBACKS = [old]
    assert signed_in_with(code_of(app))
    settings.SECRET_KEY_FALLBACKS = []  # that sign-in has sealed the secret with the new key
    assert signed_in_with(code_of(app, 30))


def test_the_pages_with_secrets_are_stored_and_compressed_nowhere(page):
    form = page.get(reverse("set-up-authenticator"), headers={"Accept-Encoding": "gzip"})
    for answer in (form, page.get(reverse("factors"))):
        assert "no-store" in answer.headers["Cache-Control"]
    assert form.headers["Content-Encoding"] == "identity"


def test_the_export_holds_no_secret_and_the_deletion_leaves_none(page, account):
    set_up_app(page)
    add_passkey(page)
    exported = page.get(reverse("export")).content.decode()
    assert not re.search("authenticator|passkey|recovery", exported)
    page.post(reverse("delete-account"), {"password": PASSWORD})
    assert not any(model.objects.exists() for model in (Authenticator, Passkey, RecoveryCode))


def test_events_name_what_was_done_and_no_names(page, account):
    set_up_app(page)
    add_passkey(page, "a private name")
    page.post(reverse("remove-authenticator"))
    events = list(account.audit_events.order_by("at", "id").values_list("event", "detail"))
    assert events == [
        (Event.SIGNED_IN, ""),
        (Event.FACTOR_ADDED, "authenticator app"),
        (Event.RECOVERY_CODES_MADE, ""),
        (Event.FACTOR_ADDED, "passkey"),
        (Event.FACTOR_REMOVED, "authenticator app"),
    ]


def test_the_sign_in_is_an_event_after_the_factor(waiting, app, account):
    before = account.audit_events.filter(event=Event.SIGNED_IN).count()
    send_code(waiting, code_of(app))
    events = account.audit_events.filter(event=Event.SIGNED_IN)
    assert (before, events.count(), events.first().detail) == (1, 2, "with an authenticator code")


# --- Who must have one -----------------------------------------------------------------------------

OPEN_WITHOUT = {
    *(
        "/settings/account/factors",
        "/settings/account/factors/authenticator",
        "/settings/account/factors/passkeys/add",
    ),
    *("/settings/account/factors/passkeys/add/options", "/settings/account/confirm", "/sign-out"),
    *("/service-worker.js", "/manifest.webmanifest"),  # files that are the same for everybody
}
FOR_PROGRAMS = (
    *("/api/", "/mcp", "/healthz", "/readyz", "/metrics"),
    *("/.well-known/", "/token", "/register", "/revoke"),
)


def test_who_must_have_a_factor_reaches_nothing_before(page, account, settings):
    settings.REQUIRE_SECOND_FACTOR = "everyone"
    addresses = {one for one in all_addresses() if not one.startswith(FOR_PROGRAMS)}
    led = {one for one in addresses if page.get(one).headers.get("Location") == "/settings/account/factors"}
    assert addresses - led == OPEN_WITHOUT
    set_up_app(page)
    assert page.get(reverse("profile")).status_code == 200


def test_whoever_must_have_a_factor_cannot_go_on_after_removing_it(page, app, settings):
    settings.REQUIRE_SECOND_FACTOR = "everyone"
    assert page.get(reverse("profile")).status_code == 200
    page.post(reverse("remove-authenticator"))
    assert page.get(reverse("profile")).headers["Location"] == reverse("factors")


@pytest.mark.parametrize(
    ("rule", "is_staff", "is_led"),
    [("", True, False), ("staff", False, False), ("staff", True, True), ("everyone", False, True)],
)
def test_the_rule_says_who_must_have_one(client, account, settings, rule, is_staff, is_led):
    settings.REQUIRE_SECOND_FACTOR = rule
    Account.objects.update(is_staff=is_staff)
    sign_in(client)
    assert (client.get(reverse("profile")).status_code == 302) is is_led
    assert (client.get("/admin/").headers.get("Location") == reverse("factors")) is is_led


def test_a_session_from_before_the_rule_is_led_too(page, settings):
    assert page.get(reverse("profile")).status_code == 200
    settings.REQUIRE_SECOND_FACTOR = "everyone"
    assert page.get(reverse("profile")).headers["Location"] == reverse("factors")


def test_keys_work_without_a_factor(account, settings):
    settings.REQUIRE_SECOND_FACTOR = "everyone"
    assert client_of(account).get("/me").status_code == 200


# --- Staff -----------------------------------------------------------------------------------------


def test_staff_reset_a_factor_and_the_password_is_enough_again(page, app, account, admin_page):
    address = reverse("admin:accounts_account_change", args=[account.pk])
    assert "Authenticator app since" in text(admin_page.get(address))
    admin_page.post(reverse("admin:accounts_account_reset-factors", args=[account.pk]))
    assert page.get(reverse("profile")).status_code == 302
    client = Client()
    sign_in(client)
    assert signed_in(client)
    event = AuditEvent.objects.get(event=Event.FACTORS_RESET)
    assert (event.account, event.actor_email) == (account, "root@example.org")


def test_nobody_resets_their_own_factor_in_the_admin(admin_page):
    root = Account.objects.get(email="root@example.org")
    RecoveryCode.objects.replace(root)
    answer = admin_page.post(reverse("admin:accounts_account_reset-factors", args=[root.pk]))
    assert answer.status_code == 403
    assert root.recovery_codes.count() == 10


def test_an_operator_resets_a_factor(app, account, capsys):
    call_command("reset_factor", "Lifter@example.org")
    assert not factors.has_factor(account)


# --- The sources, and where passkeys belong ----------------------------------------------------------


def test_one_function_signs_in():
    """Nothing else may call Django's `login`, or use a view of Django's that does."""
    sources = [path for app in OURS for path in (ROOT / app).rglob("*.py")]
    calling = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in sources
        for line in path.read_text().splitlines()
        if re.search(r"(?<!def )\b(login|alogin|force_login)\(|LoginView\b", line)
    ]
    assert calling == [
        "accounts/web/sign_in.py: from django.contrib.auth.views import LoginView",
        "accounts/web/sign_in.py: login(request, account, backend=BACKEND)",
        "accounts/web/sign_in.py: class SignInView(LoginView):",
    ]


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("", "http://localhost:8000"),
        ("http://localhost:9000", "http://localhost:9000"),
        ("https://Fitness.example.org", "https://fitness.example.org"),
        ("http://fitness.lan", ""),
        ("https://192.0.2.5", ""),
        ("http://127.0.0.1:8000", ""),
    ],
)
def test_passkeys_belong_to_an_address_where_browsers_offer_them(address, origin):
    assert settings_of(PUBLIC_URL=address, PORT="8000", TRUSTED_PROXIES="1")["PASSKEY_ORIGIN"] == origin


def test_a_page_at_another_address_says_where_passkeys_are_offered(page):
    here = text(page.get(reverse("factors"), headers={"Host": "localhost:8000"}))
    there = text(page.get(reverse("factors"), headers={"Host": "127.0.0.1:8000"}))
    assert reverse("add-passkey") in here
    assert reverse("add-passkey") not in there
    assert "at http://localhost:8000 alone" in there
