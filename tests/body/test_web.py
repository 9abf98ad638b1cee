import gzip
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from body.models import Measurement, WeightLog
from fitness.web.units import signed
from tests.html import MARKUP, errors, form_of, holds_markup_as_text, plain, text

BODY, MEASUREMENTS, GOALS = "/body", "/body/measurements", "/goals"
MAX_SCRIPT_BYTES = 45_000


@pytest.fixture
def log(account):
    return account.weight_logs.create(weight_kg=102.05828325, notes="Before breakfast.")


def post_new(page, name, **typed):
    return page.post(reverse(name), {**form_of(page.get(reverse(name))), **typed})


def post_edit(page, name, instance, **typed):
    address = reverse(name, args=[instance.pk])
    return page.post(address, {**form_of(page.get(address)), **typed})


# --- Weight --------------------------------------------------------------------------------------


def test_a_weight_is_logged_with_what_the_api_would_store(page, api):
    typed = {"weight_kg": "82.4", "body_fat_percent": "18.5", "notes": "a\r\nb"}
    response = post_new(page, "log-weight", **typed, logged_at="2026-03-02T06:45")
    assert response.headers["Location"] == BODY
    (stored,) = api.get("/body/weight").json()["weight"]
    assert (
        stored.items()
        >= {
            "weight_kg": 82.4,
            "body_fat_percent": 18.5,
            "notes": "a\nb",
            "logged_at": "2026-03-02T06:45:00Z",
        }.items()
    )


def test_a_weight_without_a_time_was_weighed_when_it_is_sent(page, account, time_machine):
    form = form_of(page.get(BODY))
    time_machine.move_to("2026-03-02T06:45:10Z", tick=False)
    page.post(reverse("log-weight"), {**form, "weight_kg": "80", "logged_at": ""})
    assert account.weight_logs.get().logged_at == timezone.now()


def test_the_field_shows_the_last_weight_to_type_over(page, account):
    account.units = "lb"
    account.save()
    assert "placeholder" not in text(page.get(BODY))
    account.weight_logs.create(weight_kg=102.05828325)
    assert 'placeholder="225"' in text(page.get(BODY))


def test_a_weight_that_is_logged_on_another_screen_leads_back_there(page, account):
    log = reverse("log-weight")
    assert page.post(log, {"weight_kg": "80", "next": "/"}).headers["Location"] == "/"
    assert page.post(log, {"weight_kg": "80", "next": "https://example.com/"}).headers["Location"] == BODY
    assert account.weight_logs.count() == 2


def test_each_weight_is_compared_with_the_one_before_and_with_the_trend(page, account):
    for days, kg in [(45, 84), (30, 83), (8, 82), (1, 81), (0, 80.5)]:
        account.weight_logs.create(weight_kg=kg, logged_at=timezone.now() - timedelta(days=days))
    rows = page.get(BODY).context["logs"]
    assert [row.change for row in rows] == [-0.5, -1, -1, -1, None]
    points = page.get(f"{BODY}?range=all").context["trend"]["points"]
    trend = [point["trend_kg"] for point in points]
    assert rows[0].week == round(trend[4] - trend[2], 2)
    assert rows[0].month == round(trend[4] - trend[1], 2)
    assert (rows[3].week, rows[3].month) == (None, None)  # 15 days before, and nothing a month before


def test_charts_and_rows_have_the_trend_that_the_api_has(page, api, account):
    now = timezone.now()
    for days in range(100):
        for hours in (1, 2, 3):
            logged_at = now - timedelta(days=days, hours=hours)
            account.weight_logs.create(weight_kg=80 + days % 7 + hours / 10, logged_at=logged_at)
    screen, trend = page.get(BODY).context, api.get("/stats/body").json()
    assert screen["trend"]["weight"] == trend["weight"]
    assert [kg for _, kg in screen["chart"].series[1].points] == [one["trend_kg"] for one in trend["points"]]
    points = api.get("/stats/body", since="2000-01-01T00:00:00Z").json()["points"]
    trends = {point["day"]: point["trend_kg"] for point in points}
    for chosen in ("30d", "90d", "all"):
        shown = page.get(f"{BODY}?range={chosen}").context["trend"]["points"]
        assert {str(point["day"]): point["trend_kg"] for point in shown}.items() <= trends.items()
    older = page.get(BODY, {"cursor": page.get(BODY).context["next_cursor"]}).context["logs"]
    for row in older:
        day = row.log.logged_at.date()
        week = trends[str(day)] - trends[str(day - timedelta(days=7))]
        assert row.week == pytest.approx(week, abs=0.001)


