"""The modules of the page /train that need neither the page nor the server, in Node."""

import re

import pytest

from accounts.models.account import USUAL_RACKS
from fitness.web.units import to_kg, to_unit
from tests.scripts import copied_modules, running_modules
from training.models.draft import merged as merged_on_server
from training.models.timed import timed_in_short, timed_text
from training.plans.loading import default_increment_kg, loading_of
from training.web.names import superset_letters

# One process of the tests starts one of Node for most of them.
pytestmark = pytest.mark.xdist_group("train modules")

EARLY, LATE, NOW = (f"2026-11-22T18:30:0{second}.000Z" for second in (1, 2, 5))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return copied_modules(tmp_path_factory.mktemp("train"))


@pytest.fixture(scope="module")
def modules(folder):
    with running_modules(folder) as modules:
        yield modules


@pytest.fixture
def new_browser(folder):
    """Modules of a process of their own, for tests of what a browser keeps."""
    with running_modules(folder) as modules:
        yield modules


@pytest.fixture
def german(folder):
    with running_modules(folder, "de") as modules:
        yield modules


@pytest.fixture
def call(modules):
    """A function that calls a function of a module of /train, and returns what it returns."""
    return modules.call


def a_set(uid, weight_kg=100, **values):
    common = {"order": int(uid[1:]), "type": "working", "reps": 5, "rpe": None, "done_at": None}
    return {"uid": uid, "weight_kg": weight_kg, "changed_at": EARLY, "removed_at": None, **common, **values}


def an_exercise(uid, *sets, **values):
    common = {"exercise_id": "barbell-bench-press", "order": int(uid[1:]), "measure": "reps", "notes": ""}
    habit = {"rest_seconds": 120, "rests_in_superset": False, "setup": ""}
    times = {"superset_id": None, "changed_at": EARLY, "removed_at": None}
    return {"uid": uid, **common, **habit, **times, "sets": list(sets), **values}


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


def test_a_field_that_one_side_does_not_know_stays(call):
    """Of a page that was opened before an update; on the server too, with the same result."""
    known = an_exercise("e1", {**a_set("s1"), "tempo": "3-1-1"}, grip="narrow", changed_at=EARLY)
    unknown = an_exercise("e1", a_set("s1", 105, changed_at=LATE), notes="Later", changed_at=LATE)
    documents = [a_document(known), a_document(unknown)]
    for one, other in (documents, documents[::-1]):
        merged = call("merge", "merge", one, other)
        assert merged == merged_on_server(other, one)
        (exercise,) = merged["exercises"]
        assert (exercise["grip"], exercise["notes"]) == ("narrow", "Later")
        assert (sets_of(merged)[0]["tempo"], weights(merged)) == ("3-1-1", [105])


def test_a_changed_weight_carries_on_to_the_sets_below_that_are_not_done(call):
    document = a_document(
        an_exercise(
            "e1",
            *(
                a_set("s1", 60, type="warmup"),
                a_set("s2", done_at=EARLY),
                a_set("s3"),
                a_set("s4", done_at=EARLY),
            ),
            *(a_set("s5", 60, type="warmup"), a_set("s6", 90), a_set("s7", removed_at=EARLY)),
        )
    )
    edited = call("state", "carry", document, "e1", "s3", {"weight_kg": 102.5}, NOW)
    assert weights(edited) == [60, 100, 102.5, 100, 60, 102.5, 100]
    assert [one["changed_at"] == NOW for one in sets_of(edited)] == [
        *(False, False, True, False, False, True, False)
    ]


def test_a_changed_weight_carries_on_within_a_line_of_a_wave_alone(call):
    sets = [a_set("s1", 65), a_set("s2", 75), a_set("s3", 75), a_set("s4", 75), a_set("s5", 85)]
    document = a_document(an_exercise("e1", *sets))
    lines = [{"sets": 1, "reps": 5, "weight_kg": 65}, {"sets": 2, "reps": 5, "weight_kg": 75}]
    target = {"sets": 4, "reps": 5, "weight_kg": 75, "lines": lines}
    for removed, expected in ((None, [65, 80, 80, 75, 85]), ("s1", [65, 80, 80, 75, 85])):
        lines = [*lines[:2], {"sets": 1, "reps": 5, "weight_kg": 85, "open": True}]
        begun = call("state", "removeSet", document, "e1", removed, NOW) if removed else document
        edited = call("state", "carry", begun, "e1", "s2", {"weight_kg": 80}, NOW, {**target, "lines": lines})
        assert weights(edited) == expected


def test_changed_repetitions_carry_on_but_not_to_an_open_set(call):
    document = a_document(an_exercise("e1", *(a_set(f"s{n}") for n in (1, 2, 3))))
    for is_open, expected in ((False, [8, 8, 8]), (True, [8, 8, 5])):
        target = {"sets": 3, "reps": 5, "weight_kg": 75, "open": is_open}
        edited = call("state", "carry", document, "e1", "s1", {"reps": 8}, NOW, target)
        assert [one["reps"] for one in sets_of(edited)] == expected
    pyramid = a_document(
        an_exercise("e1", *(a_set(f"s{n}", reps=reps) for n, reps in ((1, 8), (2, 8), (3, 5))))
    )
    edited = call("state", "carry", pyramid, "e1", "s1", {"reps": 10}, NOW)
    assert [one["reps"] for one in sets_of(edited)] == [10, 10, 5]


