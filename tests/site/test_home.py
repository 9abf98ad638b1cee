import datetime
import re
import time

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import Account
from fitness.management.commands import seed_demo
from tests.conftest import a_set, statements
from tests.html import MARKUP, forms_of, headings, holds_markup_as_text, plain, text
from tests.training.test_web import fields_in
from training.models import Plan
from training.plans.plan_rules import Progression
from training.plans.program_plans import FITTING
from training.plans.programs import Program

REST = {"label": "Rest", "focus": "", "rest": True, "exercises": []}


def started(days_ago=0):
    return (timezone.now() - datetime.timedelta(days=days_ago)).isoformat()


def plan_for_today(account, **day):
    today = timezone.now().isoweekday()
    days = [{"weekday": number, **REST, **(day if number == today else {})} for number in range(1, 8)]
    fields = {"name": "Four days", "summary": "", "progression": "", "days": days, "active": True}
    return Plan.objects.create_for(account, fields)


def planned(**fields):
    exercise = {"exercise_id": "barbell-bench-press", "name": "Barbell Bench Press", "muscle_group": "Chest"}
    return {**exercise, "equipment": "Barbell", "sets": 3, "reps": 8, "weight_kg": 80, "note": "", **fields}


def description(html):
    (found,) = re.findall(r'<meta name="description" content="([^"]+)">', html)
    return found


def test_each_public_screen_has_a_description_of_its_own(client, db):
    found = [description(text(client.get(address))) for address in ("/", "/docs", "/sign-in", "/sign-up")]
    assert len(set(found)) == 4
    assert all(50 < len(one) < 160 for one in found)


def test_every_other_screen_has_a_description_too(page):
    assert description(text(page.get("/workouts"))) == description(text(page.get("/no-such-page")))


def ways(html):
    """What an account without a workout may begin with."""
    return re.findall('<h3 id="begin-[a-z]+">([^<]+)', html)


def test_a_new_account_has_three_ways_to_begin(page):
    html = text(page.get("/"))
    assert "Welcome, Lifter" in html
    assert ways(html) == ["Import a file", "Pick a program", "Begin empty"]
    assert forms_of(html, "Start") == [{}]
    for address in ("/workouts/new", "/goals/set", "/settings/data", "?days=3#begin", "/plans"):
        assert f'href="{address}"' in html
    assert "curl" not in html
    assert "Make your first call" in text(page.get("/settings/developer"))


def test_a_way_to_begin_is_gone_once_it_was_used(page, account, log_workout):
    page.post("/routines/starters", {"starter": "push-pull-legs"})
    assert ways(text(page.get("/"))) == ["Start one of your routines", "Import a file", "Begin empty"]
    page.post("/train/start")
    assert ways(text(page.get("/"))) == ["Start one of your routines", "Import a file"]
    log_workout()
    assert ways(text(page.get("/"))) == []


def test_the_answer_about_the_unit_is_stored_at_once(page, account):
    assert page.post("/settings/profile/units", {"units": "lb", "next": "/"}).headers["Location"] == "/"
    assert re.search(r'value="lb" aria-pressed="true"', text(page.get("/")))
    account.refresh_from_db()
    assert account.units == "lb"


@pytest.mark.parametrize("days", FITTING)
def test_the_starter_that_fits_to_the_days_is_added(page, account, days):
    starter = FITTING[days]
    html = text(page.get("/", {"days": days}))
    if isinstance(starter, Program):
        (address,) = re.findall(r'href="(/plans/programs/[^"]+)"', html)
        added = page.post(address, fields_in(text(page.get(address))))
    else:
        assert re.findall(r'name="starter" value="([^"]+)"', html) == [starter.key]
        added = page.post("/routines/starters", {"starter": starter.key, "next": "/"})
    assert added.headers["Location"] == "/"
    html = text(page.get("/"))
    assert 'name="starter"' not in html
    assert str(starter.name) in html


@pytest.mark.parametrize("days", ["1", "7", "many", "3.5", "\u0663"])
def test_no_starter_is_offered_for_other_answers(page, days):
    html = text(page.get("/", {"days": days}))
    assert 'name="starter"' not in html
    assert "/plans/programs/" not in html


