"""The workout under way: /train and what its page sends."""

import copy
import datetime
import json
import re
import uuid

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from tests.conftest import a_set, a_workout, client_of, freshly_signed_in, statements
from tests.html import forms_of
from training.api.serializers.workout import (
    WorkoutExerciseSerializer,
    WorkoutSerializer,
    WorkoutSetSerializer,
)
from training.models import TrainingDraft, Workout
from training.models.draft import moment
from training.web.train.finishing import body_of

BENCH, SQUAT = "barbell-bench-press", "barbell-back-squat"
LATER = datetime.timedelta(minutes=1)


def at(minutes):
    """A time that many minutes from now, as pages write it."""
    return moment(timezone.now() + LATER * minutes)


@pytest.fixture
def routine(account):
    entry = {"exercise_id": BENCH, "sets": 3, "reps": 8, "weight_kg": 80, "note": "Slow."}
    return client_of(account).post("/routines", {"name": "Push", "exercises": [entry]}).json()


def a_plan(account, exercises, rest=()):
    """A plan with these exercises on each day but those of rest, which are called by their numbers."""
    days = [{"weekday": day, "label": f"Day {day}", "exercises": exercises} for day in range(1, 8)]
    for day in rest:
        days[day - 1] |= {"rest": True, "exercises": []}
    return client_of(account).post("/plans", {"name": "P", "days": days}).json()


@pytest.fixture
def draft(page, routine):
    """The document of a workout that was started from the routine, an hour ago."""
    start(page, routine=routine["id"])
    row = TrainingDraft.objects.get()
    row.document = json.loads(json.dumps(row.document).replace(row.document["started_at"], at(-60)))
    row.save()
    return row.document


def start(page, **fields):
    response = page.post("/train/start", fields)
    assert response.headers["Location"] == "/train"


def read(page, **query):
    response = page.get("/train/draft", query)
    assert response.status_code == 200
    return response.json()


def send(page, document, **more):
    return page.put(
        f"/train/drafts/{document['id']}",
        json.dumps({"document": document, **more}),
        content_type="application/json",
    )


def sets_of(document, index=0):
    return document["exercises"][index]["sets"]


def tick(document, *indexes, minutes=0):
    """The document with these sets of the first exercise done."""
    document = copy.deepcopy(document)
    for index in indexes:
        sets_of(document)[index] |= {"done_at": at(minutes), "changed_at": at(minutes)}
    return document


def finish(page, document, seconds=1800, **options):
    return send(page, document, finish={"duration_seconds": seconds, **options})


def test_the_page_is_the_same_for_everybody(page, account):
    assert page.get("/train").content == Client().get("/train").content
    assert account.email not in page.get("/train").content.decode()


def test_the_page_leads_home_before_its_scripts_have_come(page):
    frame = page.get("/train").content.decode().partition("<noscript>")[0]
    assert re.search(r'<a [^>]*href="/">Home</a>', frame)
    assert "Opening your workout…" in frame


def test_train_in_the_bar_offers_what_can_be_begun(page, account, routine):
    assert 'href="/train/start"' in page.get("/").content.decode()
    workout = client_of(account).post("/workouts", a_workout(a_set(), title="Heavy")).json()
    plan = a_plan(account, [{"exercise_id": BENCH, "sets": 3, "reps": 8, "weight_kg": 80}])
    client_of(account).post(f"/plans/{plan['id']}/activate", {})
    html = page.get("/train/start").content.decode()
    days = ((timezone.localdate() + datetime.timedelta(days=number)).isoweekday() for number in range(7))
    today, *others = ({"plan": plan["id"], "day": str(day)} for day in days)
    begun = [today, {}, *others, {"routine": routine["id"]}]
    assert forms_of(html, "Start") == begun
    assert forms_of(html, "Repeat") == [{"workout": workout["id"]}]
    start(page)
    assert page.get("/train/start").headers["Location"] == "/train"


@pytest.mark.time_machine("2026-11-18T12:00:00Z")  # a Wednesday
@pytest.mark.parametrize(("rest", "offered"), [((6, 7), [3, 4, 5, 1, 2]), ((3,), [4, 5, 6, 7, 1, 2])])
def test_every_day_of_the_active_plan_can_be_begun_the_next_one_first(page, account, rest, offered):
    plan = a_plan(account, [{"exercise_id": BENCH, "sets": 3, "reps": 8, "weight_kg": 80}], rest)
    client_of(account).post(f"/plans/{plan['id']}/activate", {})
    assert 'href="/train/start"' in page.get("/").content.decode()
    html = page.get("/train/start").content.decode()
    forms = forms_of(html, "Start")
    assert [form["day"] for form in forms if form.get("plan") == plan["id"]] == [str(day) for day in offered]
    assert ('<span class="badge badge-good">Tomorrow</span>' in html) == (offered[0] == 4)
    assert html.count("button-primary") == 1
    assert forms[1] == {}
    start(page, **forms[2])
    assert TrainingDraft.objects.get().document["title"] == f"Day {offered[1]}"


def test_a_new_account_can_begin_an_empty_workout(page, stranger, routine):
    html = freshly_signed_in(stranger).get("/train/start").content.decode()
    assert forms_of(html, "Start") == [{}]
    assert "Push" not in html
    assert Client().get("/train/start").headers["Location"] == "/sign-in?next=/train/start"