def test_a_change_is_later_than_the_one_before_it_although_the_clock_is_behind(call):
    document = a_document(an_exercise("e1", a_set("s1", changed_at="2026-11-22T19:00:00.000Z")))
    ticked = call("state", "tick", document, "e1", "s1", True, NOW)
    assert sets_of(ticked)[0]["done_at"] == NOW
    assert sets_of(ticked)[0]["changed_at"] == "2026-11-22T19:00:00.001Z"


def test_sets_and_exercises_come_go_and_move(call):
    bench = an_exercise("e1", a_set("s1", done_at=EARLY, rpe=8), a_set("s2", 110, rpe=9))
    document = a_document(bench, an_exercise("e2"), an_exercise("e3"))
    added = sets_of(call("state", "addSet", document, "e1", NOW))[-1]
    assert (added["weight_kg"], added["reps"], added["rpe"], added["done_at"]) == (110, 5, None, None)
    moved = call("state", "moveExercise", document, "e2", -1, NOW)
    assert [one["uid"] for one in call("state", "shown", moved["exercises"])] == ["e2", "e1", "e3"]
    removed = call("state", "removeExercise", document, "e2", NOW)
    assert [one["uid"] for one in call("state", "shown", removed["exercises"])] == ["e1", "e3"]

    context = {**CONTEXT, "target": {"sets": 2, "reps": 8, "weight_kg": 50}}
    swapped = call("state", "swapExercise", document, "e1", "barbell-deadlift", context, NOW)
    shown = call("state", "shown", swapped["exercises"])
    assert [one["exercise_id"] for one in shown[:2]] == ["barbell-bench-press", "barbell-deadlift"]
    assert [one["removed_at"] for one in sets_of(swapped)] == [None, NOW]
    assert [(one["weight_kg"], one["reps"]) for one in shown[1]["sets"]] == [(50, 8), (50, 8)]
    swapped = call("state", "swapExercise", document, "e2", "barbell-deadlift", context, NOW)
    assert [one["uid"] for one in call("state", "shown", swapped["exercises"])][::2] == ["e1", "e3"]


def done_sets(count, of=4):
    return [a_set(f"s{n}", done_at=EARLY if n <= count else None) for n in range(1, of + 1)]


def joined(*done, of=4, **values):
    """A document with a superset of exercises e1, e2 …, of which so many sets are done."""
    return a_document(
        *(
            an_exercise(f"e{n}", *done_sets(count, of), superset_id="x", **values)
            for n, count in enumerate(done, 1)
        )
    )


@pytest.mark.parametrize(
    ("done", "ticked", "next", "is_rest"),
    [
        ((1, 0), "e1", "e2", False),
        ((1, 1), "e2", "e1", True),
        ((0, 1), "e2", "e1", False),  # begun with the second one
        ((1, 1), "e1", "e2", True),
        ((1, 1, 0), "e2", "e3", False),
        ((1, 1, 1), "e3", "e1", True),
        ((3, 1), "e2", "e2", True),  # one that lags behind catches up
        ((4, 3), "e1", "e2", False),
        ((4, 4), "e2", None, True),
        ((2,), "e1", "e1", True),
    ],
)
def test_after_a_set_it_is_the_turn_of_the_other_and_the_rest_comes_after_the_round(
    call, done, ticked, next, is_rest
):
    turn = call("supersets", "turnAfter", joined(*done), ticked, "s1")
    assert (turn.get("next"), turn["isRest"]) == (next, is_rest)


def test_the_rest_comes_between_lifts_where_somebody_has_set_it_so(call):
    assert call("supersets", "turnAfter", joined(1, 0, rests_in_superset=True), "e1", "s1")["isRest"]


def test_warm_ups_are_done_without_the_others(call):
    warming = [a_set(f"s{n}", type="warmup", done_at=EARLY if n == 1 else None) for n in (1, 2)]
    document = a_document(
        an_exercise("e1", *warming, a_set("s3"), superset_id="x"),
        an_exercise("e2", a_set("s1"), superset_id="x"),
    )
    assert call("supersets", "turnAfter", document, "e1", "s1") == {"next": "e1", "isRest": True}


def groups(call, document):
    return [[one["uid"] for one in group] for group in call("state", "arranged", document)]


def test_lifts_are_joined_moved_together_and_taken_apart(call):
    document = a_document(*(an_exercise(f"e{n}", a_set("s1")) for n in range(1, 5)))
    pair = call("supersets", "toggleSuperset", document, "e1", "e3", NOW)
    assert groups(call, pair) == [["e1", "e3"], ["e2"], ["e4"]]
    stored = sorted(pair["exercises"], key=lambda one: one["order"])
    assert [one["uid"] for one in stored] == ["e1", "e3", "e2", "e4"]
    three = call("supersets", "toggleSuperset", pair, "e4", "e1", NOW)  # joins the pair
    assert groups(call, three) == [["e1", "e3", "e4"], ["e2"]]
    moved = call("state", "moveExercise", three, "e4", 1, NOW)
    assert groups(call, moved) == [["e2"], ["e1", "e3", "e4"]]
    moved = call("state", "moveExercise", moved, "e4", -1, NOW)
    assert groups(call, moved) == [["e2"], ["e1", "e4", "e3"]]
    other = call("supersets", "toggleSuperset", pair, "e2", "e4", NOW)
    assert groups(call, other) == [["e1", "e3"], ["e2", "e4"]]
    apart = call("supersets", "toggleSuperset", pair, "e1", "e3", NOW)
    assert [one["superset_id"] for one in apart["exercises"]] == [None] * 4
    swapped = call("state", "swapExercise", pair, "e3", "barbell-deadlift", CONTEXT, NOW)
    assert [len(group) for group in groups(call, swapped)] == [2, 1, 1]