def test_todays_plan_is_one_click_from_its_log(page, account):
    plan = plan_for_today(account, label="Push", rest=False, exercises=[planned()])
    html = text(page.get("/"))
    assert "Push" in html
    assert "3 × 8 at 80 kg" in html
    day = timezone.now().isoweekday()
    assert {"plan": str(plan.pk), "day": str(day)} in forms_of(html, "Start")
    assert f'href="/workouts/new?plan={plan.pk}&amp;day={day}"' in html


@pytest.mark.parametrize("rest", [False, True])
def test_home_says_what_is_next_once_todays_plan_is_done(page, account, log_workout, rest):
    plan = plan_for_today(account, label="Push", rest=False, exercises=[planned()])
    tomorrow, after = (timezone.now() + datetime.timedelta(days=days) for days in (1, 2))
    plan.days[tomorrow.weekday()] |= {"label": "Off", "rest": rest}
    plan.days[after.weekday()] |= {"label": "Pull", "rest": False}
    plan.save()
    log_workout(started_at=started(1), plan_id=str(plan.pk))
    assert "is finished" not in text(page.get("/"))
    log_workout(started_at=started(0), plan_id=str(plan.pk))
    html = plain(text(page.get("/")))
    expected = f"Next: Pull , {after:%A}." if rest else "Next: Off , tomorrow."
    assert f"workout is finished. {expected}" in html
    assert forms_of(text(page.get("/")), "Start") == [{}]  # an empty one


def test_the_plan_stays_done_whatever_is_logged_after_it(page, account, log_workout):
    plan = plan_for_today(account, label="Push", rest=False, exercises=[planned()])
    done = log_workout(plan_id=str(plan.pk), started_at=started(0))
    log_workout(title="Run", started_at=(timezone.now() + datetime.timedelta(minutes=5)).isoformat())
    for address in ("/", "/train/start"):
        assert "Done" in plain(text(page.get(address)))
    assert f'href="/workouts/{done["id"]}">Today' in text(page.get("/"))
    assert str(plan.pk) not in str(forms_of(text(page.get("/")), "Start"))
    assert str(plan.pk) in str(forms_of(text(page.get("/train/start")), "Start"))


def test_today_is_a_day_of_the_accounts_zone(page, account, log_workout, time_machine):
    time_machine.move_to("2026-11-18T12:00:00Z", tick=False)
    Account.objects.filter(pk=account.pk).update(time_zone="Pacific/Kiritimati")  # where it is the 19th
    days = [{"weekday": day, **REST, "rest": False, "exercises": [planned()]} for day in range(1, 8)]
    fields = {"name": "Daily", "summary": "", "progression": "", "days": days, "active": True}
    plan = Plan.objects.create_for(account, fields)
    log_workout(plan_id=str(plan.pk), started_at="2026-11-18T09:59:00Z")
    for address in ("/", "/train/start"):
        assert "Done" not in plain(text(page.get(address)))
    log_workout(plan_id=str(plan.pk), started_at="2026-11-18T10:00:00Z")
    for address in ("/", "/train/start"):
        assert "Done" in plain(text(page.get(address)))


def test_home_offers_the_newest_workout_again_and_an_empty_one(page, log_workout):
    log_workout(title="Older", started_at=started(3))
    newest = log_workout(title="Newer", started_at=started(1))
    html = text(page.get("/"))
    assert forms_of(html, "Repeat") == [{"workout": newest["id"]}]
    assert forms_of(html, "Start") == [{}]
    assert 'href="/workouts/new"' in html
    assert "Resume workout" not in html


def test_home_leads_back_to_the_workout_under_way(page, account, log_workout):
    plan_for_today(account, label="Push", rest=False, exercises=[planned()])
    log_workout(started_at=started(1))
    with statements() as idle:
        page.get("/")
    assert page.post("/train/start").headers["Location"] == "/train"
    with statements() as under_way:
        html = text(page.get("/"))
    assert re.search(r'<a [^>]*href="/train"[^>]*>Resume workout</a>', html)
    assert forms_of(html, "Start") == forms_of(html, "Repeat") == []
    assert len(under_way) == len(idle)


