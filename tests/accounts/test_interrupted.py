"""A form that is sent after the session has ended."""

import html
import re
from functools import reduce

import pytest
from django.conf import settings
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse

from accounts.factors.models import Authenticator
from accounts.sessions import Session
from fitness.api import rate_limits
from tests.conftest import statements
from tests.html import plain, text
from tests.training.test_web import a_form, fields_in, rows_of

PASSWORD = "correct horse battery"
OATS = {"name": "Oats", "calories": "520", "protein_g": "38", "carbs_g": "66", "fat_g": "11"}
SITE = {"HTTP_REFERER": "http://testserver/supplements"}


@pytest.fixture
def person(account):
    account.set_password(PASSWORD)
    account.save()
    return account


@pytest.fixture
def browser(person):
    """A browser in which the session of the account has ended."""
    client = Client()
    sign_in(client, person)
    end_session(client)
    return client


def sign_in(client, account, address="/sign-in"):
    return client.post(address, {"username": account.email, "password": PASSWORD, "next": next_of(address)})


def next_of(address):
    return address.partition("next=")[2].replace("%2F", "/")


def end_session(client):
    del client.cookies[settings.SESSION_COOKIE_NAME]


def send_again(client, page):
    """Presses the button of the page that offers to save."""
    (action,) = re.findall(r'<form class="card column" method="post" action="([^"]+)"', text(page))
    return client.post(html.unescape(action), fields_in(text(page)))


def discard(client):
    """Presses the other one."""
    return client.post("/sign-in/resume", fields_in(text(client.get("/sign-in/resume"))))


def test_a_weight_is_saved_after_the_sign_in(browser, person):
    asked = browser.post("/body/weight/log", {"weight_kg": "81.4", "notes": "<b>fasted</b>"}, **SITE)
    assert asked.headers["Location"] == "/sign-in?next=%2Fsign-in%2Fresume"
    assert "Sign in to save what you entered" in text(browser.get(asked.headers["Location"]))
    assert sign_in(browser, person, asked.headers["Location"]).headers["Location"] == "/sign-in/resume"
    page = browser.get("/sign-in/resume")
    assert "Log weight Weight kg 81.4" in plain(text(page))
    assert "<b>fasted" not in text(page)
    assert "csrf" not in plain(text(page))
    assert 'from <a href="/supplements">' in text(page)
    assert not person.weight_logs.exists()
    assert send_again(browser, page).status_code == 302
    assert person.weight_logs.get().weight_kg == 81.4
    assert browser.get("/sign-in/resume").headers["Location"] == "/"  # it is saved: nothing more is offered


def test_what_is_not_to_be_saved_is_forgotten(browser, person):
    browser.post("/body/weight/log", {"weight_kg": "81.4"}, **SITE)
    sign_in(browser, person)
    assert browser.post("/sign-in/resume", {"kept_form": "another"}).headers["Location"] == "/sign-in/resume"
    assert discard(browser).headers["Location"] == "/supplements"
    assert "It was not saved" in text(browser.get("/supplements"))
    assert browser.get("/sign-in/resume").headers["Location"] == "/"


def test_a_tick_is_not_lost(browser, person):
    creatine = person.supplements.create(name="Creatine", time="08:00")
    sign_in(browser, person)
    button = re.search(r'<form class="check-form".*?</form>', text(browser.get("/supplements")), re.S)[0]
    sent = dict(re.findall(r'name="(next|name)" value="([^"]+)"', button))
    end_session(browser)
    asked = browser.post(f"/supplements/{creatine.pk}/tick/2026-11-18", sent, **SITE)
    sign_in(browser, person, asked.headers["Location"])
    page = browser.get("/sign-in/resume")
    assert "Tick supplement Name Creatine" in plain(text(page))
    assert send_again(browser, page).headers["Location"] == "/supplements"
    assert person.supplement_logs.count() == 1