BARBELL = {"equipment": "Barbell", "is_assisted": False}


KG = {"units": "kg"}  # a record of Train


def warm_ups(call, exercise, context=BARBELL, record=KG):
    return [one["weight"] for one in call("warm_ups", "warmUpsFor", exercise, context, record)]


@pytest.mark.parametrize("equipment", ["Barbell", "Dumbbell", "Kettlebell", "Machine"])
@pytest.mark.parametrize("units", ["kg", "lb"])
def test_warm_ups_can_be_loaded_as_the_targets_of_rules_can(call, equipment, units):
    loading = loading_of(equipment, units, default_increment_kg(equipment, units))
    for working in (15, 20, 22.5, 45, 47.5, 60, 100, 132.5, 225):
        kg = to_kg(working, units)
        expected = {round(to_unit(loading.lower(kg, kg * share), units), 2) for share in (0.4, 0.6, 0.8)}
        exercise = an_exercise("e1", a_set("s1", kg))
        found = warm_ups(call, exercise, {**BARBELL, "equipment": equipment}, {"units": units})
        assert found == sorted(weight for weight in expected if 0 < weight < working)


def test_warm_ups_are_made_once_also_by_two_devices_at_once(call):
    document = a_document(an_exercise("e1", a_set("s1"), a_set("s2")))
    one = call("warm_ups", "addWarmUps", document, "e1", BARBELL, KG, NOW)
    assert [(x["type"], x["weight_kg"], x["done_at"]) for x in shown_sets(call, one)] == [
        *(("warmup", weight, None) for weight in (40, 60, 80)),
        *[("working", 100, None)] * 2,
    ]
    assert call("warm_ups", "addWarmUps", one, "e1", BARBELL, KG, LATE) == one
    other = call("warm_ups", "addWarmUps", document, "e1", BARBELL, KG, LATE)
    assert len(sets_of(call("merge", "merge", one, other))) == 5
    for uid in ("warm-up-40", "warm-up-60", "warm-up-80"):
        one = call("state", "removeSet", one, "e1", uid, NOW)
    again = call("warm_ups", "addWarmUps", one, "e1", BARBELL, KG, NOW)
    assert [x["weight_kg"] for x in shown_sets(call, again)] == [40, 60, 80, 100, 100]


def shown_sets(call, document):
    return call("state", "shown", sets_of(document))


@pytest.mark.parametrize(
    ("exercise", "context"),
    [
        (an_exercise("e1", a_set("s1", None)), BARBELL),
        (an_exercise("e1", a_set("s1", 0)), BARBELL),
        (an_exercise("e1"), BARBELL),
        (an_exercise("e1", a_set("s1", done_at=EARLY), a_set("s2")), BARBELL),
        (an_exercise("e1", a_set("s1", 60, type="warmup"), a_set("s2")), BARBELL),
        (an_exercise("e1", a_set("s1"), measure="time"), BARBELL),
        (an_exercise("e1", a_set("s1")), {**BARBELL, "is_assisted": True}),
    ],
)
def test_there_is_nothing_to_warm_up_for(call, exercise, context):
    assert warm_ups(call, exercise, context) == []


def test_totals_count_what_is_done(call):
    done = {"done_at": "2026-11-22T19:00:01.000Z"}
    document = a_document(
        an_exercise("e1", a_set("s1", 60, type="warmup", **done), a_set("s2", **done), a_set("s3")),
        an_exercise("e2", a_set("s1", 200, **done), removed_at=LATE),
    )
    assert call("state", "totals", document) == {"sets": 1, "warmups": 1, "volume_kg": 500}
    assert call("state", "durationSeconds", document, "2026-11-22T19:10:01.000Z") == 40 * 60
    assert call("state", "durationSeconds", document, "2026-11-23T08:00:00.000Z") == 30 * 60
    assert call("state", "durationSeconds", a_document(), "2026-11-22T18:40:01.000Z") == 10 * 60


@pytest.mark.parametrize(
    ("is_without_load", "target", "last", "expected"),
    [(False, 0, None, None), (False, 50, None, 50), (False, 0, 0, 0), (True, 0, None, 0)],
)
def test_a_target_of_zero_is_a_weight_only_where_there_is_none_to_enter(
    call, is_without_load, target, last, expected
):
    done = {"type": "working", "weight_kg": last, "reps": 5, "completed": True}
    sessions = [] if last is None else [{"sets": [done]}]
    asked = {"sets": 1, "reps": 5, "weight_kg": target}
    context = {**CONTEXT, "is_without_load": is_without_load, "sessions": sessions, "target": asked}
    assert weights(call("state", "addExercise", a_document(), "dip", context, NOW)) == [expected]


