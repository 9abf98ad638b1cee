"""The calendar of an account, read by two libraries that share no code with the one that writes it."""

import datetime
import re
import time
from zoneinfo import ZoneInfo

import ics
import pytest
import vobject
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import keys
from accounts.audit import AuditEvent
from accounts.models import CalendarFeed
from accounts.web.fresh import CONFIRMED_AT
from fitness.api import rate_limits
from fitness.logs import RedactKeys
from fitness.site import account_data
from tests.conftest import a_set, freshly_signed_in, statements
from tests.factories import PASSWORD
from tests.training.test_plans import a_day, a_plan, an_exercise

NEVER = f"/calendar/{keys.generate(keys.CALENDAR_PREFIX)}.ics"


def made(page):
    """The path of the address that the settings show once."""
    shown = page.post(reverse("calendar"))
    assert shown.status_code == 200
    return re.search(r"/calendar/svcf_\w{40}\.ics", shown.content.decode())[0]


@pytest.fixture
def address(page):
    return made(page)


@pytest.fixture
def read(address):
    """Reads the feed without signing in: {summary and begin: event} as vobject has it. ics must agree."""

    def read():
        text = Client().get(address).content.decode()
        events = vobject.readOne(text).contents.get("vevent", [])
        theirs = ics.Calendar(text).events
        assert {one.uid for one in theirs} == {one.uid.value for one in events}
        assert {(one.name, one.description or "") for one in theirs} == {
            (one.summary.value, one.description.value) for one in events
        }
        return sorted(events, key=lambda one: (str(one.dtstart.value), one.summary.value))

    return read


def days(events):
    return [one.dtstart.value.isoformat() for one in events]


def lines(event):
    return event.description.value.split("\n")


def test_the_days_of_the_active_plan_are_whole_days_of_the_next_four_weeks(api, read):
    days_of_week = [a_day(one, rest=one != 3) for one in range(1, 8)]
    days_of_week[2] |= {"label": "Legs", "focus": "Squat", "exercises": [an_exercise("barbell-back-squat")]}
    api.post("/plans", a_plan(days=days_of_week, active=True))
    events = read()
    assert days(events) == ["2026-11-18", "2026-11-25", "2026-12-02", "2026-12-09"]
    assert events[0].dtend.value == datetime.date(2026, 11, 19)
    assert events[0].transp.value == "TRANSPARENT"
    assert (events[0].summary.value, lines(events[0])) == (
        "Legs",
        ["Squat", "Barbell Back Squat: 3 × 8 at 60 kg"],
    )


def test_no_inactive_plan_is_shown(api, read):
    api.post("/plans", a_plan())
    assert read() == []


def test_a_day_of_the_plan_is_one_of_the_accounts_time_zone(account, api, read, time_machine):
    time_machine.move_to("2026-11-18T23:30:00Z")  # Thursday in Tokyo
    account.time_zone = "Asia/Tokyo"
    account.save()
    api.post("/plans", a_plan(days=[a_day(one, rest=one != 3) for one in range(1, 8)], active=True))
    assert days(read()) == ["2026-11-25", "2026-12-02", "2026-12-09", "2026-12-16"]


def test_the_plans_day_gives_way_to_the_workout_that_did_it(api, read, log_workout):
    plan = api.post("/plans", a_plan(active=True)).json()
    before = days(read())
    log_workout(a_set(), started_at="2026-11-18T10:00:00Z", plan_id=plan["id"])
    assert (before[0], [one for one in days(read()) if one.startswith("2026-11-18")]) == (
        "2026-11-18",
        ["2026-11-18T10:00:00+00:00"],
    )


def test_a_deload_week_is_lighter_and_says_so(api, read):
    plan = api.post("/plans", a_plan(active=True)).json()
    api.put(f"/plans/{plan['id']}/progression", {"rules": [], "deload_every": 4, "deload_percent": 50})
    events = read()
    labels = [one.summary.value for one in events]
    assert labels[7:12] == ["Day 5", *[f"Day {number} (deload)" for number in (1, 3, 5)], "Day 1"]
    assert lines(events[8]) == ["Barbell Bench Press: 3 × 8 at 30 kg"]


def test_a_rule_decides_the_next_week_alone(api, read):
    plan = api.post("/plans", a_plan(active=True)).json()
    rule = {"weekday": 3, "position": 0, "exercise_id": "barbell-back-squat", "kind": "linear"}
    assert api.put(f"/plans/{plan['id']}/progression", {"rules": [rule]}).status_code == 200
    squats = [lines(one) for one in read() if one.summary.value == "Day 3"]
    assert squats == [["Barbell Back Squat: 3 × 8 at 60 kg"], *[["Barbell Back Squat"]] * 3]


