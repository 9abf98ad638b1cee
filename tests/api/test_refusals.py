"""Error responses are short and cheap, however many mistakes a request holds."""

import pytest

from fitness.api import serializers
from tests.conftest import a_set, a_workout, problems

LIMIT = 100
SIXTY_FOUR_KB = 65_536


def bodies_of_mistakes():
    long_name = "\x01" * 300
    return {
        "sets without anything": workout_of({}),
        "unknown fields in each set": workout_of({"weight": 1, "repetitions": 1}),
        "unknown fields of the workout": {f"field{number}": 1 for number in range(10_000)},
        "long names": {f"{number}{long_name}": 1 for number in range(130)},
        "long values": workout_of(a_set(type="x" * 20)),
    }


def workout_of(one_set):
    body = a_workout()
    body["exercises"] = [{"exercise_id": "barbell-bench-press", "sets": [one_set] * 100}] * 30
    return body


MISTAKES = bodies_of_mistakes()


@pytest.mark.parametrize("body", MISTAKES.values(), ids=MISTAKES.keys())
def test_a_body_of_thousands_of_mistakes_gets_the_first_hundred(api, body):
    response = api.post("/workouts", body)
    *listed, last = details(response)
    assert 50 < len(listed) <= LIMIT
    assert last["path"] == "body"
    assert last["message"].startswith(f"These are the first {len(listed)} problems")
    assert len(response.content) < SIXTY_FOUR_KB


def test_exactly_a_hundred_problems_are_all_of_them(api):
    body = a_workout() | {f"field{number}": 1 for number in range(LIMIT)}
    found = details(api.post("/workouts", body))
    assert [item["path"] for item in found] == [f"body.field{number}" for number in range(LIMIT)]


def test_validation_stops_when_the_response_is_full(api, monkeypatch):
    validated = []
    validate = serializers.StrictSerializer.to_internal_value

    def count(self, data):
        validated.append(1)
        return validate(self, data)

    monkeypatch.setattr(serializers.StrictSerializer, "to_internal_value", count)
    api.post("/workouts", workout_of({}))
    assert len(validated) < LIMIT


def test_a_plan_of_mistakes_is_cut_as_well(api):
    entry = {"exercise_id": "barbell-bench-press", "sets": "3", "reps": "5", "weight_kg": "x"}
    days = [{"weekday": day, "label": "A", "exercises": [entry] * 100} for day in range(1, 8)]
    *listed, last = details(api.post("/plans", {"name": "A", "days": days}))
    assert (len(listed), last["path"]) == (LIMIT, "body")


def test_a_query_of_mistakes_is_cut_as_well(api):
    response = api.client.get(
        "/api/v1/workouts?" + "&".join(f"p{number}=" for number in range(150)),
        headers={"Authorization": f"Bearer {api.key}"},
    )
    *listed, last = details(response)
    assert (len(listed), last["path"]) == (LIMIT, "query")


def test_a_long_name_is_repeated_in_part(api):
    (path,) = problems(api.post("/workouts", a_workout() | {"x" * 5_000: 1}))
    assert path == f"body.{'x' * 99}…"


def test_a_long_value_is_repeated_in_part(api):
    found = problems(api.post("/workouts", a_workout(a_set(type="y" * 5_000))))
    assert found["body.exercises[0].sets[0].type"] == f'"{"y" * 99}…" is not one of: warmup, working.'


def test_the_nearest_ids_of_a_repeated_mistake_are_looked_up_once(api, monkeypatch):
    from training.api.serializers import references

    looked_up, nearest = [], references.nearest
    monkeypatch.setattr(
        references, "nearest", lambda name, *rest: looked_up.append(name) or nearest(name, *rest)
    )
    body = a_workout()
    body["exercises"] = [{"exercise_id": "bench-pres", "sets": []}] * 90
    found = problems(api.post("/workouts", body))
    assert looked_up == ["bench-pres"]
    assert len(set(found.values())) == 1


def details(response):
    assert response.status_code == 400, response.content
    return response.json()["error"]["details"]