@pytest.mark.parametrize("address", ["/", BODY])
def test_the_change_of_the_weight_is_that_of_the_line(page, account, address):
    for days, kg in [(30, 82), (29, 80), (1, 82), (0, 80)]:  # the first and the last alone are 2 kg apart
        account.weight_logs.create(weight_kg=kg, logged_at=timezone.now() - timedelta(days=days))
    context = page.get(address).context
    trend = [point["trend_kg"] for point in context["trend"]["points"]]
    assert context["change_kg"] == round(trend[-1] - trend[0], 1) != -2
    assert signed(context["change_kg"]) in text(page.get(address))


def test_the_last_weight_of_a_page_is_compared_with_the_next_page(page, account):
    for day in range(20):
        account.weight_logs.create(weight_kg=80 - day, logged_at=timezone.now() - timedelta(days=day))
    first = page.get(BODY)
    older = page.get(BODY, {"cursor": first.context["next_cursor"]})
    changes = [row.change for response in (first, older) for row in response.context["logs"]]
    assert changes == [1] * 19 + [None]


def test_an_edit_needs_a_time(page, log):
    assert errors(post_edit(page, "edit-weight", log, logged_at="")) == {
        "logged_at": "This field is required."
    }


@pytest.mark.parametrize("name", ["weight", "measurement"])
def test_what_is_edited_can_be_deleted_there(page, account, log, name):
    pk = log.pk if name == "weight" else account.measurements.create(waist_cm=80).pk
    html = text(page.get(reverse(f"edit-{name}", args=[pk])))
    assert f'href="{reverse(f"delete-{name}", args=[pk])}"' in html
    assert ">Delete</a>" not in text(page.get(reverse(f"log-{name}")))


@pytest.mark.parametrize(
    ("field", "typed", "problem"),
    [
        ("weight_kg", "", "This field is required."),
        ("weight_kg", "heavy", "Enter a number."),
        ("weight_kg", "0", "Enter a weight over 0, at most 1,000 kg."),
        ("weight_kg", "1000.5", "Enter a weight over 0, at most 1,000 kg."),
        ("body_fat_percent", "101", "Ensure this value is less than or equal to 100."),
        ("notes", "x" * 5001, "Ensure this field has no more than 5000 characters."),
        ("logged_at", "yesterday", "Enter a valid date/time."),
    ],
)
def test_what_the_api_rejects_is_an_error_of_the_field(page, account, field, typed, problem):
    response = post_new(page, "log-weight", **{"weight_kg": "80", "notes": "kept", field: typed})
    assert problem in errors(response)[field]
    assert not account.weight_logs.exists()
    assert response.context["form"]["weight_kg"].value() is not None


def test_nothing_typed_is_lost_on_an_error(page):
    html = text(post_new(page, "log-weight", weight_kg="80.25", body_fat_percent="300", notes="slept <well>"))
    assert 'value="80.25"' in html
    assert 'value="300"' in html
    assert "slept &lt;well&gt;" in html


def test_a_form_that_is_sent_twice_logs_one_weight(page, account):
    form = {**form_of(page.get(BODY)), "weight_kg": "80"}
    page.post(reverse("log-weight"), form)
    page.post(reverse("log-weight"), form)
    assert account.weight_logs.count() == 1


def test_a_weight_far_off_the_last_one_is_asked_about_once(page, account):
    account.weight_logs.create(weight_kg=80.6)
    form = {**form_of(page.get(BODY)), "weight_kg": "806", "notes": "morning", "next": "/"}
    asked = page.post(reverse("log-weight"), form)
    assert errors(asked) == {"__all__": "806 kg? Your last body weight was 80.6 kg."}
    assert '<button class="button" name="is_right" value="806">Yes, 806 kg</button>' in text(asked)
    assert account.weight_logs.count() == 1
    again = {**form, **dict(re.findall(r'name="(next|form_id)" value="([^"]+)"', text(asked)))}
    assert errors(page.post(reverse("log-weight"), {**again, "weight_kg": "8060", "is_right": "806"}))
    for _ in range(2):
        assert page.post(reverse("log-weight"), {**again, "is_right": "806"}).headers["Location"] == "/"
    assert account.weight_logs.filter(weight_kg=806, notes="morning").count() == 1