def test_a_workout_has_its_time_its_lifts_and_its_volume(read, log_workout):
    sets = [a_set(60, 10, type="warmup"), a_set(100, 5), a_set(102.5, 5)]
    workout = log_workout(*sets, started_at="2026-11-17T17:30:00Z", title="Push; hard, \\o/", notes="secret")
    (event,) = read()
    assert event.uid.value == workout["id"]
    assert event.dtstart.value == datetime.datetime(2026, 11, 17, 17, 30, tzinfo=datetime.UTC)
    assert event.dtend.value - event.dtstart.value == datetime.timedelta(hours=1)
    assert event.summary.value == "Push; hard, \\o/"
    assert lines(event) == ["2 sets, 1 warm-up, 1,012 kg", "Barbell Bench Press: 2 sets, best 102.5 kg × 5"]
    assert event.url.value.endswith(f"/workouts/{workout['id']}")


def test_weights_are_in_the_unit_of_the_account(account, read, log_workout):
    account.units = "lb"
    account.save()
    log_workout(a_set(45.359237, 10), started_at="2026-11-17T17:30:00Z")
    assert lines(read()[0]) == ["1 set, 1,000 lb", "Barbell Bench Press: 1 set, best 100 lb × 10"]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"exercise_id": "pull-up", "sets": [a_set(0, 12)]}, ["1 set", "Pull-Up: 1 set, best 12 reps"]),
        ({"exercise_id": "plank", "notes": "90 s"}, ["1 set", "Plank: 1:30"]),
    ],
)
def test_lifts_without_weight_are_told_by_repetitions_or_time(api, read, fields, expected):
    exercise = {"sets": [], **fields}
    body = {"started_at": "2026-11-17T17:30:00Z", "duration_seconds": 0, "exercises": [exercise]}
    assert api.post("/workouts", body).status_code == 201
    (event,) = read()
    assert lines(event) == expected
    assert "dtend" not in event.contents


@pytest.mark.parametrize("control", ["\r\nBEGIN:VEVENT\r\n", "\u0085", "\u2028", "\x0b", "\n"])
def test_a_title_begins_no_line_of_its_own(account, read, log_workout, control):
    log_workout(started_at="2026-11-17T17:30:00Z")
    account.workouts.update(title=f"a{control}X-EVIL:b")
    (event,) = read()
    assert "x-evil" not in event.contents
    assert event.summary.value.startswith("a")


def test_workouts_before_the_last_90_days_are_left_out(read, log_workout):
    log_workout(started_at="2026-08-19T10:00:00Z")
    log_workout(started_at="2026-08-20T13:00:00Z")
    assert days(read()) == ["2026-08-20T13:00:00+00:00"]


def test_the_feed_names_itself_and_how_often_to_read_it(account, address):
    account.time_zone = "Europe/Berlin"
    account.save()
    text = Client().get(address).content.decode()
    assert {"X-WR-CALNAME:Fitness training", "X-WR-TIMEZONE:Europe/Berlin"} <= set(text.split("\r\n"))
    assert "REFRESH-INTERVAL;VALUE=DURATION:PT1H" in text.split("\r\n")
    assert max(len(line.encode()) for line in text.split("\r\n")) <= 75


def test_nobody_else_may_keep_or_list_it(address):
    answer = Client().get(address)
    assert answer.headers["Content-Type"] == "text/calendar; charset=utf-8"
    assert "private" in answer.headers["Cache-Control"]
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"