def test_a_routine_gives_its_targets_where_nothing_was_lifted_before(draft, routine):
    assert (draft["title"], draft["routine_id"], draft["plan_id"]) == ("Push", routine["id"], None)
    (entry,) = draft["exercises"]
    assert (entry["exercise_id"], entry["rest_seconds"]) == (BENCH, 120)
    assert [(one["weight_kg"], one["reps"], one["done_at"]) for one in entry["sets"]] == [(80, 8, None)] * 3


def test_the_numbers_are_those_of_last_time(page, account, routine):
    last = [a_set(60, 10, type="warmup"), a_set(100, 5), a_set(102.5, 4), a_set(110, 1, completed=False)]
    exercises = [{"exercise_id": BENCH, "sets": last}]
    client_of(account).post("/workouts", a_workout(started_at="2026-03-01T10:00:00Z", exercises=exercises))
    start(page, routine=routine["id"])
    found = read(page)
    sets = sets_of(found["draft"]["document"])
    assert [(one["weight_kg"], one["reps"]) for one in sets] == [(100, 5), (102.5, 4), (102.5, 4)]
    context = found["exercises"][BENCH]
    assert context["target"] == {"sets": 3, "reps": 8, "weight_kg": 80, "note": "Slow."}
    assert context["best"] == {"weight_kg": 102.5, "reps": 4, "strongest_kg": 116.2}
    assert [len(session["sets"]) for session in context["sessions"]] == [4]


@pytest.mark.parametrize("is_known", [False, True])
def test_planned_times_are_the_targets_and_not_those_of_last_time(page, account, is_known):
    if is_known:
        done = [{"exercise_id": PLANK, "notes": "Set 1: 115 s\nSet 2: 90 s", "sets": []}]
        client_of(account).post("/workouts", a_workout(started_at="2026-03-01T10:00:00Z", exercises=done))
    note = "Set 1: 65 s\nBreathe.\nSet 2: 60 s, 5 kg"
    entry = {"exercise_id": PLANK, "sets": 3, "reps": 1, "weight_kg": 0, "note": note}
    start(
        page, routine=client_of(account).post("/routines", {"name": "R", "exercises": [entry]}).json()["id"]
    )
    found = read(page)
    (begun,) = found["draft"]["document"]["exercises"]
    assert begun["measure"] == "time"
    assert [(one["seconds"], one["weight_kg"]) for one in begun["sets"]] == [(65, 0), (60, 5), (60, 5)]
    times = [timed_set(65, None), timed_set(60, 5)]
    target = {"sets": 3, "reps": 1, "weight_kg": 0, "note": "Breathe.", "times": times}
    assert found["exercises"][PLANK]["target"] == target


def timed_set(seconds, weight_kg):
    return {"seconds": seconds, "distance_km": None, "weight_kg": weight_kg}


def test_planned_times_of_an_exercise_that_was_done_by_reps_move_none_of_its_numbers(page, account):
    done = [{"exercise_id": BENCH, "sets": [a_set(60, 8)]}]
    client_of(account).post("/workouts", a_workout(started_at="2026-03-01T10:00:00Z", exercises=done))
    entry = {"exercise_id": BENCH, "sets": 2, "reps": 8, "weight_kg": 60, "note": "30 s"}
    start(
        page, routine=client_of(account).post("/routines", {"name": "R", "exercises": [entry]}).json()["id"]
    )
    (begun,) = read(page)["draft"]["document"]["exercises"]
    assert begun["measure"] == "reps"
    assert [(one["weight_kg"], one["reps"], one["seconds"]) for one in begun["sets"]] == [(60, 8, None)] * 2


def test_a_workout_is_repeated_with_its_warm_ups_and_supersets(page, account):
    sets = [a_set(60, 10, type="warmup"), a_set(100, 5)]
    exercises = [{"exercise_id": BENCH, "superset_id": "A", "notes": "Grip", "sets": sets}]
    workout = client_of(account).post("/workouts", a_workout(title="Heavy", exercises=exercises)).json()
    start(page, workout=workout["id"])
    document = read(page)["draft"]["document"]
    (entry,) = document["exercises"]
    assert (document["title"], entry["superset_id"]) == ("Heavy", "A")
    assert [(one["type"], one["weight_kg"]) for one in entry["sets"]] == [("warmup", 60), ("working", 100)]


SQUAT_AND_BENCH = [{"exercise_id": one, "sets": 3, "reps": 8, "weight_kg": 80} for one in (SQUAT, BENCH)]


def supersets_of(account, *exercises):
    """The supersets of a workout from a day of a plan, after a workout with these exercises."""
    logged = [{"exercise_id": pk, "superset_id": superset, "sets": [a_set()]} for pk, superset in exercises]
    client_of(account).post("/workouts", a_workout(exercises=logged))
    page = freshly_signed_in(account)
    start(page, plan=a_plan(account, SQUAT_AND_BENCH)["id"], day=3)
    return [one["superset_id"] for one in read(page)["draft"]["document"]["exercises"]]


@pytest.mark.parametrize(
    ("logged", "are_joined"),
    [
        ([(BENCH, "a"), (SQUAT, "a")], True),
        ([(BENCH, "a"), (SQUAT, "b")], False),
        ([(BENCH, None), (SQUAT, None)], False),
        ([(BENCH, "a"), ("plank", "a")], False),
        ([(BENCH, "a"), (BENCH, "a")], False),
    ],
)
def test_lifts_that_were_a_superset_last_time_are_one_when_a_plan_begins(account, logged, are_joined):
    first, second = supersets_of(account, *logged)
    assert (first == second and first is not None) is are_joined