def test_the_energy_of_today_is_shown_and_what_is_ticked(page, account, log_workout):
    log_workout(started_at=started(1))
    totals = {"calories": 0, "protein_g": 0, "carbs_g": 0, "fat_g": 0, "logged_at": timezone.now()}
    day = timezone.localdate()
    account.nutrition_days.create(day=day - datetime.timedelta(days=1), **{**totals, "calories": 3000})
    assert "3,000 kcal" not in text(page.get("/"))
    account.nutrition_days.create(day=day, **{**totals, "calories": 2345, "protein_g": 140})
    taken, left = (account.supplements.create(name=name, time="08:00") for name in ("Creatine", "Zinc"))
    taken.tick(day, timezone.now())
    left.tick(day - datetime.timedelta(days=1), timezone.now())
    response = page.get("/")
    assert "Energy 2,345 kcal Protein 140 g" in plain(text(response))
    assert response.context["schedule"] == [(taken, True), (left, False)]


def test_the_plans_and_days_of_others_are_not_shown(page, stranger, log_workout):
    log_workout(started_at=started(1))
    plan_for_today(stranger, label="Theirs", rest=False, exercises=[planned()])
    stranger.nutrition_days.create(
        day=timezone.localdate(), logged_at=timezone.now(), calories=2345, protein_g=1, carbs_g=1, fat_g=1
    )
    html = text(page.get("/"))
    assert "Choose a plan" in html
    assert "2,345" not in html


def test_a_day_of_rest_says_so_and_what_is_next(page, account):
    plan = plan_for_today(account)
    assert "Rest is part of the plan." in plain(text(page.get("/")))
    after = timezone.now() + datetime.timedelta(days=3)
    plan.days[after.weekday()] |= {"label": "Pull", "rest": False, "exercises": [planned()]}
    plan.save()
    html = text(page.get("/"))
    assert f"Rest day Four days Next: Pull , {after:%A}. Start it today" in plain(html)
    assert "Barbell Bench Press 3 × 8 at 80 kg" in plain(html)
    assert forms_of(html, "Start it today") == [{"plan": str(plan.pk), "day": str(after.isoweekday())}]


def test_the_targets_of_the_next_day_are_those_of_its_week(page, account, time_machine):
    time_machine.move_to("2026-11-18T12:00:00Z", tick=False)  # a Wednesday
    plan = plan_for_today(account)
    plan.days[0] |= {"label": "Pull", "rest": False, "exercises": [planned()]}
    plan.rules = Progression(deload_every=2, counted_from=datetime.date(2026, 11, 16)).to_json()
    plan.save()
    assert "3 × 8 at 67.5 kg" in plain(text(page.get("/")))


def test_something_else_is_folded_where_a_plan_has_a_next_day(page, account, log_workout):
    newest = log_workout(started_at=started(1))
    plan_for_today(account, label="Push", rest=False, exercises=[planned()])
    html = text(page.get("/"))
    (fold,) = re.findall(r'<details class="fold">\s*<summary>Or something else.*?</details>', html, re.S)
    assert forms_of(fold, "Repeat") == [{"workout": newest["id"]}]
    assert forms_of(fold, "Start") == [{}]


def test_one_card_comes_first_and_says_what_is_next(page, account, log_workout):
    def card():
        (found,) = re.findall('<section class="card card-next".*?</section>', text(page.get("/")), re.S)
        return plain(found)

    log_workout(title="Park")
    assert "Next workout" in card()
    assert "Park" in card()
    plan_for_today(account, label="Push", rest=False, exercises=[planned()])
    assert "Push" in card()
    page.post("/train/start", {"workout": str(account.workouts.get().pk)})
    assert card().split()[:4] == ["Park", "Under", "way", "since"]


