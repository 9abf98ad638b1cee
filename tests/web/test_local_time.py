"""Screens, in the time zone of their account; and what stays in UTC."""

import datetime
import re

import pytest
from django import forms
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Account
from fitness.days import today, utc_today
from fitness.web.forms import DateTimeField
from fitness.web.local_time import zone_names
from tests.conftest import a_set, freshly_signed_in, statements
from tests.html import errors, form_of, text
from tests.pages import save_settings
from training.models import Plan, Workout

LOS_ANGELES = "America/Los_Angeles"
DAY = datetime.date(2026, 11, 17)  # a Tuesday
# A zone, a moment at which it is another day in UTC, and how clocks show it.
MOMENTS = [
    (LOS_ANGELES, "2026-11-18T03:30:00Z", "19:30"),
    ("Asia/Kathmandu", "2026-11-16T19:00:00Z", "00:45"),
    ("Pacific/Kiritimati", "2026-11-16T10:30:00Z", "00:30"),
]
everywhere = pytest.mark.parametrize(("zone", "now", "clock"), MOMENTS)
REST = {"label": "Rest", "focus": "", "rest": True, "exercises": []}


@pytest.fixture
def at(account, time_machine):
    """Puts the account into a zone, and stops the clock at a moment."""

    def at(zone, now):
        Account.objects.filter(pk=account.pk).update(time_zone=zone)
        time_machine.move_to(now, tick=False)

    return at


@pytest.fixture
def evening(at):
    """It is 19:30 on 17 November in Los Angeles, and the next day in UTC."""
    at(LOS_ANGELES, "2026-11-18T03:30:00Z")


def fields_of(html):
    """The single fields of a form for a workout, as a browser sends them unchanged."""
    found = re.findall(r'<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"', html)
    return {name: value.replace("&#x27;", "'") for name, value in found}


# --- Days ----------------------------------------------------------------------------------------


@everywhere
def test_a_workout_is_listed_and_counted_under_its_local_day(
    account, log_workout, at, time_machine, zone, now, clock
):
    at(zone, now)
    workout = log_workout(a_set(), started_at=now)
    time_machine.shift(1)
    page = freshly_signed_in(account)
    listed = text(page.get("/workouts"))
    assert "<b>17</b> <span>Tue</span>" in listed
    assert "November 2026" in listed
    assert f"Tuesday, 17 November 2026, {clock}<" in text(page.get(f"/workouts/{workout['id']}"))
    assert "17 Nov</time>" in text(page.get("/exercises/barbell-bench-press"))
    assert "on 17 Nov 2026" in text(page.get("/exercises/barbell-bench-press"))
    home = page.get("/")
    assert "Tue 17 Nov" in text(home)
    assert home.context["calendar"].counts == {DAY: 1}
    assert (home.context["week"]["sessions"], home.context["streak_days"]) == (1, 1)
    assert "17 Nov</time>" in text(home)  # the record


def test_a_day_of_another_year_has_its_year(account, log_workout, at):
    at(LOS_ANGELES, "2027-01-01T03:30:00Z")  # where it is still 2026
    log_workout(a_set(100, 5), started_at="2025-12-31T20:00:00Z")
    page = freshly_signed_in(account)
    assert "31 Dec 2025</time>" in text(page.get("/progress/records"))
    assert "Wed 31 Dec 2025</time>" in text(page.get("/"))
    log_workout(a_set(101, 5), started_at="2026-01-01T20:00:00Z")
    assert "1 Jan</time>" in text(page.get("/progress/records"))
    assert "Thu 1 Jan</time>" in text(page.get("/"))


def test_the_last_evening_of_a_month_is_in_that_month(account, log_workout, at):
    at(LOS_ANGELES, "2026-12-02T12:00:00Z")
    log_workout(started_at="2026-12-01T04:00:00Z")
    page = freshly_signed_in(account)
    assert [str(month) for month, *_ in page.get("/workouts").context["months"]] == ["2026-11-01"]


