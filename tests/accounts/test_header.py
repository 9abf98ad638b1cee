"""A proxy that signs people in: its header, who may send it, whom it signs in, and what it does not open."""

import ipaddress
import logging

import pytest
from django.test import Client
from django.urls import reverse

from accounts import factors
from accounts.audit import AuditEvent, Event
from accounts.factors.models import RecoveryCode
from accounts.invitations import Invitation
from accounts.models import Account
from accounts.sessions import Session
from tests.accounts.people import NEWCOMER as NEWCOMERS_FORM
from tests.conftest import freshly_signed_in, statements
from tests.factories import PASSWORD
from tests.html import text

HEADER = "Remote-Email"
PROXY, OTHER = "10.0.0.2", "10.0.0.3"
NEWCOMER = "new@example.org"
LOGOUT = "https://auth.example.org/logout"


@pytest.fixture(autouse=True)
def behind_a_proxy(settings):
    settings.AUTH_HEADER = HEADER
    settings.AUTH_PROXIES = [ipaddress.ip_network(PROXY), ipaddress.ip_network("fd00:1::/64")]
    place = settings.MIDDLEWARE.index("fitness.web.middleware.Authentication") + 1
    settings.MIDDLEWARE = [
        *settings.MIDDLEWARE[:place],
        "accounts.web.header_sign_in.HeaderSignIn",
        *settings.MIDDLEWARE[place:],
    ]


def browser(email=None, peer=PROXY, **more):
    """A browser whose proxy names this email."""
    headers = {} if email is None else {HEADER: email}
    return Client(REMOTE_ADDR=peer, headers={**headers, **more}, raise_request_exception=False)


def named(client, email):
    """Somebody else is signed in at the proxy from now on."""
    client.defaults["HTTP_REMOTE_EMAIL"] = email


def account_of(client):
    return Account.objects.filter(pk=client.session.get("_auth_user_id")).first()


def events():
    return list(AuditEvent.objects.order_by("at", "id").values_list("event", "detail"))


# --- Who is signed in ---------------------------------------------------------------------------------


def test_the_account_that_the_proxy_names_is_signed_in(account):
    client = browser(account.email)
    response = client.get("/workouts?page=2")
    assert (response.status_code, response.headers["Location"]) == (302, "/workouts?page=2")
    assert client.get("/workouts").status_code == 200
    assert account_of(client) == account
    assert events() == [(Event.SIGNED_IN, "by Remote-Email")]


@pytest.mark.parametrize("address", ["/", "/admin/"])
def test_a_newcomer_gets_the_language_that_the_browser_proposes(account, settings, address):
    """Whichever page is the first: the admin is in English, and who was signed in had chosen Spanish."""
    settings.SIGN_UP = "open"
    account.language = "es"
    account.save()
    client = browser(account.email, **{"Accept-Language": "de"})
    client.get("/")
    named(client, NEWCOMER)
    client.get(address)
    assert Account.objects.get(email=NEWCOMER).language == "de"


def test_an_email_is_read_as_everywhere(account):
    client = browser("  Lifter@Example.org ")
    client.get("/")
    assert account_of(client) == account


def test_a_request_of_who_is_signed_in_takes_no_statement_more(account, settings):
    client = browser(account.email)
    client.get("/workouts")
    client.get("/workouts")  # what is prepared once
    with statements() as with_header:
        client.get("/workouts")
    del client.defaults["HTTP_REMOTE_EMAIL"]
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if "header" not in name]
    without = Client(REMOTE_ADDR=PROXY)
    without.cookies = client.cookies
    with statements() as as_usual:
        without.get("/workouts")
    assert len(with_header) == len(as_usual)


@pytest.mark.parametrize(("address", "leads_to"), [("/sign-in?next=/body", "/body"), ("/sign-in", "/")])
def test_the_page_that_signs_in_leads_to_the_one_behind_it(account, address, leads_to):
    assert browser(account.email).get(address).headers["Location"] == leads_to


@pytest.mark.parametrize("value", [None, "", "  "])
def test_without_the_header_people_sign_in_as_usual(account, value):
    client = browser(value)
    assert client.get("/workouts").headers["Location"] == "/sign-in?next=/workouts"
    client.post("/sign-in", {"username": account.email, "password": PASSWORD})
    assert account_of(client) == account


def test_a_session_goes_on_where_the_proxy_names_nobody(account):
    client = browser(account.email)
    client.get("/")
    del client.defaults["HTTP_REMOTE_EMAIL"]
    assert client.get("/workouts").status_code == 200


def test_another_person_at_the_proxy_ends_the_session(account, stranger):
    client = browser(account.email)
    client.get("/")
    before = client.session.session_key
    named(client, stranger.email)
    client.get("/workouts")
    assert account_of(client) == stranger
    assert not Session.objects.filter(session_key=before).exists()
    ended = AuditEvent.objects.get(event=Event.SIGNED_OUT_BY_PROXY)
    assert ended.account == account