def test_lifts_of_a_superset_that_was_another_day_are_apart(account):
    client_of(account).post(
        "/workouts", a_workout(a_set(), exercise_id=SQUAT, started_at="2026-03-09T10:00:00Z")
    )
    assert supersets_of(account, (BENCH, "a"), (SQUAT, "a")) == [None, None]


def test_a_superset_is_stored_and_repeated(page, account, draft):
    joined = copy.deepcopy(tick(draft, 0))
    joined["exercises"][0] |= {"superset_id": "pair", "changed_at": at(0)}
    finish(page, joined)
    assert account.workouts.get().exercises.get().superset_id == "pair"
    start(page, workout=str(account.workouts.get().pk))
    assert read(page)["draft"]["document"]["exercises"][0]["superset_id"] == "pair"


def test_an_exercise_that_occurs_twice_keeps_the_numbers_of_each(page, account):
    exercises = [{"exercise_id": BENCH, "sets": [a_set(kg, reps)] * 2} for kg, reps in ((100, 5), (70, 12))]
    workout = client_of(account).post("/workouts", a_workout(exercises=exercises)).json()
    start(page, workout=workout["id"])
    entries = read(page)["draft"]["document"]["exercises"]
    assert [[one["weight_kg"] for one in entry["sets"]] for entry in entries] == [[100, 100], [70, 70]]


def test_what_was_done_without_a_load_is_prefilled_with_none(page, account):
    band = a_workout(exercises=[{"exercise_id": BENCH, "sets": [a_set(0, 15)]}])
    workout = client_of(account).post("/workouts", band).json()
    start(page, workout=workout["id"])
    assert [(one["weight_kg"], one["reps"]) for one in sets_of(read(page)["draft"]["document"])] == [(0, 15)]


def test_a_template_of_very_many_sets_is_started_with_the_first_500(page, account):
    exercises = [{"exercise_id": BENCH, "sets": [a_set()] * 100}] * 6
    workout = client_of(account).post("/workouts", a_workout(exercises=exercises)).json()
    start(page, workout=workout["id"])
    document = read(page)["draft"]["document"]
    assert sum(len(entry["sets"]) for entry in document["exercises"]) == 500
    assert finish(page, tick(document, 0)).status_code == 200


def test_a_day_of_a_plan_is_started(page, account):
    entry = {"exercise_id": SQUAT, "sets": 2, "reps": 5, "weight_kg": 0}
    plan = a_plan(account, [entry])
    start(page, plan=plan["id"], day="3")
    document = read(page)["draft"]["document"]
    assert (document["title"], document["plan_id"]) == ("Day 3", plan["id"])
    assert [(one["weight_kg"], one["reps"]) for one in sets_of(document)] == [(None, 5)] * 2
    done = tick(document, 0)
    sets_of(done)[0]["weight_kg"] = 60
    assert finish(page, done).status_code == 200
    assert account.workouts.get().plan_name == "P"


@pytest.mark.parametrize(
    "fields", [{"routine": "x"}, {"workout": str(uuid.uuid4())}, {"plan": str(uuid.uuid4()), "day": "1"}]
)
def test_what_is_not_the_accounts_cannot_be_started(page, fields):
    assert page.post("/train/start", fields).status_code == 404
    assert read(page)["draft"] is None


def test_a_plan_has_days_from_1_to_7(page, account):
    plan = a_plan(account, [])
    for day in ("0", "8", "x", ""):
        assert page.post("/train/start", {"plan": plan["id"], "day": day}).status_code == 404


def test_one_workout_is_under_way_at_a_time(page, account, draft):
    response = page.post("/train/start", {"exercise": BENCH})
    assert "A workout is under way" in response.content.decode()
    assert read(page)["draft"]["document"]["id"] == draft["id"]
    start(page, exercise=BENCH, discard=draft["id"])
    assert read(page)["draft"]["document"]["title"] == ""
    assert not account.workouts.exists()


def test_only_a_form_of_this_site_starts_one(account):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(account)
    assert strict.post("/train/start").status_code == 403
    strict.get("/train/start")
    assert not account.training_drafts.exists()


def test_ticks_of_two_devices_are_both_kept(page, account, draft):
    other = freshly_signed_in(account)
    assert send(page, tick(draft, 0)).json()["version"] == 2
    merged = send(other, tick(draft, 2)).json()
    assert [bool(one["done_at"]) for one in sets_of(merged["document"])] == [True, False, True]
    assert read(page)["draft"] == {"version": 3, "document": merged["document"]}


def test_the_later_change_of_a_set_is_kept_in_whichever_order_they_arrive(page, draft):
    early, late = tick(draft, 0, minutes=-2), tick(draft, 0, minutes=-1)
    sets_of(early)[0]["weight_kg"], sets_of(late)[0]["weight_kg"] = 90, 95
    for document in (late, early):
        response = send(page, document)
    assert sets_of(response.json()["document"])[0]["weight_kg"] == 95


