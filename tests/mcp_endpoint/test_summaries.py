"""The summaries of tools, word for word: the figures by which a mistake is noticed."""

import jsonschema
import pytest

from mcp_endpoint.tools import TOOLS
from tests.conftest import a_set, a_workout
from tests.factories import AccountFactory
from tests.mcp_endpoint.conftest import ToolClient, client_of
from tests.mcp_endpoint.test_tools import BENCH, DAY, NOON, READ_TOOLS, a_plan

NOW = "2026-11-20T23:45:00Z"
ROW = "bent-over-barbell-row"
TOTALS = {"calories": 2450, "protein_g": 172, "carbs_g": 260.5, "fat_g": 74}


@pytest.fixture(autouse=True)
def one_evening(time_machine):
    time_machine.move_to(NOW, tick=False)


@pytest.fixture
def era():
    return "modern"


@pytest.fixture
def say(tools, era):
    """Calls a tool; returns the first text of its result."""

    def call(name, /, **arguments):
        params = {"name": name, "arguments": arguments}
        result = getattr(tools, era)("tools/call", params).json()["result"]
        assert result["isError"] is False, result
        return result["content"][0]["text"]

    return call


def push(*sets, started_at="2026-11-20T23:30:00Z", **fields):
    """A workout of two exercises."""
    workout = a_workout(
        a_set(60, 8, type="warmup"), *sets, started_at=started_at, **{"title": "Push"} | fields
    )
    workout["exercises"].append({"exercise_id": ROW, "sets": [a_set(70, 10), a_set(70, 9), a_set(70, 8)]})
    return workout


# --- A conversation -----------------------------------------------------------------------------


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_a_conversation_in_which_everything_goes_wrong_that_can(say, tools, account):
    before = say("log_workout", **push(a_set(95, 5), started_at="2026-11-17T18:00:00Z"))
    assert before == "Push, 17 Nov 18:00 UTC: 2 exercises, 5 sets, 2,365 kg saved."
    logged = tools.call("log_workout", push(a_set(100, 5), a_set(97.5, 5)))
    assert logged["content"][0]["text"] == (
        "Push, 20 Nov 23:30 UTC: 2 exercises, 6 sets, 2,877.5 kg saved. "
        "New record: Barbell Bench Press 100 kg × 5."
    )

    corrected = push(a_set(102.5, 5), id=logged["structuredContent"]["id"])
    assert say("log_workout", **corrected) == (
        "Push, 20 Nov 23:30 UTC: 2 exercises, 5 sets, 2,402.5 kg saved. "
        "New record: Barbell Bench Press 102.5 kg × 5. "
        "There is already a workout at this moment: Push, 6 sets. "
        "Saved as a new workout; id was ignored. Corrections are made in the app or by update tools."
    )

    assert say("log_workout", **push(a_set(102.5, 5))) == (
        "Push, 20 Nov 23:30 UTC: 2 exercises, 5 sets, 2,402.5 kg saved. "
        "There is already a workout at this moment: Push, 5 sets."
    )

    assert say("log_weight", weight_kg=82.4, logged_at="2026-11-19T07:00:00Z") == (
        "82.4 kg saved for 19 Nov; there was none before."
    )
    assert (
        say("log_weight", weight_kg=180) == "180.0 kg saved for 20 Nov; the log before was 82.4 kg (19 Nov)."
    )

    assert say("set_goal", target_weight_kg=76, deadline="2027-03-01") == (
        "Goal set: 76.0 kg, no body fat target, by 1 March 2027. It starts from 180.0 kg."
    )
    assert say("set_goal", target_weight_kg=75) == (
        "Goal set: 75.0 kg (76.0 kg before), no body fat target, no deadline; "
        "the goal before had 1 March 2027. It starts from 180.0 kg."
    )
    assert say("set_goal") == (
        "Goal set, but it has no target: no target weight, no body fat target, no deadline; "
        "the goal before had 75.0 kg. It starts from 180.0 kg."
    )


def test_a_conversation_about_a_plan(say, tools):
    assert say("create_training_plan", **a_plan(active=True)) == (
        'Training plan "Week" saved: 1 training day a week, 1 exercise. It is the active plan now.'
    )
    assert say("get_training_plan", plan_id="active") == (
        'Training plan "Week", active: 1 training day a week, 1 exercise.'
    )
    followed = tools.get("log_workout", **push(started_at="2026-11-20T20:00:00Z", plan_id="active"))
    assert followed["plan_name"] == "Week"

    assert say("list_workouts", detail="brief") == "1 workout shown, 20 Nov. That is all."


