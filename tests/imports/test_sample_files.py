"""Each sample file gives what its app meant."""

import pytest

from tests.imports.reading import entries, head, sample

pytestmark = pytest.mark.usefixtures("autumn")
LB = 0.45359237


def lb(pounds):
    return f"{pounds * LB:.10g}"


def test_strong_with_commas():
    reading = sample("strong_comma.csv", zone="Europe/Berlin")
    upper, morning = reading.workouts
    assert head(upper) == ("2025-01-07T16:36:08Z", 3900, "Upper A", "Slept well")
    assert entries(upper) == [
        (
            "barbell-bench-press",
            ["w 20×10", "80×5 @8", "80×4 @9.5", "60×8"],
            "Set 1: paused, close grip\nFailure in set 2\nDrop set 3",
        ),
        ("pull-up", ["0×8", "5×6"], ""),
        ("plank", [], "60 s"),
    ]
    assert head(morning) == (*("2025-01-09T06:02:00Z", 2100), *("Morning, short", "Ohio State: 40 kg × 12"))
    assert entries(morning) == [
        ("barbell-back-squat", ["100×5", "100×5"], ""),
        ("outdoor-running", [], "1800 s, 5.2"),
    ]
    assert reading.rows == {"sets": 8, "notes": 3, "ignored": 1}
    assert reading.asks == {"timezone", "unit"}
    assert reading.findings.heaviest == 100
    assert reading.findings.unknown_names == {"Ohio State": 1}


def test_strong_with_semicolons():
    reading = sample("strong_semicolon.csv", zone="Europe/Berlin")
    push, legs = reading.workouts
    assert head(push) == ("2026-03-02T17:05:00Z", 3420, "Push; heavy", "felt good")
    assert entries(push) == [
        ("barbell-bench-press", ["w 40×10", "82.5×6 @8.5", "82.5×5 @9"], "Set 1: two\nlines"),
        ("barbell-overhead-press", ["47.5×8"], ""),
    ]
    assert head(legs) == ("2026-03-29T07:30:00Z", 2700, "Legs", "")
    assert entries(legs) == [
        ("barbell-back-squat", ["61.235×5", "61.235×5"], ""),
        ("rowing-ergometer", [], "480 s, 2000 m"),
    ]
    assert reading.rows == {"sets": 6, "notes": 1, "ignored": 1}
    assert reading.asks == {"timezone"}


def test_strong_with_units():
    reading = sample("strong_units.csv", zone="America/New_York")
    leg, push = reading.workouts
    assert head(leg) == ("2019-01-11T17:31:54Z", 3900, "Leg", "")
    assert entries(leg) == [
        ("barbell-deadlift", [f"{lb(225)}×5 @8", f"{lb(315)}×3 @9.5"], "Set 2: belt"),
        ("outdoor-running", [], "720 s, 1.5 mi"),
    ]
    assert leg["exercises"][0]["sets"][0]["weight_kg"] == 102.05828325
    assert head(push) == ("2019-01-14T23:00:00Z", 2700, "Push", "easy")
    assert entries(push) == [("barbell-bench-press", [f"{lb(135)}×10"], ""), ("pull-up", ["0×12"], "")]
    assert reading.rows == {"sets": 4, "notes": 1}
    assert reading.asks == {"timezone"}


def test_hevy_in_kg():
    reading = sample("hevy_kg.csv", zone="Europe/London")
    pull, push = reading.workouts
    assert head(pull) == ("2026-02-02T18:30:00Z", 4500, "Pull 💪", "Gym was busy")
    assert entries(pull) == [
        (
            "barbell-deadlift",
            ["w 60×5", "140×5 @8", "150×3 @10"],
            "Belt from set 2\nStraps\nFailure in set 2",
        ),
        ("lat-pulldown", ["55×12", "40×10"], "Drop set 2"),
        ("dumbbell-curl", ["14×10"], ""),
        ("pull-up", ["0×9 @8.5"], ""),
        ("dumbbell-curl", ["12×15"], ""),
    ]
    assert [entry["superset_id"] for entry in pull["exercises"]] == [None, "0", "0", None, None]
    assert head(push) == ("2026-01-31T10:00:00Z", 3000, "Push", "")
    assert entries(push) == [
        ("barbell-bench-press", ["80×8"], ""),
        ("assault-bike", [], "600 s, 3.5 km"),
        ("dumbbell-goblet-squat", ["24×12"], ""),
    ]
    assert reading.rows == {"sets": 10, "notes": 1}
    assert reading.asks == {"timezone"}


def test_hevy_in_pounds():
    reading = sample("hevy_lbs_us.csv", zone="America/Los_Angeles")
    legs, run = reading.workouts
    assert head(legs) == ("2026-07-05T02:26:00Z", 4560, "Leg day", "")
    assert entries(legs) == [
        ("barbell-back-squat", [f"w {lb(135)}×5", f"{lb(225)}×5 @8"], ""),
        ("leg-press", [f"{lb(402.5)}×12"], ""),
    ]
    assert head(run) == ("2026-07-02T07:05:00Z", 2100, "Leg day", "")
    assert entries(run) == [("treadmill-running", [], "900 s, 1.28 mi")]
    assert reading.rows == {"sets": 3, "notes": 1}