def test_the_beginning_of_a_refused_text_is_taken_back(call):
    before = a_document(an_exercise("e1", a_set("s1", 100), a_set("s2", 90)))
    edited = call("state", "carry", before, "e1", "s1", {"weight_kg": 1}, LATE)
    restored = call("state", "restore", edited, before, "e1", "weight_kg", NOW)
    assert (weights(edited), weights(restored)) == ([1, 1], [100, 90])
    assert [one["changed_at"] for one in sets_of(restored)] == [NOW, NOW]


def test_an_exercise_with_the_name_of_a_method_is_unknown(call):
    assert call("state", "knownContext", {"exercises": {}}, "constructor") is None


@pytest.mark.parametrize(
    ("zone", "day"), [("America/Los_Angeles", "17 Nov 2026"), ("Asia/Tokyo", "18 Nov 2026")]
)
def test_days_are_of_the_time_zone_of_the_account(call, zone, day):
    assert call("exercise_view", "dayText", "2026-11-18T03:30:00.000Z", zone) == day
    assert call("exercise_view", "dayText", "2026-11-18T12:00:00.000Z", "Mars/Olympus") == "18 Nov 2026"


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("<a>Sign in</a> to train.", [["Sign in"], " to train."]),
        ("Zum Trainieren bitte <a>anmelden</a>.", ["Zum Trainieren bitte ", ["anmelden"], "."]),
    ],
)
def test_a_link_may_be_anywhere_in_a_sentence(modules, sentence, parts):
    script = """async sentence => {
        const { withLink } = await train("dom");
        return withLink(sentence, label => [label]);
    }"""
    assert modules.run(script, sentence) == parts


KEEP_IN_TWO_TABS = """async ([document, other, cancels]) => {
    const { keep, load } = await train("storage");
    const record = { account: "a", document, unsent: false, finish: null };
    await keep({ ...record, unsent: true, finish: { duration_seconds: 60 } });
    await keep({ ...record, document: other }, cancels);
    return load("a");
}"""


@pytest.mark.parametrize("cancels", [False, True])
def test_a_finish_that_waits_outlives_another_tab_unless_that_one_cancels_it(new_browser, cancels):
    document = a_document(an_exercise("e1", a_set("s1")))
    kept = new_browser.run(KEEP_IN_TWO_TABS, [document, document, cancels])
    assert kept["finish"] == (None if cancels else {"duration_seconds": 60})
    assert kept["unsent"] is not cancels
    kept = new_browser.run(KEEP_IN_TWO_TABS, [document, {**document, "id": "2"}, False])
    assert kept["finish"] is None  # that was another workout


LOAD = """async ([stored, lastChange, isLost]) => {
    const { keep, load } = await train("storage");
    await keep({ account: "a", finish: null, ...stored });
    localStorage["train-last-change-a"] = JSON.stringify([{ account: "a", finish: null, ...lastChange }]);
    const loaded = await load("a");
    const put = IDBObjectStore.prototype.put;
    if (isLost) IDBObjectStore.prototype.put = () => { throw new Error("The disk is full."); };
    await keep(loaded).catch(() => {});
    IDBObjectStore.prototype.put = put;
    return [loaded, "train-last-change-a" in localStorage];
}"""


@pytest.mark.parametrize("is_lost", [False, True])
def test_the_last_change_of_a_page_is_added_to_what_is_kept(new_browser, is_lost):
    kept = a_document(an_exercise("e1", a_set("s1", 105, changed_at=LATE), a_set("s2")))
    changed = a_document(an_exercise("e1", a_set("s1"), a_set("s2", 110, changed_at=LATE)))
    records = [{"document": kept, "unsent": True}, {"document": changed, "unsent": False}]
    loaded, is_left = new_browser.run(LOAD, [*records, is_lost])
    assert weights(loaded["document"]) == [105, 110]
    assert loaded["unsent"]  # another tab's change is
    assert is_left is is_lost


def test_the_last_change_of_an_earlier_workout_takes_the_place_of_no_unsent_one(new_browser):
    new, old = a_document(title="New"), {**a_document(title="Old"), "id": "0"}
    records = [{"document": new, "unsent": True}, {"document": old, "unsent": True}]
    loaded, is_left = new_browser.run(LOAD, [*records, False])
    assert (loaded["document"]["title"], is_left) == ("New", True)


def test_the_mark_of_a_finish_is_removed_by_its_account_alone(new_browser):
    new_browser.call("account", "markFinish", "a")
    new_browser.call("account", "markFinish", "b")
    new_browser.call("account", "forgetFinish", "b")
    assert [new_browser.call("account", "hasFinish", one) for one in "ab"] == [True, False]


SEND = """async ([document, status]) => {
    window.fetch = async (address, { method }) =>
        method === "PUT" ? Response.json({ code: "any" }, { status }) : Response.json({ account: "a" });
    const { keep, load } = await train("storage");
    const { send } = await train("queue");
    await keep({ account: "a", document, unsent: true, finish: { duration_seconds: 60 } });
    await send("a", { draft: "/train/draft", drafts: "/put", train: "/sign-in#train" });
    return [location.hash, Boolean((await load("a")).finish)];
}"""


@pytest.mark.parametrize(
    ("status", "hash"), [(400, "#train"), (409, "#train"), *((one, "") for one in (401, 403, 404, 429, 503))]
)
def test_a_queued_finish_opens_train_only_where_the_server_refuses_it(new_browser, status, hash):
    assert new_browser.run(SEND, [a_document(), status]) == [hash, True]