def test_the_week_is_the_apis_week(page, api, log_workout):
    log_workout(a_set(100, 5), a_set(60, 10, type="warmup"), started_at=started())
    now = timezone.now()
    monday = (now - datetime.timedelta(days=now.weekday())).replace(hour=0, minute=0, second=0, microsecond=0)
    told = api.call("GET", "/stats/training", query={"since": monday.isoformat()}).json()
    context = page.get("/").context
    shown = {**context["week"], "streak_days": context["streak_days"]}
    assert (shown.pop("sets"), told["completed_sets"]) == (1, 2)  # without the warm-up
    assert shown == {name: told[name] for name in shown}


def test_the_week_is_compared_with_the_one_before(page, log_workout, time_machine):
    time_machine.move_to("2026-11-18T12:00:00Z", tick=False)  # a Wednesday
    for day in ("2026-11-16", "2026-11-15", "2026-11-09", "2026-11-08"):
        log_workout(a_set(100, 5), started_at=f"{day}T12:00:00Z")
    context = page.get("/").context
    assert (context["week"]["sessions"], context["last_week"]["sessions"]) == (1, 2)
    assert "2 last week" in text(page.get("/"))


def test_records_are_the_apis_newest(page, api, log_workout):
    log_workout(a_set(100, 5), started_at=started(3))
    log_workout(a_set(140, 3), exercise_id="barbell-deadlift", started_at=started(1))
    told = api.get("/stats/records").json()["records"]
    shown = page.get("/").context["records"]
    beside = {"at": None, "is_assisted": False, "is_first": True}
    assert [{**record, "at": None} for record in shown] == [{**record, **beside} for record in told]


def test_the_calendar_counts_the_sessions_of_each_day(page, log_workout):
    for days_ago in (0, 0, 3, 500):
        log_workout(a_set(), started_at=started(days_ago))
    today = timezone.now().date()
    counts = page.get("/").context["calendar"].counts
    assert counts == {today: 2, today - datetime.timedelta(days=3): 1}


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (["2026-11-18", "2026-11-09"], "Wed 18 Nov · 2 weeks in a row"),
        (["2026-11-15", "2026-11-14", "2026-10-26"], "Wed 18 Nov Show times"),  # none on the day before
        (["2026-11-17", "2026-11-16", "2026-11-09"], "Wed 18 Nov · 2 days in a row · 2 weeks in a row Show"),
        (["2026-11-12", "2026-11-05", "2026-10-26"], "Wed 18 Nov · 3 weeks in a row"),
        (["2026-11-09", "2026-10-26"], "Wed 18 Nov Show times"),
    ],
)
def test_the_streak_is_in_days_and_in_weeks(page, log_workout, time_machine, days, said):
    time_machine.move_to("2026-11-18T12:00:00Z", tick=False)  # a Wednesday
    for day in days:
        log_workout(a_set(), started_at=f"{day}T12:00:00Z")
    assert said in plain(text(page.get("/")))


def test_a_streak_of_more_than_a_year_is_called_so(page, log_workout):
    for weeks in range(54):
        log_workout(a_set(), started_at=started(7 * weeks))
    assert "· more than 52 weeks in a row" in text(page.get("/"))


def test_a_phone_has_the_days_of_the_month(page, log_workout, time_machine):
    time_machine.move_to("2026-11-18T12:00:00Z", tick=False)
    for day in ("2026-11-02", "2026-10-31"):
        log_workout(a_set(), started_at=f"{day}T12:00:00Z")
    (shown,) = re.findall(r"<details open>.*?</details>", text(page.get("/")), re.S)
    assert "November 2026 1 workout" in plain(shown)
    assert re.findall(r'href="([^"]+)"', shown) == ["/workouts?day=2026-11-02"]


