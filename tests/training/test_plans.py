from threading import Barrier, Thread

import pytest
from django.db import connection

from accounts.models import Account, Task
from tests.conftest import a_set, a_workout, client_of, problems, statements
from tests.imports.steps import work
from training.models import Plan


def an_exercise(exercise_id="barbell-bench-press", **fields):
    return {"exercise_id": exercise_id, "sets": 3, "reps": 8, "weight_kg": 60, **fields}


def a_day(weekday, *exercises, **fields):
    return {"weekday": weekday, "label": f"Day {weekday}", "exercises": list(exercises), **fields}


def a_week():
    """Three days of training, four of rest."""
    training = {1: "barbell-bench-press", 3: "barbell-back-squat", 5: "barbell-deadlift"}
    return [
        a_day(weekday, an_exercise(training[weekday])) if weekday in training else a_day(weekday, rest=True)
        for weekday in range(1, 8)
    ]


def a_plan(**fields):
    return {"name": "Three days", "days": a_week(), **fields}


@pytest.fixture
def create_plan(api):
    """Creates a plan through the API and returns it as it is stored."""

    def create(**fields):
        response = api.post("/plans", a_plan(**fields))
        assert response.status_code == 201, response.content
        return response.json()

    return create


def kinds(plan):
    return [entry["kind"] for entry in plan["history"]]


def active_plans(api):
    return [plan["id"] for plan in api.get("/plans").json()["plans"] if plan["active"]]


def test_a_plan_comes_back_with_what_the_server_adds(api):
    body = a_plan(summary="Whole body.", progression="Add 2.5 kg a week.")
    stored = api.post("/plans", body).json()
    bench = {
        "exercise_id": "barbell-bench-press",
        "name": "Barbell Bench Press",
        "muscle_group": "Chest",
        "equipment": "Barbell",
        "sets": 3,
        "reps": 8,
        "weight_kg": 60,
        "note": "",
    }
    assert stored["days"][0] == {
        "weekday": 1,
        "label": "Day 1",
        "focus": "",
        "rest": False,
        "exercises": [bench],
    }
    assert list(stored["days"][0]["exercises"][0]) == list(bench)
    del stored["days"]
    assert stored == {
        "id": stored["id"],
        "name": "Three days",
        "summary": "Whole body.",
        "progression": "Add 2.5 kg a week.",
        "days_per_week": 3,
        "active": False,
        "source": "manual",
        "history": [],
        "created_at": stored["created_at"],
        "updated_at": None,
    }


def test_a_plan_reads_later_as_it_was_returned(api, create_plan):
    stored = create_plan(active=True)
    assert api.get(f"/plans/{stored['id']}").json() == stored
    assert api.get("/plans").json() == {"plans": [stored], "next_cursor": None}


def test_days_come_back_in_weekday_order(api, create_plan):
    stored = create_plan(days=a_week()[::-1])
    assert [day["weekday"] for day in stored["days"]] == [1, 2, 3, 4, 5, 6, 7]
    assert api.get(f"/plans/{stored['id']}").json()["days"] == stored["days"]


def test_a_day_needs_a_weekday_and_a_label_only(create_plan):
    stored = create_plan(days=[{"weekday": number, "label": "Anything"} for number in range(1, 8)])
    assert stored["days"][0] == {
        "weekday": 1,
        "label": "Anything",
        "focus": "",
        "rest": False,
        "exercises": [],
    }
    assert stored["days_per_week"] == 7


def test_a_week_of_rest_has_no_training_days(create_plan):
    assert create_plan(days=[a_day(number, rest=True) for number in range(1, 8)])["days_per_week"] == 0


WRONG_FIELDS = [
    ("name", None, "body.name"),
    ("name", "", "body.name"),
    ("name", "x" * 201, "body.name"),
    ("summary", None, "body.summary"),
    ("summary", "x" * 5001, "body.summary"),
    ("progression", "x" * 5001, "body.progression"),
    ("active", None, "body.active"),
    ("active", "true", "body.active"),
    ("active", 1, "body.active"),
    ("days", None, "body.days"),
    ("days", {}, "body.days"),
    ("days", [], "body.days"),
    ("days", a_week()[:6], "body.days"),
    ("days", [*a_week(), a_day(7)], "body.days"),
]


