import pytest

from tests.conftest import problems, statements
from tests.pages import items_of


@pytest.fixture
def weigh(api):
    """Logs a weight through the API and returns it as stored."""

    def weigh(weight_kg=80, **fields):
        response = api.post("/body/weight", {"weight_kg": weight_kg, **fields})
        assert response.status_code == 201, response.content
        return response.json()

    return weigh


def test_a_weight_alone_is_enough(weigh, time_machine):
    time_machine.move_to("2026-03-02T06:45:00Z", tick=False)
    stored = weigh(82.4)
    assert stored.pop("id")
    assert stored == {
        "weight_kg": 82.4,
        "body_fat_percent": None,
        "notes": "",
        "logged_at": "2026-03-02T06:45:00Z",
    }


def test_what_is_given_comes_back_equal(weigh, api):
    given = {
        "weight_kg": 102.05828325,
        "body_fat_percent": 0.1 + 0.2,
        "notes": " heavy\n\t😀 ",
        "logged_at": "2020-02-29T23:59:59.000001Z",
    }
    stored = weigh(**given)
    assert given.items() <= stored.items()
    assert api.get("/body/weight").json() == {"weight": [stored], "next_cursor": None}


def test_any_offset_is_read_and_utc_is_written(weigh):
    assert weigh(logged_at="2026-03-01T00:30:00+02:00")["logged_at"] == "2026-02-28T22:30:00Z"


@pytest.mark.parametrize("weight_kg", [5e-324, 1e-9, 1000])
def test_the_limits_themselves_are_accepted(weigh, weight_kg):
    assert weigh(weight_kg, body_fat_percent=0)["weight_kg"] == weight_kg
    assert weigh(weight_kg, body_fat_percent=100)["body_fat_percent"] == 100


INVALID = [
    ("weight_kg", None),
    ("weight_kg", 0),
    ("weight_kg", -0.0),
    ("weight_kg", -80),
    ("weight_kg", 1000.0001),
    ("weight_kg", "80"),
    ("weight_kg", True),
    ("weight_kg", 10**400),
    ("body_fat_percent", -0.1),
    ("body_fat_percent", 100.1),
    ("body_fat_percent", "18"),
    ("notes", None),
    ("notes", 5),
    ("notes", "x" * 5001),
    ("logged_at", None),
    ("logged_at", "2026-03-02"),
    ("logged_at", "2026-03-02T06:45:00"),
    ("logged_at", "0001-01-01T00:00:00+00:01"),
    ("weight", 80),
]


@pytest.mark.parametrize(("field", "value"), INVALID)
def test_an_invalid_field_is_an_error_at_its_place(api, weigh, field, value):
    assert problems(api.post("/body/weight", {"weight_kg": 80, field: value})).keys() == {f"body.{field}"}
    assert api.get("/body/weight").json()["weight"] == []

    stored = weigh()
    assert problems(api.patch(f"/body/weight/{stored['id']}", {field: value})).keys() == {f"body.{field}"}
    assert api.get("/body/weight").json()["weight"] == [stored]


def test_the_weight_is_required(api):
    assert problems(api.post("/body/weight", {})).keys() == {"body.weight_kg"}


def test_server_managed_fields_are_ignored(weigh):
    assert weigh(id="mine")["id"] != "mine"


def test_patch_changes_only_the_listed_fields(api, weigh):
    stored = weigh(80, body_fat_percent=20, notes="a", logged_at="2026-03-01T00:00:00Z")
    response = api.patch(f"/body/weight/{stored['id']}", {"weight_kg": 81})
    assert response.json() == stored | {"weight_kg": 81}
    assert api.get("/body/weight").json()["weight"] == [stored | {"weight_kg": 81}]


def test_patch_with_null_clears_the_body_fat(api, weigh):
    stored = weigh(80, body_fat_percent=20)
    response = api.patch(f"/body/weight/{stored['id']}", {"body_fat_percent": None})
    assert response.json() == stored | {"body_fat_percent": None}


def test_an_empty_patch_changes_nothing(api, weigh):
    stored = weigh()
    response = api.patch(f"/body/weight/{stored['id']}", {})
    assert (response.status_code, response.json()) == (200, stored)


def test_a_log_that_is_deleted_meanwhile_cannot_be_changed(account):
    log = account.weight_logs.create(weight_kg=80)
    account.weight_logs.all().delete()
    with pytest.raises(type(log).DoesNotExist):
        log.change({"weight_kg": 81})


def test_delete_removes_a_log(api, weigh):
    path = f"/body/weight/{weigh()['id']}"
    response = api.delete(path)
    assert (response.status_code, response.content) == (204, b"")
    assert api.delete(path).status_code == 404
    assert api.get("/body/weight").json()["weight"] == []


@pytest.mark.parametrize(
    ("since", "until", "listed"), [(2, 4, "32"), (2, None, "432"), (None, 3, "21"), (3, 3, "")]
)
def test_since_is_inclusive_and_until_exclusive_newest_first(api, weigh, since, until, listed):
    for day in (2, 4, 3, 1):  # whatever was logged last
        weigh(logged_at=f"2026-03-0{day}T06:00:00Z", notes=str(day))
    days = {"since": since, "until": until}
    window = {name: f"2026-03-0{day}T06:00:00Z" for name, day in days.items() if day}
    assert [log["notes"] for log in api.get("/body/weight", **window).json()["weight"]] == [*listed]


def test_pages_continue_within_equal_times(api, weigh):
    logged = [weigh(kg, logged_at="2026-03-01T06:00:00Z")["id"] for kg in range(1, 6)]
    assert [log["id"] for log in items_of(api, "/body/weight", "weight", limit=2)] == logged[::-1]


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ({"limit": "0"}, "query.limit"),
        ({"since": "2026-03-01"}, "query.since"),
        ({"since": "2026-03-02T00:00:00Z", "until": "2026-03-01T00:00:00Z"}, "query.since"),
        ({"cursor": "nonsense"}, "query.cursor"),
        ({"page": "2"}, "query.page"),
    ],
)
def test_an_invalid_query_is_an_error_at_its_place(api, query, path):
    assert problems(api.get("/body/weight", **query)).keys() == {path}


def test_a_cursor_of_another_list_is_rejected(api, weigh):
    weigh(), weigh()
    cursor = api.get("/body/weight", limit=1).json()["next_cursor"]
    assert problems(api.get("/body/measurements", cursor=cursor)).keys() == {"query.cursor"}


def test_there_is_no_get_of_one_log(api, weigh):
    assert api.get(f"/body/weight/{weigh()['id']}").status_code == 405


def test_each_operation_takes_a_fixed_number_of_statements(api, weigh):
    """The first statement finds the key. The number does not grow with the logs."""
    ids = [weigh()["id"] for _ in range(3)]
    calls = [
        (2, lambda: api.get("/body/weight")),
        (2, lambda: api.post("/body/weight", {"weight_kg": 80})),
        (3, lambda: api.patch(f"/body/weight/{ids[0]}", {"weight_kg": 81})),
        (3, lambda: api.delete(f"/body/weight/{ids[0]}")),
    ]
    for expected, call in calls:
        with statements() as run:
            call()
        assert len(run) == expected, run
