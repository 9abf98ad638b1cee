import json
import re
from itertools import product

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.conftest import a_set, a_workout, statements
from tests.html import forms_of, html
from training.models import Exercise, Workout

MARKUP = '<script>alert("x")</script>{{7*7}}{% now %}\u202e'
BENCH = "barbell-bench-press"
LISTS = ["workouts", "routines", "plans", "exercises"]
FORMS = ["log-workout", "create-routine", "create-plan"]
WEEK = [{"weekday": 1, "label": "Push", "exercises": []}] + [
    {"weekday": weekday, "label": "Rest", "rest": True} for weekday in range(2, 8)
]

BODIES = {
    "workout": a_workout(),
    "routine": {"name": "R", "exercises": []},
    "plan": {"name": "P", "days": WEEK},
}


def sign_form_id(page, address):
    """The id in a form, so that it makes one workout however often it is sent."""
    return re.search(r'name="form" value="([^"]+)"', html(page.get(address)))[1]


def rows_of(sets, token="e0", exercise_id=BENCH):
    """The fields of one exercise with sets."""
    fields = {"exercises": token, f"{token}-exercise_id": exercise_id, f"{token}-sets": []}
    for index, one in enumerate(sets):
        name = f"{token}s{index}"
        fields[f"{token}-sets"].append(name)
        fields |= {f"{name}-{key}": value for key, value in {"completed": "yes", **one}.items()}
    return fields


def a_form(*sets, **fields):
    started = {"title": "Push", "started_at": "2026-03-02T17:30", "duration": "60"}
    return {**started, **rows_of(sets or [{"weight": "100", "reps": "5"}]), **fields}


def fields_in(text):
    """What a browser would send of a form, by name; names that occur more than once as lists."""
    fields = {}
    for tag in re.findall(r"<input[^>]*>", text):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        if name and ('type="checkbox"' not in tag or " checked" in tag):
            fields.setdefault(name[1], []).append(value[1] if value else "")
    for name, value in re.findall(r'<textarea[^>]*name="([^"]*)"[^>]*>\n([^<]*)</textarea>', text):
        fields[name] = value
    for name, options in re.findall(r'<select[^>]*name="([^"]*)"[^>]*>(.*?)</select>', text, re.S):
        chosen = re.search(r'value="([^"]*)" selected', options)
        fields[name] = chosen[1] if chosen else ""
    return fields


@pytest.fixture
def routine(account):
    planned = {"exercise_id": BENCH, "name": "Barbell Bench Press", "muscle_group": "Chest"}
    target = {"equipment": "Barbell", "sets": 3, "reps": 5, "weight_kg": 92.5, "note": "Pause."}
    return account.routines.create(name="Heavy", focus="Pressing", exercises=[{**planned, **target}])


@pytest.fixture
def plan(api, account):
    response = api.post("/plans", {"name": "Five by five", "days": WEEK})
    return account.plans.get(pk=response.json()["id"])


@pytest.mark.parametrize(
    ("name", "advice"),
    [("workouts", "No workouts yet"), ("routines", "No routines yet"), ("plans", "No plans yet")],
)
def test_an_empty_list_shows_what_to_do_next(page, name, advice):
    text = html(page.get(reverse(name)))
    assert advice in text
    assert reverse({"workouts": "log-workout"}.get(name, f"create-{name[:-1]}")) in text


def test_workouts_are_listed_newest_first_a_page_at_a_time(page, log_workout):
    for day in range(1, 32):
        log_workout(title=f"Day {day}", started_at=f"2026-03-{day:02}T10:00:00Z")
    text = html(page.get(reverse("workouts")))
    assert "31 logged" in text
    titles = re.findall(r"Day \d+", text)
    while older := re.search(r'href="(\?cursor=[^"]+)"[^>]*>Older', text):
        text = html(page.get(reverse("workouts") + older[1]))
        titles += re.findall(r"Day \d+", text)
    assert titles == [f"Day {day}" for day in range(31, 0, -1)]
    assert "Newest" in text


@pytest.mark.parametrize("name", ["workouts", "routines", "plans", "exercises"])
def test_an_invalid_cursor_is_not_found(page, name):
    assert page.get(reverse(name), {"cursor": "nonsense"}).status_code == 404


def test_a_workout_shows_what_the_api_returns(page, api, log_workout):
    entries = [
        {
            "exercise_id": BENCH,
            "superset_id": "x",
            "notes": "Slow.",
            "sets": [a_set(102.05828325, 5, rpe=8.5)],
        },
        {"exercise_id": "chin-up", "superset_id": "x", "sets": [a_set(0, 8), a_set(5, 6, completed=False)]},
    ]
    workout = log_workout(title="Mixed", notes="Felt strong.", exercises=entries)
    text = html(page.get(reverse("workout", args=[workout["id"]])))
    for shown in ["102.06 kg", "8.5", "Superset A", "Slow.", "Felt strong.", "Not done", "510 kg", "1 h"]:
        assert shown in text
    assert text.count("First time") == 2
    assert "Record" not in text


def test_a_workout_has_one_count_of_sets_on_every_screen(page, api, log_workout):
    lifts = [a_set(60, 8, type="warmup")] * 3 + [a_set(100, 5)] * 4 + [a_set(100, 5, completed=False)]
    again = [a_set(70, 5, type="warmup"), a_set(100, 5)]
    planks = {"exercise_id": "plank", "notes": "Easy.\nSet 1: 75 s\nSet 2: 60 s", "sets": []}
    entries = [{"exercise_id": BENCH, "sets": sets} for sets in (lifts, again)]
    workout = log_workout(exercises=[*entries, planks], started_at=timezone.now().isoformat())
    assert "7 sets, 4 warm-ups" in html(page.get("/workouts"))
    for address in (f"/workouts/{workout['id']}", f"/train/finished/{workout['id']}"):
        assert "7 sets <small>4 warm-ups</small>" in html(page.get(address)), address
    listed = re.findall(r"<span>(\d+) × <bdi>(.*?)</bdi>", html(page.get("/workouts")))
    assert listed == [("4", "Barbell Bench Press"), ("1", "Barbell Bench Press"), ("2", "Plank")]
    assert page.get("/").context["week"]["sets"] == 7
    assert page.get("/progress").context["this_week"].now.sets == 7
    form = html(page.get(reverse("log-workout"), {"exercise": BENCH}))
    assert "100 kg × 5, 5 sets, 4 warm-ups" in form
    feed = re.search(r"/calendar/svcf_\w{40}\.ics", html(page.post(reverse("calendar"))))[0]
    assert "7 sets\\, 4 warm-ups\\, 2\\,500 kg" in Client().get(feed).content.decode().replace("\r\n ", "")
    assert api.get("/stats/training").json()["completed_sets"] == 9