# --- Writing ------------------------------------------------------------------------------------

LOGGED = "Push, 20 Nov 23:30 UTC: 2 exercises, {} saved."


def test_the_first_session_with_an_exercise_beats_no_record(say):
    assert say("log_workout", **push(a_set())) == LOGGED.format("5 sets, 2,390 kg")


@pytest.mark.parametrize(
    ("sets", "record"),
    [
        ([a_set(100, 5)], ""),
        ([a_set(100, 6)], " New record: Barbell Bench Press 100 kg × 6."),
        ([a_set(99, 12)], ""),
        ([a_set(110, 1, type="warmup")], ""),
        ([a_set(110, 1, completed=False)], ""),
        ([a_set(101, 1), a_set(102.25, 1), a_set(90, 9)], " New record: Barbell Bench Press 102.25 kg × 1."),
        (
            [a_set(300, 80)],
            " More than 1.5 times the best: Barbell Bench Press 300 kg (the best so far is 100 kg).",
        ),
    ],
)
def test_a_record_is_heavier_or_as_heavy_for_more_repetitions(say, sets, record):
    say("log_workout", **a_workout(a_set(100, 5)))
    logged = say("log_workout", **a_workout(*sets, title="Again", started_at="2026-03-05T10:00:00Z"))
    assert logged.split(" saved.")[1] == record


def test_a_record_is_found_across_an_exercise_that_occurs_twice_and_however_it_is_dated(say):
    say("log_workout", **push(a_set(100, 5)))
    twice = a_workout(a_set(101, 5), started_at="2025-03-02T10:00:00Z", title="Twice")
    twice["exercises"] += [
        {"exercise_id": BENCH, "sets": [a_set(103, 5)]},
        {"exercise_id": ROW, "sets": [a_set(75, 5)]},
    ]
    assert say("log_workout", **twice) == (
        "Twice, 2 Mar 2025 10:00 UTC: 3 exercises, 3 sets, 1,395 kg saved. "
        "New records: Barbell Bench Press 103 kg × 5, Bent Over Barbell Row 75 kg × 5. "
        "The year is 2025, not 2026."
    )


def test_another_s_records_and_workouts_are_not_compared_with(tools, say):
    other = ToolClient(client_of(AccountFactory()).key)
    other.get("log_workout", **push(a_set(200, 5)))
    say("log_workout", **push(a_set(100, 5), started_at="2026-11-01T10:00:00Z"))
    assert say("log_workout", **push(a_set(101, 5))) == (
        LOGGED.format("5 sets, 2,395 kg") + " New record: Barbell Bench Press 101 kg × 5."
    )


@pytest.mark.parametrize(
    ("day", "sentence"),
    [("2026-12-27", " The date is 37 days ahead."), ("2026-11-21", " The date is 1 day ahead."), (DAY, "")],
)
def test_a_date_in_the_future_is_named(say, account, day, sentence):
    supplement = account.supplements.create(name="Zinc", time="22:00")
    at = f"{day}T00:30:00Z"
    for name, arguments in {
        "log_workout": a_workout(a_set(), started_at=at),
        "log_weight": {"weight_kg": 80, "logged_at": at},
        "log_measurements": {"waist_cm": 80, "logged_at": at},
        "log_nutrition": {"day": day, **TOTALS},
        "log_supplement_taken": {"supplement_id": str(supplement.pk), "day": day},
    }.items():
        text = say(name, **arguments)
        assert text.endswith(sentence)
        assert ("ahead" in text) == bool(sentence)


def test_an_empty_untitled_workout_has_a_summary(say):
    assert say("log_workout", **a_workout()) == (
        "Untitled workout, 2 Mar 17:30 UTC: 0 exercises, 0 sets, 0 kg saved. It has no set."
    )


@pytest.mark.parametrize(
    ("name", "arguments", "kind"),
    [
        ("create_routine", {"name": "Upper", "exercises": []}, "routine"),
        ("create_training_plan", a_plan(), "plan"),
        ("log_weight", {"weight_kg": 80}, "log"),
        ("log_measurements", {"waist_cm": 80}, "log"),
    ],
)
def test_an_id_changes_nothing_and_the_summary_says_so(say, name, arguments, kind):
    sentence = f"Saved as a new {kind}; id was ignored. Corrections are made in the app or by update tools."
    assert sentence in say(name, **arguments, id="0198c1a0-0000-7000-8000-000000000000")
    assert sentence not in say(name, **arguments, id=None)