def test_the_week_begins_on_monday_at_local_midnight(account, log_workout, evening):
    log_workout(a_set(), started_at="2026-11-16T07:59:59Z")  # Sunday
    page = freshly_signed_in(account)
    assert page.get("/").context["week"]["sessions"] == 0
    log_workout(a_set(), started_at="2026-11-16T08:00:00Z")
    assert page.get("/").context["week"]["sessions"] == 1


def test_the_streak_counts_local_days_and_the_apis_days_in_utc(account, api, log_workout, evening):
    for started_at in ("2026-11-15T16:00:00Z", "2026-11-17T04:00:00Z", "2026-11-18T03:00:00Z"):
        log_workout(started_at=started_at)
    assert freshly_signed_in(account).get("/").context["streak_days"] == 3
    assert api.get("/stats/training").json()["streak_days"] == 2


def test_a_streak_ends_at_a_local_day_without_a_workout(account, log_workout, evening):
    for started_at in ("2026-11-14T20:00:00Z", "2026-11-16T20:00:00Z"):
        log_workout(started_at=started_at)
    page = freshly_signed_in(account)
    assert page.get("/").context["streak_days"] == 1
    Account.objects.filter(pk=account.pk).update(time_zone="Pacific/Kiritimati")  # where it is the 18th
    assert page.get("/").context["streak_days"] == 1


def test_a_streak_may_be_longer_than_the_calendar_for_one_statement(account, evening):
    now = timezone.now()

    def log_evenings(days_ago):
        times = [now - datetime.timedelta(days=days) for days in days_ago]
        shared = {"account": account, "duration_seconds": 60, "volume_kg": 0, "document": "{}"}
        Workout.objects.bulk_create(
            Workout(started_at=time, created_at=time, updated_at=time, day=time.toordinal(), **shared)
            for time in times
        )

    log_evenings(range(300))
    page = freshly_signed_in(account)
    with statements() as within:
        assert page.get("/").context["streak_days"] == 300
    log_evenings([*range(300, 450), *range(451, 500)])
    with statements() as beyond:
        assert page.get("/").context["streak_days"] == 450
    assert len(beyond) == len(within) + 1


@everywhere
def test_the_plan_of_today_is_that_of_the_local_day(account, at, zone, now, clock):
    at(zone, now)
    tuesday = {"label": "Push", "focus": "", "rest": False, "exercises": []}
    days = [{"weekday": number, **(tuesday if number == 2 else REST)} for number in range(1, 8)]
    fields = {"name": "Week", "summary": "", "progression": "", "days": days, "active": True}
    plan = Plan.objects.create_for(account, fields)
    page = freshly_signed_in(account)
    assert f"/workouts/new?plan={plan.pk}&amp;day=2" in text(page.get("/"))
    days = page.get(f"/plans/{plan.pk}").context["days"]
    assert [day["weekday"] for day in days if day["is_today"]] == [2]


@everywhere
def test_what_is_ticked_in_the_evening_is_todays(account, api, at, zone, now, clock):
    at(zone, now)
    meal = account.foods.create(name="Oats", calories=520, is_meal=True)
    creatine = account.supplements.create(name="Creatine", time="20:00")
    page = freshly_signed_in(account)
    ticks = [reverse("tick-meal", args=[meal.pk, DAY]), reverse("tick-supplement", args=[creatine.pk, DAY])]
    for screen, tick in zip(("/nutrition", "/supplements"), ticks, strict=True):
        assert tick in text(page.get("/"))
        assert ">Today<" in text(page.get(screen))
        page.post(tick)
        assert 'aria-pressed="true"' in text(page.get(screen))
    assert api.get("/nutrition/2026-11-17").json()["calories"] == 520
    assert api.get("/supplements/logs").json()["logs"][0]["day"] == "2026-11-17"