def test_what_was_never_done_before_is_a_first_time_on_every_screen(page, log_workout):
    before = timezone.now() - timezone.timedelta(days=3)
    first = log_workout(a_set(100, 5), started_at=before.isoformat())["id"]
    for address in (f"/workouts/{first}", f"/train/finished/{first}", "/", "/workouts", "/progress/records"):
        text = html(page.get(address))
        assert "First time" in text, address
        assert not re.search(r">Record<|badge-record|new record", text), address
    better = log_workout(a_set(105, 5), started_at=timezone.now().isoformat())["id"]
    for address in (f"/workouts/{better}", f"/train/finished/{better}", "/", "/progress/records"):
        assert "First time" not in html(page.get(address)), address
    assert "1 new record" in html(page.get(f"/train/finished/{better}"))
    listed = html(page.get("/workouts"))
    assert (listed.count("badge-record"), listed.count("First time")) == (1, 1)


PULL_UP, PLANK, TREADMILL = "machine-assisted-pull-up", "plank", "treadmill-running"


@pytest.mark.parametrize(
    ("exercise_id", "before", "after", "lead"),
    [
        (BENCH, a_set(80, 5), a_set(82.5, 5), "Barbell Bench Press: 82.5 kg × 5 2.5 kg more than last time"),
        (BENCH, a_set(80, 5), a_set(80, 6), "Barbell Bench Press: 80 kg × 6 1 rep more than last time"),
        (BENCH, a_set(80, 5), a_set(80, 5), "Workout finished"),
        (BENCH, a_set(80, 5), a_set(77.5, 8), "Workout finished"),
        (BENCH, None, a_set(80, 5), "Workout finished"),
        (PULL_UP, a_set(20, 5), a_set(15, 5), "15 kg help × 5 5 kg less help than last time"),
        (PULL_UP, a_set(20, 5), a_set(25, 5), "Workout finished"),
        (
            PLANK,
            "Set 1: 75 s\nSet 2: 60 s",
            "Set 1: 60 s\nSet 2: 85 s",
            "Plank: 1:25 0:10 more than last time",
        ),
        (PLANK, "75 s", "75 s", "Workout finished"),
        (TREADMILL, "1800 s, 5 km", "1700 s, 5.2 km", "28:20, 5.2 km 0.2 km more than last time"),
        (TREADMILL, "1800 s, 5 km", "2000 s, 4.8 km", "Workout finished"),
        (TREADMILL, "1800 s, 0 km", "2000 s, 0 km", "Treadmill Running: 33:20 3:20 more than last time"),
    ],
)
def test_a_finished_workout_leads_with_what_went_better(page, log_workout, exercise_id, before, after, lead):
    now = timezone.now()
    for days, done in [(3, before), (0, after)]:
        if done:
            sets, notes = ([], done) if isinstance(done, str) else ([done], "")
            entry = {"exercise_id": exercise_id, "sets": sets, "notes": notes}
            started_at = (now - timezone.timedelta(days=days)).isoformat()
            workout = log_workout(exercises=[entry], started_at=started_at)
    text = html(page.get(f"/train/finished/{workout['id']}"))
    head = " ".join(re.sub("<[^>]*>", "", text.partition("<h1>")[2].partition("</div>")[0]).split())
    assert lead in head
    assert "0 km" not in text
    assert ">Records<" not in text
    assert ("Volume" in text) == (not isinstance(after, str))


def test_a_finished_workout_leads_with_its_first_record(page, log_workout):
    now = timezone.now()
    for days, bench, squat in [(6, 80, 100), (3, 70, 100), (0, 75, 105)]:
        entries = [
            {"exercise_id": BENCH, "sets": [a_set(bench, 5)]},
            {"exercise_id": "barbell-back-squat", "sets": [a_set(squat, 5)]},
        ]
        started_at = (now - timezone.timedelta(days=days)).isoformat()
        workout = log_workout(exercises=entries, started_at=started_at)
    response = page.get(f"/train/finished/{workout['id']}")
    assert response.context["lead"] == ("Barbell Back Squat", "105 kg × 5", "5 kg more than last time")
    assert [one["is_record"] for one in response.context["exercises"]] == [True, False]


def test_supersets_are_letters_on_every_screen_whatever_their_ids(page, log_workout):
    entries = [
        {"exercise_id": exercise_id, "superset_id": superset_id, "sets": [a_set()]}
        for exercise_id, superset_id in [
            (BENCH, "7"),
            ("chin-up", "0"),
            ("barbell-deadlift", "7"),
            ("plank", ""),
        ]
    ]
    workout = log_workout(exercises=entries)
    shown = html(page.get(reverse("workout", args=[workout["id"]])))
    assert re.findall(r"Superset (\S+)<", shown) == ["A", "B", "A"]
    form = html(page.get(reverse("edit-workout", args=[workout["id"]])))
    assert re.findall(r'<option value="([07])" selected>(.)<', form) == [("7", "A"), ("0", "B"), ("7", "A")]
    assert '<option value="A">C</option>' in form


def test_working_sets_are_numbered_and_warm_ups_are_a_letter_on_every_screen(page, log_workout):
    kinds = ("warmup", "working", "warmup", "working")
    workout = log_workout(*(a_set(60 + index, 5, type=kind) for index, kind in enumerate(kinds)))
    row = r'<th scope="row">(?:<abbr title="Warm-up">)?(\w+)'
    for name, number in (("workout", row), ("edit-workout", r'"set-number"[^>]*>(\w+)')):
        text = html(page.get(reverse(name, args=[workout["id"]])))
        assert re.findall(number, text) == ["W", "1", "W", "2"]