def test_a_weight_is_compared_with_the_log_before_it_in_time(say):
    for day, weight_kg in ((1, 80), (3, 83)):
        say("log_weight", weight_kg=weight_kg, logged_at=f"2026-03-0{day}T07:00:00Z")
    assert say("log_weight", weight_kg=81.25, body_fat_percent=18.5, logged_at="2026-03-02T07:00:00Z") == (
        "81.25 kg and 18.5 % body fat saved for 2 Mar; the log before was 80.0 kg (1 Mar)."
    )
    assert say("log_weight", weight_kg=79, logged_at="2025-03-02T07:00:00Z") == (
        "79.0 kg saved for 2 Mar 2025; there was none before. The year is 2025, not 2026."
    )


def test_measurements_are_compared_with_those_before(say):
    assert say("log_measurements", waist_cm=86, neck_cm=39, logged_at="2026-02-01T07:00:00Z") == (
        "Waist 86 cm, neck 39 cm saved for 1 Feb; there was none before."
    )
    assert say("log_measurements", waist_cm=845, logged_at=NOON) == (
        "Waist 845 cm saved for 2 Mar; the log before was waist 86 cm, neck 39 cm (1 Feb)."
    )


def test_nutrition_names_what_it_replaced(say):
    assert say("log_nutrition", day=DAY, **TOTALS) == (
        "Totals of 2 Mar are now 2,450 kcal, 172 g protein, 260.5 g carbs, 74 g fat; the day had none before."
    )
    assert say("log_nutrition", day=DAY, calories=24500, protein_g=170, carbs_g=0, fat_g=0) == (
        "Totals of 2 Mar are now 24,500 kcal, 170 g protein, 0 g carbs, 0 g fat; "
        "they replace 2,450 kcal, 172 g protein, 260.5 g carbs, 74 g fat, "
        "a difference of +22,050 kcal, -2 g protein, -260.5 g carbs, -74 g fat."
    )


def test_a_tick_says_whether_it_is_new(say, account):
    supplement_id = str(account.supplements.create(name="Creatine", dosage="5 g", time="08:00").pk)
    assert (
        say("log_supplement_taken", supplement_id=supplement_id)
        == "Creatine (5 g) ticked as taken on 20 Nov."
    )
    assert say("log_supplement_taken", supplement_id=supplement_id, day="2026-11-20", taken_at=NOON) == (
        "Creatine (5 g) was ticked for 20 Nov already, taken 20 Nov 23:45 UTC; nothing changed."
    )
    assert say("log_supplement_taken", supplement_id=supplement_id, taken_at=NOON) == (
        "Creatine (5 g) ticked as taken on 2 Mar."
    )


def test_a_plan_names_the_one_that_it_retires(say):
    assert say("create_training_plan", **a_plan()).endswith("1 exercise. It is not active.")
    say("create_training_plan", **a_plan(name="Old", active=True))
    assert say("create_training_plan", **a_plan(active=True)) == (
        'Training plan "Week" saved: 1 training day a week, 1 exercise. '
        'It is the active plan now, in place of "Old".'
    )
    assert say("create_training_plan", **a_plan()).endswith("It is not active.")


def test_a_routine_has_its_figures(say):
    lifts = [
        {"exercise_id": exercise_id, "sets": 3, "reps": 8, "weight_kg": 70} for exercise_id in (BENCH, ROW)
    ]
    assert (
        say("create_routine", name="Upper", exercises=lifts) == 'Routine "Upper" saved: 2 exercises, 6 sets.'
    )