@pytest.mark.parametrize(("field", "value", "path"), WRONG_FIELDS)
def test_a_wrong_field_is_rejected_at_its_place(api, field, value, path):
    response = api.post("/plans", a_plan() | {field: value})
    assert problems(response).keys() == {path}
    assert api.get("/plans").json()["plans"] == []


WRONG_DAYS = [
    ({"weekday": 0}, "weekday"),
    ({"weekday": 8}, "weekday"),
    ({"weekday": "1"}, "weekday"),
    ({"weekday": None}, "weekday"),
    ({"label": None}, "label"),
    ({"label": ""}, "label"),
    ({"label": "x" * 201}, "label"),
    ({"focus": None}, "focus"),
    ({"focus": "x" * 201}, "focus"),
    ({"rest": None}, "rest"),
    ({"rest": 1}, "rest"),
    ({"exercises": None}, "exercises"),
    ({"exercises": [an_exercise()] * 101}, "exercises"),
    ({"exercises": [an_exercise(), an_exercise("no-such")]}, "exercises[1].exercise_id"),
    ({"exercises": [an_exercise(sets=0)]}, "exercises[0].sets"),
    ({"exercises": [an_exercise(note=None)]}, "exercises[0].note"),
    ({"rest": True, "exercises": [an_exercise()]}, "exercises"),
    ({"resting": True}, "resting"),
]


@pytest.mark.parametrize(("fields", "path"), WRONG_DAYS)
def test_a_wrong_day_is_rejected_at_its_place(api, fields, path):
    week = a_week()
    week[3] = a_day(4) | fields
    assert problems(api.post("/plans", a_plan(days=week))).keys() == {f"body.days[3].{path}"}


def test_each_weekday_occurs_once(api):
    week = a_week()
    week[3] = a_day(2)
    wrong = problems(api.post("/plans", a_plan(days=week)))
    assert wrong.keys() == {"body.days[1].weekday", "body.days[3].weekday"}
    assert wrong["body.days[3].weekday"] == "occurs more than once; missing: 4 (Thursday)."


def test_all_problems_of_a_week_are_reported_at_once(api):
    week = a_week()
    week[0] = a_day(True)
    week[3] = a_day(3, an_exercise(sets=0))
    week[5] = "rest"
    assert problems(api.post("/plans", a_plan(days=week, name=""))).keys() == {
        "body.name",
        "body.days[0].weekday",
        "body.days[2].weekday",
        "body.days[3].weekday",
        "body.days[3].exercises[0].sets",
        "body.days[5]",
    }


def test_errors_name_what_would_be_right(api):
    short = problems(api.post("/plans", a_plan(days=a_week()[:5])))["body.days"]
    assert "each weekday, 1 to 7" in short
    lazy = [*a_week()[:6], a_day(7, an_exercise(), rest=True)]
    assert "leave them out" in problems(api.post("/plans", a_plan(days=lazy)))["body.days[6].exercises"]


def test_a_new_active_plan_retires_the_one_that_was(api, create_plan):
    former = create_plan(active=True)
    current = create_plan(name="Next", active=True)
    assert active_plans(api) == [current["id"]]
    assert (current["history"], current["updated_at"]) == ([], None)
    retired = api.get(f"/plans/{former['id']}").json()
    assert retired["history"] == [
        {"at": current["created_at"], "kind": "retired", "detail": 'Made way for "Next".'}
    ]
    assert retired["updated_at"] == current["created_at"]


def test_an_inactive_new_plan_retires_nothing(api, create_plan):
    current = create_plan(active=True)
    create_plan()
    assert active_plans(api) == [current["id"]]


def test_activation_moves_from_one_plan_to_the_other(api, create_plan):
    former, plan = create_plan(name="Old", active=True), create_plan()
    response = api.call("POST", f"/plans/{plan['id']}/activate")
    assert response.status_code == 200
    activated = response.json()
    entry = activated["history"][0]
    assert activated == {**plan, "active": True, "history": [entry], "updated_at": entry["at"]}
    assert (entry["kind"], entry["detail"]) == ("activated", 'Became the active plan in place of "Old".')
    assert api.get(f"/plans/{plan['id']}").json() == activated
    assert kinds(api.get(f"/plans/{former['id']}").json()) == ["retired"]


def test_repeating_an_activation_changes_nothing(api, create_plan):
    path = f"/plans/{create_plan()['id']}/activate"
    first, second = api.call("POST", path), api.post(path, {})
    assert first.json() == second.json()
    assert second.status_code == 200