def test_fitnotes():
    reading = sample("fitnotes_android.csv")
    first, second = reading.workouts
    assert head(first) == ("2026-08-04T12:00:00Z", 0, "", "")
    assert entries(first) == [
        (
            "barbell-bench-press",
            ["65×8", f"{lb(143.3)}×8", "60×10"],
            "Set 2: slow, controlled\nSet 3: back-off",
        ),
        ("lat-pulldown", ["50×10"], ""),
        ("outdoor-running", [], "1650 s, 5 km"),
    ]
    assert head(second)[0] == "2026-08-06T12:00:00Z"
    assert entries(second) == [("barbell-back-squat", ["100×5"], ""), ("pull-up", ["0×12"], "")]
    assert reading.rows == {"sets": 6, "notes": 1}
    assert reading.asks == set()


def test_fitnotes_on_ios():
    reading = sample("fitnotes_ios.csv")
    [push] = reading.workouts
    assert head(push) == ("2026-02-01T17:30:00Z", 3300, "Push", "")
    assert entries(push) == [
        ("barbell-bench-press", ["w 40×8", "82.5×8 @8", "82.5×6 @9"], "Set 1: pause"),
        ("dumbbell-shoulder-press", ["20×10 !"], ""),
    ]
    assert reading.rows == {"sets": 4}
    assert reading.asks == {"unit"}


def test_stronglifts():
    reading = sample("stronglifts.csv", zone="Europe/Berlin")
    first, second = reading.workouts
    assert head(first) == ("2026-08-11T20:06:00Z", 2700, "Workout A", "")
    assert entries(first) == [
        ("barbell-back-squat", ["55×5"] * 4, ""),
        ("barbell-bench-press", ["40×5"] * 3, "elbow"),
    ]
    assert head(second) == ("2026-08-13T05:15:00Z", 900, "Workout B", "")
    assert entries(second) == [("barbell-deadlift", ["80×5"], "")]
    assert reading.rows == {"sets": 8, "ignored": 1}


def test_fitbod():
    reading = sample("fitbod.csv")
    first, second = reading.workouts
    assert head(first) == ("2026-09-05T09:12:33Z", 1647, "", "")
    assert entries(first) == [
        ("lat-pulldown", ["w 20×10", "33×10", "33×9"], "Set 2: few in reserve"),
        ("dumbbell-bench-press", ["22.5×10"], ""),
        ("plank", [], "45 s"),
    ]
    assert head(second) == ("2026-09-08T17:00:00Z", 0, "", "")
    assert entries(second) == [("leg-press", ["80×10"], "")]
    assert reading.rows == {"sets": 5, "notes": 1}
    assert reading.asks == set()


def test_jefit():
    reading = sample("jefit.csv")
    first, second = reading.workouts
    assert head(first) == ("2026-01-01T15:00:00Z", 2700, "", "")
    assert entries(first) == [
        ("barbell-bench-press", [f"{lb(135)}×10", f"{lb(135)}×8", f"{lb(155)}×5"], ""),
        ("pull-up", ["0×12", "0×10"], ""),
    ]
    assert head(second) == ("2026-01-05T15:00:00Z", 1800, "", "")
    assert entries(second) == [("barbell-back-squat", [f"{lb(225)}×5"] * 2, "")]
    assert reading.rows == {"sets": 7}
    assert reading.asks == set()


def test_liftosaur():
    reading = sample("liftosaur.csv")
    [day] = reading.workouts
    assert head(day) == ("2026-03-01T10:00:00Z", 1200, "Day 1", "")
    assert day["plan_name"] == "GZCLP"
    assert entries(day) == [
        ("barbell-back-squat", [f"w {lb(95)}×5", f"{lb(225)}×5 @8", f"{lb(225)}×5 !"], "felt easy"),
        ("barbell-bench-press", [f"{lb(135)}×10"], ""),
    ]
    assert reading.rows == {"sets": 4}
    assert reading.asks == set()


def weights(reading):
    return [
        (f"{one['logged_at']:%Y-%m-%dT%H:%M:%SZ}", one["weight_kg"], one["body_fat_percent"], one["notes"])
        for one in reading.workouts
    ]


def test_renpho():
    reading = sample("renpho.csv", zone="Europe/Berlin")
    assert weights(reading) == [
        ("2026-04-18T05:01:10Z", 82.35, 18.2, ""),
        ("2026-04-17T05:03:59Z", 82.6, None, ""),
        ("2026-04-17T19:40:00Z", 83.1, 18.6, "evening"),
    ]
    assert reading.asks == {"timezone"}


def test_withings():
    reading = sample("withings.csv", zone="Europe/Paris")
    assert weights(reading) == [
        ("2026-09-30T05:12:45Z", 84.2, 19.48, ""),
        ("2026-09-29T05:05:01Z", 84.6, None, "after dinner out"),
    ]


def test_dates_and_weights():
    reading = sample("weight_plain_lb.csv", unit="lb")
    assert weights(reading) == [
        ("2026-09-28T12:00:00Z", 205.3 * LB, 31.3, ""),
        ("2026-09-29T12:00:00Z", 204.9 * LB, None, ""),
    ]
    assert reading.asks == {"unit"}
    assert reading.findings.heaviest == 205.3


def days(reading):
    names = ("calories", "protein_g", "carbs_g", "fat_g")
    return {str(record.values["day"]): [record.values[name] for name in names] for record in reading.records}


def test_myfitnesspal():
    reading = sample("myfitnesspal_nutrition.csv")
    assert days(reading) == {"2026-09-28": [2250.5, 195, 220, 65], "2026-09-29": [600, 50, 55, 18]}
    assert reading.rows == {"records": 4}


def test_cronometer():
    reading = sample("cronometer_daily.csv")
    assert days(reading) == {"2026-09-24": [2712.4, 158.3, 301.2, 82.6], "2026-09-25": [2988, 162, 340, 91]}
    assert reading.rows == {"records": 2, "ignored": 1}
