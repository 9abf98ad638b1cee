"""The modules of the page /train that need no page: run in the browser of the suite, without a server behind them."""

import pytest

from fitness.web.units import to_unit
from tests.screens.browser import in_browser

pytestmark = in_browser

EARLY, LATE, NOW = (f"2026-11-22T18:30:0{second}.000Z" for second in (1, 2, 5))


@pytest.fixture
def call(screen):
    """A function that calls a function of a module of /train, and returns what it returns."""
    screen.goto("/sign-in")

    def call(module, function, *arguments):
        return screen.evaluate(
            """async ([module, name, given]) => (await import(`/static/training/train/${module}.js`))[name](...given)""",
            [module, function, list(arguments)],
        )

    return call


def a_set(uid, weight_kg=100, **values):
    common = {"order": int(uid[1:]), "type": "working", "reps": 5, "rpe": None, "done_at": None}
    return {"uid": uid, "weight_kg": weight_kg, "changed_at": EARLY, "removed_at": None, **common, **values}


def an_exercise(uid, *sets, **values):
    common = {"exercise_id": "barbell-bench-press", "order": int(uid[1:]), "rest_seconds": 120, "notes": ""}
    times = {"superset_id": None, "changed_at": EARLY, "removed_at": None}
    return {"uid": uid, **common, **times, "sets": list(sets), **values}


def a_document(*exercises, **values):
    head = {"id": "1", "started_at": EARLY, "title": "", "notes": "", "changed_at": EARLY}
    return {**head, "plan_id": None, "routine_id": None, "exercises": list(exercises), **values}


def sets_of(document, index=0):
    return document["exercises"][index]["sets"]


def weights(document):
    return [one["weight_kg"] for one in sets_of(document)]


def test_of_two_documents_each_element_is_the_one_that_was_changed_last(call):
    here = a_document(
        an_exercise("e1", a_set("s1", 105, changed_at=LATE), a_set("s2", removed_at=LATE, changed_at=LATE)),
        an_exercise("e2", notes="here"),
        title="Push",
        changed_at=LATE,
    )
    there = a_document(
        an_exercise("e1", a_set("s1"), a_set("s2"), a_set("s3"), notes="there", changed_at=LATE),
        an_exercise("e2", notes="there"),
        an_exercise("e3"),
    )
    merged = call("merge", "merge", here, there)
    assert merged["title"] == "Push"
    assert [one["uid"] for one in merged["exercises"]] == ["e1", "e2", "e3"]
    assert [one["notes"] for one in merged["exercises"]] == ["there", "there", ""]
    assert weights(merged) == [105, 100, 100]
    assert [one["removed_at"] for one in sets_of(merged)] == [None, LATE, None]


def test_a_changed_weight_carries_on_to_the_sets_below_that_are_not_done(call):
    document = a_document(
        an_exercise(
            "e1",
            *(a_set("s1", 60, type="warmup"), a_set("s2", done_at=EARLY), a_set("s3"), a_set("s4", done_at=EARLY)),
            *(a_set("s5", 60, type="warmup"), a_set("s6", 90), a_set("s7", removed_at=EARLY)),
        )
    )
    edited = call("state", "editWeight", document, "e1", "s3", 102.5, NOW)
    assert weights(edited) == [60, 100, 102.5, 100, 60, 102.5, 100]
    assert [one["changed_at"] == NOW for one in sets_of(edited)] == [*(False, False, True, False, False, True, False)]


def test_a_change_is_later_than_the_one_before_it_although_the_clock_is_behind(call):
    document = a_document(an_exercise("e1", a_set("s1", changed_at="2026-11-22T19:00:00.000Z")))
    ticked = call("state", "tick", document, "e1", "s1", True, NOW)
    assert sets_of(ticked)[0]["done_at"] == NOW
    assert sets_of(ticked)[0]["changed_at"] == "2026-11-22T19:00:00.001Z"


def test_sets_and_exercises_come_go_and_move(call):
    document = a_document(
        an_exercise("e1", a_set("s1", done_at=EARLY, rpe=8), a_set("s2", 110, rpe=9)), an_exercise("e2"), an_exercise("e3")
    )
    added = sets_of(call("state", "addSet", document, "e1", NOW))[-1]
    assert (added["weight_kg"], added["reps"], added["rpe"], added["done_at"]) == (110, 5, None, None)
    moved = call("state", "moveExercise", document, "e2", -1, NOW)
    assert [one["uid"] for one in call("state", "shown", moved["exercises"])] == ["e2", "e1", "e3"]
    removed = call("state", "removeExercise", document, "e2", NOW)
    assert [one["uid"] for one in call("state", "shown", removed["exercises"])] == ["e1", "e3"]

    context = {"rest_seconds": 90, "target": {"sets": 2, "reps": 8, "weight_kg": 50}, "sessions": []}
    swapped = call("state", "swapExercise", document, "e1", "barbell-deadlift", context, NOW)
    shown = call("state", "shown", swapped["exercises"])
    assert [one["exercise_id"] for one in shown[:2]] == ["barbell-bench-press", "barbell-deadlift"]
    assert [one["removed_at"] for one in sets_of(swapped)] == [None, NOW]  # what is done stays where it was done
    assert [(one["weight_kg"], one["reps"]) for one in shown[1]["sets"]] == [(50, 8), (50, 8)]
    swapped = call("state", "swapExercise", document, "e2", "barbell-deadlift", context, NOW)
    assert [one["uid"] for one in call("state", "shown", swapped["exercises"])][::2] == ["e1", "e3"]


def test_totals_count_what_is_done(call):
    done = {"done_at": "2026-11-22T19:00:01.000Z"}
    document = a_document(
        an_exercise("e1", a_set("s1", 60, type="warmup", **done), a_set("s2", **done), a_set("s3")),
        an_exercise("e2", a_set("s1", 200, **done), removed_at=LATE),
    )
    assert call("state", "totals", document) == {"sets": 2, "volume_kg": 500}
    assert call("state", "durationSeconds", document, "2026-11-22T19:10:01.000Z") == 40 * 60
    assert call("state", "durationSeconds", document, "2026-11-23T08:00:00.000Z") == 30 * 60


@pytest.mark.parametrize("unit", ["kg", "lb"])
def test_weights_are_shown_as_on_all_pages(call, unit):
    for kg in [0, 1.25, 2.5, 20, 61.234, 100, 102.05828325, 102.5, 1999.99]:
        assert call("units", "toUnit", kg, unit) == to_unit(kg, unit)
        assert call("units", "editedKg", to_unit(kg, unit), unit, kg) == kg  # nothing was edited


@pytest.mark.parametrize(
    "weight, unit, expected",
    [
        (102.5, "kg", {"plates": [25, 15, 1.25], "missing": 0}),
        (20, "kg", {"plates": [], "missing": 0}),
        (101, "kg", {"plates": [25, 15], "missing": 1}),
        (15, "kg", None),
        (225, "lb", {"plates": [45, 45], "missing": 0}),
    ],
)
def test_plates_for_one_side_of_a_barbell(call, weight, unit, expected):
    assert call("plates", "platesPerSide", weight, unit) == expected