def test_weights_are_shown_in_the_accounts_unit(page, account, log_workout):
    account.units = "lb"
    account.save()
    workout = log_workout(a_set(102.05828325, 5))
    assert "225 lb" in html(page.get(reverse("workout", args=[workout["id"]])))


@pytest.mark.parametrize(
    ("action", "kind"),
    [*product(["", "edit-", "delete-"], ["workout", "routine", "plan"]), ("activate-", "plan")],
)
def test_what_a_stranger_owns_is_not_found(page, stranger_api, kind, action):
    record = stranger_api.post(f"/{kind}s", BODIES[kind]).json()
    address = reverse(f"{action}{kind}", args=[record["id"]])
    assert page.get(address).status_code in (404, 405)
    assert page.post(address, {"name": "Mine", "title": "Mine"}).status_code in (404, 405)
    assert stranger_api.get(f"/{kind}s/{record['id']}").json() == record


@pytest.mark.parametrize("kind", ["workout", "routine"])
def test_rows_of_a_form_change_by_post_alone(page, client, api, kind):
    pk = api.post(f"/{kind}s", BODIES[kind]).json()["id"]
    for address in (reverse(f"new-{kind}-rows"), reverse(f"{kind}-rows", args=[pk])):
        assert page.get(address).status_code == 405
        assert client.get(address).status_code == 302  # to the sign-in, whatever the method


@pytest.mark.parametrize("kind", ["workout", "routine", "plan"])
def test_deleting_asks_first(page, api, account, kind):
    record = api.post(f"/{kind}s", BODIES[kind]).json()
    address = reverse(f"delete-{kind}", args=[record["id"]])
    assert "Keep it" in html(page.get(address))
    assert getattr(account, f"{kind}s").count() == 1
    assert page.post(address).headers["Location"] == reverse(f"{kind}s")
    assert getattr(account, f"{kind}s").count() == 0


def test_a_workout_is_logged_as_over_the_api(page, account):
    sets = [{"weight": "60", "reps": "8", "warmup": "yes"}, {"weight": "100,5", "reps": "5", "rpe": "8.5"}]
    form = a_form(*sets, notes="Felt strong.\r\nSlept well.", **{"e0-superset_id": "A", "e0-notes": "Slow."})
    response = page.post(reverse("log-workout"), form)
    workout = account.workouts.get()
    assert response.headers["Location"] == reverse("workout", args=[workout.pk])
    assert workout.volume_kg == 502.5
    assert workout.notes == "Felt strong.\nSlept well."
    assert workout.duration_seconds == 3600
    entry = workout.exercises.get()
    assert (entry.superset_id, entry.notes, entry.completed_sets) == ("A", "Slow.", 2)


def test_pounds_are_stored_as_kilograms(page, account):
    account.units = "lb"
    account.save()
    page.post(reverse("log-workout"), a_form({"weight": "225", "reps": "5"}))
    assert account.workouts.get().volume_kg == 5 * 102.05828325


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_hidden_weight_is_kept_in_every_language(page, api, account, language, log_workout):
    """Kilograms that the pounds on the page round, and that would be ambiguous if somebody typed them."""
    workout = log_workout({"weight_kg": 61.235, "reps": 5})
    account.language, account.units = language, "lb"
    account.save()
    address = reverse("edit-workout", args=[workout["id"]])
    page.post(address, fields_in(html(page.get(address))) | {"notes": "Again"})
    stored = api.get(f"/workouts/{workout['id']}").json()
    assert stored["notes"] == "Again"
    assert [one["weight_kg"] for one in stored["exercises"][0]["sets"]] == [61.235]


def test_an_editor_shows_and_takes_decimal_commas(page, account, log_workout):
    account.language = "de"
    account.save()
    address = reverse("edit-workout", args=[log_workout(a_set(80, 5))["id"]])
    fields = fields_in(html(page.get(address)))
    page.post(address, {**fields, "e0s0-weight": "82,5", "e0s0-rpe": "8,5"})
    assert sets_of(account.workouts.get()) == [[a_stored_set(82.5, 5, rpe=8.5)]]
    shown = fields_in(html(page.get(address)))
    assert (shown["e0s0-weight"], shown["e0s0-rpe"]) == (["82,5"], ["8,5"])


@pytest.mark.parametrize(("language", "typed"), [("en", "1,125"), ("de", "1.125"), ("fr", "1.125")])
def test_a_weight_that_may_be_a_thousand_times_as_much_is_not_stored(page, account, language, typed):
    account.language = language
    account.save()
    assert page.post(reverse("log-workout"), a_form({"weight": typed, "reps": "5"})).status_code == 200
    assert account.workouts.count() == 0


def test_a_form_sent_twice_makes_one_workout_and_counts_its_routine_once(page, account, routine):
    address = f"{reverse('log-workout')}?routine={routine.pk}"
    form = a_form(form=sign_form_id(page, address), routine=str(routine.pk))
    for _ in range(2):
        response = page.post(reverse("log-workout"), form)
        assert response.status_code == 302
    workout = account.workouts.get()
    assert workout.created_at == workout.updated_at
    routine.refresh_from_db()
    assert routine.use_count == 1


def test_a_form_that_is_changed_and_sent_again_changes_its_workout(page, account):
    form = a_form(form=sign_form_id(page, reverse("log-workout")))
    page.post(reverse("log-workout"), form)
    page.post(reverse("log-workout"), {**form, "title": "Pull"})
    assert account.workouts.get().title == "Pull"