def test_what_was_removed_does_not_come_back(page, draft):
    removed = copy.deepcopy(draft)
    sets_of(removed)[1] |= {"removed_at": at(0), "changed_at": at(0)}
    send(page, removed)
    kept = send(page, tick(draft, 0)).json()["document"]
    assert [one["removed_at"] is None for one in sets_of(kept)] == [True, False, True]
    assert finish(page, tick(kept, 2)).status_code == 200


def test_a_clock_that_is_ahead_does_not_win_for_ever(page, draft):
    ahead = tick(draft, 0, minutes=600)
    sets_of(ahead)[0]["weight_kg"] = 300
    send(page, ahead)
    kept = sets_of(read(page)["draft"]["document"])[0]
    assert (kept["weight_kg"], kept["changed_at"] < at(1)) == (300, True)


def test_a_copy_that_changes_nothing_keeps_the_version(page, draft):
    assert send(page, draft).json()["version"] == 1
    unchanged = read(page, version="1", id=draft["id"])
    assert (unchanged["draft"], "exercises" in unchanged) == ({"version": 1}, False)


def test_a_workout_that_the_page_began_by_itself_is_kept(page, account):
    now = at(0)
    document = {
        "id": str(uuid.uuid4()),
        "started_at": now,
        "changed_at": now,
        "title": "",
        "notes": "",
        "plan_id": None,
        "routine_id": None,
        "exercises": [],
    }
    assert send(page, document).status_code == 200
    another = send(page, {**document, "id": str(uuid.uuid4())})
    assert (another.status_code, another.json()["code"]) == (409, "another_open")
    assert str(account.training_drafts.get().pk) == document["id"]


def spoiled(document, change):
    document = copy.deepcopy(document)
    change(document)
    return document


REJECTED = {
    "unknown field": lambda document: document.update(color="red"),
    "unknown field of a set": lambda document: sets_of(document)[0].update(color="red"),
    "missing field": lambda document: document.pop("title"),
    "time without milliseconds": lambda document: document.update(changed_at="2026-03-02T10:00:00Z"),
    "no day": lambda document: document.update(changed_at="2026-02-30T10:00:00.000Z"),
    "NUL": lambda document: document.update(title="\0"),
    "weight": lambda document: sets_of(document)[0].update(weight_kg=2001),
    "done without a weight": lambda document: sets_of(document)[0].update(weight_kg=None, done_at=at(0)),
    "uid twice": lambda document: sets_of(document)[0].update(uid=sets_of(document)[1]["uid"]),
    "other id": lambda document: document.update(plan_id="1"),
}


@pytest.mark.parametrize("change", REJECTED.values(), ids=REJECTED)
def test_a_malformed_document_is_rejected_and_nothing_changes(page, draft, change):
    response = send(page, spoiled(draft, change))
    assert (response.status_code, response.json()["code"]) == (400, "invalid_request")
    assert read(page)["draft"] == {"version": 1, "document": draft}


@pytest.mark.parametrize("body", ["", "[]", "{", '{"document": 1}', "[" * 10_000])
def test_a_malformed_body_is_rejected(page, draft, body):
    response = page.put(f"/train/drafts/{draft['id']}", body, content_type="application/json")
    assert (response.status_code, response.json()["code"]) == (400, "invalid_request")


def test_the_id_is_that_of_the_address(page, draft):
    body = json.dumps({"document": draft})
    response = page.put(f"/train/drafts/{uuid.uuid4()}", body, content_type="application/json")
    assert response.status_code == 400
    assert "document.id" in response.json()["message"]


def test_a_document_over_256_kb_is_rejected(page, draft):
    response = send(page, {**draft, "title": "x" * 262_144})
    assert response.status_code == 413
    assert read(page)["draft"]["version"] == 1


# On a cluster the ids of two accounts may be equal: each of them has its own row.
ids_are_unique = pytest.mark.skipif(settings.CITUS, reason="keys of a cluster name the account")


@ids_are_unique
def test_a_draft_of_another_account_is_not_found(draft, stranger):
    theirs = freshly_signed_in(stranger)
    response = send(theirs, tick(draft, 0))
    assert (response.status_code, response.json()["code"]) == (404, "not_found")
    assert theirs.delete(f"/train/drafts/{draft['id']}").status_code == 404
    assert read(theirs)["draft"] is None


def test_without_a_session_nothing_is_read_or_written(draft, account):
    nobody = Client()
    for response in (
        nobody.get("/train/draft"),
        send(nobody, draft),
        nobody.get(f"/train/exercises/{BENCH}"),
    ):
        assert (response.status_code, response.json()["code"]) == (401, "signed_out")


def test_a_document_does_not_grow_without_end(page, account, draft):
    """Each request is small, and what they add up to is not."""
    statuses = []
    for number in range(4):
        more = copy.deepcopy(draft)
        for at_index in range(20):
            entry = {**draft["exercises"][0], "uid": f"{number} {at_index}", "notes": "x" * 4900}
            more["exercises"].append(entry)
        statuses.append(send(page, more).status_code)
    assert statuses == [200, 200, 413, 413]
    assert len(json.dumps(read(page)["draft"]["document"])) < 262_144
    assert "Finish it" in send(page, more).json()["message"]
    account.language = "de"
    account.save()
    assert "Beende es" in send(page, more).json()["message"]


