import pytest
from django.utils import timezone

from tests.conftest import a_set, a_workout, problems, statements
from tests.pages import pages_of

MISSING = "/workouts/0198c1a0-0000-7000-8000-000000000000"


def test_a_workout_comes_back_as_it_was_logged(api):
    body = {
        "title": "Push",
        "notes": "line one\nline two",
        "started_at": "2026-03-02T19:30:00.123456+02:00",
        "duration_seconds": 3900,
        "plan_name": "Old plan",
        "exercises": [
            {
                "exercise_id": "barbell-bench-press",
                "notes": "paused",
                "superset_id": "A",
                "sets": [
                    {"type": "warmup", "weight_kg": 60, "reps": 8, "completed": True, "rpe": None},
                    {"type": "working", "weight_kg": 102.05828325, "reps": 5, "completed": True, "rpe": 8.5},
                ],
            },
            {"exercise_id": "plank", "notes": "", "superset_id": "A", "sets": []},
        ],
    }
    stored = api.post("/workouts", body).json()
    assert stored == {
        **body,
        "id": stored["id"],
        "started_at": "2026-03-02T17:30:00.123456Z",
        "volume_kg": 510.29,
        "plan_id": None,
        "exercises": [
            {**body["exercises"][0], "name": "Barbell Bench Press", "muscle_group": "Chest"},
            {**body["exercises"][1], "name": "Plank", "muscle_group": "Core"},
        ],
        "created_at": stored["created_at"],
        "updated_at": stored["created_at"],
    }
    assert api.get(f"/workouts/{stored['id']}").json() == stored


def test_what_is_left_out_gets_its_default(log_workout):
    stored = log_workout({"weight_kg": 0, "reps": 12}, exercise_id="pull-up")
    assert (stored["title"], stored["notes"], stored["plan_name"]) == ("", "", None)
    assert stored["exercises"][0]["superset_id"] is None
    assert stored["exercises"][0]["sets"] == [
        {"type": "working", "weight_kg": 0, "reps": 12, "completed": True, "rpe": None}
    ]


def test_volume_counts_completed_sets_that_are_not_warmups(log_workout):
    stored = log_workout(
        a_set(60, 10, type="warmup"), a_set(100, 5), a_set(100, 5, completed=False), a_set(80.5, 3)
    )
    assert stored["volume_kg"] == 741.5


def test_a_volume_between_two_hundredths_is_rounded_as_in_statistics(api, log_workout):
    stored = log_workout(a_set(61.235, 3))  # 183.705 kg, and a little less as a product of floats
    totals = api.get("/stats/training", since="2026-03-01T00:00:00Z", until="2026-03-08T00:00:00Z").json()
    assert stored["volume_kg"] == totals["volume_kg"]


def test_an_exercise_may_occur_twice(api):
    body = a_workout(a_set(100, 5))
    body["exercises"] += [{"exercise_id": "plank", "sets": []}, *body["exercises"]]
    stored = api.post("/workouts", body).json()
    assert [entry["exercise_id"] for entry in stored["exercises"]] == [
        "barbell-bench-press",
        "plank",
        "barbell-bench-press",
    ]
    assert stored["volume_kg"] == 1000


def test_the_plan_must_be_of_the_account_and_gives_its_name(api, account, stranger):
    mine, theirs = (
        owner.plans.create(name=f"Plan of {owner}", days=[], created_at=timezone.now())
        for owner in (account, stranger)
    )
    stored = api.post("/workouts", a_workout(a_set(), plan_id=str(mine.id))).json()
    assert (stored["plan_id"], stored["plan_name"]) == (str(mine.id), mine.name)
    named = api.post("/workouts", a_workout(plan_id=str(mine.id), plan_name="My words")).json()
    assert named["plan_name"] == "My words"
    rejected = api.post("/workouts", a_workout(plan_id=str(theirs.id)))
    unknown = api.post("/workouts", a_workout(plan_id=MISSING[10:]))
    assert problems(rejected).keys() == {"body.plan_id"}
    assert rejected.content == unknown.content


def test_get_change_put_loses_nothing(api, log_workout):
    stored = log_workout(a_set(100, 5, rpe=9), a_set(90, 8), title="Heavy")
    changed = api.put(f"/workouts/{stored['id']}", {**stored, "title": "Heavier"}).json()
    assert changed == {**stored, "title": "Heavier", "updated_at": changed["updated_at"]}
    assert changed["updated_at"] > stored["updated_at"]
    assert api.get(f"/workouts/{stored['id']}").json() == changed


def test_a_replacement_is_whole(api, log_workout):
    stored = log_workout(a_set(), title="Old", notes="gone")
    changed = api.put(f"/workouts/{stored['id']}", a_workout(a_set(20, 1), exercise_id="plank")).json()
    assert (changed["title"], changed["notes"], changed["volume_kg"]) == ("", "", 20)
    assert api.get("/exercises/barbell-bench-press/history").json()["sessions"] == []