@pytest.mark.parametrize(
    ("goals", "summary"),
    [
        (
            [{"target_body_fat_percent": 14, "deadline": "2026-11-17"}],
            "Goal set: no target weight, 14 % body fat, by 17 November 2026. The deadline is 3 days past.",
        ),
        (
            [{"target_weight_kg": 76}, {"target_weight_kg": 76, "deadline": "2027-06-30"}],
            "Goal set: 76.0 kg, no body fat target, by 30 June 2027.",
        ),
        (
            [
                {"target_weight_kg": 76, "target_body_fat_percent": 14, "deadline": "2027-03-01"},
                {"target_weight_kg": 76, "deadline": "2027-06-30", "start_weight_kg": 80},
            ],
            "Goal set: 76.0 kg, no body fat target, by 30 June 2027 (1 March 2027 before); "
            "the goal before had 14 % body fat. It starts from 80.0 kg.",
        ),
        (
            [{"target_weight_kg": 76, "target_body_fat_percent": 0, "deadline": "2027-03-01"}, {}],
            "Goal set, but it has no target: no target weight, no body fat target, no deadline; "
            "the goal before had 76.0 kg, 0 % body fat, 1 March 2027.",
        ),
    ],
)
def test_a_goal_says_what_it_replaces_and_what_is_not_set_now(say, goals, summary):
    assert [say("set_goal", **goal) for goal in goals][-1] == summary


# --- Reading ------------------------------------------------------------------------------------

ALL = " That is all."
CLOCK = (
    "It is Friday 20 Nov 2026, 23:45 UTC now; days of the service are UTC days. The user's own zone is UTC. "
    "The user's screens are in kilograms."
)
READ = {
    "get_profile": f"Lifter: 180 cm, born 1 May 1990, male, goal cut. {CLOCK}",
    "list_workouts": f"2 workouts shown, 17 Nov to 20 Nov.{ALL}",
    "get_workout": "Push, 20 Nov 23:30 UTC: 2 exercises, 5 sets, 2,390 kg.",
    "get_exercise_history": "Barbell Bench Press: 2 sessions shown, 17 Nov to 20 Nov; "
    f"the best set is 100 kg × 5 (estimated one-rep maximum 116.7 kg).{ALL}",
    "list_routines": f'1 routine shown: "Upper" (1 exercise).{ALL}',
    "list_training_plans": f'2 plans shown: "Week" (active), "Old".{ALL}',
    "get_training_plan": 'Training plan "Week", active: 1 training day a week, 1 exercise.',
    "get_body_metrics": "2 weight logs (newest 82.4 kg, 20 Nov) and 1 tape measurement "
    f"(newest waist 84.5 cm, 2 Mar) shown.{ALL}",
    "get_nutrition": "2 days shown, 1 Mar to 2 Mar; "
    f"on average 2,225 kcal, 161 g protein, 250.25 g carbs, 67 g fat.{ALL}",
    "get_training_stats": "22 Aug to 20 Nov: 2 sessions, 10 completed sets, 2 of them warm-ups, 4,755 kg, "
    "2 h 0 min; the streak is 1 day. Week of 16 Nov: 2 sessions; working sets: Back 6, Chest 2.",
    "get_personal_records": f"2 records shown; the newest is Barbell Bench Press 100 kg × 5, 20 Nov.{ALL}",
    "list_supplements": "2 supplements scheduled: 08:00 Creatine (5 g), 22:00 Zinc. "
    "20 Nov: Creatine taken. 19 Nov: none taken. 18 Nov: none taken. 17 Nov: none taken. "
    f"16 Nov: all taken. 15 Nov: none taken. 14 Nov: Zinc taken.{ALL}",
    "get_current_goal": "The goal since 20 Nov: 76.0 kg, no body fat target, by 1 March 2027. "
    "It starts from 82.4 kg.",
}


@pytest.fixture
def filled(tools, account):
    """An account with a few instances of each kind. Returns the arguments of the tools that need some."""
    profile = {"height_cm": 180, "birth_date": "1990-05-01", "gender": "male", "goal": "cut"}
    type(account).objects.filter(pk=account.pk).update(**profile)
    zinc = account.supplements.create(name="Zinc", time="22:00")
    creatine = account.supplements.create(name="Creatine", dosage="5 g", time="08:00")
    for supplement, days in ((zinc, (13, 14, 16, 21)), (creatine, (16, 20))):
        for day in days:
            tick = {"supplement_id": str(supplement.pk), "day": f"2026-11-{day}"}
            tools.get("log_supplement_taken", **tick)
    lift = {"exercise_id": BENCH, "sets": 3, "reps": 8, "weight_kg": 70}
    tools.get("log_workout", **push(a_set(95, 5), started_at="2026-11-17T18:00:00Z"))
    workout = tools.get("log_workout", **push(a_set(100, 5)))
    tools.get("create_routine", name="Upper", exercises=[lift])
    tools.get("create_training_plan", **a_plan(name="Old", active=True))
    tools.get("create_training_plan", **a_plan(active=True))
    tools.get("log_weight", weight_kg=81, logged_at=NOON)
    tools.get("log_weight", weight_kg=82.4)
    tools.get("log_measurements", waist_cm=84.5, logged_at=NOON)
    tools.get("log_nutrition", day=DAY, **TOTALS)
    tools.get("log_nutrition", day="2026-03-01", calories=2000, protein_g=150, carbs_g=240, fat_g=60)
    tools.get("set_goal", target_weight_kg=76, deadline="2027-03-01")
    return {
        "get_workout": {"workout_id": workout["id"]},
        "get_training_plan": {"plan_id": "active"},
        "get_exercise_history": {"exercise_id": BENCH},
    }