def test_get_change_put_loses_nothing(api, create_plan):
    stored = create_plan(active=True, summary="Short", progression="Slow")
    changed = api.put(f"/plans/{stored['id']}", {**stored, "name": "Renamed"}).json()
    entry = changed["history"][0]
    assert changed == {**stored, "name": "Renamed", "history": [entry], "updated_at": entry["at"]}
    assert entry == {"at": entry["at"], "kind": "replaced", "detail": "Changed: name."}
    assert api.get(f"/plans/{stored['id']}").json() == changed


@pytest.mark.parametrize(
    ("was", "body", "now", "history"),
    [
        (True, {}, True, ["replaced"]),
        (False, {}, False, ["replaced"]),
        (True, {"active": True}, True, ["replaced"]),
        (False, {"active": False}, False, ["replaced"]),
        (False, {"active": True}, True, ["replaced", "activated"]),
        (True, {"active": False}, False, ["replaced", "retired"]),
    ],
)
def test_a_replacement_may_change_what_is_active(api, create_plan, was, body, now, history):
    path = f"/plans/{create_plan(active=was, summary='Gone')['id']}"
    changed = api.put(path, a_plan(**body)).json()
    assert (changed["active"], kinds(changed), changed["summary"]) == (now, history, "")
    assert {entry["at"] for entry in changed["history"]} == {changed["updated_at"]}
    assert api.get(path).json() == changed


def test_a_replacement_that_activates_retires_the_other(api, create_plan):
    former, plan = create_plan(active=True), create_plan()
    api.put(f"/plans/{plan['id']}", a_plan(active=True))
    assert active_plans(api) == [plan["id"]]
    assert kinds(api.get(f"/plans/{former['id']}").json()) == ["retired"]


def test_the_history_keeps_the_latest_hundred_changes(api, account, create_plan):
    path = f"/plans/{create_plan()['id']}"
    plan = account.plans.get()
    for _ in range(101):
        plan.add_history("replaced", plan.created_at, "Nothing changed.")
    plan.save()
    changed = api.put(path, a_plan(active=True)).json()
    assert len(changed["history"]) == 100
    assert kinds(changed)[-2:] == ["replaced", "activated"]


def test_a_deleted_plan_is_gone(api, create_plan):
    path = f"/plans/{create_plan(active=True)['id']}"
    response = api.delete(path)
    assert (response.status_code, response.content) == (204, b"")
    for method, each in [("GET", path), ("DELETE", path), ("POST", f"{path}/activate")]:
        assert api.call(method, each).status_code == 404
    assert api.put(path, a_plan()).status_code == 404


def test_workouts_outlive_their_plan(api, create_plan, log_workout):
    plan = create_plan(name="Old plan")
    bystander = log_workout(a_set())
    followed = [log_workout(a_set(), plan_id=plan["id"]) for _ in range(3)]
    before = api.get("/workouts/events").json()["events"][-1]["at"]
    api.delete(f"/plans/{plan['id']}")
    for workout in followed:
        now = api.get(f"/workouts/{workout['id']}").json()
        assert now == {**workout, "plan_id": None, "updated_at": now["updated_at"]}
        assert (now["plan_name"], now["updated_at"] > before) == ("Old plan", True)
    events = api.get("/workouts/events").json()["events"]
    assert [event["kind"] for event in events] == ["created", "updated", "updated", "updated"]
    assert len({event["at"] for event in events}) == 4
    assert api.get(f"/workouts/{bystander['id']}").json() == bystander


def test_deleting_a_plan_takes_as_many_statements_however_many_workouts_it_has(api, create_plan, log_workout):
    counts = []
    for workouts in (1, 51):
        plan = create_plan()
        for _ in range(workouts):
            log_workout(a_set(), plan_id=plan["id"])
        with statements() as run:
            api.delete(f"/plans/{plan['id']}")
        counts.append(len(run))
    assert counts[1] == counts[0]


def test_reading_takes_one_statement_besides_the_key(api, create_plan):
    path = f"/plans/{create_plan()['id']}"
    for each in (path, "/plans"):
        api.get(each)
        with statements() as run:
            api.get(each)
        assert len(run) == 2, run