def test_a_form_of_the_person_before_is_not_carried_out_for_another(account, stranger):
    client = browser(account.email)
    client.get("/")
    named(client, stranger.email)
    response = client.post(reverse("set-units"), {"units": "lb"})
    assert response.headers["Location"].startswith("/sign-in")
    assert set(Account.objects.values_list("units", flat=True)) == {"kg"}


def test_a_form_without_a_session_is_not_saved_and_its_sign_in_says_so(account):
    client = browser(account.email)
    client.get("/")
    client.cookies.pop("session")
    response = client.post(reverse("set-units"), {"units": "lb"})
    response = client.get(response.headers["Location"], follow=True)
    assert "You were signed out, so nothing was saved." in text(response)
    assert account_of(client) == account


@pytest.mark.parametrize("address", ["/sign-in", "/sign-up"])
def test_nobody_signs_in_or_up_as_another_person(account, stranger, settings, address):
    """Else the next person with that email would get an account of which somebody has the password."""
    settings.SIGN_UP = "open"
    client = browser(account.email)
    of_stranger = {"username": stranger.email, "password": PASSWORD}
    client.post(address, {**of_stranger, **NEWCOMERS_FORM})
    assert account_of(client) == account
    assert not Account.objects.filter(email=NEWCOMER).exists()


def test_the_admin_opens_for_staff_alone(account, admin_page):
    staff = browser("root@example.org")
    assert staff.get("/admin/", follow=True).status_code == 200
    assert account_of(staff).is_staff
    assert browser(account.email).get("/admin/", follow=True).status_code == 403


def test_a_deactivated_account_stays_out(account):
    account.deactivate()
    client = browser(account.email)
    response = client.get("/")
    assert (response.status_code, account_of(client)) == (403, None)
    assert "This account is deactivated" in text(response)


# --- Second factors -----------------------------------------------------------------------------------


@pytest.fixture
def codes(account):
    """The recovery codes of the account, which has an authenticator app."""
    factors.add_authenticator(account, b"x" * 20, 0, session=None)
    return RecoveryCode.objects.replace(account)


def test_a_second_factor_is_asked_for(account, codes):
    client = browser(account.email)
    assert client.get("/workouts").headers["Location"] == reverse("factor")
    assert client.get("/body").headers["Location"] == reverse("factor")
    assert client.get(reverse("factor")).status_code == 200
    assert account_of(client) is None
    response = client.post(reverse("recovery-code"), {"code": codes[0]})
    assert response.headers["Location"] == "/body"
    assert account_of(client) == account


def test_a_script_is_told_to_sign_in_and_does_not_begin_the_second_step(account, codes):
    client = browser(account.email)
    client.get("/workouts")
    response = client.get("/train/draft", headers={"Accept": "application/json"})  # Train, in another tab
    assert response.status_code == 401
    assert client.post(reverse("recovery-code"), {"code": codes[0]}).headers["Location"] == "/workouts"
    assert client.get("/train/draft", headers={"Accept": "application/json"}).status_code == 200


def test_the_second_step_of_one_does_not_open_another(account, codes, stranger):
    client = browser(account.email)
    client.get("/workouts")
    named(client, stranger.email)
    client.get(reverse("factor"))
    assert account_of(client) == stranger


def test_who_must_have_a_second_factor_sets_one_up_first(account, settings):
    settings.REQUIRE_SECOND_FACTOR = "everyone"
    client = browser(account.email)
    client.get("/workouts")
    assert client.get("/workouts").headers["Location"] == reverse("factors")


# --- New accounts -------------------------------------------------------------------------------------


def test_where_sign_up_is_open_a_new_person_gets_an_account_without_a_password(account, settings):
    settings.SIGN_UP = "open"
    client = browser(NEWCOMER)
    client.get("/")
    made = account_of(client)
    assert (made.email, made.has_usable_password(), made.is_staff) == (NEWCOMER, False, False)
    assert events() == [(Event.SIGNED_UP, "by Remote-Email"), (Event.SIGNED_IN, "by Remote-Email")]


@pytest.mark.parametrize("mode", ["invite", "closed"])
def test_else_nobody_gets_one_uninvited(account, settings, mode):
    settings.SIGN_UP = mode
    response = browser(NEWCOMER).get("/")
    assert response.status_code == 403
    assert not Account.objects.filter(email=NEWCOMER).exists()


@pytest.mark.parametrize("mode", ["invite", "closed"])
def test_the_first_account_can_always_be_made(db, settings, mode):
    settings.SIGN_UP = mode
    client = browser(NEWCOMER)
    client.get("/")
    assert account_of(client).email == NEWCOMER


