import pytest

from tests.conftest import a_set, a_workout, problems, statements


def an_exercise(exercise_id="barbell-bench-press", **fields):
    return {"exercise_id": exercise_id, "sets": 5, "reps": 5, "weight_kg": 92.5, **fields}


def a_routine(*exercises, **fields):
    return {"name": "Push", "exercises": list(exercises), **fields}


@pytest.fixture
def create_routine(api):
    """Creates a routine through the API and returns it as it is stored."""

    def create(*exercises, **fields):
        response = api.post("/routines", a_routine(*exercises, **fields))
        assert response.status_code == 201, response.content
        return response.json()

    return create


def test_a_routine_comes_back_with_names_from_the_catalogue(api):
    body = {
        "name": "Upper body",
        "focus": "Strength",
        "exercises": [
            an_exercise(note="pause on the chest"),
            an_exercise("chin-up", sets=3, reps=8, weight_kg=0),
        ],
    }
    stored = api.post("/routines", body).json()
    bench, chin_up = body["exercises"]
    of_bench = {"name": "Barbell Bench Press", "muscle_group": "Chest", "equipment": "Barbell"}
    of_chin_up = {"name": "Chin-Up", "muscle_group": "Back", "equipment": "Bodyweight", "note": ""}
    assert stored == {
        **body,
        "id": stored["id"],
        "use_count": 0,
        "exercises": [{**bench, **of_bench}, {**chin_up, **of_chin_up}],
        "created_at": stored["created_at"],
    }
    assert api.get(f"/routines/{stored['id']}").json() == stored


def test_what_is_left_out_gets_its_default(create_routine):
    stored = create_routine()
    assert (stored["focus"], stored["exercises"]) == ("", [])


def test_get_change_put_loses_nothing(api, create_routine):
    stored = create_routine(an_exercise(note="slow"), an_exercise("plank"), focus="Chest")
    changed = api.put(f"/routines/{stored['id']}", {**stored, "name": "Heavy push"}).json()
    assert changed == {**stored, "name": "Heavy push"}
    assert api.get(f"/routines/{stored['id']}").json() == changed


def test_a_replacement_is_whole_but_keeps_count(api, account, create_routine):
    stored = create_routine(an_exercise(), focus="Chest")
    account.routines.filter(pk=stored["id"]).count_use()
    changed = api.put(f"/routines/{stored['id']}", {"name": "Legs", "exercises": []}).json()
    assert changed == {**stored, "name": "Legs", "focus": "", "exercises": [], "use_count": 1}


def test_use_count_grows_with_each_use(api, account, create_routine):
    stored = create_routine()
    for _ in range(2):
        assert account.routines.filter(pk=stored["id"]).count_use()
    assert api.get(f"/routines/{stored['id']}").json()["use_count"] == 2


def test_use_count_is_not_for_clients_to_set(create_routine):
    assert create_routine(use_count=7, id="mine", created_at=None)["use_count"] == 0


def test_a_deleted_routine_is_gone(api, create_routine):
    path = f"/routines/{create_routine()['id']}"
    response = api.delete(path)
    assert (response.status_code, response.content) == (204, b"")
    assert {api.get(path).status_code, api.delete(path).status_code} == {404}
    assert api.get("/routines").json() == {"routines": [], "next_cursor": None}


WRONG_FIELDS = [
    ("name", ""),
    ("name", "x" * 201),
    ("focus", None),
    ("exercises", {}),
    ("exercises", [an_exercise()] * 101),
]


@pytest.mark.parametrize(("field", "value"), WRONG_FIELDS)
def test_a_wrong_field_is_rejected_at_its_place(api, field, value):
    response = api.post("/routines", a_routine() | {field: value})
    assert problems(response).keys() == {f"body.{field}"}


WRONG_EXERCISES = [
    ("exercise_id", "no-such-exercise"),
    ("exercise_id", None),
    ("sets", 0),
    ("reps", 10_001),
    ("weight_kg", "92.5"),
    ("note", None),
]


@pytest.mark.parametrize(("field", "value"), WRONG_EXERCISES)
def test_a_wrong_exercise_is_rejected_at_its_place(api, field, value):
    response = api.post("/routines", a_routine(an_exercise(), an_exercise(**{field: value})))
    assert problems(response).keys() == {f"body.exercises[1].{field}"}


def test_all_that_is_missing_is_named(api):
    assert problems(api.post("/routines", {})).keys() == {"body.name", "body.exercises"}
    assert problems(api.post("/routines", a_routine({"weight": 5}))).keys() == {
        "body.exercises[0].exercise_id",
        "body.exercises[0].sets",
        "body.exercises[0].reps",
        "body.exercises[0].weight_kg",
        "body.exercises[0].weight",
    }


@pytest.mark.parametrize("bounds", [{"sets": 1, "reps": 0, "weight_kg": 0}, {"sets": 100, "reps": 10_000}])
def test_the_bounds_themselves_are_accepted(create_routine, bounds):
    assert bounds.items() <= create_routine(an_exercise(**bounds))["exercises"][0].items()


def test_100_exercises_are_stored_by_as_many_statements_as_one(create_routine):
    create_routine()
    with statements() as one:
        create_routine(an_exercise())
    with statements() as hundred:
        assert len(create_routine(*[an_exercise()] * 100)["exercises"]) == 100
    assert len(hundred) == len(one)


def test_pages_are_newest_first(api, create_routine):
    ids = [create_routine()["id"] for _ in range(3)]
    first = api.get("/routines", limit=2).json()
    second = api.get("/routines", limit=2, cursor=first["next_cursor"]).json()
    assert [routine["id"] for routine in first["routines"] + second["routines"]] == ids[::-1]
    assert second["next_cursor"] is None


def test_reading_takes_one_statement_besides_the_key(api, create_routine):
    path = f"/routines/{create_routine(an_exercise())['id']}"
    for each in (path, "/routines"):
        api.get(each)
        with statements() as run:
            api.get(each)
        assert len(run) == 2, run


def test_a_routine_is_no_workout(api, create_routine):
    create_routine(an_exercise())
    api.post("/workouts", a_workout(a_set()))
    assert api.get("/workouts/count").json() == {"count": 1}