@pytest.mark.parametrize(
    ("first", "names", "week"), [(1, "Mon Tue", "2 3"), (6, "Sat Sun", "1 2"), (7, "Sun Mon", "1 2")]
)
def test_calendars_begin_on_the_day_that_is_chosen(
    page, account, log_workout, time_machine, first, names, week
):
    time_machine.move_to("2026-11-18T12:00:00Z", tick=False)
    log_workout(a_set(), started_at="2026-11-02T12:00:00Z")  # a Monday
    Account.objects.filter(pk=account.pk).update(first_weekday=first)
    for address in ("/", "/progress"):
        (shown,) = re.findall(r"<details open>.*?</details>", text(page.get(address)), re.S)
        assert names in plain(shown).partition(" 1 workout ")[2][:8]
        row = next(row for row in re.findall(r"<tr>.*?</tr>", shown) if "day=2026-11-02" in row)
        assert plain(row).strip().startswith(week)


def test_the_weight_is_one_line_with_its_change(page, account):
    def card():
        html = text(page.get("/"))
        (found,) = re.findall(r'<section class="card" aria-labelledby="weight">.*?</section>', html, re.S)
        assert html.count("Body weight") == found.count("Body weight")
        assert f'action="{reverse("log-weight")}"' in found
        return plain(found)

    account.weight_logs.create(weight_kg=84, logged_at=timezone.now() - datetime.timedelta(days=9))
    assert card().startswith(" Body weight 84 kg Body weight (kg)")
    account.weight_logs.create(weight_kg=83.5)
    assert "Body weight 83.5 kg, \N{MINUS SIGN}0.3 in 90 days" in card()


def test_what_the_bar_of_a_phone_has_no_room_for_is_one_touch_from_home(page, log_workout):
    log_workout(started_at=started(1))
    (main,) = re.findall("<main.*?</main>", text(page.get("/")), re.S)
    assert {"/workouts", "/nutrition"} <= set(re.findall(r'href="([^"]+)"', main))


def test_pounds_are_shown_where_they_are_chosen(page, account, log_workout):
    log_workout(a_set(102.05828325, 1), started_at=started())
    Account.objects.filter(pk=account.pk).update(units="lb")
    assert "225 lb × 1" in text(page.get("/"))


def test_markup_is_inert(page, account):
    plan = plan_for_today(account, label=MARKUP, focus=MARKUP, rest=False, exercises=[planned(name=MARKUP)])
    plan.name = MARKUP
    plan.save()
    assert holds_markup_as_text(text(page.get("/")))


@pytest.fixture(scope="module")
def two_years(transaction_of_module):
    return seed_demo.seed("veteran@example.org", timezone.now().date(), 730, "blue horse 77")


@pytest.fixture
def veteran(two_years, db, client):
    """The browser of an account with two years behind it."""
    client.force_login(two_years)
    return client


def test_home_takes_fifteen_statements_at_most(veteran):
    with statements() as executed:
        veteran.get("/")
    assert len(executed) <= 15


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/progress/records",
        "/body",
        "/body?range=all",
        "/body/measurements",
        "/goals",
        "/nutrition",
        "/supplements",
    ],
)
def test_two_years_of_data_take_little_time(veteran, page, address):
    veteran.get(address)  # templates are compiled once
    begun = time.process_time()
    html = text(veteran.get(address))
    assert time.process_time() - begun < 0.25  # CPU seconds; it takes about 0.03
    assert headings(html) == 1
    assert "style=" not in html
    with statements() as full:
        veteran.get(address)
    with statements() as empty:
        page.get(address)
    assert len(full) <= len(empty) + 1


@pytest.mark.parametrize(
    ("address", "section"),
    [
        *(("/", "/"), ("/train/start", "/train/start"), ("/progress", "/progress"), ("/body", "/body")),
        *(("/progress/lifts", "/progress"), ("/progress/records", "/progress"), ("/more", "/more")),
        ("/body/measurements", "/body"),
        *(("/exercises", "/train/start"), ("/routines", "/train/start"), ("/plans", "/train/start")),
        *(("/workouts", "/workouts"), ("/nutrition", "/nutrition"), ("/supplements", "/supplements")),
    ],
)
def test_the_bar_marks_the_section_of_the_page(page, address, section):
    (bar,) = re.findall(r'<nav class="nav".*?</nav>', text(page.get(address)), re.S)
    assert re.findall(r'href="([^"]+)" aria-current', bar) == [section]
