import datetime

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.html import MARKUP, errors, form_of, holds_markup_as_text, text

CREATINE = {"name": "Creatine", "dosage": "5 g", "time": "08:00"}
DAY = datetime.date(2026, 3, 2)
ON_DAY = "/supplements/days/2026-03-02"


@pytest.fixture
def creatine(account):
    return account.supplements.create(**CREATINE)


def tick(page, supplement, name="tick-supplement", **form):
    return page.post(reverse(name, args=[supplement.pk, DAY]), form)


def test_a_supplement_is_added_edited_and_removed(page, api, account):
    add = reverse("add-supplement")
    form = form_of(page.get(add)) | CREATINE
    page.post(add, form)
    page.post(add, form)  # sent twice
    (stored,) = api.get("/supplements").json()["supplements"]
    assert stored.items() >= CREATINE.items()
    edit = reverse("edit-supplement", args=[stored["id"]])
    page.post(edit, form_of(page.get(edit)) | {"dosage": "", "time": "21:30"})
    assert (account.supplements.get().dosage, account.supplements.get().time) == ("", "21:30")
    page.post(reverse("remove-supplement", args=[stored["id"]]))
    assert not account.supplements.exists()


@pytest.mark.parametrize(("field", "typed"), [("name", ""), ("dosage", "x" * 201), ("time", "8 am")])
def test_an_invalid_value_is_an_error_of_its_field(page, account, field, typed):
    response = page.post(reverse("add-supplement"), CREATINE | {field: typed})
    assert list(errors(response)) == [field]
    assert not account.supplements.exists()


def test_a_schedule_has_100_supplements_at_most(page, account):
    for number in range(99):
        account.supplements.create(**CREATINE | {"name": f"Number {number}"})
    form = form_of(page.get(reverse("add-supplement"))) | CREATINE
    for _ in range(2):  # sent twice
        assert page.post(reverse("add-supplement"), form).status_code == 302
    assert "Remove some first" in text(page.post(reverse("add-supplement"), CREATINE))
    assert account.supplements.count() == 100


def test_a_tick_is_the_apis_tick(page, api, creatine):
    for _ in range(2):
        assert tick(page, creatine).headers["Location"] == ON_DAY
    (log,) = api.get("/supplements/logs").json()["logs"]
    assert log["day"] == "2026-03-02"
    tick(page, creatine, "untick-supplement")
    tick(page, creatine, "untick-supplement")
    assert not creatine.logs.exists()


def test_a_month_has_a_dot_for_each_day(page, creatine):
    creatine.tick(DAY, timezone.now())
    creatine.tick(datetime.date(2026, 2, 28), timezone.now())
    (shown,) = page.get(ON_DAY).context["schedule"]
    assert (shown["ticked"], shown["taken"], len(shown["dots"])) == (True, 1, 31)


@pytest.mark.parametrize(
    ("now", "begun", "ticked", "shown"),
    [
        ("2026-03-21", "2026-01-05", [1, 2, 3, 21], "4 of 21 days"),
        ("2026-03-21", "2026-03-12", [13], "1 of 10 days"),  # the tenth day today
        ("2026-03-21", "2026-03-12", [8, 13], "2 of 14 days"),  # ticked for a day before it was added
        ("2026-03-21", "2026-03-21", [], "0 of 1 day"),
        ("2026-03-21", "2026-01-05", [21, 22], "1 of 21 days"),  # tomorrow is not a day that was kept
        ("2026-04-02", "2026-01-05", [1, 31], "2 of 31 days"),
        ("2026-02-27", "2026-01-05", [], "0 of 0 days"),
    ],
)
def test_days_count_once_they_have_come(page, creatine, time_machine, now, begun, ticked, shown):
    creatine.created_at = datetime.datetime.fromisoformat(f"{begun}T10:00:00Z")
    creatine.save()
    for number in ticked:
        creatine.tick(DAY.replace(day=number), timezone.now())
    time_machine.move_to(f"{now}T12:00:00Z", tick=False)
    assert f"<span>{shown}</span>" in text(page.get(ON_DAY))


def test_a_supplement_begins_on_the_day_of_the_account(page, account, creatine, time_machine):
    account.time_zone = "America/Los_Angeles"
    account.save()
    creatine.created_at = datetime.datetime.fromisoformat("2026-03-12T02:00:00Z")
    creatine.save()
    time_machine.move_to("2026-03-13T02:00:00Z", tick=False)
    assert "<span>0 of 2 days</span>" in text(page.get(ON_DAY))


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_the_calendar_has_two_ends(page, creatine, day):
    assert page.get(f"/supplements/days/{day}").status_code == 200


def test_a_strangers_supplement_does_not_exist(page, stranger):
    theirs = stranger.supplements.create(**CREATINE)
    for name in ["edit-supplement", "remove-supplement"]:
        assert page.post(reverse(name, args=[theirs.pk]), CREATINE).status_code == 404
    assert tick(page, theirs).status_code == tick(page, theirs, "untick-supplement").status_code == 404
    assert "Creatine" not in text(page.get("/supplements"))


def test_ticks_are_not_made_by_links(page, creatine):
    assert page.get(reverse("tick-supplement", args=[creatine.pk, DAY])).status_code == 405


def test_markup_in_names_is_escaped(page, account, creatine):
    account.supplements.update(name=MARKUP, dosage=MARKUP)
    for address in ["/supplements", "/", reverse("edit-supplement", args=[creatine.pk])]:
        assert holds_markup_as_text(text(page.get(address)))