def test_a_form_sealed_for_another_account_makes_a_new_workout(page, account, stranger):
    other = Client()
    other.force_login(stranger)
    form = a_form(form=sign_form_id(other, reverse("log-workout")))
    assert other.post(reverse("log-workout"), form).status_code == 302
    assert page.post(reverse("log-workout"), form).status_code == 302
    assert Workout.objects.count() == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"e0s0-reps": "five"}, "Enter whole repetitions, from 0 to 10,000."),
        ({"e0s0-reps": "1,000"}, "Enter whole repetitions, from 0 to 10,000."),
        ({"e0s0-weight": ""}, "Enter a weight from 0 to 2,000 kg; 0 for body weight alone."),
        ({"e0s0-weight": "nan"}, "Enter a weight from 0 to 2,000 kg"),
        ({"e0s0-weight": "2001"}, "Enter a weight from 0 to 2,000 kg"),
        ({"e0s0-rpe": "11"}, "Enter a number from 0 to 10, or nothing."),
        ({"started_at": "yesterday"}, "Enter a date and a time."),
        ({"started_at": ""}, "Enter a date and a time."),
        ({"duration": ""}, "Enter minutes, from 0 to 10,080."),
        ({"duration": "99999"}, "Enter minutes, from 0 to 10,080."),
        ({"title": "x" * 201}, "no more than 200 characters"),
        ({"e0-notes": "x" * 5001}, "no more than 5000 characters"),
        ({"e0-exercise_id": "no-such-thing"}, "there is no exercise"),
        ({"plan_id": "0198e0a0-0000-7000-8000-000000000000"}, "must be the id of one of your plans"),
    ],
)
def test_an_error_is_shown_beside_its_field_and_nothing_typed_is_lost(page, account, change, message):
    form = {**a_form({"weight": "87.5", "reps": "5", "rpe": "8"}), "notes": "Felt strong.", **change}
    text = html(page.post(reverse("log-workout"), form))
    assert message in text
    assert "Nothing is saved yet" in text
    assert 'aria-invalid="true"' in text or "exercise_id" in "".join(change)
    kept = fields_in(text)
    sent = {name: value for name, value in form.items() if name != "plan_id"}
    assert all(kept[name] in (value, [value]) for name, value in sent.items() if name != "e0-sets"), kept
    assert account.workouts.count() == 0


def test_a_row_without_anything_in_it_is_left_out(page, account):
    page.post(reverse("log-workout"), a_form({"weight": "100", "reps": "5"}, {"weight": "", "reps": ""}))
    assert account.workouts.get().exercises.get().completed_sets == 1


def test_text_that_a_database_rejects_is_harmless(page, account):
    response = page.post(reverse("log-workout"), a_form(title="a\0b", **{"e0-exercise_id": f"{BENCH}\0"}))
    assert response.status_code == 302
    assert account.workouts.get().title == "ab"


def test_a_long_workout_is_edited_and_one_beyond_measure_is_not(page, log_workout):
    long = [{"exercise_id": BENCH, "sets": [a_set()] * 100}] * 4
    workout = log_workout(exercises=long)
    address = reverse("edit-workout", args=[workout["id"]])
    fields = {**fields_in(html(page.get(address))), "title": "Long"}
    assert page.post(address, fields).headers["Location"] == reverse("workout", args=[workout["id"]])
    beyond = log_workout(exercises=long * 6)
    address = reverse("edit-workout", args=[beyond["id"]])
    assert "only be edited over the API" in html(page.get(address, follow=True))


@pytest.mark.parametrize("units", ["kg", "lb"])
def test_saving_a_form_that_nobody_changed_changes_nothing(page, api, account, log_workout, units):
    account.units = units
    account.save()
    sets = [
        a_set(102.05828325, 5, rpe=8.5),
        a_set(33.3333333, 8, completed=False),
        a_set(type="warmup", rpe=7.123456789012345),
    ]
    workout = log_workout(*sets, title="Odd", started_at="2026-03-02T17:30:12.345678Z", duration_seconds=3725)
    address = reverse("edit-workout", args=[workout["id"]])
    assert page.post(address, fields_in(html(page.get(address)))).status_code == 302
    assert api.get(f"/workouts/{workout['id']}").json() == workout


def test_editing_a_weight_leaves_the_others_as_they_were(page, api, account, log_workout):
    account.units = "lb"
    account.save()
    workout = log_workout(a_set(33.3333333, 5), a_set(44.4444444, 5))
    address = reverse("edit-workout", args=[workout["id"]])
    page.post(address, {**fields_in(html(page.get(address))), "e0s1-weight": "100"})
    sets = api.get(f"/workouts/{workout['id']}").json()["exercises"][0]["sets"]
    assert [one["weight_kg"] for one in sets] == [33.3333333, 45.359237]


def test_editing_keeps_the_name_of_a_plan_that_is_gone(page, api, log_workout, plan):
    workout = log_workout(plan_id=str(plan.pk))
    plan.remove()
    address = reverse("edit-workout", args=[workout["id"]])
    page.post(address, {**fields_in(html(page.get(address))), "title": "Renamed"})
    stored = api.get(f"/workouts/{workout['id']}").json()
    assert (stored["title"], stored["plan_id"], stored["plan_name"]) == ("Renamed", None, "Five by five")


def form_of(page, routine):
    """The fields of the form that logs a routine, as a browser without scripts has them."""
    return fields_in(html(page.get(reverse("log-workout"), {"routine": routine.pk})))


def sets_in(fields, token="e0"):
    """(weight, reps, warm-up) of each set in the fields of a form."""
    return [
        (fields[f"{one}-weight"][0], fields[f"{one}-reps"][0], f"{one}-warmup" in fields)
        for one in fields[f"{token}-sets"]
    ]


DONE = (
    a_set(60, 8, type="warmup"),
    a_set(100, 5, rpe=9),
    a_set(102.5, 3),
    a_set(105, 0),
    a_set(110, 1, completed=False),
)
DONE_AGAIN = [("60", "8", True), ("100", "5", False), ("102.5", "3", False)]


def test_an_exercise_that_is_added_has_the_sets_of_last_time(page, account, log_workout):
    log_workout(*DONE, started_at="2026-03-02T10:00:00Z")
    entry = html(page.get(reverse("workout-entry", args=[BENCH])))
    assert "These are its sets. Change what was different." in entry
    assert 'aria-label="Done"' not in entry  # all of them were
    rows = page.post(reverse("new-workout-rows"), {**a_form(), "add-exercise": f"exercises {BENCH}"})
    for fields in (fields_in(entry), fields_in(html(rows))):
        token = fields["exercises"][-1]
        assert sets_in(fields, token) == DONE_AGAIN
        assert [fields[f"{one}-rpe"] for one in fields[f"{token}-sets"]] == [[""]] * 3
    fields = fields_in(html(page.get(reverse("log-workout"), {"exercise": BENCH})))
    page.post(reverse("log-workout"), fields)
    assert account.workouts.latest("created_at").volume_kg == 500 + 307.5
    never = html(page.get(reverse("workout-entry", args=["chin-up"])))
    assert "Change what was different" not in never
    assert never.count("data-set ") == 1