@pytest.mark.parametrize(
    ("units", "typed", "question"),
    [
        ("kg", "92", None),
        ("kg", "93", "93 kg? Your last body weight was 80.6 kg."),
        ("kg", "69", None),
        ("kg", "68", "68 kg? Your last body weight was 80.6 kg."),
        ("lb", "177.5", None),
        ("lb", "80.6", "80.6 lb? Your last body weight was 177.7 lb."),
    ],
)
def test_what_is_asked_about_is_15_percent_off(page, account, units, typed, question):
    account.units = units
    account.save()
    account.weight_logs.create(weight_kg=80.6)
    response = post_new(page, "log-weight", weight_kg=typed)
    assert (errors(response)["__all__"] if question else response.headers["Location"]) == (question or BODY)


def test_a_weight_is_compared_with_the_one_before_it(page, account, log):
    earlier = account.weight_logs.create(weight_kg=60, logged_at=timezone.now() - timedelta(days=900))
    before_all, since = (timezone.now() - timedelta(days=days) for days in (1000, 800))
    for at, kg in ((before_all, "50"), (since, "61")):
        assert post_new(page, "log-weight", weight_kg=kg, logged_at=f"{at:%Y-%m-%dT%H:%M}").status_code == 302
    assert post_edit(page, "edit-weight", log, notes="As it was.").status_code == 302
    assert "61 kg" in errors(post_edit(page, "edit-weight", log, weight_kg="80"))["__all__"]
    assert "50 kg" in errors(post_edit(page, "edit-weight", earlier, weight_kg="80"))["__all__"]


def test_a_form_signed_for_a_stranger_gets_a_new_id(page, stranger, account):
    theirs = Client()
    theirs.force_login(stranger)
    form = {**form_of(theirs.get(BODY)), "weight_kg": "80"}
    theirs.post(reverse("log-weight"), form)
    assert page.post(reverse("log-weight"), form).status_code == 302
    assert (account.weight_logs.count(), stranger.weight_logs.count()) == (1, 1)


def test_pounds_are_shown_and_typed_and_kilograms_stored(page, account):
    account.units = "lb"
    account.save()
    post_new(page, "log-weight", weight_kg="225")
    assert account.weight_logs.get().weight_kg == 102.05828325
    assert "225 lb" in text(page.get(BODY))
    assert "at most 2,204.6 lb" in errors(post_new(page, "log-weight", weight_kg="2205"))["weight_kg"]


def test_an_edit_changes_what_was_changed_and_nothing_else(page, account, log):
    before = log.logged_at
    post_edit(page, "edit-weight", log, notes="After breakfast.")
    log.refresh_from_db()
    assert (log.notes, log.weight_kg, log.logged_at) == ("After breakfast.", 102.05828325, before)


def test_an_edit_can_clear_what_is_optional(page, log):
    post_edit(page, "edit-weight", log, body_fat_percent="20")
    post_edit(page, "edit-weight", log, body_fat_percent="")
    log.refresh_from_db()
    assert log.body_fat_percent is None


def test_a_weight_is_deleted_after_a_confirmation(page, account, log):
    address = reverse("delete-weight", args=[log.pk])
    assert "Delete the weight of" in text(page.get(address))
    assert account.weight_logs.exists()
    page.post(address)
    assert not account.weight_logs.exists()


@pytest.mark.parametrize("name", ["edit-weight", "delete-weight"])
def test_a_strangers_weight_does_not_exist(page, stranger, name):
    theirs = stranger.weight_logs.create(weight_kg=90)
    address = reverse(name, args=[theirs.pk])
    assert page.get(address).status_code == page.post(address, {"weight_kg": "1"}).status_code == 404
    assert stranger.weight_logs.get().weight_kg == 90


@pytest.mark.parametrize("range_", ["30d", "1y", "all", "nonsense"])
def test_every_range_is_displayed(page, log, range_):
    assert page.get(BODY, {"range": range_}).status_code == 200


def test_older_logs_are_on_the_next_page(page, account):
    account.weight_logs.bulk_create(
        account.weight_logs.model(account=account, weight_kg=kg) for kg in range(60, 80)
    )
    first = page.get(BODY)
    older = page.get(BODY, {"cursor": first.context["next_cursor"]})
    assert len(first.context["logs"]) + len(older.context["logs"]) == 20
    assert page.get(BODY, {"cursor": "made up"}).status_code == 404


# --- Measurements ----------------------------------------------------------------------------------