def test_a_deleted_workout_is_gone_everywhere(api, log_workout):
    path = f"/workouts/{log_workout(a_set())['id']}"
    response = api.delete(path)
    assert (response.status_code, response.content) == (204, b"")
    assert api.delete(path).status_code == 404
    assert api.get(path).status_code == 404
    assert api.get("/exercises/barbell-bench-press/history").json()["sessions"] == []


@pytest.mark.parametrize("path", [MISSING, MISSING.replace("-", ""), "/workouts/1", "/workouts/%00"])
def test_an_id_that_never_was_is_not_found(api, path):
    assert api.get(path).json()["error"]["code"] == "not_found"


def test_pages_are_newest_first_and_ties_are_stable(api, log_workout):
    days = [1, 5, 3, 3, 3, 2, 4]
    logged = [log_workout(started_at=f"2026-03-0{day}T10:00:00Z") for day in days]
    pages = list(pages_of(api, "/workouts", "workouts", limit=3))
    assert [len(page) for page in pages] == [3, 3, 1]
    newest_first = sorted(logged, key=lambda workout: (workout["started_at"], workout["id"]), reverse=True)
    assert [workout for page in pages for workout in page] == newest_first


def test_the_next_page_begins_where_the_last_ended_while_rows_come_and_go(api, log_workout):
    logged = [log_workout(started_at=f"2026-03-0{day}T10:00:00Z") for day in range(1, 7)]
    first = api.get("/workouts", limit=2).json()
    log_workout(started_at="2026-03-09T10:00:00Z")
    api.delete(f"/workouts/{logged[4]['id']}")
    second = api.get("/workouts", limit=2, cursor=first["next_cursor"]).json()
    assert second["workouts"] == [logged[3], logged[2]]


def test_since_is_inclusive_and_until_exclusive(api, log_workout):
    for day in (1, 2, 3):
        log_workout(started_at=f"2026-03-0{day}T10:00:00Z")
    window = {"since": "2026-03-01T10:00:00Z", "until": "2026-03-03T10:00:00Z"}
    assert len(api.get("/workouts", **window).json()["workouts"]) == 2
    assert api.get("/workouts/count", **window).json() == {"count": 2}


def test_a_cursor_of_another_list_account_or_making_is_rejected(api, stranger_api, log_workout):
    for day in (1, 2):
        log_workout(started_at=f"2026-03-0{day}T10:00:00Z")
    cursor = api.get("/workouts", limit=1).json()["next_cursor"]
    assert api.get("/workouts", cursor=cursor).status_code == 200
    flipped = ("A" if cursor[0] != "A" else "B") + cursor[1:]
    for response in (
        api.get("/workouts/events", cursor=cursor),
        stranger_api.get("/workouts", cursor=cursor),
        api.get("/workouts", cursor=flipped),
        api.get("/workouts", cursor=cursor + "="),
        api.get("/workouts", cursor=cursor[:-1]),
    ):
        assert problems(response).keys() == {"query.cursor"}


def test_statements_stay_few_whatever_the_sizes(api, account):
    api.get("/workouts")
    plan = account.plans.create(name="Plan", days=[], created_at="2026-03-01T00:00:00Z")
    ids = [row["id"] for row in api.get("/exercises", limit=100).json()["exercises"]]
    body = a_workout(plan_id=str(plan.id))
    body["exercises"] = [{"exercise_id": id, "sets": [a_set()] * 20} for id in ids]
    with statements() as run:
        stored = api.post("/workouts", body).json()
    assert len(run) == 6, run
    assert len(stored["exercises"]) == 100
    for expected, method, path in [
        (2, "GET", "/workouts"),
        (2, "GET", f"/workouts/{stored['id']}"),
        (2, "GET", "/workouts/count"),
        (2, "GET", "/workouts/count?since=2026-01-01T00:00:00Z"),
        (2, "GET", "/workouts/events"),
        (2, "GET", f"/exercises/{ids[0]}/history"),
    ]:
        with statements() as run:
            assert api.call(method, path).status_code == 200
        assert len(run) == expected, run
    with statements() as run:
        api.put(f"/workouts/{stored['id']}", body)
    assert len(run) == 8, run


def test_later_pages_take_as_many_statements_as_the_first(api, log_workout):
    for _ in range(3):
        log_workout(a_set())
    for path in ("/workouts", "/workouts/events", "/exercises/barbell-bench-press/history"):
        cursor = api.get(path, limit=1).json()["next_cursor"]
        with statements() as run:
            assert api.get(path, limit=1, cursor=cursor).status_code == 200
        assert len(run) == 2, run


def test_deleting_takes_a_fixed_number_of_statements(api, log_workout):
    few, many = log_workout(a_set())["id"], log_workout(*[a_set()] * 50)["id"]
    for workout_id in (few, many):
        with statements() as run:
            assert api.delete(f"/workouts/{workout_id}").status_code == 204
        assert len(run) == 5, run