def test_an_earlier_workout_is_copied_to_another_date(page, account, plan, log_workout):
    planks = {"exercise_id": "plank", "notes": "Shaky.\nSet 1: 90 s\nSet 2: 60 s", "sets": []}
    bench = {"exercise_id": BENCH, "superset_id": "A", "notes": "Slow.", "sets": list(DONE)}
    body = {"title": "Push", "notes": "Slept badly.", "plan_id": str(plan.pk), "duration_seconds": 4193}
    earlier = log_workout(exercises=[bench, planks], started_at="2026-03-02T10:00:00Z", **body)
    assert f"?workout={earlier['id']}" in html(page.get(reverse("log-workout")))
    shown = html(page.get(reverse("workout", args=[earlier["id"]])))
    assert f"/workouts/new?workout={earlier['id']}" in shown
    text = html(page.get(reverse("log-workout"), {"workout": earlier["id"]}))
    assert "These are the sets of 2 Mar. Change what was different." in text
    fields = fields_in(text)
    assert sets_in(fields) == DONE_AGAIN
    assert (fields["title"], fields["duration"], fields["notes"]) == (["Push"], ["70"], "")
    began = timezone.localtime() - timezone.timedelta(minutes=70)
    assert fields["started_at"] == [f"{began:%Y-%m-%dT%H:%M}"]
    page.post(reverse("log-workout"), {**fields, "started_at": "2026-11-20T18:30"})
    copy = account.workouts.latest("created_at")
    assert (copy.title, copy.plan_id, copy.started_at.day) == ("Push", None, 20)
    done = copy.exercises.order_by("position").values_list("notes", "superset_id", "completed_sets")
    assert list(done) == [("", "A", 3), ("Set 1: 90 s\nSet 2: 60 s", None, 0)]


def test_the_newest_workout_of_each_title_is_offered_to_copy(page, stranger_api, log_workout):
    for day, title in enumerate(["Push", "Pull", "Push", ""], 1):
        log_workout(title=title, started_at=f"2026-03-0{day}T10:00:00Z")
    text = html(page.get(reverse("log-workout")))
    offered = re.findall(r'\?workout=[^"]*"><bdi>(.*?)</bdi>&nbsp;<small>(.*?)<', text)
    assert offered == [("Workout", "4 Mar"), ("Push", "3 Mar"), ("Pull", "2 Mar")]
    other = stranger_api.post("/workouts", a_workout()).json()
    assert page.get(reverse("log-workout"), {"workout": other["id"]}).status_code == 404


def placeholders_in(text):
    return re.findall(r'name="(?:\w+)-(?:weight|reps)"[^>]*placeholder="([^"]*)"', text)


def sets_of(workout):
    return [json.loads(entry.sets) for entry in workout.exercises.order_by("position")]


def a_stored_set(weight_kg, reps, completed=True, kind="working", rpe=None):
    return {"type": kind, "weight_kg": weight_kg, "reps": reps, "completed": completed, "rpe": rpe}


def test_a_routine_suggests_its_sets_and_fills_in_none(page, routine):
    text = html(page.get(reverse("log-workout"), {"routine": routine.pk}))
    fields = fields_in(text)
    assert fields["title"] == ["Heavy"]
    assert fields["e0-sets"] == ["e0s0", "e0s1", "e0s2"]
    assert placeholders_in(text) == ["92.5", "5"] * 3
    assert (fields["e0s2-weight"], fields["e0s2-reps"]) == ([""], [""])
    assert "e0s2-completed" not in fields
    assert (fields["e0-notes"], fields["e0-planned_note"]) == ("", ["Pause."])


def test_a_routine_suggests_what_was_done_last_time(page, account, routine, log_workout):
    log_workout(a_set(60, 8, type="warmup"), a_set(135, 5), a_set(130, 6), a_set(200, 1, completed=False))
    text = html(page.get(reverse("log-workout"), {"routine": routine.pk}))
    assert placeholders_in(text) == ["135", "5", "130", "6", "130", "6"]
    account.units = "lb"
    account.save()
    text = html(page.get(reverse("log-workout"), {"routine": routine.pk}))
    assert placeholders_in(text)[:2] == ["297.6", "5"]


def test_a_load_that_nobody_knows_is_not_suggested(page, account, routine):
    routine.exercises[0]["weight_kg"] = 0
    routine.save()
    text = html(page.get(reverse("log-workout"), {"routine": routine.pk}))
    assert placeholders_in(text) == ["", "5"] * 3
    form = {**fields_in(text), "e0s0-completed": "yes"}
    assert "Enter a weight from 0" in html(page.post(reverse("log-workout"), form))
    assert not account.workouts.exists()


def test_of_a_template_what_was_ticked_or_typed_is_saved_and_nothing_else(page, account, routine):
    form = {**form_of(page, routine), "e0s0-completed": "yes", "e0s2-weight": "95"}
    assert page.post(reverse("log-workout"), form).status_code == 302
    assert sets_of(account.workouts.get()) == [[a_stored_set(92.5, 5), a_stored_set(95, 5)]]


def test_a_tick_that_was_taken_back_with_a_script_is_not_completed(page, account, routine):
    form = {**form_of(page, routine), "e0s0-weight": "95", "e0s0-reps": "4", "e0s0-typed_is_done": ""}
    page.post(reverse("log-workout"), form)
    assert sets_of(account.workouts.get()) == [[a_stored_set(95, 4, completed=False)]]


def test_a_template_of_which_nothing_was_done_is_not_saved(page, account, routine):
    text = html(page.post(reverse("log-workout"), form_of(page, routine)))
    assert "Nothing is saved. Tick the sets that you did, or type their numbers." in text
    assert placeholders_in(text) == ["92.5", "5"] * 3
    assert not account.workouts.exists()
    routine.refresh_from_db()
    assert routine.use_count == 0


def test_an_exercise_that_was_not_done_is_left_out_unless_somebody_noted_why(page, account, routine):
    chin_up = {"exercise_id": "chin-up", "equipment": "Bodyweight", "sets": 1, "reps": 8, "weight_kg": 0}
    routine.exercises += [{**routine.exercises[0], **chin_up}, routine.exercises[0]]
    routine.save()
    form = {**form_of(page, routine), "e1s0-completed": "yes", "e2-notes": "The bench was taken."}
    page.post(reverse("log-workout"), form)
    workout = account.workouts.get()
    assert sets_of(workout) == [[a_stored_set(0, 8)], []]
    assert workout.exercises.get(position=1).notes == "The bench was taken."