SYNC = """async ([method, answers]) => {
    const { Sync } = await train("sync");
    const { NotConnected } = await train("api");
    const left = [...answers];
    const answer = async () => {
        const status = left.shift();
        if (!status) throw new NotConnected("lost");
        return { status, body: { message: `Answer ${status}.` } };
    };
    const draft = async () => { api.token = "new"; return { status: 200, body: {} }; };
    const api = { token: method === "run" ? "old" : null, draft, save: answer, discard: answer };
    const record = { account: "a", document: {}, unsent: true, finish: {} };
    const page = {
        record, draw() {}, openKept() {}, signedOut() {}, async received() {},
        async saved() { record.unsent = false; },
        refused() { record.finish = null; },
    };
    const sync = new Sync(api, page);
    if (method === "discard") return (await sync.discard()).status;
    for (const one of answers) await sync.run();
    sync.stop();
    return [sync.state, sync.message, Boolean(record.finish)];
}"""


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([None, 401, 403, 200], ["saved", "", True]),  # signed in again elsewhere: the token is another one
        ([403, 403], ["refused", "Answer 403.", False]),
        ([400], ["refused", "Answer 400.", False]),
        ([413], ["refused", "Answer 413.", False]),
        ([429], ["unanswered", "", True]),
        ([503], ["unanswered", "", True]),
        ([None], ["offline", "", True]),
    ],
)
def test_a_workout_is_refused_only_by_an_answer_about_it(modules, answers, expected):
    assert modules.run(SYNC, ["run", answers]) == expected


@pytest.mark.parametrize(("answers", "status"), [([204], 204), ([403, 204], 204), ([403, 403], 403)])
def test_a_workout_is_discarded_with_a_new_token(modules, answers, status):
    assert modules.run(SYNC, ["discard", answers]) == status


@pytest.mark.parametrize(
    ("kg", "unit", "expected"),
    [
        *(
            (0, "kg", 0),
            (1.25, "kg", 1.25),
            (61.125, "kg", 61.13),
            (61.234, "kg", 61.23),
            (1999.99, "kg", 1999.99),
        ),
        *((0, "lb", 0), (95, "lb", 209.4), (100, "lb", 220.5), (102.05828325, "lb", 225)),
        *((to_kg(50.25, "lb"), "lb", 50.25), (to_kg(102.25, "lb"), "lb", 102.25), (46.38, "lb", 102.25)),
        *(
            (to_kg(50.35, "lb"), "lb", 50.4),
            (to_kg(50.24, "lb"), "lb", 50.2),
            (to_kg(50.75, "lb"), "lb", 50.75),
        ),
    ],
)
def test_weights_are_shown_as_on_all_pages(call, kg, unit, expected):
    assert to_unit(kg, unit) == call("units", "toUnit", kg, unit) == expected
    assert call("units", "editedKg", expected, unit, kg) == kg  # nothing was edited


@pytest.mark.parametrize(
    ("weight", "unit", "expected"),
    [
        (102.5, "kg", {"plates": [25, 15, 1.25], "missing": 0}),
        (20, "kg", {"plates": [], "missing": 0}),
        (101, "kg", {"plates": [25, 15], "missing": 1}),
        (15, "kg", None),
        (225, "lb", {"plates": [45, 45], "missing": 0}),
    ],
)
def test_plates_for_one_side_of_a_barbell(call, weight, unit, expected):
    assert call("plates", "platesPerSide", weight, USUAL_RACKS[unit]) == expected


def test_the_usual_rack_is_that_of_the_settings(call):
    for units, rack in USUAL_RACKS.items():
        assert call("plates", "rackOf", {"units": units}) == rack


def test_warm_ups_are_loaded_with_the_bar_and_the_plates_of_the_account(call):
    own = {"units": "kg", "rack": {"bar": 15, "plates": [20, 10, 5]}}
    assert warm_ups(call, an_exercise("e1", a_set("s1", 100)), record=own) == [35, 55, 75]
    assert call("plates", "platesPerSide", 100, own["rack"]) == {"plates": [20, 20], "missing": 5}


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("90", 1, 90),
        ("1:30", 1, 90),
        ("30", 60, 1800),
        ("30,5", 60, 1830),
        ("30:15", 60, 1815),
        ("1:02:05", 60, 3725),
        ("1:02:05", 1, 3725),
        ("", 60, None),
        ("1:75", 60, "none"),
        ("1:75:00", 60, "none"),
        ("1,125", 60, "none"),
        ("fast", 60, "none"),
    ],
)
def test_a_time_is_read_as_people_type_it(call, text, unit, expected):
    found = call("units", "parsedSeconds", text, unit)
    assert found == (None if expected == "none" else expected)


@pytest.mark.parametrize("seconds", [5, 60, 95, 3599, 3600, 3725, 604_799])
@pytest.mark.parametrize("field", ["seconds", "time"])
def test_what_a_field_of_time_shows_is_read_as_the_same_time(modules, field, seconds):
    assert modules.run(READ_BACK, [field, seconds]) == seconds


READ_BACK = """async ([name, seconds]) => {
    const { fieldOf } = await train("fields");
    const { written } = await train("units");
    return fieldOf(name).read(written(fieldOf(name).shown(seconds)));
}"""

# Undefined is what is no number.
TYPED = """async (texts) => {
    const { fieldOf } = await train("fields");
    const read = (text) => fieldOf("weight").read(text, "kg", null);
    return texts.map(read).map((kg) => (kg === undefined ? "none" : kg));
}"""