@pytest.mark.parametrize(
    ("address", "values", "saved"),
    [
        ("/workouts/new", a_form(), "workouts"),
        ("/goals/set?next=/goals%3Frange%3D1", {"target_weight_kg": "76"}, "goals"),
        ("/nutrition/meals/add", OATS, "meals"),
        ("/supplements/add", {"name": "Zinc", "time": "08:00"}, "supplements"),
        ("/routines/starters", {"starter": "push-pull-legs"}, "routines"),
    ],
)
def test_every_form_of_what_somebody_logs_is_kept(browser, person, address, values, saved):
    browser.post(address, values, **SITE)
    sign_in(browser, person)
    rows = getattr(person, saved)
    assert not rows.exists()
    send_again(browser, browser.get("/sign-in/resume"))
    assert rows.exists()


def test_a_workout_of_500_sets_is_kept(browser, person):
    tokens = [f"e{number}" for number in range(5)]
    rows = [rows_of([{"weight": "100", "reps": "5", "rpe": "8"}] * 100, token) for token in tokens]
    form = reduce(dict.__or__, rows, a_form()) | {"exercises": tokens}
    browser.post("/workouts/new", form, **SITE)
    sign_in(browser, person)
    page = browser.get("/sign-in/resume")
    assert re.search(r"and \d+ more fields", text(page))
    send_again(browser, page)
    assert person.workouts.get().volume_kg == 500 * 500


def test_a_form_is_offered_wherever_its_account_signs_in(browser, person):
    browser.post("/body/weight/log", {"weight_kg": "81.4"}, **SITE)
    browser.get("/")
    assert sign_in(browser, person, "/sign-in?next=/goals").headers["Location"] == "/sign-in/resume"


def test_a_form_outlasts_the_second_step(browser, person, time_machine):
    time_machine.move_to("2026-11-18T12:00:00Z")
    Authenticator.objects.create(account=person, sealed_secret="x", last_step=0)
    asked = browser.post("/body/weight/log", {"weight_kg": "81.4"}, **SITE)
    assert sign_in(browser, person, asked.headers["Location"]).headers["Location"] == reverse("factor")
    time_machine.move_to("2026-11-18T12:06:00Z")  # too late for a code: the sign-in begins anew
    assert browser.get(reverse("factor")).headers["Location"] == reverse("sign-in")
    Authenticator.objects.filter(account=person).delete()
    assert sign_in(browser, person).headers["Location"] == "/sign-in/resume"


def test_a_new_password_does_not_lose_a_form(browser, person):
    """It ends the sessions of all other browsers."""
    asked = browser.post("/body/weight/log", {"weight_kg": "81.4"}, **SITE)
    person.set_password("blue horse 77")
    person.save()
    form = {"username": person.email, "password": "blue horse 77", "next": next_of(asked.headers["Location"])}
    browser.post("/sign-in", form)
    assert "81.4" in text(browser.get("/sign-in/resume"))


def test_another_account_is_shown_nothing_of_it(browser, person, stranger):
    stranger.set_password(PASSWORD)
    stranger.save()
    asked = browser.post("/body/weight/log", {"weight_kg": "81.4"}, **SITE)
    sign_in(browser, stranger, asked.headers["Location"])
    home = browser.get("/sign-in/resume", follow=True)
    assert home.redirect_chain == [("/", 302)]
    assert "belongs to another account, and was not saved" in text(home)
    assert "81.4" not in text(home)
    end_session(browser)
    sign_in(browser, person)
    assert browser.get("/sign-in/resume").headers["Location"] == "/"


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("/settings/account", {"old_password": PASSWORD}),
        ("/settings/account/sessions/end-others", {}),
        ("/settings/developer", {"name": "x", "scope": "read"}),
        ("/settings/data/delete", {"password": PASSWORD}),
        ("/routines/{id}/delete", {}),
        ("/supplements/{id}/remove", {}),
        ("/nutrition/meals/{id}/remove", {}),
        ("/nutrition/days/2026-11-18/clear", {}),
    ],
)
def test_what_deletes_or_changes_rights_is_done_again_by_hand(browser, person, path, values):
    routine = person.routines.create(name="Push", exercises=[])
    asked = browser.post(path.format(id=routine.pk), values, **SITE)
    assert "kept_forms" not in browser.session
    assert asked.headers["Location"] == "/sign-in?next=%2Fsupplements"
    assert "this was not saved" in text(browser.get(asked.headers["Location"]))
    assert person.routines.exists()