def test_charts_stay_small_however_long_the_history(page, account):
    days = [timezone.now() - timedelta(days=number) for number in range(2100)]
    account.weight_logs.bulk_create(WeightLog(account=account, weight_kg=80, logged_at=day) for day in days)
    account.measurements.bulk_create(Measurement(account=account, neck_cm=40, logged_at=day) for day in days)
    response = page.get("/body?range=all")
    assert response.context["trend"]["weight"]["entries"] == 2000
    assert len(response.content) < 80_000
    (neck,) = page.get("/body/measurements").context["charts"]
    assert len(neck.series[0].points) == 500
    assert neck.series[0].points[-1][0] == days[0]


def test_measurements_are_logged_edited_and_deleted(page, account):
    post_new(page, "log-measurement", waist_cm="84.5", hips_cm="98")
    log = account.measurements.get()
    post_edit(page, "edit-measurement", log, hips_cm="", neck_cm="39")
    log.refresh_from_db()
    assert (log.waist_cm, log.hips_cm, log.neck_cm) == (84.5, None, 39)
    assert "84.5 cm" in text(page.get(MEASUREMENTS))
    page.post(reverse("delete-measurement", args=[log.pk]))
    assert not account.measurements.exists()


def test_each_girth_is_compared_with_the_last_time_it_was_measured(page, account, stranger):
    stranger.measurements.create(neck_cm=50)
    for days, sites in [(3, {"waist_cm": 84, "neck_cm": 39}), (2, {"waist_cm": 83}), (1, {"neck_cm": 38.5})]:
        account.measurements.create(**sites, logged_at=timezone.now() - timedelta(days=days))
    context = page.get(MEASUREMENTS).context
    assert context["sites"] == ["Waist", "Neck"]
    shown = [[tuple(one) for one in girths] for _, girths in context["logs"]]
    waist, neck = context["sites"]
    assert shown == [
        [(waist, None, None), (neck, 38.5, -0.5)],
        [(waist, 83, -1), (neck, None, None)],
        [(waist, 84, None), (neck, 39, None)],
    ]


def test_a_tile_compares_its_figure_with_the_first_point_of_its_line(page, account):
    logs = [(400, {"neck_cm": 41}), (300, {"waist_cm": 90, "hips_cm": 99}), (9, {"waist_cm": 85})]
    for days, sites in logs:
        account.measurements.create(**sites, logged_at=timezone.now() - timedelta(days=days))
    response = page.get(MEASUREMENTS)
    tiles = {tile.label: tile for tile in response.context["tiles"]}
    assert [(name, tile.cm, tile.change) for name, tile in tiles.items()] == [
        ("Waist", 85, -5),
        ("Hips", 99, None),
        ("Neck", 41, None),
    ]
    assert [[value for _, value in tile.line.points] for tile in tiles.values()] == [[90, 85], [99], []]
    since, measured = (timezone.now() - timedelta(days=days) for days in (300, 400))
    (shown,) = re.findall('<dl class="card tiles">.*?</dl>', text(response), re.S)
    assert f"Waist 85 cm \N{MINUS SIGN}5 since {since:%b %Y} " in plain(shown)
    assert f"Neck 41 cm {measured:%-d %b %Y}" in plain(shown)


def test_the_fields_show_the_last_values_to_type_over(page, account):
    log = reverse("log-measurement")
    assert "placeholder" not in text(page.get(log))
    for days, sites in [(9, {"waist_cm": 84.5, "neck_cm": 39}), (1, {"waist_cm": 83})]:
        account.measurements.create(**sites, logged_at=timezone.now() - timedelta(days=days))
    assert re.findall('placeholder="([^"]+)"', text(page.get(log))) == ["83", "39"]
    edit = reverse("edit-measurement", args=[account.measurements.latest("logged_at").pk])
    assert "placeholder" not in text(page.get(edit))
    post_new(page, "log-measurement", hips_cm="98")
    assert account.measurements.latest("logged_at").sites == {"hips_cm": 98}


def test_measurements_without_a_site_are_rejected(page, account):
    response = post_new(page, "log-measurement")
    assert errors(response) == {"__all__": "Enter at least one measurement."}
    log = account.measurements.create(waist_cm=80)
    assert errors(post_edit(page, "edit-measurement", log, waist_cm=""))
    assert account.measurements.get().waist_cm == 80


def test_each_measured_site_has_its_chart(page, account):
    account.measurements.create(waist_cm=80)
    account.measurements.create(waist_cm=79, neck_cm=39)
    assert [chart.title for chart in page.get(MEASUREMENTS).context["charts"]] == ["Waist", "Neck"]