def test_a_weight_that_may_be_a_thousand_times_as_much_is_none(modules, german):
    texts = ["82,5", "82.5", "1,125", "1.125", "heavy", "1x", " "]
    assert modules.run(TYPED, texts) == [82.5, 82.5, "none", 1.125, "none", "none", None]
    assert german.run(TYPED, texts) == [82.5, 82.5, 1.125, "none", "none", "none", None]


@pytest.mark.parametrize(
    ("one", "unit", "expected"),
    [
        ({"seconds": 45, "distance_km": None}, "kg", "0:45"),
        ({"seconds": 1800, "distance_km": 5.2}, "kg", "30:00, 5.2 km"),
        ({"seconds": 1800, "distance_km": 0}, "kg", "30:00"),
        ({"seconds": None, "distance_km": 4.828032}, "lb", "3 mi"),
        ({"seconds": 60, "distance_km": 0.004, "weight_kg": 10}, "kg", "1:00, 0.004 km, 10 kg"),
        ({"seconds": 95, "distance_km": 1.234, "weight_kg": 0}, "kg", "1:35, 1.234 km"),
        ({"seconds": None, "distance_km": 0.0625, "weight_kg": 22.67961850}, "lb", "0.039 mi, 50 lb"),
    ],
)
def test_times_and_distances_in_words(call, one, unit, expected):
    assert call("units", "timedText", one, unit) == expected
    line = timed_text({"weight_kg": None, **one}, unit)
    assert timed_in_short(line, unit) == expected


@pytest.mark.parametrize(
    ("measure", "values", "expected"),
    [
        ("reps", {"weight_kg": None, "reps": 5}, "weight"),
        ("reps", {"weight_kg": 0, "reps": None}, "reps"),
        ("reps", {"weight_kg": 0, "reps": 0}, None),
        ("reps", {"weight_kg": 100, "reps": 5}, None),
        ("time", {"seconds": None}, "seconds"),
        ("distance", {"seconds": None, "distance_km": 5}, None),
        ("distance", {"seconds": None, "distance_km": None}, "time"),
    ],
)
def test_what_a_set_lacks_before_it_is_done(call, measure, values, expected):
    assert call("fields", "lacking", {"measure": measure}, values) == expected


def test_warm_ups_have_names_of_their_own(call):
    types = ["warmup", "warmup", "working", "warmup", "working"]
    assert call("state", "setNames", [{"type": one} for one in types]) == [
        *("warm-up 1", "warm-up 2", "set 1", "warm-up 3", "set 2")
    ]


def test_supersets_beyond_z_have_two_letters_on_all_screens(call):
    ids = [str(number) for number in range(704)]
    document = a_document(*(an_exercise(f"e{id}", superset_id=id) for id in ids))
    expected = superset_letters(ids)
    letters = {"0": "A", "25": "Z", "26": "AA", "51": "AZ", "52": "BA", "702": "AAA"}
    assert {id: expected[id] for id in letters} == letters
    for exercise in document["exercises"][::13]:
        assert call("state", "supersetName", document, exercise) == expected[exercise["superset_id"]]


def test_the_best_of_the_sets_that_count(call):
    sets = [
        a_set("s1", 120, type="warmup"),
        a_set("s2", 100, reps=8),
        a_set("s3", 100, reps=9),
        a_set("s4", 90),
        a_set("s5", 110, reps=0),
    ]
    assert call("state", "bestSet", sets, ["weight_kg", "reps"])["uid"] == "s3"
    assert call("state", "bestSet", sets[-1:], ["weight_kg", "reps"]) is None
    assert call("state", "bestSet", [], ["seconds"]) is None
    sets = [a_set("s1", 40), a_set("s2", 10), a_set("s3", 10, reps=8), a_set("s4", 5, type="warmup")]
    assert call("state", "bestSet", sets, ["weight_kg", "reps"], "weight_kg")["uid"] == "s3"


# The card of an exercise is of one in the record itself, by its `index`.
DRAWN = """async ([module, name, values]) => {
    const [view, panels] = await Promise.all([module, "panels"].map(train));
    await panels.loadPanels();
    const exercise = values.record.document.exercises[values.index];
    return view[name]({ ...values, exercise, members: [exercise] }).outerHTML;
}"""
CONTEXT = {
    "sessions": [],
    "target": None,
    "best": None,
    "name": "Plank",
    "equipment": "Barbell",
    "measures": ["reps", "time", "distance"],
    "is_without_load": False,
    "rest_seconds": 90,
    "rests_in_superset": False,
    "setup": "",
    "instructions": "Brace.\nHold.",
}
UI = {"open": "e1", "set": "s1", "wrong": {}, "search": {}, "minutes": "45", "notice": None, "hasMore": True}
PLACES = {  # function: what it draws of a record
    "the card": lambda record: ("exercise_view", "exerciseCard", card_of(record)),
    "its plates": lambda record: ("exercise_view", "exerciseCard", card_of(record, panel="plates")),
    "its efforts": lambda record: ("exercise_view", "exerciseCard", card_of(record, rpe="e1/s1")),
    "how to do it": lambda record: ("exercise_view", "exerciseCard", card_of(record, panel="how-to")),
    "its last workouts": lambda record: ("exercise_view", "exerciseCard", card_of(record, panel="sessions")),
    "the summary": lambda record: (
        "finish_view",
        "finishPanel",
        {"record": record, "ui": UI, "nextTime": []},
    ),
}
VALUES = {"weight_kg": 20, "reps": 5, "seconds": 75, "distance_km": 0.4, "rpe": 8}