def test_staff_are_told_that_a_form_of_the_admin_is_not_saved(browser):
    asked = browser.post("/admin/accounts/account/add/", {"email": "x@example.org"}, follow=True)
    assert asked.request["PATH_INFO"] == "/sign-in"
    assert "this was not saved" in text(asked)
    assert "kept_forms" not in browser.session


def test_a_workout_under_way_is_discarded_after_a_new_question_alone(browser, person):
    fields = {"exercise": "squat", "discard": "0192f0c0-0000-7000-8000-000000000000"}
    browser.post("/train/start", fields, **SITE)
    sign_in(browser, person)
    assert "discard" not in text(browser.get("/sign-in/resume")).lower()


@pytest.mark.parametrize("forged", ["", "x", "0192f0c0-0000-7000-8000-000000000000:signature"])
def test_a_browser_that_nobody_has_used_keeps_nothing(db, forged):
    visitor = Client()
    visitor.cookies.load({settings.ACCOUNT_COOKIE_NAME: forged, settings.BROWSER_COOKIE_NAME: forged})
    asked = visitor.post("/body/weight/log", {"weight_kg": "81.4"}, HTTP_REFERER="https://evil.example.org/x")
    assert asked.headers["Location"] == "/sign-in?next=%2F"
    assert not Session.objects.exists()


def test_so_many_forms_of_an_account_are_kept_in_an_hour(browser, person, monkeypatch):
    monkeypatch.setitem(rate_limits.LIMITS, "interrupted", "2/h")
    answers = [browser.post("/body/weight/log", {"weight_kg": "81.4"}, **SITE) for _ in range(3)]
    places = [answer.headers["Location"] for answer in answers]
    assert places == ["/sign-in?next=%2Fsign-in%2Fresume"] * 2 + ["/sign-in?next=%2Fsupplements"]


# --- Several forms --------------------------------------------------------------------------------------


@pytest.fixture
def zinc(person):
    return person.supplements.create(name="Zinc", time="08:00")


def log_weight(client, weight_kg="81.4", **fields):
    return client.post("/body/weight/log", {"weight_kg": weight_kg, **fields}, **SITE)


def waiting(client):
    """The weights that are offered one after another, none of which is saved."""
    while (page := client.get("/sign-in/resume")).status_code == 200:
        yield re.search(r"Weight kg ([\d.]+)", plain(text(page)))[1]
        discard(client)


def test_two_forms_are_offered_one_after_another(browser, person, zinc):
    log_weight(browser)
    browser.post(f"/supplements/{zinc.pk}/tick/2026-11-18", {"name": "Zinc"}, **SITE)
    sign_in(browser, person)
    weight = browser.get("/sign-in/resume")
    assert "1 more is waiting after it" in text(weight)
    assert send_again(browser, weight).headers["Location"] == "/sign-in/resume"
    tick = browser.get("/sign-in/resume")
    assert "Tick supplement" in plain(text(tick))
    assert send_again(browser, tick).headers["Location"] == "/supplements/days/2026-11-18"
    assert (person.weight_logs.count(), person.supplement_logs.count()) == (1, 1)


def test_another_form_to_the_same_address_leaves_the_kept_one(browser, person):
    log_weight(browser)
    sign_in(browser, person)
    log_weight(browser, "99")
    send_again(browser, browser.get("/sign-in/resume"))
    assert sorted(person.weight_logs.values_list("weight_kg", flat=True)) == [81.4, 99]


def test_the_same_form_sent_twice_is_offered_once(browser, person):
    for weight_kg in ("81.4", "82", "81.4"):
        log_weight(browser, weight_kg)
    sign_in(browser, person)
    assert list(waiting(browser)) == ["82", "81.4"]


def test_the_five_newest_forms_are_kept_and_a_message_says_so(browser, person):
    for weight_kg in range(71, 76):
        log_weight(browser, str(weight_kg))
    assert "was dropped" not in text(browser.get("/sign-in"))
    log_weight(browser, "76")
    assert "The oldest form that was waiting was dropped" in text(browser.get("/sign-in"))
    sign_in(browser, person)
    assert list(waiting(browser)) == ["72", "73", "74", "75", "76"]