def test_a_suggestion_stays_one_through_changes_of_rows_and_errors(page, account, routine):
    form = {**form_of(page, routine), "e0s1-completed": "yes", "add-set": "e0"}
    text = html(page.post(reverse("new-workout-rows"), form))
    assert placeholders_in(text) == ["92.5", "5"] * 4
    assert "data-unsaved" in text
    fields = {**fields_in(text), "duration": "long"}
    text = html(page.post(reverse("log-workout"), fields))
    assert "Enter minutes" in text
    page.post(reverse("log-workout"), {**fields_in(text), "duration": "50"})
    assert sets_of(account.workouts.get()) == [[a_stored_set(92.5, 5)]]


def test_a_suggestion_that_is_no_number_is_reported(page, account, routine):
    for odd in ("nan", "inf", "heavy"):
        form = {**form_of(page, routine), "e0s0-completed": "yes", "e0s0-suggested_kg": odd}
        assert "Enter a weight from 0" in html(page.post(reverse("log-workout"), form))
    assert not account.workouts.exists()


def test_a_day_of_a_plan_fills_in_its_name_and_plan(page, plan):
    fields = fields_in(html(page.get(reverse("log-workout"), {"plan": plan.pk, "day": 1})))
    assert (fields["title"], fields["plan_id"]) == (["Push"], str(plan.pk))


def test_a_strangers_routine_starts_nothing(page, stranger):
    routine = stranger.routines.create(name="Theirs", exercises=[])
    assert page.get(reverse("log-workout"), {"routine": routine.pk}).status_code == 404
    page.post(reverse("log-workout"), a_form(routine=str(routine.pk)))
    routine.refresh_from_db()
    assert routine.use_count == 0


@pytest.mark.parametrize(
    ("button", "tokens"),
    [
        ({"drop-exercise": "e0"}, ["e1"]),
        ({"raise-exercise": "e1"}, ["e1", "e0"]),
        ({"lower-exercise": "e0"}, ["e1", "e0"]),
        ({"lower-exercise": "e1"}, ["e0", "e1"]),
        ({"drop-exercise": "nonsense"}, ["e0", "e1"]),
    ],
)
def test_exercises_come_and_go_without_scripts(page, button, tokens):
    second = rows_of([{"weight": "0", "reps": "8"}], "e1", "chin-up")
    form = {**a_form(), **second, "exercises": ["e0", "e1"], **button}
    assert fields_in(html(page.post(reverse("new-workout-rows"), form)))["exercises"] == tokens


def test_sets_come_and_go_without_scripts(page):
    fields = fields_in(html(page.post(reverse("new-workout-rows"), a_form(**{"add-set": "e0"}))))
    first, second = fields["e0-sets"]
    assert fields[f"{second}-weight"] == ["100"]
    fields = fields_in(html(page.post(reverse("new-workout-rows"), {**fields, "drop-set": first})))
    assert fields["e0-sets"] == [second]


def test_an_exercise_is_found_and_added_without_scripts(page, account):
    form = a_form(**{"search": "exercises", "exercises-search": "chin"})
    text = html(page.post(reverse("new-workout-rows"), form))
    assert 'value="exercises chin-up"' in text
    fields = fields_in(
        html(page.post(reverse("new-workout-rows"), a_form(**{"add-exercise": "exercises chin-up"})))
    )
    assert len(fields["exercises"]) == 2
    assert account.workouts.count() == 0


def planned_rows(name="exercises", token="e0", **fields):
    target = {"exercise_id": BENCH, "sets": "3", "reps": "5", "weight": "92.5", "note": "", **fields}
    return {name: token, **{f"{token}-{key}": value for key, value in target.items()}}


def test_a_routine_is_made_once_and_changed(page, account):
    form = {
        "form": sign_form_id(page, reverse("create-routine")),
        "name": "Heavy",
        "focus": "",
        **planned_rows(),
    }
    for _ in range(2):
        page.post(reverse("create-routine"), form)
    routine = account.routines.get()
    assert routine.exercises[0]["weight_kg"] == 92.5
    page.post(reverse("edit-routine", args=[routine.pk]), {**form, "name": "Heavier"})
    routine.refresh_from_db()
    assert routine.name == "Heavier"
    assert "Heavier" in html(page.get(reverse("routine", args=[routine.pk])))


def test_the_catalogue_is_narrowed_down(page):
    text = html(page.get(reverse("exercises"), {"q": "press bench", "equipment": "Barbell"}))
    assert reverse("exercise", args=[BENCH]) in text
    assert reverse("exercise", args=["dumbbell-bench-press"]) not in text
    assert "Nothing matches" in html(page.get(reverse("exercises"), {"q": "no such thing"}))


def test_an_unknown_choice_of_a_filter_is_reported(page):
    assert "Select a valid choice" in html(page.get(reverse("exercises"), {"level": "divine"}))


def test_pages_of_the_catalogue_keep_the_filter(page):
    text = html(page.get(reverse("exercises"), {"muscle_group": "Legs"}))
    following = re.search(r'href="(\?[^"]*cursor=[^"]+)"', text)[1].replace("&amp;", "&")
    names = re.findall(
        r'<span class="badge">([^<]+)</span>', html(page.get(reverse("exercises") + following))
    )
    assert set(names) == {"Legs"}


def test_an_exercise_shows_its_muscles_and_what_to_do_first(page):
    text = html(page.get(reverse("exercise", args=[BENCH])))
    assert "<title>Muscles worked: Chest; also Arms, Shoulders</title>" in text
    assert "You have not done this yet" in text
    assert page.get(reverse("exercise", args=["no-such-thing"])).status_code == 404


