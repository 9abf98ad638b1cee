"""What Train says of a set at its tick, beside the finished page, the start page, the API and the tools."""

import datetime
import random

import pytest

from tests.conftest import a_set
from tests.mcp_endpoint.conftest import ToolClient
from tests.scripts import copied_modules, running_modules
from training.drafts.context import exercise_contexts
from training.models import Exercise

pytestmark = pytest.mark.xdist_group("train modules")

EXERCISES, SESSIONS, AT_ONCE = 200, 4, 100
FIRST = datetime.datetime(2026, 3, 2, 17, 30, tzinfo=datetime.UTC)


@pytest.fixture(scope="module")
def call(tmp_path_factory):
    with running_modules(copied_modules(tmp_path_factory.mktemp("train"))) as modules:
        yield modules.call


def random_sets(dice):
    """One to four of nearly the same weight; some are warm-ups, undone or without a repetition."""
    return [
        a_set(
            weight_kg=dice.choice([0, 60, 60, 62.5, 65, 65]),
            reps=dice.choice([0, 3, 5, 5, 8]),
            type=dice.choice(["working", "working", "working", "warmup"]),
            completed=dice.random() < 0.9,
        )
        for _ in range(dice.randint(1, 4))
    ]


def as_drafted(exercise_id, sets):
    """A card of Train with the sets."""
    rows = [
        {**one, "uid": f"s{place}", "order": place, "done_at": one["completed"] or None, "removed_at": None}
        for place, one in enumerate(sets)
    ]
    return {
        "uid": exercise_id,
        "exercise_id": exercise_id,
        "measure": "reps",
        "removed_at": None,
        "sets": rows,
    }


def said_at_ticks(call, account, today):
    """{id of an exercise: what is said of its sets}, before they are stored."""
    contexts = exercise_contexts(account, list(today), {})
    cards = [as_drafted(*one) for one in today.items()]
    record = {"units": "kg", "document": {"exercises": cards}}
    return {
        card["exercise_id"]: [
            said for _, said in call("remarks", "remarks", record, card, contexts[card["exercise_id"]])
        ]
        for card in cards
    }


def records_of(read):
    """All that pages of records hold; `read` takes the fields of a query."""
    found, cursor = [], {}
    while cursor is not None:
        page = read(limit=100, **cursor)
        found += page["records"]
        cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else None
    return found


def test_two_hundred_histories_have_one_answer(call, account, page, api, log_workout):
    dice = random.Random(54)
    lifts = Exercise.objects.filter(owner=None, is_assisted=False).exclude(force="static")
    ids = [one.pk for one in lifts if not one.is_timed][:EXERCISES]
    halves = [ids[:AT_ONCE], ids[AT_ONCE:]]

    def log(half, sets_of, day):
        exercises = [{"exercise_id": one, "sets": sets_of[one]} for one in half]
        return log_workout(exercises=exercises, started_at=(FIRST + datetime.timedelta(days=day)).isoformat())

    for day in range(SESSIONS):
        for half in halves:
            log([one for one in half if dice.random() < 0.8], {one: random_sets(dice) for one in half}, day)
    today = {one: random_sets(dice) for one in ids}
    said = said_at_ticks(call, account, today)

    def by_api():
        return records_of(lambda **query: api.get("/stats/records", **query).json())

    known = {one["exercise_id"] for one in by_api()}
    finished = [log(half, today, SESSIONS)["id"] for half in halves]

    new = {one for one in ids if any("New record" in text for text in said[one])}
    assert 20 < len(new) < EXERCISES / 2
    shown = [page.get(f"/train/finished/{workout_id}").context["exercises"] for workout_id in finished]
    assert {one["exercise_id"] for exercises in shown for one in exercises if one["is_record"]} == new
    records = by_api()
    assert {one["exercise_id"] for one in records if one["workout_id"] in finished} & known == new
    by_tool = [one["exercise_id"] for one in ToolClient(api.key).get("get_personal_records")["records"]]
    assert by_tool == [one["exercise_id"] for one in records][: len(by_tool)] != []
    newest = [one for one in page.get("/").context["records"] if not one["is_first"]]
    assert newest
    assert {one["exercise_id"] for one in newest} <= new


LAST = {"weight_kg": 100, "reps": 5, "strongest_kg": 116.7}
TICKS = {
    "beaten, and once more": (
        [(102.5, 5), (105, 5)],
        [f"New record, 100 × 5 before · best estimate {kg} kg" for kg in (119.6, 122.5)],
    ),
    "more repetitions": ([(100, 6)], ["New record, 100 × 5 before · best estimate 120 kg"]),
    "equal": ([(100, 5)], []),
    "again the same": ([(102.5, 5), (102.5, 5)], ["New record, 100 × 5 before · best estimate 119.6 kg"]),
    "an estimate alone": ([(97.5, 8)], ["best estimate 123.5 kg"]),
    "a lighter set afterwards": ([(105, 1), (90, 12)], ["New record, 100 × 5 before"]),
}


@pytest.mark.parametrize("name", TICKS)
def test_what_is_said_of_sets(call, name):
    lifts, expected = TICKS[name]
    card = as_drafted("bench", [a_set(*lift, type="working", completed=True) for lift in lifts])
    record = {"units": "kg", "document": {"exercises": [card]}}
    assert [text for _, text in call("remarks", "remarks", record, card, {"best": LAST})] == expected
    assert call("remarks", "remarks", record, card, {"best": None}) == []


DOUBTS = {
    "a digit too many": ({"best": LAST}, 1025, 100),
    "half as much again": ({"best": LAST}, 150, None),
    "more than that": ({"best": LAST}, 151, 100),
    "no weight so far": ({"best": {"weight_kg": 0, "reps": 12}}, 40, None),
    "a first time": ({"best": None}, 1025, None),
    "help": ({"best": LAST, "is_assisted": True}, 1025, None),
}


@pytest.mark.parametrize("name", DOUBTS)
def test_a_weight_far_above_the_best_is_asked_about(call, name):
    context, weight_kg, most_kg = DOUBTS[name]
    card = as_drafted("bench", [])
    record = {"units": "kg", "document": {"exercises": [card]}}
    assert call("remarks", "doubtedKg", record, card, context, {"weight_kg": weight_kg}) == most_kg
    done = as_drafted("bench", [a_set(weight_kg, type="working", completed=True)])
    record["document"]["exercises"] = [done]  # said to be right of an earlier set
    assert call("remarks", "doubtedKg", record, done, context, {"weight_kg": weight_kg}) is None