def test_discarded_drafts_keep_no_sets_and_do_not_pile_up(page, account, draft, monkeypatch):
    monkeypatch.setattr("training.models.draft.MAX_CLOSED", 3)
    for number in range(6):
        document = {**draft, "id": str(uuid.uuid4())} if number else draft
        assert send(page, document).status_code == 200
        page.delete(f"/train/drafts/{document['id']}")
    assert [row.document["exercises"] for row in account.training_drafts.all()] == [[]] * 4


@pytest.mark.parametrize(("path", "status"), [("/train/drafts/x", 404), ("/train/exercises/a.b", 404)])
def test_errors_before_the_view_are_json_for_scripts(page, path, status):
    response = page.get(path, headers={"Accept": "application/json"})
    assert (response.status_code, response.json()["code"]) == (status, "not_found")
    assert (
        page.get(path, headers={"Accept": "text/html,*/*;q=0.8"})
        .headers["Content-Type"]
        .startswith("text/html")
    )


def test_without_a_csrf_token_nothing_is_written(account, draft):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(account)
    assert send(strict, tick(draft, 0)).status_code == 403
    assert strict.delete(f"/train/drafts/{draft['id']}").status_code == 403
    token = strict.get("/train/draft").json()["csrf_token"]
    body = json.dumps({"document": tick(draft, 0)})
    address = f"/train/drafts/{draft['id']}"
    response = strict.put(address, body, content_type="application/json", headers={"X-CSRFToken": token})
    assert response.json()["version"] == 2


def test_the_page_shows_days_in_the_zone_of_the_account(page, account):
    assert read(page)["time_zone"] == "UTC"
    account.time_zone = "Asia/Kathmandu"
    account.save()
    assert read(page)["time_zone"] == "Asia/Kathmandu"


def test_an_exercise_that_is_added_has_its_context(page):
    context = page.get(f"/train/exercises/{BENCH}").json()
    assert (context["name"], context["sessions"], context["best"]) == ("Barbell Bench Press", [], None)
    assert page.get("/train/exercises/unknown").json()["code"] == "not_found"


def test_the_statements_do_not_grow_with_the_history(page, account, routine):
    start(page, routine=routine["id"])
    with statements() as few:
        read(page)
    for day in range(1, 8):
        client_of(account).post("/workouts", a_workout(started_at=f"2026-03-0{day}T10:00:00Z"))
    with statements() as many:
        read(page)
    assert len(few) == len(many)


def test_ticked_sets_become_completed_sets_and_nothing_else_is_stored(page, account, draft, routine):
    response = finish(page, tick(draft, 0, 1), seconds=1234)
    workout = account.workouts.get()
    assert response.json()["finished"] == {"id": draft["id"], "url": f"/train/finished/{draft['id']}"}
    assert (str(workout.pk), workout.duration_seconds) == (draft["id"], 1234)
    document = client_of(account).get(f"/workouts/{workout.pk}").json()
    assert document["started_at"][:19] == draft["started_at"][:19]
    (entry,) = document["exercises"]
    assert [(one["weight_kg"], one["reps"], one["completed"]) for one in entry["sets"]] == [(80, 8, True)] * 2
    assert account.routines.get().use_count == 1
    assert read(page)["draft"] is None


def test_a_finished_workout_has_each_field_that_a_client_can_send(account, page, draft):
    document = tick(draft, 0)
    workout = body_of(account, document, {"keep_undone": False, "duration_seconds": 60})
    (entry,) = workout["exercises"]
    sent_by = {
        WorkoutSerializer: workout,
        WorkoutExerciseSerializer: entry,
        WorkoutSetSerializer: entry["sets"][0],
    }
    for serializer, sent in sent_by.items():
        writable = {name for name, field in serializer().fields.items() if not field.read_only}
        assert writable - {"plan_name"} == sent.keys()  # that of the plan, which the service fills in


def test_sets_that_were_not_done_are_kept_on_request_as_not_completed(page, account, draft):
    finish(page, tick(draft, 1), keep_undone=True)
    (entry,) = json.loads(account.workouts.get().document)["exercises"]
    assert [one["completed"] for one in entry["sets"]] == [False, True, False]


def test_nothing_done_is_no_workout(page, account, draft):
    response = finish(page, draft)
    assert response.status_code == 400
    assert "Tick a set first" in response.json()["message"]
    assert not account.workouts.exists()
    assert read(page)["draft"]["document"] == draft


def test_finishing_twice_makes_one_workout(page, account, draft):
    assert finish(page, tick(draft, 0)).status_code == 200
    again = finish(page, tick(draft, 0))
    assert (again.status_code, again.json()["code"], again.json()["missing"]) == (409, "finished", [])
    assert again.json()["finished"]["url"] == f"/train/finished/{draft['id']}"
    assert account.workouts.count() == 1


def test_a_late_tick_is_offered_and_added_on_request(page, account, draft):
    finish(page, tick(draft, 0))
    late = send(page, tick(draft, 0, 2))
    missing = {"exercise_id": BENCH, "name": "Barbell Bench Press", "weight_kg": 80, "reps": 8}
    missing |= {"seconds": None, "distance_km": None}
    assert (late.status_code, late.json()["missing"]) == (409, [missing])
    assert account.workouts.get().volume_kg == 640
    for _ in range(2):
        added = send(page, tick(draft, 0, 2), add_missing=True)
        assert added.json()["finished"]["id"] == draft["id"]
    assert account.workouts.get().volume_kg == 1280


