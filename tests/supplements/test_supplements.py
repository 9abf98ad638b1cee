from datetime import date

import pytest
from django.core.exceptions import ValidationError

from tests.conftest import problems, statements
from tests.pages import items_of

UNKNOWN_ID = "0198c1a0-0000-7000-8000-000000000000"
DAY = "2026-03-02"


@pytest.fixture
def creatine(account):
    return account.supplements.create(name="Creatine", dosage="5 g", time="08:00")


@pytest.fixture
def tick(api, creatine):
    """Ticks the creatine through the API and returns it as stored."""

    def tick(**fields):
        response = api.post(f"/supplements/{creatine.id}/logs", fields)
        assert response.status_code in (200, 201), response.content
        return response.json()

    return tick


def test_the_schedule_shows_each_supplement(api, creatine):
    (supplement,) = api.get("/supplements").json()["supplements"]
    assert supplement.pop("created_at").endswith("Z")
    assert supplement == {"id": str(creatine.id), "name": "Creatine", "dosage": "5 g", "time": "08:00"}


def test_the_schedule_is_ordered_by_time_and_name(api, account):
    for time, name in (("22:00", "Magnesium"), ("08:00", "Zinc"), ("08:00", "Creatine"), ("07:30", "Zinc")):
        account.supplements.create(time=time, name=name)
    first = api.get("/supplements", limit=3).json()
    second = api.get("/supplements", limit=3, cursor=first["next_cursor"]).json()
    listed = first["supplements"] + second["supplements"]
    assert [(supplement["time"], supplement["name"]) for supplement in listed] == [
        ("07:30", "Zinc"),
        ("08:00", "Creatine"),
        ("08:00", "Zinc"),
        ("22:00", "Magnesium"),
    ]
    assert second["next_cursor"] is None


@pytest.mark.parametrize(
    "time", ["8:00", "24:00", "08:60", "08:00:00", "08:00\n", "\u0660\u0668:\u0660\u0660", ""]
)
def test_a_time_is_hours_and_minutes(creatine, time):
    creatine.time = time
    with pytest.raises(ValidationError):
        creatine.full_clean()


def test_the_schedule_is_not_managed_over_the_api(api, creatine):
    assert api.post("/supplements", {"name": "Zinc"}).status_code == 405
    assert api.get(f"/supplements/{creatine.id}").status_code == 404


def test_an_empty_object_ticks_today_in_utc(tick, creatine, time_machine):
    time_machine.move_to("2026-03-02T23:59:59Z", tick=False)
    stored = tick()
    assert stored.pop("id")
    assert stored == {
        "supplement_id": str(creatine.id),
        "day": DAY,
        "taken_at": "2026-03-02T23:59:59Z",
    }


def test_a_tick_may_be_backdated(api, tick):
    given = {"day": "2026-02-28", "taken_at": "2026-03-01T00:30:00+02:00"}
    stored = tick(**given)
    assert (stored["day"], stored["taken_at"]) == ("2026-02-28", "2026-02-28T22:30:00Z")
    assert api.get("/supplements/logs").json() == {"logs": [stored], "next_cursor": None}


def test_the_first_tick_is_201_and_repeating_it_is_harmless(api, creatine):
    path = f"/supplements/{creatine.id}/logs"
    first = api.post(path, {"day": DAY})
    again = api.post(path, {"day": DAY, "taken_at": "2020-01-01T00:00:00Z"})
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    assert len(api.get("/supplements/logs").json()["logs"]) == 1


def test_server_managed_fields_are_ignored(tick, creatine):
    stored = tick(id="mine", supplement_id="another")
    assert stored["supplement_id"] == str(creatine.id)


INVALID = [
    ("day", None),
    ("day", "2026-02-30"),
    ("day", "2026-03-02T00:00:00Z"),
    ("day", 20260302),
    ("taken_at", None),
    ("taken_at", "2026-03-02"),
    ("taken_at", "2026-03-02T08:00:00"),
    ("date", DAY),
]


@pytest.mark.parametrize(("field", "value"), INVALID)
def test_an_invalid_field_is_an_error_at_its_place(api, creatine, field, value):
    response = api.post(f"/supplements/{creatine.id}/logs", {field: value})
    assert problems(response).keys() == {f"body.{field}"}
    assert api.get("/supplements/logs").json()["logs"] == []