def record_of(*exercises, **context):
    """What the page has of a workout with these exercises."""
    known = {one["exercise_id"]: {**CONTEXT, **context} for one in exercises}
    return {"document": a_document(*exercises), "units": "kg", "exercises": known, "targets": {}}


def card_of(record, index=0, **ui):
    return {"index": index, "record": record, "ui": {**UI, **ui}}


def test_the_weight_of_an_assisted_exercise_is_help(modules, call):
    last = {"started_at": EARLY, "notes": "", "timed": [], "sets": [{**a_set("s1", 40), "completed": True}]}
    best = {"weight_kg": 40, "reps": 5, "strongest_kg": 0}
    target = {"sets": 3, "reps": 5, "weight_kg": 35}
    known = {"sessions": [last], "best": best, "target": target, "is_assisted": True}
    record = record_of(an_exercise("e1", a_set("s1", 40), a_set("s2", 35)), **known)
    card = modules.run(DRAWN, ["exercise_view", "exerciseCard", card_of(record, panel="sessions")])
    assert re.findall(r">(kg(?: help)?)<", card) == ["kg help"] * 2  # above the large row, and the others
    assert 'aria-label="Help, set 1"' in card
    assert "Target 3 × 5 at 35 kg help · Best 40 kg help × 5" in card
    assert card.count("40 kg help × 5") == 3  # the best, last time, and the last workout


@pytest.mark.parametrize("measure", ["reps", "time"])
@pytest.mark.parametrize(("equipment", "plates"), [("Barbell", ["Plates"]), ("Dumbbell", [])])
def test_a_card_has_four_buttons_of_which_the_last_shows_the_others(modules, measure, equipment, plates):
    record = record_of(an_exercise("e1", a_set("s1"), measure=measure), equipment=equipment)

    def buttons(**ui):
        shown = modules.run(DRAWN, ["exercise_view", "exerciseCard", card_of(record, **ui)])
        return re.findall(r"<(?:button|a) [^>]*>([^<]*)</", shown.partition("train-tools")[2])

    first = ["Add a set", *(plates or ["Note"]), "Superset", "More"]
    assert buttons(hasMore=False) == first
    more = buttons()
    assert more[:4] == first
    assert {"Last workouts", "How to", "Swap", "Move up", "Move down", "Remove"} < set(more[4:])
    assert len(more) == len(set(more))


def without(values, name, is_null):
    left = {key: value for key, value in values.items() if key != name}
    return {**left, name: None} if is_null else left


@pytest.mark.parametrize("measure", ["reps", "time", "distance"])
@pytest.mark.parametrize(
    ("name", "is_null"), [*((name, True) for name in VALUES), ("seconds", False), ("distance_km", False)]
)
def test_a_field_that_a_set_lacks_is_nowhere_shown_or_added_up(modules, call, name, measure, is_null):
    """A set that was drafted as repetitions has neither a time nor a distance."""
    common = {"type": "working", "done_at": EARLY, "changed_at": EARLY, "removed_at": None}
    lacking = without(VALUES, name, is_null)
    whole = {**common, **VALUES, "uid": "s3", "order": 3}
    sets = [{**common, **lacking, "uid": "s1", "order": 1, "done_at": None}]
    sets += [{**common, **lacking, "uid": "s2", "order": 2}, whole]
    exercise = an_exercise("e1", *sets, measure=measure)
    last = {"started_at": EARLY, "notes": "", "sets": [{**lacking, "type": "working", "completed": True}] * 3}
    last["timed"] = [without(lacking, "reps", False)] * 3
    for sessions in ([last], []):
        record = record_of(exercise, sessions=sessions)
        for place, draw in PLACES.items():
            module, function, given = draw(record)
            shown = modules.run(DRAWN, [module, function, given])
            assert not [word for word in ("NaN", "undefined", "null") if word in shown], (place, shown)
    document = record["document"]
    assert call("state", "totals", document)["volume_kg"] is not None  # as NaN is here
    added = call("state", "addSet", a_document(an_exercise("e1", sets[0])), "e1", NOW)["exercises"][0][
        "sets"
    ][-1]
    assert set(VALUES) <= set(added)
    assert call("state", "bestSet", [sets[1], whole], [name])["uid"] == "s3"


def drawn_card(modules, record, index=0, **ui):
    card = card_of(record, index, open=f"e{index + 1}", set=None, **ui)
    return modules.run(DRAWN, ["exercise_view", "exerciseCard", card])


def drawn_summary(modules, record):
    values = {"record": record, "ui": UI, "nextTime": []}
    return modules.run(DRAWN, ["finish_view", "finishPanel", values])


def test_what_is_summed_up_of_a_time_that_was_drafted_as_repetitions(modules):
    done = {"done_at": EARLY, "seconds": 75}
    exercise = an_exercise("e1", a_set("s1", None, reps=None, **done), measure="time")
    assert '<td class="table-number">1:15</td>' in drawn_summary(modules, record_of(exercise))


