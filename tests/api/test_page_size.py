"""A page of very large items ends before its limit, and the cursor continues after its last item."""

import pytest

from tests.conftest import a_set, a_workout, client_of
from tests.factories import AccountFactory

pytestmark = pytest.mark.django_db

BENCH = "barbell-bench-press"
MAX_PAGE_BYTES = 2_000_000


@pytest.fixture(scope="module")
def account(transaction_of_module):
    return AccountFactory()


@pytest.fixture(scope="module")
def huge_workouts(account):
    """Five of the largest workouts that are accepted, oldest first. Each is about 700 KB in a response."""
    exercise = {"exercise_id": BENCH, "sets": [a_set(weight_kg=1, reps=1)] * 100}
    api, ids = client_of(account), []
    for day in range(1, 6):
        body = a_workout(started_at=f"2026-03-{day:02}T10:00:00Z") | {"exercises": [exercise] * 80}
        ids.append(api.post("/workouts", body).json()["id"])
    return ids


LISTS = {
    "/workouts": ("workouts", lambda item: item["id"], reversed),
    "/workouts/events": ("events", lambda item: item["workout"]["id"], list),
    f"/exercises/{BENCH}/history": ("sessions", lambda item: item["workout_id"], reversed),
}


@pytest.mark.parametrize(("path", "expected"), LISTS.items(), ids=LISTS.keys())
def test_a_page_ends_after_2_mb_and_the_next_one_continues(api, huge_workouts, path, expected):
    name, id_of, order = expected
    found, pages, cursor = [], 0, None
    while cursor or not pages:
        response = api.get(path, limit=100, **({"cursor": cursor} if cursor else {}))
        items = response.json()[name]
        assert items
        assert len(response.content) < MAX_PAGE_BYTES + 800_000
        found += map(id_of, items)
        pages, cursor = pages + 1, response.json()["next_cursor"]
    assert found == list(order(huge_workouts))
    assert pages > 1


def test_a_page_has_at_least_one_item(api, huge_workouts, monkeypatch):
    monkeypatch.setattr("fitness.db.keysets.MAX_PAGE_BYTES", 1)
    assert len(api.get("/workouts").json()["workouts"]) == 1


@pytest.mark.parametrize(("path", "name"), [("/plans", "plans"), ("/routines", "routines")])
def test_pages_of_large_plans_and_routines_end_early(api, path, name, monkeypatch):
    monkeypatch.setattr("fitness.db.keysets.MAX_PAGE_BYTES", 6_000)
    lift = {"exercise_id": BENCH, "sets": 3, "reps": 5, "weight_kg": 60, "note": "slow " * 100}
    days = [{"weekday": day, "label": "A", "exercises": [lift]} for day in range(1, 8)]
    for number in range(4):
        body = {"name": f"{number}", "exercises": [lift] * 4} if name == "routines" else None
        assert api.post(path, body or {"name": f"{number}", "days": days}).status_code == 201
    page = api.get(path).json()
    assert 0 < len(page[name]) < 4
    rest = api.get(path, cursor=page["next_cursor"]).json()
    names = [one["name"] for one in page[name] + rest[name]]
    assert names == ["3", "2", "1", "0"][: len(names)]
    assert len(names) > len(page[name])


def test_the_page_of_a_tool_also_ends_early(api, huge_workouts):
    from tests.mcp_endpoint.conftest import ToolClient

    page = ToolClient(api.key).get("list_workouts", limit=100)
    assert 0 < len(page["workouts"]) < 5
    assert page["next_cursor"]