def test_what_has_not_changed_is_not_sent_again(address, api, log_workout):
    log_workout(started_at="2026-11-17T17:30:00Z")
    tag = Client().get(address).headers["ETag"]
    with statements() as executed:
        again = Client().get(address, headers={"If-None-Match": tag})
    assert (again.status_code, again.content, again.headers["ETag"], len(executed)) == (304, b"", tag, 2)
    log_workout(started_at="2026-11-17T18:30:00Z")
    assert Client().get(address, headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize("change", [{"units": "lb"}, {"time_zone": "Asia/Tokyo"}])
def test_another_unit_or_zone_is_another_calendar(account, address, change):
    tag = Client().get(address).headers["ETag"]
    type(account).objects.filter(pk=account.pk).update(**change)
    assert Client().get(address, headers={"If-None-Match": tag}).status_code == 200


def test_another_day_is_another_calendar(address, time_machine):
    tag = Client().get(address).headers["ETag"]
    time_machine.move_to("2026-11-19T12:00:00Z")
    assert Client().get(address, headers={"If-None-Match": tag}).status_code == 200


def test_the_number_of_statements_does_not_depend_on_the_history(address, api, log_workout):
    counts = []
    for number in range(2):
        api.post("/plans", a_plan(active=True))
        for hour in range(1 + 5 * number):
            log_workout(a_set(), started_at=f"2026-11-17T1{hour}:30:00Z")
        with statements() as executed:
            assert Client().get(address).status_code == 200
        counts.append(len(executed))
    assert counts == [5, 5]


# --- Its address --------------------------------------------------------------------------------------


def test_the_address_is_shown_once_and_stored_nowhere(page, address):
    assert keys.is_well_formed(address[10:-4], keys.CALENDAR_PREFIX)
    assert "svcf_" not in page.get(reverse("calendar")).content.decode()
    stored = [*CalendarFeed.objects.values_list(), *AuditEvent.objects.values_list()]
    assert "svcf_" not in str(stored)


def test_an_ended_address_is_as_unknown_as_any_other(page, address):
    page.post(reverse("end-calendar"))
    ended, never = (Client().get(one) for one in (address, NEVER))
    assert (ended.status_code, ended.content) == (404, never.content)
    events = AuditEvent.objects.values_list("event", flat=True).order_by("at")
    assert list(events) == ["calendar address made", "calendar address ended"]


@pytest.mark.parametrize("text", ["svcf_", "svc_x", "x" * 45, "svcf_" + "A" * 40, "svcf_" + "é" * 40])
def test_what_is_no_token_takes_no_statement(db, text):
    with statements() as executed:
        assert Client().get(f"/calendar/{text}.ics").status_code == 404
    assert executed == []


def test_a_key_or_a_token_of_another_kind_opens_no_calendar(api, account):
    CalendarFeed.objects.create(account=account, digest=keys.digest(api.key))
    assert Client().get(f"/calendar/{api.key}.ics").status_code == 404


def test_the_address_opens_nothing_else(address, nobody):
    nobody.key = address[10:-4]
    assert nobody.get("/me").status_code == 401
    assert Client().post(address).status_code == 405


def test_each_account_has_its_own(address, stranger, log_workout):
    log_workout(started_at="2026-11-17T17:30:00Z", title="Mine")
    theirs = Client().get(made(freshly_signed_in(stranger))).content.decode()
    assert "Mine" in Client().get(address).content.decode()
    assert "BEGIN:VCALENDAR" in theirs
    assert "Mine" not in theirs


def test_a_second_address_is_not_made_beside_the_first(page, address):
    again = page.post(reverse("calendar"), follow=True)
    assert "has an address already" in again.content.decode()
    assert Client().get(address).status_code == 200
    page.post(reverse("end-calendar"))
    assert made(page) != address


def test_a_stranger_ends_nothing(address, stranger):
    freshly_signed_in(stranger).post(reverse("end-calendar"))
    assert Client().get(address).status_code == 200
    assert AuditEvent.objects.filter(event="calendar address ended").count() == 0


def test_making_one_asks_for_the_password_again(page, account):
    session = page.session
    session[CONFIRMED_AT] = time.time() - 3600
    session.save()
    assert page.post(reverse("calendar")).url.startswith(reverse("confirm-password"))
    assert "Make an address" not in page.get(reverse("calendar")).content.decode()
    assert not CalendarFeed.objects.exists()


def test_a_question_stands_before_the_end(page, address):
    assert "End it" in page.get(reverse("end-calendar")).content.decode()
    assert Client().get(address).status_code == 200


@pytest.mark.parametrize("end", ["deactivate", "revoke_keys"])
def test_staff_end_what_it_shows(account, address, end):
    getattr(account, end)()
    assert Client().get(address).status_code == 404


def test_a_deleted_account_has_no_calendar(account, address):
    account_data.delete(account)
    assert Client().get(address).status_code == 404
    assert not CalendarFeed.objects.exists()


def test_a_new_password_leaves_it_and_says_so(page, address):
    form = {"old_password": PASSWORD, "new_password1": "blue horse 77", "new_password2": "blue horse 77"}
    assert "end it if others may know it" in page.post(reverse("account"), form, follow=True).content.decode()
    assert Client().get(address).status_code == 200


def test_an_export_does_not_hold_it(page, address):
    assert CalendarFeed.objects.get().digest not in page.get(reverse("export")).content.decode()


def test_a_program_that_reads_it_without_pause_is_asked_to_wait(address, monkeypatch):
    monkeypatch.setitem(rate_limits.LIMITS, "calendar", "2/h")
    answers = [Client().get(address) for _ in range(3)]
    assert [one.status_code for one in answers] == [200, 200, 429]
    assert int(answers[-1].headers["Retry-After"]) > 0


def test_neither_log_nor_metrics_have_it(address, caplog):
    caplog.set_level("INFO")
    assert Client().get(address).status_code == 200
    assert Client().get(NEVER).status_code == 404
    token = address[10:-4]
    record = next(one for one in caplog.records if getattr(one, "path", "").startswith("/calendar/"))
    RedactKeys().filter(record)
    assert record.path == "/calendar/svc_[redacted].ics"
    assert token not in Client(REMOTE_ADDR="127.0.0.1").get("/metrics").content.decode()


def test_the_zone_of_an_account_that_has_none_is_utc(read, account, api, log_workout):
    assert account.time_zone == ""
    log_workout(started_at="2026-11-17T23:30:00Z")
    local = timezone.localtime(read()[0].dtstart.value, ZoneInfo("UTC"))
    assert local.day == 17