def test_a_weight_is_carried_for_a_time(modules):
    sets = [a_set(f"s{n}", 40, reps=None, seconds=60, done_at=EARLY if n == 1 else None) for n in (1, 2)]
    record = record_of(an_exercise("e1", *sets, measure="time"))
    card = drawn_card(modules, record)
    assert re.findall(r'aria-label="([^"]*), set 2"[^>]*data-key="(weight|seconds)"', card) == [
        ("Time", "seconds"),
        ("Weight", "weight"),
    ]
    summary = drawn_summary(modules, record)
    assert '<td class="table-number">1:00, 40 kg</td>' in summary
    assert "Sets not done: Plank (1 set)." in summary


def test_a_measure_is_chosen_until_a_set_is_done(modules):
    def offered(*sets, **values):
        return re.findall(
            r'data-measure="(\w+)"', drawn_card(modules, record_of(an_exercise("e1", *sets, **values)))
        )

    assert offered(a_set("s1")) == ["time", "distance"]
    assert offered(a_set("s1"), measure="time") == ["reps", "distance"]
    assert offered(a_set("s1", done_at=EARLY), a_set("s2")) == []


def test_when_no_set_is_left_plates_say_so(modules):
    left = record_of(an_exercise("e1", a_set("s1", done_at=EARLY), a_set("s2")))
    assert "Each side: 25 + 15, on a 20 kg bar." in drawn_card(modules, left, panel="plates")
    done = record_of(an_exercise("e1", a_set("s1", done_at=EARLY)))
    assert "No set is left to do." in drawn_card(modules, done, panel="plates")


def test_working_sets_are_numbered_and_warm_ups_are_a_letter(modules):
    kinds = ("warmup", "working", "warmup", "working")
    record = record_of(an_exercise("e1", *(a_set(f"s{n}", type=kind) for n, kind in enumerate(kinds))))
    assert re.findall(r'class="train-number[^>]*>(\w+)<', drawn_card(modules, record)) == ["W", "1", "W", "2"]


FIVES = [
    {"sets": 1, "reps": 5, "weight_kg": 65},
    {"sets": 1, "reps": 5, "weight_kg": 75},
    {"sets": 1, "reps": 5, "weight_kg": 85, "open": True},
]


def test_the_card_of_a_wave_says_its_week_its_lines_and_its_note(modules):
    exercise = an_exercise("e1", *(a_set(f"s{n}", kg) for n, kg in enumerate((65, 75, 85))))
    target = {**FIVES[-1], "sets": 3, "lines": FIVES, "week": 2, "weeks": 4, "note": "Use a belt."}
    record = {**record_of(exercise), "targets": {"e1": target}}
    card = drawn_card(modules, record)
    line = "Week 2 of 4 · Target 1 × 5 at 65 kg, 1 × 5 at 75 kg, 1 × 5+ at 85 kg"
    assert f">{line}<" in card
    assert ">Use a belt.<" in card
    rows = card.split("<li")
    assert [("5+" in row, 'placeholder="5+"' in row) for row in rows[-3:]] == [(False, False)] * 2 + [
        (True, True)
    ]


@pytest.mark.parametrize(
    ("measure", "sets", "seconds", "weight_kg", "expected"),
    [
        ("time", 3, (65, 65), 0, "Target 3 × 1:05"),
        ("time", 1, (65,), 0, "Target 1:05"),
        ("time", 2, (90, 65), 0, "Target 1:30 · 1:05"),
        ("time", 3, (65,), 10, "Target 3 × 1:05 at 10 kg"),
        ("reps", 3, (65,), 0, "Slow.\n3 × 1:05"),  # beside the target of its repetitions
    ],
)
def test_the_card_of_a_timed_exercise_says_the_times_that_are_planned(
    modules, call, measure, sets, seconds, weight_kg, expected
):
    times = [{"seconds": one, "distance_km": None, "weight_kg": None} for one in seconds]
    target = {"sets": sets, "reps": 1, "weight_kg": weight_kg, "note": "Slow.", "times": times}
    exercise = an_exercise("e1", a_set("s1", seconds=65), measure=measure)
    assert f">{expected}<" in drawn_card(modules, {**record_of(exercise), "targets": {"e1": target}})
    last = {"sets": [], "timed": [{"seconds": 115}]}
    context = {**CONTEXT, "measures": ["time"], "sessions": [last], "target": target}
    (added,) = call("state", "addExercise", a_document(), "plank", context, NOW)["exercises"]
    assert len(added["sets"]) == sets
    assert [one["seconds"] for one in added["sets"]][:2] == [*seconds, seconds[-1]][: min(sets, 2)]


def test_each_entry_of_a_lift_is_beside_its_sets_of_last_time_and_all_are_one_row_of_the_summary(modules):
    entries = [an_exercise(f"e{n}", a_set("s1", 100 + n, done_at=EARLY)) for n in (1, 2, 3)]
    lifted = [{"type": "working", "weight_kg": kg, "reps": 5, "completed": True} for kg in (90, 95)]
    record = record_of(*entries, sessions=[{"started_at": EARLY, "notes": "", "sets": lifted}])
    lines = [drawn_card(modules, record, index) for index in range(3)]
    last = [re.search(r'class="train-last">.*?</span>([^<]*)<', line)[1] for line in lines]
    assert last == ["90 × 5", "95 × 5", "–"]
    summary = drawn_summary(modules, record)
    assert summary.count('<th scope="row">') == 1
    assert "103 × 5" in summary