def test_a_strangers_measurement_does_not_exist(page, stranger):
    theirs = stranger.measurements.create(waist_cm=80)
    for name in ["edit-measurement", "delete-measurement"]:
        assert page.post(reverse(name, args=[theirs.pk])).status_code == 404


# --- Goals -----------------------------------------------------------------------------------------


def test_the_newest_goal_is_current_and_starts_from_the_latest_weight(page, account):
    account.weight_logs.create(weight_kg=84)
    post_new(page, "set-goal", target_weight_kg="80", deadline="2026-06-30")
    post_new(page, "set-goal", target_weight_kg="76")
    response = page.get(GOALS)
    assert response.context["current"].target_weight_kg == 76
    assert response.context["current"].start_weight_kg == 84
    assert [goal.target_weight_kg for goal in response.context["former"]] == [80]


def test_a_goal_without_a_target_is_rejected(page, account):
    assert "Enter a target weight" in errors(post_new(page, "set-goal"))["__all__"]
    assert not account.goals.exists()


def test_a_goal_form_sent_twice_sets_one_goal(page, account):
    form = {**form_of(page.get(reverse("set-goal"))), "target_weight_kg": "76"}
    for _ in range(2):
        assert page.post(reverse("set-goal"), form).status_code == 302
    assert account.goals.count() == 1


@pytest.mark.parametrize(
    ("start", "now", "target", "percent"),
    [(84, 82, 80, 50), (80, 82, 84, 50), (84, 86, 80, 0), (84, 70, 80, 100), (80, 80, 80, None)],
)
def test_progress_is_the_share_of_the_planned_change(account, start, now, target, percent):
    goal = account.goals.model(start_weight_kg=start, target_weight_kg=target)
    assert goal.progress(now) == percent


def losing(account, kg_per_day, start=84.0):
    for day in range(31):
        logged_at = timezone.now() - timedelta(days=30 - day)
        account.weight_logs.create(weight_kg=start + kg_per_day * day, logged_at=logged_at)


@pytest.mark.parametrize("address", [BODY, GOALS])
def test_the_day_of_the_goal_is_foretold(page, account, address):
    losing(account, -0.1)
    account.goals.create(start_weight_kg=84, target_weight_kg=80, created_at=timezone.now())
    html = " ".join(text(page.get(address)).split())
    day = page.get(address).context["forecast"].day
    assert f"At \N{MINUS SIGN}0.7 kg a week you reach 80 kg around {day.day} {day:%B %Y}." in html


@pytest.mark.parametrize("address", [BODY, GOALS])
def test_a_trend_away_from_the_goal_is_said(page, account, address):
    losing(account, 0.1)
    account.goals.create(start_weight_kg=84, target_weight_kg=80, created_at=timezone.now())
    html = " ".join(text(page.get(address)).split())
    assert "At +0.7 kg a week the trend leads away from 80 kg." in html


@pytest.mark.parametrize("address", [BODY, GOALS])
def test_nothing_is_foretold_without_a_trend(page, account, address):
    account.weight_logs.create(weight_kg=84)
    account.goals.create(target_weight_kg=80, created_at=timezone.now())
    assert page.get(address).context["forecast"] is None
    assert "a week you reach" not in text(page.get(address))


# --- All of them -----------------------------------------------------------------------------------


def test_markup_in_notes_is_escaped(page, account, log):
    account.weight_logs.update(notes=MARKUP)
    for address in [BODY, reverse("edit-weight", args=[log.pk])]:
        assert holds_markup_as_text(text(page.get(address)))


def scripts(html):
    """The files that the scripts of a page are, with what they import."""
    waiting = [Path(finders.find(name)) for name in re.findall(r'<script[^>]* src="/static/([^"]+)"', html)]
    found = set()
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            imports = re.findall(r'(?:from|import\(?) ?"(\.[^"]+)"', file.read_text())
            waiting += [(file.parent / name).resolve() for name in imports]
    return found


def test_the_scripts_of_a_page_with_a_chart_are_small(page, account, log):
    sizes = {file.name: len(gzip.compress(file.read_bytes(), 6)) for file in scripts(text(page.get("/body")))}
    assert {"fitness.js", "uPlot.iife.min.js", "main.js", "time_axis.js"} <= sizes.keys()
    assert sum(sizes.values()) <= MAX_SCRIPT_BYTES, sizes