def test_forms_of_256_kb_are_kept_together(browser, person):
    for weight_kg in ("71", "72", "73"):
        log_weight(browser, weight_kg, notes="x" * 100_000)
    asked = log_weight(browser, "74", notes="é" * 50_000)  # six characters each in an address
    assert asked.headers["Location"] == "/sign-in?next=%2Fsupplements"
    sign_in(browser, person)
    assert list(waiting(browser)) == ["72", "73"]


def test_each_page_says_that_a_form_is_waiting(browser, person):
    line = "A form is waiting to be saved"
    sign_in(browser, person)
    with statements() as without:
        assert line not in text(browser.get("/goals"))
    end_session(browser)
    log_weight(browser)
    assert line not in text(browser.get("/sign-in"))
    sign_in(browser, person)
    assert line not in text(browser.get("/sign-in/resume"))
    browser.get("/goals")  # shows the messages
    with statements() as waits:
        assert line in text(browser.get("/goals"))
    assert len(waits) == len(without)
    send_again(browser, browser.get("/sign-in/resume"))
    assert line not in text(browser.get("/goals"))


def test_a_form_that_is_refused_is_shown_by_its_page_and_waits_no_longer(browser, person):
    log_weight(browser, "-5")
    sign_in(browser, person)
    assert 'value="-5"' in text(send_again(browser, browser.get("/sign-in/resume")))
    assert browser.get("/sign-in/resume").headers["Location"] == "/"


def test_after_the_last_form_the_sign_in_leads_where_it_was_to_lead(browser, person, program):
    log_weight(browser, "81")
    log_weight(browser, "82")
    browser.post("/sign-in", {"username": person.email, "password": PASSWORD, "next": program.address()})
    assert discard(browser).headers["Location"] == "/sign-in/resume"
    sent = send_again(browser, browser.get("/sign-in/resume"))
    assert sent.headers["Location"] == program.address()
    assert browser.get("/sign-in/resume").headers["Location"] == "/"


# --- With the check of tokens ---------------------------------------------------------------------------


class StrictBrowser(Client):
    """Sends forms with the token of a page that was opened before, or with none."""

    def __init__(self):
        super().__init__(enforce_csrf_checks=True)

    def open(self, path):
        return re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', text(self.get(path)))[1]

    def sign_in(self, account):
        form = {"username": account.email, "password": PASSWORD}
        return self.send("/sign-in", form, self.open("/sign-in"))

    def send(self, path, fields, token):
        return self.post(path, {**fields, "csrfmiddlewaretoken": token}, **SITE)


@pytest.fixture
def strict(person):
    strict = StrictBrowser()
    strict.sign_in(person)
    return strict


WEIGHT = {"weight_kg": "81.4"}
EVIL = "https://evil.example.org"


def test_a_form_of_another_site_is_kept_by_nobody(strict, person):
    token = strict.open("/body")
    end_session(strict)
    for fields, origin in [
        (WEIGHT, "https://evil.example.org"),
        ({**WEIGHT, "csrfmiddlewaretoken": "x" * 64}, "http://testserver"),
        ({**WEIGHT, "csrfmiddlewaretoken": token}, "https://evil.example.org"),
    ]:
        assert strict.post("/body/weight/log", fields, HTTP_ORIGIN=origin).status_code == 403
    assert strict.sign_in(person).headers["Location"] == "/"


def test_what_was_kept_is_sent_with_a_new_token(strict, person):
    token = strict.open("/body")
    end_session(strict)
    assert strict.send("/body/weight/log", WEIGHT, token).headers["Location"].endswith("resume")
    assert strict.sign_in(person).headers["Location"] == "/sign-in/resume"
    assert strict.post("/body/weight/log", WEIGHT).status_code == 403
    strict.send("/body/weight/log", WEIGHT, strict.open("/sign-in/resume"))
    assert person.weight_logs.count() == 1