def test_weights_are_charted_by_local_days(account, evening):
    for logged_at, weight_kg in (("2026-11-17T15:00:00Z", 82), ("2026-11-18T03:00:00Z", 83)):
        account.weight_logs.create(weight_kg=weight_kg, logged_at=logged_at)
    page = freshly_signed_in(account)
    (point,) = page.get("/body").context["trend"]["points"]
    assert (point["day"], point["weight_kg"]) == (DAY, 83)
    assert "Edit the weight of 17 November 2026" in text(page.get("/body"))
    log = account.weight_logs.latest("logged_at")
    assert "Delete the weight of 17 November 2026?" in text(page.get(reverse("delete-weight", args=[log.pk])))


def test_measurements_are_charted_at_local_times(account, evening):
    account.measurements.create(waist_cm=80, logged_at="2026-11-18T03:00:00Z")
    page = freshly_signed_in(account)
    assert "80 cm on 17 Nov 2026" in text(page.get("/body/measurements"))


def test_a_workout_without_a_title_is_named_by_its_local_day(account, log_workout, evening):
    workout = log_workout(started_at="2026-11-18T03:30:00Z")
    page = freshly_signed_in(account)
    assert "Workout of 2026-11-17" in text(page.get(f"/workouts/{workout['id']}/delete"))


def test_the_history_of_a_plan_and_the_sign_in_are_local(account, evening):
    days = [{"weekday": number, **REST} for number in range(1, 8)]
    fields = {"name": "Week", "summary": "", "progression": "", "days": days, "active": False}
    plan = Plan.objects.create_for(account, fields)
    plan.activate()
    page = freshly_signed_in(account)
    assert "17 Nov 2026, 19:30<" in text(page.get(f"/plans/{plan.pk}"))
    client = Client()
    client.post(reverse("sign-in"), {"username": account.email, "password": "correct horse"})
    assert "Signed in on 17 November 2026" in text(client.get(reverse("account")))


# --- Forms ---------------------------------------------------------------------------------------


def test_forms_ask_for_local_times(account, api, evening):
    page = freshly_signed_in(account)
    assert fields_of(text(page.get(reverse("log-measurement"))))["logged_at"] == "2026-11-17T19:30"
    fields = fields_of(text(page.get("/workouts/new")))
    assert fields["started_at"] == "2026-11-17T18:30"
    page.post("/workouts/new", fields)
    page.post("/workouts/new", {"started_at": "2026-11-17T07:00", "duration": "60"})
    started = [workout["started_at"] for workout in api.get("/workouts").json()["workouts"]]
    assert started == ["2026-11-18T02:30:00Z", "2026-11-17T15:00:00Z"]


# In Los Angeles clocks were put back on 1 November at 2:00, and put forward on 8 March at 2:00.
CHANGES = [
    ("2026-11-01T01:30", "2026-11-01T08:30:00Z"),  # shown twice: the first
    ("2026-03-08T02:30", "2026-03-08T10:30:00Z"),  # skipped: an hour later, 3:30
    ("2026-03-08T03:30", "2026-03-08T10:30:00Z"),
]


@pytest.mark.parametrize(("typed", "stored"), CHANGES)
def test_a_time_that_clocks_show_twice_or_skip_is_read(account, api, evening, typed, stored):
    page = freshly_signed_in(account)
    page.post("/workouts/new", {"started_at": typed, "duration": "60"})
    page.post(reverse("log-weight"), {"weight_kg": "80", "logged_at": typed})
    page.post(reverse("log-measurement"), {"waist_cm": "80", "logged_at": typed})
    assert api.get("/workouts").json()["workouts"][0]["started_at"] == stored
    assert api.get("/body/weight").json()["weight"][0]["logged_at"] == stored
    assert api.get("/body/measurements").json()["measurements"][0]["logged_at"] == stored


