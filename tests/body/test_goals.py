import pytest

from tests.conftest import problems, statements

EMPTY = {
    "target_weight_kg": None,
    "target_body_fat_percent": None,
    "deadline": None,
    "start_weight_kg": None,
}


@pytest.fixture
def set_goal(api):
    """Sets a goal through the API and returns it as stored."""

    def set_goal(**fields):
        response = api.post("/goals", fields)
        assert response.status_code == 201, response.content
        return response.json()

    return set_goal


@pytest.fixture
def weigh(account):
    def weigh(weight_kg, logged_at):
        account.weight_logs.create(weight_kg=weight_kg, logged_at=logged_at)

    return weigh


def test_every_field_may_be_left_out(set_goal):
    stored = set_goal()
    assert stored.keys() == {"id", *EMPTY, "created_at"}
    assert EMPTY.items() <= stored.items()


def test_what_is_given_comes_back_equal(api, set_goal, weigh):
    weigh(90, "2026-03-01T00:00:00Z")
    given = {
        "target_weight_kg": 76.123456789,
        "target_body_fat_percent": 14.5,
        "deadline": "2026-06-30",
        "start_weight_kg": 82.4,
    }
    stored = set_goal(**given)
    assert given.items() <= stored.items()
    assert api.get("/goals/current").json() == stored
    assert api.get("/goals").json() == {"goals": [stored], "next_cursor": None}


def test_the_start_ignores_weights_of_the_future(set_goal, weigh):
    weigh(82, "2026-03-01T00:00:00Z")
    weigh(70, "2999-01-01T00:00:00Z")
    assert set_goal()["start_weight_kg"] == 82


@pytest.mark.parametrize("fields", [{}, {"start_weight_kg": None}])
def test_the_start_defaults_to_the_latest_weight_log(set_goal, weigh, fields):
    weigh(83, "2026-03-02T00:00:00Z")
    weigh(90, "2025-03-02T00:00:00Z")
    assert set_goal(**fields)["start_weight_kg"] == 83


def test_the_start_does_not_follow_later_logs(api, set_goal, weigh):
    weigh(83, "2026-03-02T00:00:00Z")
    stored = set_goal()
    weigh(80, "2026-04-02T00:00:00Z")
    assert api.get("/goals/current").json() == stored


def test_the_start_ignores_a_strangers_weight(stranger, set_goal):
    stranger.weight_logs.create(weight_kg=70)
    assert set_goal()["start_weight_kg"] is None


INVALID = [
    ("target_weight_kg", 0),
    ("target_weight_kg", 1000.5),
    ("target_weight_kg", "76"),
    ("start_weight_kg", 0),
    ("start_weight_kg", -1),
    ("target_body_fat_percent", -1),
    ("target_body_fat_percent", 101),
    ("deadline", "2026-02-30"),
    ("deadline", "2026-06-30T00:00:00Z"),
    ("deadline", 20260630),
    ("target_weight", 76),
]


@pytest.mark.parametrize(("field", "value"), INVALID)
def test_an_invalid_field_is_an_error_at_its_place(api, field, value):
    assert problems(api.post("/goals", {field: value})).keys() == {f"body.{field}"}
    assert api.get("/goals").json()["goals"] == []


def test_without_a_goal_there_is_no_current_one(api, stranger_api, set_goal):
    set_goal(target_weight_kg=76)
    response = stranger_api.get("/goals/current")
    assert (response.status_code, response.json()["error"]["code"]) == (404, "not_found")


def test_the_newest_goal_is_current_and_the_others_are_kept(api, set_goal):
    goals = [set_goal(target_weight_kg=76 - number) for number in range(3)]
    assert api.get("/goals/current").json() == goals[-1]
    assert api.get("/goals").json()["goals"] == goals[::-1]


def test_the_goal_set_last_is_current_even_if_the_clock_steps_back(api, set_goal, time_machine):
    time_machine.move_to("2027-01-01T00:00:00Z")
    set_goal()
    time_machine.move_to("2026-01-01T00:00:00Z")
    assert set_goal(target_weight_kg=76) == api.get("/goals/current").json()


def test_pages_continue(api, set_goal):
    goals = [set_goal() for _ in range(3)]
    first = api.get("/goals", limit=2).json()
    second = api.get("/goals", limit=2, cursor=first["next_cursor"]).json()
    assert first["goals"] + second["goals"] == goals[::-1]


def test_goals_take_no_window(api):
    assert problems(api.get("/goals", since="2026-01-01T00:00:00Z")).keys() == {"query.since"}


def test_each_operation_takes_a_fixed_number_of_statements(api, set_goal):
    set_goal()
    calls = [
        (2, lambda: api.get("/goals")),
        (2, lambda: api.get("/goals/current")),
        (4, lambda: api.post("/goals", {})),
        (3, lambda: api.post("/goals", {"start_weight_kg": 80})),
    ]
    for expected, call in calls:
        with statements() as run:
            call()
        assert len(run) == expected, run