def test_a_form_that_was_open_during_a_sign_in_in_another_tab_is_offered(strict, person):
    token = strict.open("/workouts/new")
    end_session(strict)
    strict.sign_in(person)
    asked = strict.send("/workouts/new", a_form(), token)
    assert asked.headers["Location"] == "/sign-in/resume"
    assert not person.workouts.exists()
    send = fields_in(text(strict.get("/sign-in/resume")))
    assert strict.post("/workouts/new", send, **SITE).status_code == 302
    assert person.workouts.count() == 1


@pytest.mark.parametrize("header", [{"HTTP_ORIGIN": EVIL}, {"HTTP_REFERER": f"{EVIL}/x", "secure": True}])
def test_a_form_of_another_site_with_a_token_from_before_is_not_offered(strict, person, header):
    token = strict.open("/body")
    end_session(strict)
    strict.sign_in(person)
    form = {**WEIGHT, "csrfmiddlewaretoken": token}
    assert strict.post("/body/weight/log", form, **header).status_code == 403
    assert "kept_forms" not in strict.session


def test_a_form_that_another_account_has_left_open_is_not_offered(strict, person, stranger):
    stranger.set_password(PASSWORD)
    stranger.save()
    token = strict.open("/workouts/new")
    end_session(strict)
    for account in (stranger, person):
        strict.sign_in(account)
        assert strict.send("/workouts/new", a_form(), token).status_code == 403
        end_session(strict)


@pytest.mark.parametrize("token", ["", "x" * 64, "é" * 64, "x" * 32])
def test_a_wrong_token_is_refused_after_a_second_sign_in(strict, person, token):
    end_session(strict)
    strict.sign_in(person)
    assert strict.send("/workouts/new", a_form(), token).status_code == 403
    assert "kept_forms" not in strict.session


def test_a_consent_that_was_open_during_a_sign_in_is_asked_for_again(strict, person):
    token = strict.open("/body")
    end_session(strict)
    strict.sign_in(person)
    assert strict.send("/authorize?client_id=x", {"scope": "read_write"}, token).status_code == 403
    assert "kept_forms" not in strict.session


def test_a_password_is_never_kept(strict, person):
    token = strict.open("/settings/account")
    end_session(strict)
    strict.sign_in(person)
    for path in ("/settings/account", "/sign-in"):
        assert strict.send(path, {"password": PASSWORD}, token).status_code == 403
    assert "kept_forms" not in strict.session


# --- Addresses ------------------------------------------------------------------------------------------


def test_a_form_is_kept_for_an_hour(browser, person, time_machine):
    time_machine.move_to("2026-11-18T12:00:00Z")
    asked = browser.post("/body/weight/log", {"weight_kg": "81.4"}, **SITE)
    sign_in(browser, person, asked.headers["Location"])
    time_machine.move_to("2026-11-18T13:00:01Z")
    assert browser.get("/sign-in/resume").headers["Location"] == "/"


@pytest.mark.parametrize("path", ["/goals", "/sign-in/resume"])
def test_a_form_that_has_expired_is_deleted(browser, person, time_machine, path):
    time_machine.move_to("2026-11-18T12:00:00Z")
    log_weight(browser)
    sign_in(browser, person)
    time_machine.move_to("2026-11-18T13:00:01Z")
    assert "kept_forms" in browser.session
    browser.get(path)
    assert "kept_forms" not in browser.session


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


def test_a_form_leads_back_to_the_page_that_it_was_on(browser, person):
    page = "/settings/account"
    asked = browser.post(page, {"old_password": "x"}, HTTP_REFERER=f"http://testserver{page}?a=1")
    assert asked.headers["Location"] == "/sign-in?next=%2Fsettings%2Faccount%3Fa%3D1"


@pytest.mark.parametrize("path", ["//evil.example.org/x", "/\\evil.example.org/x"])
def test_a_form_leads_to_no_page_of_another_site(browser, person, path):
    browser.post("/body/weight/log", {"weight_kg": "81.4"}, HTTP_REFERER=f"http://testserver{path}")
    sign_in(browser, person)
    assert discard(browser).headers["Location"] == "/"


def test_a_consent_is_asked_for_again_with_what_its_address_says(browser, program):
    asked = browser.post(program.address(), {"choice": "connect"})
    assert asked.headers["Location"].startswith("/sign-in?next=/authorize%3F")