def test_an_exercise_shows_progress_with_personal_records_marked(page, api, log_workout):
    now = timezone.now()
    for days_ago, weight_kg in [(300, 90), (200, 100), (10, 95)]:
        log_workout(a_set(weight_kg, 5), started_at=(now - timezone.timedelta(days=days_ago)).isoformat())
    log_workout(a_set(200, 5, completed=False), started_at=now.isoformat())
    address = reverse("exercise", args=[BENCH])
    text = html(page.get(address, {"range": "1y"}))
    assert len(marked(text)) == 2
    assert "A ring marks a record" in text
    assert text.count("badge-record") == 1 + 2  # in the list of sessions and in the table of the chart
    assert text.count("First time") == 1
    session = api.get(f"/exercises/{BENCH}/history").json()["sessions"][2]
    assert session["best_set"]["estimated_1rm_kg"] == 116.7
    assert "116.7 kg" in text
    text = html(page.get(address, {"range": "3m"}))
    assert (marked(text), "A ring marks" in text) == ([], False)


def marked(text):
    """The times of the points of a page's first chart that are records."""
    drawing = json.loads(re.search(r'<script type="application/json">(.*?)</script>', text)[1])
    return [time for series in drawing["series"] for time in series["marked"]]


@pytest.fixture
def every_screen(api, account, log_workout):
    """Addresses of all screens, of an account whose every text holds markup."""
    entry = {"exercise_id": BENCH, "sets": 3, "reps": 5, "weight_kg": 100, "note": MARKUP}
    sets = {"exercise_id": BENCH, "notes": MARKUP, "superset_id": MARKUP, "sets": [a_set()]}
    routine = api.post("/routines", {"name": MARKUP, "focus": MARKUP, "exercises": [entry]}).json()
    days = [{"weekday": 1, "label": MARKUP, "focus": MARKUP, "exercises": [entry]}, *WEEK[1:]]
    body = {"name": MARKUP, "summary": MARKUP, "progression": MARKUP, "days": days}
    plan = api.post("/plans", body).json()
    api.put(f"/plans/{plan['id']}", {**body, "active": True})
    workout = log_workout(title=MARKUP, notes=MARKUP, plan_id=plan["id"], exercises=[sets])
    return [
        *map(reverse, [*LISTS, *FORMS]),
        reverse("exercise", args=[BENCH]),
        f"{reverse('exercises')}?q={MARKUP}",
        f"{reverse('exercise-suggestions')}?q={MARKUP}",
        f"{reverse('log-workout')}?routine={routine['id']}",
        f"{reverse('log-workout')}?plan={plan['id']}&day=1",
        *(
            reverse(f"{action}{kind}", args=[record["id"]])
            for kind, record in [("workout", workout), ("routine", routine), ("plan", plan)]
            for action in ["", "edit-", "delete-"]
        ),
    ]


def test_markup_in_every_text_is_inert(page, every_screen):
    for address in every_screen:
        text = html(page.get(address))
        assert "<script>alert" not in text, address
        assert "<style" not in text, address
        assert not re.search(r"<[^>]+ (style|on\w+)=", text), address


def test_right_to_left_marks_stay_inside_their_own_text(page, every_screen):
    """An override ends with its element where that is a block, a field, or isolates as bdi does."""
    inert = r"<(bdi|option|textarea|title|h2|p|dd|dt|li|label|td|th)\b[^>]*>[^<]*(<br>[^<]*)*\u202e"
    for address in every_screen:
        text = re.sub(r"<[^>]*>", lambda tag: tag[0].replace("\u202e", ""), html(page.get(address)))
        assert len(re.findall(inert, text)) == text.count("\u202e"), (
            address,
            re.findall(".{90}\u202e", text),
        )


def test_every_screen_has_one_heading_and_a_label_for_every_field(page, every_screen):
    for address in every_screen:
        text = html(page.get(address))
        assert text.count("<h1") == (0 if "suggestions" in address else 1), address
        for tag in re.findall(r"<(?:input|select|textarea)\b[^>]*>", text):
            if 'type="hidden"' not in tag and "aria-label=" not in tag:
                name = re.search(r'\bid="([^"]+)"', tag)
                inside = re.search(rf"<label[^>]*>[^<]*(<span[^>]*>[^<]*</span>)?\s*{re.escape(tag)}", text)
                assert inside or f'for="{name[1]}"' in text, (address, tag)


def test_a_screen_takes_as_many_statements_however_much_there_is(
    page, api, account, log_workout, routine, plan
):
    def counted():
        record = account.workouts.order_by("started_at").last()
        addresses = [
            *map(reverse, [*LISTS, *FORMS]),
            reverse("exercise", args=[BENCH]),
            reverse("workout", args=[record.pk]),
            reverse("edit-workout", args=[record.pk]),
            reverse("plan", args=[plan.pk]),
            reverse("edit-plan-day", args=[plan.pk, 1]),
        ]
        counts = {}
        for address in addresses:
            page.get(address)
            with statements() as run:
                page.get(address)
            counts[re.sub(r"[0-9a-f-]{36}", "…", address)] = len(run)
        return counts

    for month in (1, 2):
        log_workout(a_set(), started_at=f"2026-0{month}-01T09:00:00Z")
    held = {"exercise_id": "plank", "sets": [], "notes": "60 s"}  # the longest times take a statement
    log_workout(exercises=[held], started_at="2026-01-02T09:00:00Z")
    few = counted()
    ids = Exercise.objects.values_list("pk", flat=True)[:10]
    exercises = [{"exercise_id": pk, "sets": [a_set()] * 5} for pk in [*ids, BENCH]]
    for day in range(1, 20):
        log_workout(exercises=exercises, started_at=f"2026-02-{day:02}T10:00:00Z")
        account.routines.create(name="More", exercises=routine.exercises)
        api.post("/plans", {"name": "More", "days": WEEK})
    assert counted() == few
    assert max(few.values()) <= 12


@pytest.fixture
def lifted(log_workout):
    """A workout with warm-ups, a set that was not done, and an exercise without a completed one."""
    bench = [
        a_set(60, 8, type="warmup"),
        a_set(100, 5),
        a_set(102.5, 3),
        a_set(95, 5),
        a_set(95, 3),
        a_set(140, 9, completed=False),
    ]
    entries = [
        {"exercise_id": BENCH, "notes": "Slow.", "sets": bench},
        {"exercise_id": "barbell-deadlift", "sets": [a_set(180, 1, completed=False)]},
        {"exercise_id": "chin-up", "sets": [a_set(0, 8)]},
    ]
    return log_workout(title="Push", exercises=entries)