@pytest.mark.parametrize(("email", "by_link"), [(NEWCOMER, False), (NEWCOMER, True), ("", True)])
def test_an_invitation_makes_one(account, settings, email, by_link):
    settings.SIGN_UP = "invite"
    token, invitation = Invitation.objects.invite(email)
    client = browser(NEWCOMER)
    client.get(f"/sign-up?invitation={token}" if by_link else "/")
    invitation.refresh_from_db()
    assert account_of(client) == invitation.used_by


@pytest.mark.parametrize(
    ("mode", "email", "by_link"),
    [("invite", "", False), ("invite", "x@example.org", True), ("closed", NEWCOMER, True)],
)
def test_an_invitation_of_somebody_else_makes_none(account, settings, mode, email, by_link):
    settings.SIGN_UP = mode
    token, _ = Invitation.objects.invite(email)
    response = browser(NEWCOMER).get(f"/sign-up?invitation={token}" if by_link else "/")
    assert response.status_code == 403
    assert not Account.objects.filter(email=NEWCOMER).exists()


# --- What is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize("peer", [OTHER, "127.0.0.1", "fd00:2::1", "", "nonsense"])
def test_nobody_else_may_send_the_header(account, peer, caplog):
    client = browser(account.email, peer)
    with caplog.at_level(logging.WARNING, "fitness.accounts"):
        response = client.get("/workouts", headers={"X-Forwarded-For": PROXY})
    assert (response.status_code, account_of(client)) == (400, None)
    assert "which AUTH_PROXIES does not name" in text(response)
    assert f"Remote-Email came from {peer}" in caplog.text


def test_a_session_is_no_excuse_for_the_header_of_a_stranger(account):
    client = freshly_signed_in(account)
    response = client.get("/workouts", headers={HEADER: account.email}, REMOTE_ADDR=OTHER)
    assert response.status_code == 400
    assert client.post("/sign-out", headers={HEADER: account.email}, REMOTE_ADDR=OTHER).status_code == 400


@pytest.mark.parametrize("peer", [f"::ffff:{PROXY}", "fd00:1::7"])
def test_a_proxy_is_known_by_all_forms_of_its_address(account, peer):
    client = browser(account.email, peer)
    client.get("/")
    assert account_of(client) == account


def test_trusted_proxies_have_no_say(account, settings):
    settings.TRUSTED_PROXIES = 1
    client = browser(account.email, OTHER, **{"X-Forwarded-For": PROXY})
    assert client.get("/").status_code == 400


@pytest.mark.parametrize("value", ["lifter", "lifter@example.org,root@example.org", "a b@example.org"])
def test_what_is_no_email_is_refused(account, value, caplog):
    client = browser(value)
    response = client.get("/")
    assert (response.status_code, account_of(client)) == (400, None)
    assert "AUTH_HEADER must be the header with the email" in text(response)


@pytest.mark.parametrize("domain", ["müller.example", "exam\xadple.org"])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_letters_that_may_be_read_as_others_are_refused(account, settings, domain, encoding):
    settings.SIGN_UP = "open"
    client = browser(f"lifter@{domain}".encode(encoding).decode("latin-1"))  # as WSGI has it
    response = client.get("/")
    assert (response.status_code, account_of(client)) == (400, None)
    assert Account.objects.count() == 1


# --- What it does not open ----------------------------------------------------------------------------


def test_the_api_and_the_tools_need_a_key(account):
    client = browser(account.email)
    assert client.get("/api/v1/me").status_code == 401
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert client.post("/mcp", body, content_type="application/json").status_code == 401
    client.get("/")
    assert client.get("/api/v1/me").status_code == 401
    assert account_of(client) == account


def test_a_header_of_a_stranger_does_not_disturb_programs(account, api):
    api.client.defaults["HTTP_REMOTE_EMAIL"] = account.email
    assert api.get("/me").status_code == 200


def test_programs_that_read_the_calendar_get_no_session(account):
    client = browser(account.email)
    response = client.get(reverse("calendar-feed", args=[account.make_calendar()]))
    assert (response.status_code, account_of(client)) == (200, None)


@pytest.mark.parametrize("address", ["/healthz", "/service-worker.js", "/manifest.webmanifest"])
def test_what_is_the_same_for_everybody_reads_no_account(account, address):
    client = browser(account.email)
    with statements() as executed:
        assert client.get(address).status_code == 200
    assert (executed, account_of(client)) == ([], None)


# --- Signing out --------------------------------------------------------------------------------------


def test_the_sign_out_leads_to_that_of_the_proxy(account, settings):
    settings.LOGOUT_REDIRECT_URL = LOGOUT  # as AUTH_LOGOUT_URL sets it
    client = browser(account.email)
    client.get("/")
    assert client.post("/sign-out").headers["Location"] == LOGOUT
    assert account_of(client) is None