@pytest.mark.parametrize(
    ("zone", "stored"),
    [
        ("Etc/GMT+12", "2026-01-09T12:00:00Z"),
        ("Europe/Berlin", "2026-01-09T12:00:00Z"),
        ("Pacific/Auckland", "2026-01-09T10:00:00Z"),
        ("Pacific/Kiritimati", "2026-01-09T09:00:00Z"),
    ],
)
def test_a_day_that_is_typed_alone_is_that_day_in_utc_as_well(account, api, at, zone, stored):
    """Browsers without a field for times send what somebody types."""
    at(zone, "2026-02-01T12:00:00Z")
    test_a_time_that_clocks_show_twice_or_skip_is_read(account, api, None, "2026-01-09", stored)


TWICE = ["2026-11-01T08:30:15Z", "2026-11-01T09:30:15Z"]  # both shown as 1:30


@pytest.mark.parametrize("stored", TWICE)
def test_a_moment_that_was_not_touched_stays(account, api, log_workout, evening, stored):
    page = freshly_signed_in(account)
    workout = log_workout(a_set(), started_at=stored)
    edit = f"/workouts/{workout['id']}/edit"
    fields = fields_of(text(page.get(edit)))
    assert fields["started_at"] == "2026-11-01T01:30"
    page.post(edit, fields | {"title": "Night"})
    after = api.get(f"/workouts/{workout['id']}").json()
    assert (after["title"], after["started_at"]) == ("Night", stored)
    log = account.weight_logs.create(weight_kg=80, logged_at=stored)
    edit = reverse("edit-weight", args=[log.pk])
    form = form_of(page.get(edit))
    page.post(edit, form | {"logged_at": "2026-11-01T01:30", "notes": "Night"})
    (after,) = api.get("/body/weight").json()["weight"]
    assert (after["notes"], after["logged_at"]) == ("Night", stored)


@pytest.mark.parametrize("now", ["2026-11-01T09:30:00Z", "2026-11-01T10:30:00Z"])
def test_a_workout_that_began_an_hour_ago_did_so_in_the_night_of_the_change(account, api, at, now):
    at(LOS_ANGELES, now)
    page = freshly_signed_in(account)
    page.post("/workouts/new", fields_of(text(page.get("/workouts/new"))))
    (workout,) = api.get("/workouts").json()["workouts"]
    assert workout["started_at"] == now.replace("T09", "T08").replace("T10", "T09")


@pytest.mark.parametrize(
    ("started_at", "shown"),
    [
        ("2026-11-01T06:30:00Z", "Saturday, 31 October 2026, 23:30<"),
        ("2026-11-01T08:30:00Z", "Sunday, 1 November 2026, 01:30<"),
        ("2026-03-08T07:30:00Z", "Saturday, 7 March 2026, 23:30<"),
    ],
)
def test_a_workout_over_the_change_keeps_its_day(account, api, log_workout, evening, started_at, shown):
    workout = log_workout(a_set(), started_at=started_at, duration_seconds=4 * 3600)
    page = freshly_signed_in(account)
    shown_page = text(page.get(f"/workouts/{workout['id']}"))
    assert shown in shown_page
    assert "4 h" in shown_page
    edit = f"/workouts/{workout['id']}/edit"
    page.post(edit, fields_of(text(page.get(edit))) | {"notes": "Late."})
    after = api.get(f"/workouts/{workout['id']}").json()
    assert (after["started_at"], after["duration_seconds"]) == (started_at, 4 * 3600)


def test_a_day_whose_midnight_is_skipped_begins_an_hour_later(account, log_workout, at):
    at("America/Santiago", "2026-09-06T12:00:00Z")  # clocks were put forward at midnight
    log_workout(a_set(), started_at="2026-09-06T03:59:59Z")
    log_workout(a_set(), started_at="2026-09-06T04:00:00Z")
    counts = freshly_signed_in(account).get("/").context["calendar"].counts
    assert counts == {datetime.date(2026, 9, 5): 1, datetime.date(2026, 9, 6): 1}