def test_pages_are_newest_first(api, create_plan):
    ids = [create_plan()["id"] for _ in range(3)]
    first = api.get("/plans", limit=2).json()
    second = api.get("/plans", limit=2, cursor=first["next_cursor"]).json()
    assert [plan["id"] for plan in first["plans"] + second["plans"]] == ids[::-1]


def test_a_stranger_has_an_active_plan_of_their_own(api, stranger_api, create_plan):
    create_plan(active=True)
    stranger_api.post("/plans", a_plan(active=True))
    assert len(active_plans(api)) == len(active_plans(stranger_api)) == 1


def at_once(*calls):
    """Runs all calls at the same time, each on a connection of its own."""
    barrier = Barrier(len(calls))

    def run(call):
        barrier.wait()
        try:
            call()
        finally:
            connection.close()

    threads = [Thread(target=run, args=[call]) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


in_several_connections = pytest.mark.skipif(
    connection.vendor == "sqlite", reason="SQLite's test database lives in the memory of one connection"
)


@pytest.fixture
def lifter(transactional_db):
    """An account whose writes are committed, so that other connections see them."""
    return Account.objects.create_user("lifter@example.org", "correct horse")


@in_several_connections
def test_of_plans_activated_at_once_one_is_active(lifter):
    client = client_of(lifter)
    ids = [client.post("/plans", a_plan()).json()["id"] for _ in range(6)]
    statuses = []

    def activate(plan_id):
        statuses.append(client.call("POST", f"/plans/{plan_id}/activate").status_code)

    for _ in range(5):
        at_once(*(lambda plan_id=plan_id: activate(plan_id) for plan_id in ids))
        assert Plan.objects.active().count() == 1
    assert set(statuses) == {200}
    changes = [entry["at"] for plan in Plan.objects.all() for entry in plan.document["history"]]
    activated = sum(kinds(plan.document).count("activated") for plan in Plan.objects.all())
    assert len(changes) == 2 * activated - 1


@in_several_connections
def test_a_plan_deleted_while_a_workout_is_logged_leaves_no_orphan(lifter):
    client = client_of(lifter)
    statuses = set()

    def log(plan_id):
        statuses.add(client.post("/workouts", a_workout(plan_id=plan_id)).status_code)

    for _ in range(10):
        plan_id = client.post("/plans", a_plan()).json()["id"]
        at_once(lambda p=plan_id: log(p), lambda p=plan_id: client.delete(f"/plans/{p}"))
    assert statuses <= {201, 400, 503}
    assert all(workout["plan_id"] is None for workout in client.get("/workouts").json()["workouts"])


def test_a_deletion_of_many_workouts_is_finished_by_a_worker(api, create_plan, monkeypatch):
    plan = create_plan()
    workouts = [api.post("/workouts", a_workout(plan_id=plan["id"])).json() for _ in range(3)]
    monkeypatch.setattr("training.models.plan.ROWS_AT_ONCE", 1)
    assert api.delete(f"/plans/{plan['id']}").status_code == 204
    assert api.get(f"/plans/{plan['id']}").status_code == 404
    assert api.post(f"/plans/{plan['id']}/activate", None).status_code == 404
    assert api.delete(f"/plans/{plan['id']}").status_code == 404
    assert problems(api.post("/workouts", a_workout(plan_id=plan["id"]))).keys() == {"body.plan_id"}
    assert Task.objects.get().subject == plan["id"]
    work()
    for workout in workouts:
        stored = api.get(f"/workouts/{workout['id']}").json()
        assert (stored["plan_id"], stored["plan_name"]) == (None, plan["name"])
    assert not Plan._base_manager.exists()
    assert not Task.objects.exists()


def test_a_deletion_that_fails_leaves_everything_as_it_was(api, create_plan, monkeypatch):
    plan = create_plan()
    workout = api.post("/workouts", a_workout(plan_id=plan["id"])).json()
    with monkeypatch.context() as patch:
        patch.setattr("training.models.workout_corrections.render_batch", lambda *_: 1 / 0)
        assert api.delete(f"/plans/{plan['id']}").status_code == 500
    assert api.get(f"/plans/{plan['id']}").json() == plan
    assert api.get(f"/workouts/{workout['id']}").json() == workout


def test_a_workout_that_followed_a_plan_without_any_exercise_names_it(api):
    plan = api.post("/plans", a_plan()).json()
    workout = api.post("/workouts", a_workout(plan_id=plan["id"])).json()
    assert (workout["plan_name"], workout["exercises"]) == (plan["name"], [])