def test_a_tick_without_a_body_is_for_today(api, creatine, time_machine):
    time_machine.move_to(f"{DAY}T07:15:00Z", tick=False)
    first = api.post(f"/supplements/{creatine.id}/logs", None)
    assert (first.status_code, first.json()["day"]) == (201, DAY)
    again = api.post(f"/supplements/{creatine.id}/logs", {})
    assert (again.status_code, again.json()) == (200, first.json())


def test_the_body_of_a_tick_must_be_json(api, creatine):
    path = f"/supplements/{creatine.id}/logs"
    assert api.call("POST", path, b"day=2026-03-02", content_type="text/plain").status_code == 415
    assert problems(api.call("POST", path, b" ")).keys() == {"body"}


def test_delete_removes_the_tick_of_a_day(api, tick, creatine):
    tick(day=DAY)
    kept = tick(day="2026-03-03")
    path = f"/supplements/{creatine.id}/logs/{DAY}"
    response = api.delete(path)
    assert (response.status_code, response.content) == (204, b"")
    assert api.delete(path).status_code == 404
    assert api.get("/supplements/logs").json()["logs"] == [kept]


@pytest.mark.parametrize("day", ["today", "2026-02-30", "2026-3-2"])
def test_a_malformed_day_is_an_error_at_its_place_unless_the_supplement_is_unknown(api, creatine, day):
    assert problems(api.delete(f"/supplements/{creatine.id}/logs/{day}")).keys() == {"path.day"}
    assert api.delete(f"/supplements/{UNKNOWN_ID}/logs/{day}").status_code == 404


def test_ticks_come_newest_day_first_and_both_ends_are_inclusive(api, tick):
    for number in (3, 1, 4, 2):
        tick(day=f"2026-03-0{number}")
    window = {"since": "2026-03-02", "until": "2026-03-03"}
    logs = api.get("/supplements/logs", **window).json()["logs"]
    assert [log["day"] for log in logs] == ["2026-03-03", "2026-03-02"]


def test_pages_continue_within_a_day(api, account, creatine):
    zinc = account.supplements.create(name="Zinc", time="22:00")
    for supplement in (creatine, zinc):
        for number in (1, 2):
            api.post(f"/supplements/{supplement.id}/logs", {"day": f"2026-03-0{number}"})
    logs = items_of(api, "/supplements/logs", "logs", limit=1)
    listed = [(log["day"], log["supplement_id"]) for log in logs]
    newest, oldest = "2026-03-02", "2026-03-01"
    ids = [str(zinc.id), str(creatine.id)]
    assert listed == [(day, id) for day in (newest, oldest) for id in ids]


@pytest.mark.parametrize(
    ("path", "query", "place"),
    [
        ("/supplements/logs", {"since": "2026-03-02T00:00:00Z"}, "query.since"),
        ("/supplements/logs", {"since": "2026-03-02", "until": "2026-03-01"}, "query.since"),
        ("/supplements/logs", {"cursor": "AAAA"}, "query.cursor"),
        ("/supplements", {"since": "2026-03-02"}, "query.since"),
        ("/supplements", {"limit": "0"}, "query.limit"),
    ],
)
def test_an_invalid_query_is_an_error_at_its_place(api, path, query, place):
    assert problems(api.get(path, **query)).keys() == {place}


def test_deleting_a_supplement_deletes_its_ticks(account, creatine):
    creatine.tick(date(2026, 3, 2), "2026-03-02T08:00:00Z")
    creatine.delete()
    assert not account.supplement_logs.exists()


def test_each_operation_takes_a_fixed_number_of_statements(api, tick, creatine):
    tick(day=DAY)
    path = f"/supplements/{creatine.id}/logs"
    calls = [
        (2, lambda: api.get("/supplements")),
        (2, lambda: api.get("/supplements/logs")),
        (5, lambda: api.post(path, {})),
        (4, lambda: api.post(path, {})),
        (4, lambda: api.delete(f"{path}/{DAY}")),
    ]
    for expected, call in calls:
        with statements() as run:
            call()
        assert len(run) == expected, run