@pytest.mark.parametrize(
    ("zone", "typed"), [("Asia/Kathmandu", "0001-01-01T00:00"), (LOS_ANGELES, "9999-12-31T23:30")]
)
def test_a_time_outside_of_the_calendar_is_an_error_of_its_field(account, at, zone, typed):
    at(zone, "2026-11-18T03:30:00Z")
    page = freshly_signed_in(account)
    assert "logged_at" in errors(page.post(reverse("log-weight"), {"weight_kg": "80", "logged_at": typed}))
    answer = page.post("/workouts/new", {"started_at": typed, "duration": "60"})
    assert "Enter a date and a time." in text(answer)


@pytest.mark.parametrize("zone", [LOS_ANGELES, "Pacific/Kiritimati"])
def test_the_first_and_the_last_moment_can_be_shown(account, api, log_workout, at, zone):
    at(zone, "2026-11-18T03:30:00Z")
    page = freshly_signed_in(account)
    for moment in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"):
        workout = log_workout(a_set(), started_at=moment)
        api.post("/body/weight", {"weight_kg": 80, "logged_at": moment})
        api.post("/body/measurements", {"waist_cm": 80, "logged_at": moment})
        edit = f"/workouts/{workout['id']}/edit"
        assert page.post(edit, fields_of(text(page.get(edit)))).status_code == 302
        assert api.get(f"/workouts/{workout['id']}").json()["started_at"] == moment
        for address in ("/", "/workouts", f"/workouts/{workout['id']}", "/exercises/barbell-bench-press"):
            assert page.get(f"{address}?range=all").status_code == 200
        for address in ("/body", "/body/measurements"):
            assert page.get(f"{address}?range=all").status_code == 200


# --- What stays in UTC -----------------------------------------------------------------------------


def test_the_api_the_tools_and_the_export_do_not_depend_on_the_zone(account, api, log_workout, at):
    log_workout(a_set(), started_at="2026-11-18T03:30:00Z", title="Push")
    account.weight_logs.create(weight_kg=80, logged_at="2026-11-18T03:30:00Z")
    paths = ("/me", "/workouts", "/stats/training", "/stats/records", "/stats/body", "/body/weight")

    def answers(zone):
        at(zone, "2026-11-18T03:30:00Z")
        export = freshly_signed_in(account).get(reverse("export"))
        exported = (export.headers["Content-Disposition"], export.getvalue())
        return [*(api.get(path).content for path in paths), exported]

    assert answers("") == answers("Pacific/Kiritimati") == answers(LOS_ANGELES)


def test_a_tick_of_the_api_is_for_the_day_in_utc(account, api, evening):
    creatine = account.supplements.create(name="Creatine", time="08:00")
    logged = api.post(f"/supplements/{creatine.pk}/logs", {}).json()
    assert logged["day"] == "2026-11-18"
    with timezone.override(datetime.timezone(datetime.timedelta(hours=-8))):
        assert (utc_today(), today()) == (datetime.date(2026, 11, 18), DAY)


def test_the_admin_is_in_utc(account, log_workout, evening):
    workout = log_workout(started_at="2026-11-18T03:30:00Z")
    staff = Account.objects.create_superuser("root@example.org", "correct horse", time_zone=LOS_ANGELES)
    page = text(freshly_signed_in(staff).get(f"/admin/training/workout/{workout['id']}/change/"))
    assert "18 Nov 2026 03:30" in page


def test_a_zone_ends_with_its_request(account, evening):
    freshly_signed_in(account).get("/")
    assert timezone.get_current_timezone_name() == "UTC"


# --- The zone of an account -------------------------------------------------------------------------