def test_a_late_tick_of_an_exercise_that_the_workout_lacks_is_added(page, account, draft):
    finish(page, tick(draft, 0))
    late = copy.deepcopy(draft)
    late["exercises"].append({**draft["exercises"][0], "uid": "new", "exercise_id": SQUAT, "order": 1})
    sets_of(late, 1)[0] |= {"done_at": at(0)}
    send(page, late, add_missing=True)
    entries = json.loads(account.workouts.get().document)["exercises"]
    assert [(entry["exercise_id"], len(entry["sets"])) for entry in entries] == [(BENCH, 1), (SQUAT, 1)]


def test_a_discarded_workout_does_not_come_back(page, account, draft):
    address = f"/train/drafts/{draft['id']}"
    assert [page.delete(address).status_code for _ in range(2)] == [204, 204]
    for response in (send(page, tick(draft, 0)), finish(page, tick(draft, 0))):
        assert (response.status_code, response.json()["code"]) == (409, "discarded")
    assert not account.workouts.exists()


def test_a_workout_that_was_deleted_afterwards_does_not_come_back(page, account, draft):
    finish(page, tick(draft, 0))
    account.workouts.get().remove()
    for late in (send(page, tick(draft, 0, 1)), send(page, tick(draft, 0, 1), add_missing=True)):
        assert (late.status_code, late.json()["code"]) == (409, "discarded")
    assert not account.workouts.exists()


def test_an_older_copy_adds_nothing_that_was_removed_or_unticked(page, account, draft):
    stale = tick(draft, 0, 1, 2, minutes=-30)
    newer = tick(draft, 0, minutes=-20)
    sets_of(newer)[1] |= {"removed_at": at(-20), "changed_at": at(-20)}
    sets_of(newer)[2] |= {"done_at": None, "changed_at": at(-20)}
    finish(page, newer)
    late = send(page, stale)
    assert (late.status_code, late.json()["missing"]) == (409, [])
    send(page, stale, add_missing=True)
    assert account.workouts.get().volume_kg == 640


def test_a_finish_that_comes_after_its_draft_was_deleted_stores_no_second_workout(page, account, draft):
    finish(page, tick(draft, 0))
    account.training_drafts.all()._raw_delete("default")
    late = finish(page, tick(draft, 0))
    assert (late.status_code, late.json()["code"]) == (409, "finished")
    assert account.workouts.count() == 1


@ids_are_unique
def test_the_id_of_somebody_elses_workout_is_replaced(page, account, draft, stranger):
    client_of(stranger).post("/workouts", a_workout())
    theirs = stranger.workouts.get()
    Workout.objects.filter(account=stranger).update(id=draft["id"])
    response = finish(page, tick(draft, 0))
    mine = account.workouts.get()
    assert response.json()["finished"]["id"] == str(mine.pk)
    assert str(mine.pk) != draft["id"]
    assert stranger.workouts.get().started_at == theirs.started_at


def test_a_deleted_plan_and_routine_do_not_hold_up_the_finish(page, account, draft):
    account.routines.get().delete()
    document = tick({**draft, "plan_id": None}, 0)
    draft_row = account.training_drafts.get()
    draft_row.document["plan_id"] = str(uuid.uuid4())
    draft_row.save()
    assert finish(page, document).status_code == 200
    assert account.workouts.get().plan_id is None


def test_an_exercise_that_is_not_in_the_catalogue_names_the_place(page, draft):
    unknown = tick(draft, 0)
    unknown["exercises"][0] |= {"exercise_id": "bench", "changed_at": at(0)}
    assert read(page)["exercises"]
    assert send(page, unknown).status_code == 200
    response = finish(page, unknown)
    assert response.status_code == 400
    assert "exercises[0].exercise_id" in response.json()["message"]


def test_closed_drafts_are_deleted_after_a_month(page, account, draft, routine):
    finish(page, tick(draft, 0))
    month_ago = timezone.now() - datetime.timedelta(days=31)
    account.training_drafts.update(closed_at=month_ago)
    start(page, routine=routine["id"])
    assert not TrainingDraft.objects.filter(account=account, pk=draft["id"]).exists()


def test_the_finish_shows_records_and_last_time(page, account, draft, routine):
    finish(page, tick(draft, 0))
    start(page, routine=routine["id"])
    document = read(page)["draft"]["document"]
    heavier = tick(document, 0)
    sets_of(heavier)[0] |= {"weight_kg": 85}
    url = finish(page, heavier).json()["finished"]["url"]
    text = page.get(url).content.decode()
    assert "1 new record" in text
    assert "85 kg × 8" in text
    assert "80 kg × 8" in text
    assert f"/routines/{routine['id']}/edit?workout={document['id']}" in text


def test_the_finish_of_another_account_is_not_found(page, draft, stranger):
    url = finish(page, tick(draft, 0)).json()["finished"]["url"]
    assert freshly_signed_in(stranger).get(url).status_code == 404


TREADMILL, PLANK = "treadmill-running", "plank"


def repeat(page, account, **entry):
    """Starts a workout again that had one exercise, and returns what its page reads."""
    exercises = [{"sets": [], **entry}]
    workout = client_of(account).post("/workouts", a_workout(exercises=exercises)).json()
    start(page, workout=workout["id"])
    return read(page)