def test_a_workout_becomes_a_routine_once_somebody_saves_it(page, account, lifted):
    text = html(page.get(reverse("create-routine"), {"workout": lifted["id"]}))
    assert "With the numbers of “<bdi>Push</bdi>”. Nothing is saved yet." in text
    assert not account.routines.exists()
    page.post(reverse("create-routine"), fields_in(text))
    routine = account.routines.get()
    assert routine.name == "Push"
    columns = ("exercise_id", "sets", "reps", "weight_kg", "note")
    assert [tuple(entry[column] for column in columns) for entry in routine.exercises] == [
        (BENCH, 4, 5, 102.5, "Slow."),
        ("chin-up", 1, 8, 0, ""),
    ]


def test_a_routine_takes_the_numbers_of_a_workout_once_somebody_saves_it(page, account, routine, lifted):
    light = {**routine.exercises[0], "weight_kg": 60, "note": "Light."}
    row = {**routine.exercises[0], "exercise_id": "bent-over-barbell-row"}
    routine.exercises += [row, light]
    routine.save()
    address = reverse("edit-routine", args=[routine.pk])
    page.post(address, fields_in(html(page.get(address, {"workout": lifted["id"]}))))
    routine.refresh_from_db()
    assert routine.name == "Heavy"
    columns = ("exercise_id", "sets", "reps", "weight_kg", "note")
    assert [tuple(entry[column] for column in columns) for entry in routine.exercises] == [
        (BENCH, 4, 5, 102.5, "Pause."),
        ("bent-over-barbell-row", 3, 5, 92.5, "Pause."),
        (BENCH, 3, 5, 60, "Light."),
        ("chin-up", 1, 8, 0, ""),
    ]


PLANK, TREADMILL = "plank", "treadmill-running"


@pytest.fixture
def timed_workout(log_workout):
    """A workout of times and distances alone."""
    entries = [
        {"exercise_id": PLANK, "notes": "Shaky.\nSet 1: 90 s\nSet 2: 60 s, 10 kg", "sets": []},
        {"exercise_id": TREADMILL, "notes": "1800 s, 5.2 km", "sets": []},
        {"exercise_id": "chin-up", "notes": "Elbow: left out.", "sets": []},
    ]
    return log_workout(title="Core", exercises=entries)


def test_times_and_distances_of_a_workout_become_notes_of_a_routine(page, account, timed_workout):
    text = html(page.get(reverse("create-routine"), {"workout": timed_workout["id"]}))
    assert "0 sets" not in text
    assert "Last time, 2 Mar: 1:30 · 1:00, 10 kg" in text
    page.post(reverse("create-routine"), fields_in(text))
    routine = account.routines.get()
    columns = ("exercise_id", "sets", "reps", "weight_kg", "note")
    assert [tuple(entry[column] for column in columns) for entry in routine.exercises] == [
        (PLANK, 2, 1, 0, "Shaky.\nSet 1: 90 s\nSet 2: 60 s, 10 kg"),
        (TREADMILL, 1, 1, 0, "1800 s, 5.2 km"),
    ]
    for address in ("routine", "edit-routine"):
        assert "0 sets" not in html(page.get(reverse(address, args=[routine.pk])))


def test_a_routine_takes_the_times_of_a_workout_beside_its_own_remarks(page, routine, timed_workout):
    routine.exercises[0] |= {"exercise_id": PLANK, "note": "Breathe.\n45 s"}
    routine.save()
    address = reverse("edit-routine", args=[routine.pk])
    page.post(address, fields_in(html(page.get(address, {"workout": timed_workout["id"]}))))
    routine.refresh_from_db()
    assert [(entry["sets"], entry["note"]) for entry in routine.exercises] == [
        (2, "Breathe.\nSet 1: 90 s\nSet 2: 60 s, 10 kg"),
        (1, "1800 s, 5.2 km"),
    ]


def test_a_strangers_workout_becomes_no_routine(page, stranger_api, routine):
    theirs = stranger_api.post("/workouts", a_workout(a_set())).json()["id"]
    for address in (reverse("create-routine"), reverse("edit-routine", args=[routine.pk])):
        assert page.get(address, {"workout": theirs}).status_code == 404


def test_workouts_routines_and_days_of_plans_start_from_their_screens(page, routine, plan, log_workout):
    workout = log_workout(a_set(), title="Push")
    day = {"plan": str(plan.pk), "day": "1"}
    for address, button, started in [
        (reverse("workouts"), "Repeat", {"workout": workout["id"]}),
        (reverse("workout", args=[workout["id"]]), "Repeat", {"workout": workout["id"]}),
        (reverse("routines"), "Start", {"routine": str(routine.pk)}),
        (reverse("routine", args=[routine.pk]), "Start", {"routine": str(routine.pk)}),
        (reverse("plan", args=[plan.pk]), "Start", day),
    ]:
        assert forms_of(html(page.get(address)), button) == [started], address


def test_beside_each_start_is_the_form_for_afterwards(page, routine, plan):
    for address, query in [
        (reverse("routines"), f"routine={routine.pk}"),
        (reverse("routine", args=[routine.pk]), f"routine={routine.pk}"),
        (reverse("plan-day", args=[plan.pk, 1]), f"plan={plan.pk}&amp;day=1"),
    ]:
        text = html(page.get(address))
        assert re.search(rf'<a [^>]*href="/workouts/new\?{re.escape(query)}"[^>]*>Log</a>', text), address


def test_a_workout_leads_to_a_routine_of_it(page, log_workout):
    workout = log_workout(a_set())
    text = html(page.get(reverse("workout", args=[workout["id"]])))
    assert f'href="/routines/new?workout={workout["id"]}">Save as routine</a>' in text


def test_as_many_sets_as_last_time_are_as_much_volume(page, log_workout):
    """Also where they are more than a page shows of a session."""
    exercises = [{"exercise_id": "barbell-bench-press", "sets": [a_set(20, 10)] * 60}] * 2
    log_workout(exercises=exercises)
    later = log_workout(exercises=exercises, started_at="2026-03-09T17:30:00Z")
    (compared,) = page.get(f"/train/finished/{later['id']}").context["exercises"]
    assert compared["change"]["volume_kg"] == 0