@pytest.mark.parametrize("zone", ["Mars/Olympus", "America", "../../etc/passwd", "x" * 64])
def test_a_zone_that_this_machine_does_not_have_is_utc(account, log_workout, at, zone):
    at(zone, "2026-11-18T03:30:00Z")
    workout = log_workout(started_at="2026-11-18T03:30:00Z")
    page = freshly_signed_in(account)
    assert "18 November 2026, 03:30" in text(page.get(f"/workouts/{workout['id']}"))
    assert form_of_zone(page) == "UTC"


def form_of_zone(page):
    return page.get(reverse("profile")).context["form"]["time_zone"].value()


def test_the_zone_is_chosen_in_the_profile(page, account):
    assert form_of_zone(page) == "UTC"
    assert save_settings(page, time_zone=LOS_ANGELES).headers["Location"] == reverse("profile")
    for zone in ("", "Mars/Olympus", "posix/America/Los_Angeles"):
        assert save_settings(page, time_zone=zone).context["form"].errors.keys() == {"time_zone"}
        page.post(reverse("set-time-zone"), {"time_zone": zone})
    assert form_of_zone(page) == LOS_ANGELES
    account.refresh_from_db()
    assert account.time_zone == LOS_ANGELES


def test_every_zone_can_be_chosen_and_nothing_else():
    assert {"UTC", LOS_ANGELES, "Asia/Kathmandu", "Pacific/Kiritimati", "Etc/GMT+5"} <= set(zone_names())
    assert not [name for name in zone_names() if re.match("posix|right|Factory|localtime", name)]


NEWCOMER = {"email": "new@example.org", "password1": "blue horse 77", "password2": "blue horse 77"}


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ({"time_zone": LOS_ANGELES}, LOS_ANGELES),
        ({}, ""),
        *(({"time_zone": forged}, "") for forged in ("", "Mars/Olympus", "\0", "x" * 10_000, "posixrules")),
    ],
)
def test_a_new_account_has_the_zone_of_its_browser(client, db, sent, stored):
    client.post(reverse("sign-up"), {**NEWCOMER, **sent})
    assert Account.objects.get().time_zone == stored


@pytest.mark.parametrize("answer", [LOS_ANGELES, "UTC"])
def test_a_zone_is_offered_once(page, account, answer):
    assert "data-time-zone-offer" in text(page.get("/"))
    response = page.post(reverse("set-time-zone"), {"time_zone": answer, "next": "/"})
    assert response.headers["Location"] == "/"
    home = text(page.get("/"))
    assert f"Times are shown in {answer}." in home
    assert "time-zone" not in home
    account.refresh_from_db()
    assert account.time_zone == answer


def test_a_zone_takes_no_statement(account, log_workout):
    log_workout(a_set())
    page = freshly_signed_in(account)
    for address in ("/", "/workouts", "/body", "/nutrition", "/settings/account"):
        page.get(address)
        with statements() as without:
            page.get(address)
        Account.objects.filter(pk=account.pk).update(time_zone=LOS_ANGELES)
        with statements() as inside:
            page.get(address)
        Account.objects.filter(pk=account.pk).update(time_zone="")
        assert len(inside) == len(without), address


def test_no_screen_has_the_letters_utc(account, log_workout, evening):
    workout = log_workout(a_set(), started_at="2026-11-18T03:30:00Z")
    page = freshly_signed_in(account)
    names = ["home", "workouts", "log-workout", "routines", "plans", "exercises", "body", "log-weight"]
    names += ["measurements", "log-measurement", "goals", "set-goal", "nutrition", "supplements", "account"]
    names += ["developer", "data"]
    addresses = [*map(reverse, names), f"/workouts/{workout['id']}", f"/workouts/{workout['id']}/edit"]
    assert [address for address in addresses if "UTC" in text(page.get(address))] == []


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "Pacific/Kiritimati"])
def test_a_day_that_ends_outside_of_the_calendar_is_refused(zone):
    with timezone.override(zone), pytest.raises(forms.ValidationError):
        DateTimeField().clean("9999-12-31")