def finished_entries(page, account, document, **options):
    """The exercises of the workout that a document becomes."""
    response = finish(page, document, **options)
    assert response.status_code == 200, response.content
    workout = client_of(account).get(f"/workouts/{response.json()['finished']['id']}").json()
    return [
        (one["notes"], [(row["weight_kg"], row["reps"]) for row in one["sets"]])
        for one in workout["exercises"]
    ]


def measures(one):
    return one["seconds"], one["distance_km"]


FARMERS_WALK = "farmers-walk"


@pytest.mark.parametrize(
    ("lift", "notes", "measure", "expected"),
    [
        (TREADMILL, "1800 s, 5.2 km\nEasy.", "distance", [(1800, 5.2)]),
        (TREADMILL, "Set 1: 400 m\nSet 2: 95 s, 0.4 km", "distance", [(None, 0.4), (95, 0.4)]),
        (TREADMILL, "3 mi", "distance", [(None, 4.828032)]),
        (TREADMILL, "Easy.", "distance", [(None, None)]),
        (PLANK, "Set 1: 90 s\nSet 2: 60 s", "time", [(90, None), (60, None)]),
        (BENCH, "30 s", "time", [(30, None)]),
        (FARMERS_WALK, "Set 1: 60 s\nSet 2: 45 s", "time", [(60, None), (45, None)]),
        (FARMERS_WALK, "0.05 km", "distance", [(None, 0.05)]),
    ],
)
def test_times_and_distances_are_repeated(page, account, lift, notes, measure, expected):
    (entry,) = repeat(page, account, exercise_id=lift, notes=notes)["draft"]["document"]["exercises"]
    assert (entry["measure"], entry["notes"]) == (measure, "")
    assert [measures(one) for one in entry["sets"]] == expected


@pytest.mark.parametrize(("lift", "measure", "shown"), [(PLANK, "time", 0), ("pull-up", "reps", 3)])
def test_sets_that_say_only_that_something_was_held_are_repeated_by_time(page, account, lift, measure, shown):
    found = repeat(page, account, exercise_id=lift, sets=[a_set(0, 1)] * 3)
    (entry,) = found["draft"]["document"]["exercises"]
    assert (entry["measure"], len(entry["sets"])) == (measure, 3)
    assert [measures(one) for one in entry["sets"]] == [(None, None)] * 3
    assert len(found["exercises"][lift]["sessions"][0]["sets"]) == shown
    assert page.get(f"/train/exercises/{lift}").json()["measures"][0] == measure


@pytest.mark.parametrize(("units", "distance"), [("kg", "5.2 km"), ("lb", "3.231 mi")])
def test_times_and_distances_become_lines_of_the_notes(page, account, units, distance):
    account.units = units
    account.save()
    document = repeat(page, account, exercise_id=TREADMILL, notes="1800 s, 5.2 km")["draft"]["document"]
    document["exercises"][0] |= {"notes": "Easy.", "changed_at": at(0)}
    assert finished_entries(page, account, tick(document, 0)) == [(f"Easy.\n1800 s, {distance}", [])]


def test_lines_of_notes_are_the_same_in_every_language_and_shown_in_that_of_the_page(page, account):
    account.language = "de"
    account.save()
    notes = "1800 s, 5.2 km, 2.5 kg"
    document = repeat(page, account, exercise_id=TREADMILL, notes=notes)["draft"]["document"]
    assert finished_entries(page, account, tick(document, 0)) == [(notes, [])]
    shown = page.get(f"/workouts/{account.workouts.latest('started_at').pk}").content.decode()
    assert "30:00, 5,2 km, 2,5 kg" in shown


@pytest.mark.parametrize(
    ("units", "time", "weight"),
    [
        ("kg", "60 s", "10 kg"),
        ("kg", "0.05 km", "10.25 kg"),
        ("kg", "75 s, 1.234 km", "1500 kg"),
        ("lb", "60 s, 0.004 mi", "52.5 lb"),
    ],
)
def test_a_weight_that_was_carried_is_kept_from_workout_to_workout(page, account, units, weight, time):
    account.units = units
    account.save()
    notes = f"Set 1: {time}, {weight}\nSet 2: {time}"
    document = repeat(page, account, exercise_id=FARMERS_WALK, notes=notes)["draft"]["document"]
    assert finished_entries(page, account, tick(document, 0, 1)) == [(notes, [])]


@pytest.mark.parametrize("notes", ["60 s, 2500 kg", "60 s, -20 kg", "60 s, heavy"])
def test_what_is_no_weight_of_a_set_makes_a_remark_of_the_line(page, account, notes):
    found = repeat(page, account, exercise_id=FARMERS_WALK, notes=notes)
    (session,) = found["exercises"][FARMERS_WALK]["sessions"]
    assert (session["timed"], session["notes"]) == ([], notes)


def test_what_is_held_or_carried_with_a_load_may_be_measured_by_time_and_distance(page, account):
    def measures_of(exercise_id):
        return page.get(f"/train/exercises/{exercise_id}").json()["measures"]

    assert measures_of("weighted-plank") == measures_of(FARMERS_WALK) == ["reps", "time", "distance"]
    assert measures_of(BENCH) == ["reps"]
    repeat(page, account, exercise_id=FARMERS_WALK, notes="0.05 km, 40 kg")
    assert measures_of(FARMERS_WALK) == ["distance", "reps", "time"]