@pytest.mark.parametrize("name", READ)
def test_a_read_tool_says_what_is_shown(say, filled, name):
    assert say(name, **filled.get(name, {})) == READ[name]


def test_a_profile_says_what_day_it_is_where_the_user_is(say, tools, account):
    type(account).objects.filter(pk=account.pk).update(units="lb", time_zone="Pacific/Auckland")
    clock = [
        "It is Friday 20 Nov 2026, 23:45 UTC now; days of the service are UTC days.",
        "The user's own zone is Pacific/Auckland: Saturday 21 Nov 2026, 12:45 there.",
        "The user's screens are in pounds: convert what is said, and answer in lb.",
    ]
    assert say("get_profile").endswith(" ".join(clock))
    assert tools.notices("get_profile") == clock


def test_totals_say_what_each_week_adds_up_to(say, tools):
    for day in ("10-26", "10-27", "11-09", "11-22"):
        say(
            "log_workout",
            **push(a_set(95, 5), a_set(95, 5, completed=False), started_at=f"2026-{day}T10:00:00Z"),
        )
    say("log_workout", **a_workout(exercises=[], started_at="2026-11-10T10:00:00Z"))
    weeks = [
        "Week of 26 Oct, from 27 Oct on: 1 session; working sets: Back 3, Chest 1.",
        "Week of 2 Nov: 0 sessions.",
        "Week of 9 Nov: 2 sessions; working sets: Back 3, Chest 1.",
        "Week of 16 Nov: 0 sessions.",
    ]
    since = "2026-10-27T00:00:00Z"
    text = say("get_training_stats", since=since)
    assert text.startswith("27 Oct to 20 Nov: 3 sessions, 10 completed sets, 2 of them warm-ups, ")
    assert text.endswith(" ".join(weeks))
    notices = tools.notices("get_training_stats", since=since)
    assert notices[1:] == weeks
    assert " ".join(notices) == text


def test_two_weeks_are_not_split(say, tools):
    say("log_workout", **push(a_set(95, 5), started_at="2026-11-09T10:00:00Z"))
    window = {"since": "2026-11-01T00:00:00Z", "until": "2026-11-15T00:00:00Z"}
    assert "Week of" not in say("get_training_stats", **window)
    assert "Week of 9 Nov" in say("get_training_stats", **window | {"until": "2026-11-15T00:00:01Z"})


def test_the_newest_26_weeks_of_a_long_window_are_said(say, tools):
    for year in (2025, 2026):
        say("log_workout", **push(a_set(95, 5), started_at=f"{year}-11-20T10:00:00Z"))
    notices = tools.notices("get_training_stats", since="0001-01-01T00:00:00Z")
    assert notices[1] == "The 27 weeks before are left out: narrow since and until."
    assert [notice[:17] for notice in notices[2:4]] == ["Week of 25 May: 0", "Week of 1 Jun: 0 "]
    assert len(notices) == 2 + 26
    assert notices[-1].startswith("Week of 16 Nov: 1 session")


def test_a_window_that_ends_in_the_future_says_the_streak_of_today(say, tools):
    for day in (19, 20):
        say("log_workout", **push(a_set(95, 5), started_at=f"2026-11-{day}T10:00:00Z"))
    streak = "the streak as of today, 20 Nov, is 2 days."
    window = {"since": "2026-11-16T00:00:00Z", "until": "2026-11-23T00:00:00Z"}
    assert tools.get("get_training_stats", **window)["streak_days"] == 0
    assert say("get_training_stats", **window).endswith(streak)
    (notice,) = tools.notices("get_training_stats", **window)
    assert notice.endswith(streak)
    today = window | {"until": "2026-11-21T00:00:00Z"}
    assert say("get_training_stats", **today).endswith("; the streak is 2 days.")
    assert "as of today" in say("get_training_stats", until="9999-12-31T00:00:00Z")


