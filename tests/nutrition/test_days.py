import pytest

from tests.conftest import problems, statements

TOTALS = {"calories": 2450, "protein_g": 172.25, "carbs_g": 260.5, "fat_g": 102.05828325}
DAY = "2026-03-02"
PATH = f"/nutrition/{DAY}"


@pytest.fixture
def eat(api):
    """Sets the totals of a day through the API and returns it as stored."""

    def eat(day=DAY, **totals):
        response = api.put(f"/nutrition/{day}", TOTALS | totals)
        assert response.status_code in (200, 201), response.content
        return response.json()

    return eat


def test_the_first_put_of_a_day_is_201_and_the_next_200(api, time_machine):
    time_machine.move_to("2026-03-02T20:00:00Z", tick=False)
    first = api.put(PATH, TOTALS)
    assert first.status_code == 201
    assert first.json() == {"day": DAY, **TOTALS, "logged_at": "2026-03-02T20:00:00Z"}
    time_machine.move_to("2026-03-02T21:00:00Z", tick=False)
    second = api.put(PATH, TOTALS | {"calories": 0})
    assert second.status_code == 200
    assert second.json() == {"day": DAY, **TOTALS, "calories": 0, "logged_at": "2026-03-02T21:00:00Z"}
    assert api.get(PATH).json() == second.json()


def test_what_was_read_can_be_changed_and_put_back(api, eat):
    stored = eat()
    response = api.put(PATH, stored | {"fat_g": 80, "day": "1999-01-01", "logged_at": None})
    assert response.json() == {**TOTALS, "day": DAY, "fat_g": 80, "logged_at": response.json()["logged_at"]}
    assert len(api.get("/nutrition").json()["nutrition"]) == 1


INVALID = [(name, value) for name in TOTALS for value in (None, -0.1, "100", True)]
INVALID += [("calories", 100_000.5), ("protein_g", 10_000.5), ("carbs_g", 10_000.5), ("fat_g", 10_000.5)]
INVALID += [("protein", 100), ("meals", [])]


@pytest.mark.parametrize(("field", "value"), INVALID)
def test_an_invalid_field_is_an_error_at_its_place(api, eat, field, value):
    assert problems(api.put(PATH, TOTALS | {field: value})).keys() == {f"body.{field}"}
    assert api.get(PATH).status_code == 404
    stored = eat()
    assert problems(api.put(PATH, TOTALS | {field: value})).keys() == {f"body.{field}"}
    assert api.get(PATH).json() == stored


def test_all_totals_are_required(api):
    assert problems(api.put(PATH, {})).keys() == {f"body.{name}" for name in TOTALS}


@pytest.mark.parametrize("limit", [dict.fromkeys(TOTALS, 0), dict.fromkeys(TOTALS, 10_000)])
def test_the_limits_themselves_are_accepted(eat, limit):
    assert limit.items() <= eat(**limit).items()
    assert eat(calories=100_000)["calories"] == 100_000


MALFORMED = [
    "today",
    "2026-3-2",
    "2026-02-30",
    "0000-01-01",
    "10000-01-01",
    "2026-03-02T00:00:00Z",
    "٢٠٢٦-٠٣-٠٢",
]


@pytest.mark.parametrize("day", MALFORMED)
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_a_malformed_day_is_an_error_at_its_place(api, method, day):
    response = api.call(method, f"/nutrition/{day}", TOTALS if method == "PUT" else None)
    assert problems(response).keys() == {"path.day"}


def test_problems_of_path_query_and_body_are_reported_together(api):
    response = api.call("PUT", "/nutrition/2026-02-30", {**TOTALS, "fat_g": -1}, query={"force": "yes"})
    assert problems(response).keys() == {"path.day", "query.force", "body.fat_g"}


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31", "2024-02-29"])
def test_every_day_of_the_calendar_can_be_set(api, eat, day):
    assert eat(day)["day"] == day
    assert api.get("/nutrition", since=day, until=day).json()["nutrition"][0]["day"] == day


def test_a_day_without_totals_is_not_found(api):
    assert api.get(PATH).status_code == 404
    assert api.delete(PATH).status_code == 404


def test_delete_removes_the_day(api, eat):
    eat()
    response = api.delete(PATH)
    assert (response.status_code, response.content) == (204, b"")
    assert api.get(PATH).status_code == 404
    assert api.put(PATH, TOTALS).status_code == 201


@pytest.mark.parametrize(
    ("since", "until", "listed"), [(2, 3, "32"), (2, None, "432"), (None, 3, "321"), (3, 3, "3")]
)
def test_both_ends_of_the_window_are_inclusive(api, eat, since, until, listed):
    for number in (3, 1, 4, 2):
        eat(f"2026-03-0{number}")
    days = {"since": since, "until": until}
    page = api.get("/nutrition", **{name: f"2026-03-0{day}" for name, day in days.items() if day}).json()
    assert [day["day"][-1] for day in page["nutrition"]] == [*listed]
    assert page["next_cursor"] is None


def test_pages_continue_while_days_are_added(api, eat):
    for number in (1, 3, 5, 7):
        eat(f"2026-03-0{number}")
    first = api.get("/nutrition", limit=2).json()
    eat("2026-03-06")
    second = api.get("/nutrition", limit=2, cursor=first["next_cursor"]).json()
    days = [day["day"][-1] for day in first["nutrition"] + second["nutrition"]]
    assert (days, second["next_cursor"]) == (["7", "5", "3", "1"], None)


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ({"since": "2026-03-02T00:00:00Z"}, "query.since"),
        ({"until": "2026-02-30"}, "query.until"),
        ({"since": "2026-03-02", "until": "2026-03-01"}, "query.since"),
        ({"limit": "101"}, "query.limit"),
        ({"cursor": "AAAA"}, "query.cursor"),
        ({"day": DAY}, "query.day"),
    ],
)
def test_an_invalid_query_is_an_error_at_its_place(api, query, path):
    assert problems(api.get("/nutrition", **query)).keys() == {path}


def test_each_operation_takes_a_fixed_number_of_statements(api, eat):
    eat()
    calls = [
        (2, lambda: api.get("/nutrition")),
        (2, lambda: api.get(PATH)),
        (5, lambda: api.put(PATH, TOTALS)),  # with the entries, which become part of these totals
        (4, lambda: api.put("/nutrition/2026-03-05", TOTALS)),
        (5, lambda: api.delete(PATH)),
    ]
    for expected, call in calls:
        with statements() as run:
            call()
        assert len(run) == expected, run


def test_the_schema_describes_the_path_parameter_as_a_day(nobody):
    paths = nobody.get("/openapi.json").json()["paths"]
    (day,) = paths["/nutrition/{day}"]["put"]["parameters"]
    assert day["schema"] == {"type": "string", "format": "date"}