def test_an_entry_with_sets_and_times_is_repeated_with_both(page, account):
    found = repeat(page, account, exercise_id=PLANK, notes="90 s", sets=[a_set(0, 12)])
    document = found["draft"]["document"]
    assert [one["measure"] for one in document["exercises"]] == ["reps", "time"]
    ticked = tick(document, 0)
    ticked["exercises"][1]["sets"][0] |= {"done_at": at(1), "changed_at": at(1)}
    assert finished_entries(page, account, ticked) == [("", [(0, 12)]), ("90 s", [])]


def test_of_several_times_those_that_are_done_are_numbered(page, account):
    notes = "Set 1: 90 s\nSet 2: 60 s\nSet 3: 45 s"
    document = repeat(page, account, exercise_id=PLANK, notes=notes)["draft"]["document"]
    assert finished_entries(page, account, tick(document, 0, 2)) == [("Set 1: 90 s\nSet 2: 45 s", [])]


def test_what_was_not_done_and_is_no_set_is_kept_on_request_in_words(page, account):
    notes = "Set 1: 90 s\nSet 2: 60 s\nSet 3: 45 s, 10 kg"
    document = repeat(page, account, exercise_id=PLANK, notes=notes)["draft"]["document"]
    entries = finished_entries(page, account, tick(document, 0), keep_undone=True)
    assert entries == [("90 s\nNot done: 60 s; 45 s, 10 kg", [])]


def test_lifts_without_numbers_that_were_not_done_are_kept_on_request_in_words(page, account, draft):
    _, second, third = sets_of(draft)
    second |= {"weight_kg": None, "changed_at": at(0)}
    third |= {"weight_kg": None, "reps": None, "changed_at": at(0)}
    entries = finished_entries(page, account, tick(draft, 0), keep_undone=True)
    assert entries == [("Not done: 8 reps; a set without numbers", [(80, 8)])]


def test_an_exercise_is_measured_as_it_was_last_time(page, account):
    document = repeat(page, account, exercise_id=PLANK, sets=[a_set(0, 12)])["draft"]["document"]
    assert document["exercises"][0]["measure"] == "reps"
    assert finished_entries(page, account, tick(document, 0)) == [("", [(0, 12)])]
    context = page.get(f"/train/exercises/{PLANK}").json()
    assert context["measures"] == ["reps", "time"]


def test_what_was_done_by_both_measures_is_kept(page, account):
    """Two phones: one logs times, the other has changed to repetitions meanwhile."""
    document = repeat(page, account, exercise_id=PLANK, notes="Set 1: 90 s\nSet 2: 60 s")["draft"]["document"]
    document = tick(document, 0, 1)
    sets_of(document)[1] |= {"seconds": None, "weight_kg": 0, "reps": 15}
    assert finished_entries(page, account, document) == [("90 s", [(0, 15)])]


def test_a_note_without_room_for_the_times_is_named_and_nothing_is_lost(page, account):
    document = repeat(page, account, exercise_id=PLANK, notes="90 s")["draft"]["document"]
    document["exercises"][0] |= {"notes": "x" * 4998, "changed_at": at(0)}
    refused = finish(page, tick(document, 0))
    assert (refused.status_code, refused.json()["message"]) == (
        400,
        "Shorten the note of Plank: with the times of its sets it may have 5,000 characters.",
    )
    send(page, tick(document, 0))
    assert read(page)["draft"]["document"]["exercises"][0]["notes"] == "x" * 4998
    document["exercises"][0] |= {"notes": "x" * 4990, "changed_at": at(1)}
    assert finished_entries(page, account, tick(document, 0)) == [("x" * 4990 + "\n90 s", [])]


def test_a_late_time_is_added_to_the_notes(page, account):
    document = repeat(page, account, exercise_id=PLANK, notes="Set 1: 90 s\nSet 2: 60 s")["draft"]["document"]
    assert finished_entries(page, account, tick(document, 0)) == [("90 s", [])]
    late = tick(document, 0, 1)
    (missing,) = send(page, late).json()["missing"]
    assert (missing["name"], missing["reps"], missing["seconds"]) == ("Plank", None, 60)
    assert send(page, late, add_missing=True).status_code == 200
    assert [one.notes for one in account.workouts.latest("created_at").exercises.all()] == ["90 s\n60 s"]


def test_a_set_is_not_done_before_something_of_it_is_known(page, draft):
    sets_of(draft)[0] |= {"weight_kg": None, "seconds": None}
    refused = finish(page, tick(draft, 0))
    assert refused.status_code == 400
    assert "a time or a distance" in refused.json()["message"]


def test_old_remarks_are_shown_and_not_repeated(page, account):
    found = repeat(page, account, exercise_id=BENCH, notes="Elbow hurts.\n30 s", sets=[a_set(100, 5)])
    assert found["draft"]["document"]["exercises"][0]["notes"] == ""
    (session,) = found["exercises"][BENCH]["sessions"]
    assert session["notes"] == "Elbow hurts."


def test_an_exercise_with_a_remark_alone_is_kept(page, account, draft):
    squat = {
        **copy.deepcopy(draft["exercises"][0]),
        "uid": "e9",
        "exercise_id": SQUAT,
        "notes": "Knee: left out.",
    }
    draft["exercises"].append(squat)
    entries = finished_entries(page, account, tick(draft, 0))
    assert entries == [("", [(80, 8)]), ("Knee: left out.", [])]
