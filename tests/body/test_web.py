from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from body.models import Measurement, WeightLog
from tests.conftest import statements
from tests.html import MARKUP, errors, form_of, holds_markup_as_text, text

BODY, MEASUREMENTS, GOALS = "/body", "/body/measurements", "/goals"


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


def test_the_form_starts_with_the_current_minute(page):
    shown = page.get(BODY).context["form"]["logged_at"].value()
    assert timedelta() <= timezone.now().replace(tzinfo=None) - shown < timedelta(minutes=2)


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
    assert "at most 2,204.62 lb" in errors(post_new(page, "log-weight", weight_kg="2205"))["weight_kg"]


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


def test_the_figures_equal_those_of_the_api(page, api, account):
    for day, kg in enumerate([82.4, 81.9, 82.05], start=1):
        logged_at = timezone.now() - timedelta(days=4 - day)
        account.weight_logs.create(weight_kg=kg, logged_at=logged_at)
    response = page.get(BODY)
    trend = api.get("/stats/body").json()
    assert response.context["trend"]["weight"] == trend["weight"]
    shown = [value for _, value in response.context["chart"].series[1].points]
    assert shown == [point["trend_kg"] for point in trend["points"]]


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


# --- All of them -----------------------------------------------------------------------------------


def test_markup_in_notes_is_escaped(page, account, log):
    account.weight_logs.update(notes=MARKUP)
    for address in [BODY, reverse("edit-weight", args=[log.pk])]:
        assert holds_markup_as_text(text(page.get(address)))


@pytest.mark.parametrize("address", [BODY, MEASUREMENTS, GOALS])
def test_a_long_history_takes_no_more_statements_than_one_day(page, account, address):
    def history(days):
        for day in range(days):
            at = timezone.now() - timedelta(days=day)
            account.weight_logs.create(weight_kg=80 + day / 100, logged_at=at)
            account.measurements.create(waist_cm=80, logged_at=at)
            account.goals.create(target_weight_kg=70 + day, created_at=at)

    history(1)
    with statements() as few:
        page.get(address)
    history(40)
    with statements() as many:
        page.get(address)
    assert len(many) == len(few)


@pytest.mark.parametrize("address", [BODY, MEASUREMENTS, GOALS, "/body/weight/log", "/goals/set"])
def test_visitors_are_asked_to_sign_in(client, db, address):
    assert client.get(address).headers["Location"] == f"/sign-in?next={address}"