HIGHER = "highest estimate 126.7 kg, from 95 × 10 (17 Nov)"


def test_a_set_with_a_higher_estimate_than_the_record_is_named(say, tools):
    sets = [a_set(100, 5), a_set(95, 10), a_set(95, 12, completed=False), a_set(90, 20, type="warmup")]
    say("log_workout", **push(*sets, started_at="2026-11-17T18:00:00Z"))
    others = f"Other sets of the last 365 days have a higher estimate: Barbell Bench Press: {HIGHER}."
    another = f"Another set has a higher estimate: {HIGHER}."
    assert others in say("get_personal_records")
    assert tools.notices("get_personal_records") == [others]
    for detail in ("full", "brief"):
        history = {"exercise_id": BENCH, "detail": detail}
        assert f"116.7 kg). {another}" in say("get_exercise_history", **history)
        assert tools.notices("get_exercise_history", **history) == [another]
    records = {one["exercise_id"]: one for one in tools.get("get_personal_records")["records"]}
    assert records[BENCH]["estimated_1rm_kg"] == 116.7


def test_the_highest_estimate_is_the_record_s_own_or_of_long_ago(say, tools):
    say("log_workout", **push(a_set(100, 10), a_set(95, 10), started_at="2026-11-17T18:00:00Z"))
    say("log_workout", **push(a_set(90, 30), started_at="2025-11-10T18:00:00Z"))
    assert tools.notices("get_personal_records") == []
    assert tools.notices("get_exercise_history", exercise_id=BENCH, limit=1) == []


def test_the_weight_of_an_assisted_exercise_makes_no_estimate(tools):
    assisted = a_workout(a_set(40, 5), a_set(30, 12), exercise_id="band-assisted-pull-up")
    tools.get("log_workout", **assisted | {"started_at": "2026-11-17T18:00:00Z"})
    for notices in (
        tools.notices("get_personal_records"),
        tools.notices("get_exercise_history", exercise_id="band-assisted-pull-up"),
    ):
        assert [notice for notice in notices if "estimate" in notice] == []


def test_ticks_are_those_of_the_supplements_shown(tools, account):
    first, second = (account.supplements.create(name=name, time="08:00") for name in ("Iron", "Zinc"))
    tools.get("log_supplement_taken", supplement_id=str(second.pk))
    assert tools.notices("list_supplements", limit=1)[0] == "20 Nov: none taken."
    assert tools.notices("list_supplements")[:2] == ["20 Nov: Zinc taken.", "19 Nov: none taken."]
    tools.get("log_supplement_taken", supplement_id=str(first.pk))
    assert tools.notices("list_supplements")[0] == "20 Nov: all taken."


def test_a_search_names_what_it_found_first(say):
    text = say("search_exercises", query="barbell bench press", limit=1)
    assert text.startswith(
        "1 exercise shown: Barbell Bench Press. There are more: call search_exercises again"
    )
    text = say("search_exercises", query="press", limit=8)
    assert text.split(":")[0] == "8 exercises shown"
    assert " and 3 more. There are more" in text


def test_every_read_tool_is_in_the_table():
    assert READ.keys() | {"search_exercises"} == READ_TOOLS.keys()


def test_a_history_without_a_completed_set_has_no_best_one(say):
    say("log_workout", **a_workout(a_set(completed=False)))
    assert say("get_exercise_history", exercise_id=BENCH) == (
        f"Barbell Bench Press: 1 session shown, 2 Mar; no working set of 1 rep or more was completed.{ALL}"
    )


@pytest.mark.parametrize("name", READ_TOOLS)
def test_an_empty_result_has_a_sentence(stranger_tools, name):
    if name in ("get_workout", "get_training_plan", "get_current_goal", "search_exercises"):
        return
    arguments = {"exercise_id": BENCH} if name == "get_exercise_history" else {}
    result = stranger_tools.call(name, arguments)
    jsonschema.validate(result["structuredContent"], TOOLS[name].definition["outputSchema"])
    text = result["content"][0]["text"]
    expected = {
        "get_profile": f"Stranger: goal maintain. {CLOCK}",
        "get_training_stats": "22 Aug to 20 Nov: 0 sessions, 0 completed sets, 0 kg, 0 h 0 min; "
        "the streak is 0 days.",
    }
    assert text == expected[name] if name in expected else text.startswith("No ")
