"""From rows to workouts: what becomes of sets, notes and names, and how rows are grouped."""

import datetime
import time

import pytest

from fitness.imports.findings import Findings
from fitness.imports.messages import Unreadable
from tests.imports.reading import FILES, entries, head, read, tables_of
from training.imports.formats import FitNotes

pytestmark = pytest.mark.usefixtures("autumn")

HEVY = "title,start_time,end_time,exercise_title,superset_id,exercise_notes,set_index,set_type"
HEVY += ",weight_kg,reps,distance_km,duration_seconds,rpe"
STRONG = "Date,Workout Name,Duration,Exercise Name,Set Order,Weight (kg),Reps"
STRONG += ",Distance,Seconds,Notes,Workout Notes,RPE"
BENCH = "Bench Press (Barbell)"


def hevy(*sets, exercise=BENCH, start="2026-02-02 18:30", end="2026-02-02 19:30"):
    """Rows of one exercise: a dict by the names of columns for each set."""
    rows = [HEVY]
    for number, one in enumerate(sets):
        cells = {
            "title": "Push",
            "start_time": start,
            "end_time": end,
            "exercise_title": exercise,
            "set_index": number,
            "weight_kg": 80,
            "reps": 5,
            **one,
        }
        rows.append(",".join(f'"{cells.get(name, "")}"' for name in HEVY.split(",")))
    return "\n".join(rows) + "\n"


def strong(*rows):
    return "\n".join([STRONG, *rows]) + "\n"


def only(reading):
    """The one exercise of the one workout."""
    [workout] = reading.workouts
    [entry] = entries(workout)
    return entry


@pytest.mark.parametrize(
    ("cells", "code", "text"),
    [
        ({"reps": "x"}, "reps", "is not a number"),
        ({"reps": "-1"}, "reps", "is not from 0 to 10,000"),
        ({"reps": "10001"}, "reps", "is not from 0 to 10,000"),
        ({"reps": "nan"}, "reps", "is not a number"),
        ({"weight_kg": "heavy"}, "weight", "is not a number"),
        ({"weight_kg": "2000.1"}, "weight", "is over 2,000 kg"),
        ({"weight_kg": "inf"}, "weight", "is not a number"),
        ({"reps": ""}, "empty", "no repetitions, time or distance"),
        ({"reps": "", "duration_seconds": "0"}, "empty", "no repetitions, time or distance"),
        ({"duration_seconds": "long"}, "number", "is not a number"),
        ({"rpe": "hard"}, "number", "is not a number"),
        ({"start_time": "yesterday"}, "date", "is not a date"),
        ({"start_time": ""}, "date", "is not a date"),
        ({"start_time": "1989-12-31 10:00"}, "date", "is before 1990"),
        ({"start_time": "2026-11-03 10:00"}, "date", "is in the future"),
        ({"exercise_title": ""}, "empty", "is empty"),
    ],
)
def test_a_row_that_cannot_be_a_set_is_refused_with_its_line(cells, code, text):
    reading = read(hevy({}, cells, {}))
    assert reading.problems == [(3, code, text)]
    assert reading.rows == {"sets": 2, "refused": 1}


@pytest.mark.parametrize(
    ("cells", "stored"),
    [
        ({"reps": "5.0"}, "80×5"),
        ({"reps": "5.9"}, "80×5"),
        ({"reps": "0"}, "80×0"),
        ({"weight_kg": ""}, "0×5"),
        ({"weight_kg": "134.99999999999999"}, "135×5"),
        ({"weight_kg": '""102,5""'.replace('""', "")}, "102.5×5"),
        ({"weight_kg": "1,000"}, "1000×5"),
        ({"set_type": "warmup"}, "w 80×5"),
        ({"set_type": "failure"}, "80×5"),
        ({"set_type": "dropset"}, "80×5"),
        ({"set_type": "myo"}, "80×5"),
        ({"rpe": "8.5"}, "80×5 @8.5"),
        ({"rpe": "0"}, "80×5 @0"),
        ({"rpe": "11"}, "80×5"),
        ({"weight_kg": "2000", "reps": "10000"}, "2000×10000"),
    ],
)
def test_what_a_row_becomes(cells, stored):
    reading = read(hevy(cells))
    assert only(reading)[1] == [stored]
    assert reading.rows == {"sets": 1}


def test_what_is_stored_otherwise_is_said():
    reading = read(hevy({"reps": "5.9"}, {"rpe": "11"}))
    assert [(change.line, change.text) for change in reading.findings.changes] == [
        (2, "5.9 repetitions are stored as 5"),
        (3, "11 is not from 0 to 10: left out"),
    ]


def test_assistance_is_told_in_the_notes():
    exercise = only(read(hevy({"weight_kg": "-20"}, {"weight_kg": "-12.5"})))
    assert exercise[1:] == (["0×5", "0×5"], "Set 1: -20 kg (assistance)\nSet 2: -12.5 kg (assistance)")


@pytest.mark.parametrize(("weight", "stored"), [("-20", "20×5"), ("20", "20×5"), ("0", "0×5")])
def test_the_weight_of_an_assisted_exercise_is_help(weight, stored):
    exercise = only(read(hevy({"weight_kg": weight}, exercise="Pull Up (Assisted)")))
    assert exercise[1:] == ([stored], "")


def test_help_over_the_limit_is_refused():
    reading = read(hevy({"weight_kg": "-2001"}, {}, exercise="Pull Up (Assisted)"))
    assert reading.problems == [(2, "weight", "is over 2,000 kg")]


def test_notes_of_the_source_come_before_generated_ones():
    notes = {"exercise_notes": r"paused\nbelt"}
    exercise = only(
        read(
            hevy(
                {**notes, "set_type": "warmup"},
                {**notes, "set_type": "failure"},
                {**notes, "set_type": "failure"},
                {**notes, "set_type": "dropset"},
                {**notes, "duration_seconds": "30"},
                {**notes, "reps": "", "weight_kg": "20", "duration_seconds": "60"},
            )
        )
    )
    assert exercise[2].split("\n") == [
        *("paused", "belt", "Set 4: 30 s", "60 s, 20 kg", "Failure in sets 1, 2", "Drop set 3")
    ]


def test_numbers_in_notes_are_those_that_screens_show():
    exercise = only(
        read(
            hevy(
                {"set_type": "warmup", "duration_seconds": "20"},
                {"reps": "", "weight_kg": "", "duration_seconds": "90", "set_type": "failure"},
                {"reps": "-1"},  # refused
                {"reps": "8", "set_type": "failure"},
                {"reps": "", "weight_kg": "", "duration_seconds": "60"},
                {"reps": "6", "set_type": "dropset", "duration_seconds": "30"},
            )
        )
    )
    assert exercise[1:] == (
        ["w 80×5", "80×8", "80×6"],
        "Set 1: to failure\nSet W: 20 s\nSet 2: 30 s\nSet 1: 90 s\nSet 2: 60 s\nFailure in set 1\nDrop set 2",
    )


def test_each_note_of_a_set_is_told_once():
    rows = [
        f"2026-02-02 18:30:00,Push,1h,{BENCH},{number},80,5,0,0,{note},,"
        for number, note in enumerate(["slow", "fast", "slow", "-"], 1)
    ]
    assert only(read(strong(*rows)))[2] == "Sets 1, 3: slow\nSet 2: fast"


def test_notes_in_a_row_of_their_own_belong_to_the_exercise():
    reading = read(
        strong(
            f"2026-02-02 18:30:00,Push,1h,{BENCH},Note,,,,,grip as last time,,",
            f"2026-02-02 18:30:00,Push,1h,{BENCH},1,80,5,0,0,,,",
            f"2026-02-02 18:30:00,Push,1h,{BENCH},Rest Timer,,,,90,,,",
            f"2026-02-02 18:30:00,Push,1h,{BENCH},2,80,5,0,0,,,",
            "2026-02-02 18:30:00,Push,1h,Plank,Note,,,,,skipped,,",
        )
    )
    assert entries(reading.workouts[0]) == [
        ("barbell-bench-press", ["80×5", "80×5"], "grip as last time"),
        ("plank", [], "skipped"),
    ]
    assert reading.rows == {"sets": 2, "ignored": 3}


def test_a_row_of_nothing_but_notes_is_kept():
    reading = read(hevy({"reps": "", "weight_kg": "", "exercise_notes": "90 s"}))
    assert only(reading) == ("barbell-bench-press", [], "90 s")
    assert reading.rows == {"notes": 1}


def test_set_numbers_that_start_again_start_the_exercise_again():
    reading = read(hevy({}, {"reps": 6}, {"set_index": 0, "reps": 7}, {"set_index": 1, "reps": 8}))
    assert [sets for _, sets, _ in entries(reading.workouts[0])] == [["80×5", "80×6"], ["80×7", "80×8"]]


def test_notes_and_warmups_before_numbers_that_start_again_belong_to_the_new_run():
    orders = ["Note", "W", "1", "2", "D", "Note", "W", "1", "F", "Note"]
    rows = [
        f"2026-02-02 18:30:00,Push,1h,{BENCH},{order},80,{line},0,0,{'same' if order == 'Note' else ''},,"
        for line, order in enumerate(orders)
    ]
    assert entries(read(strong(*rows)).workouts[0]) == [
        ("barbell-bench-press", ["w 80×1", "80×2", "80×3", "80×4"], "same\nDrop set 3"),
        ("barbell-bench-press", ["w 80×6", "80×7", "80×8"], "same\nFailure in set 2"),
    ]


def test_an_entry_of_nothing_but_an_empty_note_is_an_entry():
    reading = read(strong("2026-02-02 18:30:00,Push,1h,Plank,Note,,,0,0,-,-,"))
    assert entries(reading.workouts[0]) == [("plank", [], "")]


def test_more_than_a_hundred_sets_become_a_second_entry():
    reading = read(hevy(*[{"exercise_notes": "long day"}] * 150))
    assert [(len(sets), notes) for _, sets, notes in entries(reading.workouts[0])] == [
        (100, "long day"),
        (50, ""),
    ]


def test_more_than_a_hundred_exercises_are_refused():
    reading = read(hevy(*[{"set_index": 0}] * 101))
    assert reading.records == [None]
    assert reading.problems == [(2, "too_many", "more than 100 exercises")]
    assert reading.rows == {"refused": 101}
    assert len(read(hevy(*[{"set_index": 0}] * 100)).workouts[0]["exercises"]) == 100


def test_more_than_ten_thousand_workouts_are_refused_unless_the_limit_is_lifted():
    first = datetime.date(1990, 1, 1)
    days = [first + datetime.timedelta(days=number) for number in range(10_001)]
    rows = [f"{day},Barbell Squat,Legs,100,5" for day in days]
    content = "\n".join(["Date,Exercise,Category,Weight (kgs),Reps", *rows])
    with pytest.raises(Unreadable, match=r"10,000 workouts\. Split the file by year"):
        read(content)
    [table] = tables_of(content, max_rows=None)
    assert len(list(FitNotes().read(table, Findings()))) == 10_001


def test_unknown_names_become_notes_of_the_workout():
    sets = [
        {"set_type": "warmup", "weight_kg": 20},
        {"weight_kg": 40, "reps": 12, "rpe": 8},
        {"weight_kg": "", "reps": 10},
        {"weight_kg": "", "reps": "", "duration_seconds": 90, "distance_km": "0.5"},
        {"weight_kg": "", "reps": ""},
    ]
    reading = read(hevy(*sets, exercise="Ohio State"))
    [workout] = reading.workouts
    assert workout["notes"] == "Ohio State: 20 kg × 5 (warm-up), 40 kg × 12 @8, 10 reps, 90 s, 0.5 km"
    assert workout["exercises"] == []
    assert reading.rows == {"notes": 4, "refused": 1}
    assert reading.findings.unknown_names == {"Ohio State": 5}


def test_a_name_may_be_chosen_to_be_a_note_or_nothing():
    noted = read(hevy({}, {"reps": 4}, exercise="A note"))
    assert noted.workouts[0]["notes"] == "A note: 80 kg × 5, 80 kg × 4"
    assert noted.rows == {"notes": 2}
    assert noted.findings.unknown_names == {}
    left_out = read(hevy({}, {}, exercise="Left out"))
    assert left_out.records == [None]
    assert left_out.rows == {"ignored": 2}


@pytest.mark.parametrize(
    ("end", "seconds", "said"),
    [
        ("2026-02-02 19:30", 3600, []),
        ("2026-02-02 18:00", 0, ["a duration of -0.5 h is stored as 0: was the workout never ended?"]),
        ("2026-02-13 18:31", 0, ["a duration of 264 h is stored as 0: was the workout never ended?"]),
        ("2026-02-09 18:30", 604_800, ["lasts 168 h, stored as it is"]),
        ("2026-02-03 06:30", 43_200, []),
        ("2026-02-03 07:30", 46_800, ["lasts 13 h, stored as it is"]),
        ("2030-01-01 10:00", 0, ["the end is in the future: stored without a duration"]),
        ("", 0, []),
    ],
)
def test_durations(end, seconds, said):
    reading = read(hevy({}, end=end))
    assert reading.workouts[0]["duration_seconds"] == seconds
    assert [change.text for change in reading.findings.changes] == said


def test_a_duration_counts_the_hour_that_clocks_skip():
    reading = read(hevy({}, start="2026-03-29 01:30", end="2026-03-29 03:30"), zone="Europe/Berlin")
    assert head(reading.workouts[0])[:2] == ("2026-03-29T00:30:00Z", 3600)


def test_texts_beyond_the_limits_are_cut_and_told():
    cells = {"title": "t" * 201, "superset_id": "s" * 201, "exercise_notes": "n" * 5001}
    reading = read(hevy(cells))
    [workout] = reading.workouts
    assert len(workout["title"]) == len(workout["exercises"][0]["superset_id"]) == 200
    assert len(workout["exercises"][0]["notes"]) == 5000
    assert {change.text for change in reading.findings.changes} == {
        "is cut after 200 characters",
        "is cut after 5,000 characters",
    }


def test_html_and_formulas_are_just_texts():
    reading = read(hevy({"title": "'=1+1", "exercise_notes": "<b>x</b> \u202eabc 💪"}))
    assert reading.workouts[0]["title"] == "=1+1"
    assert only(reading)[2] == "<b>x</b> \u202eabc 💪"


def test_a_file_pasted_twice_is_read_once():
    content = (FILES / "hevy_kg.csv").read_text()
    reading = read(content + content)
    assert len(reading.workouts) == 2
    assert reading.rows == {"sets": 10, "notes": 1, "refused": 1, "duplicate": 11}  # refused: the header


def test_other_rows_of_the_same_workout_continue_it():
    content = hevy({"reps": 5}) + hevy({"reps": 3}, start="2026-02-04 18:30").partition("\n")[2]
    content += hevy({"reps": 4}).partition("\n")[2]
    reading = read(content)
    assert [[sets for _, sets, _ in entries(workout)] for workout in reading.workouts] == [
        [["80×5"], ["80×4"]],
        [["80×3"]],
    ]


def test_numbers_of_workouts_tell_those_of_one_time_apart():
    header = "Workout #;Date;Workout Name;Exercise Name;Set Order;Weight (kg);Reps"
    rows = [f"{number};2026-03-02 18:05:00;Push;{BENCH};1;82,5;5" for number in (1, 2)]
    assert len(read("\n".join([header, *rows])).workouts) == 2


def test_fitnotes_joins_the_rows_of_a_name_wherever_they_are_in_a_day():
    header = "Date,Exercise,Category,Weight (kgs),Weight (lbs),Reps,Distance,Distance Unit,Time,Comment"
    rows = [
        *("2026-08-04,Barbell Squat,Legs,100,220,5,,,,", "2026-08-05,Pull Up,Back,,,8,,,,"),
        *("2026-08-04,Plank,Core,,,,,,0:01:00,", "2026-08-04,Barbell Squat,Legs,,225,3,,,,"),
    ]
    first, second = read("\n".join([header, *rows])).workouts
    assert [(name, sets) for name, sets, _ in entries(first)] == [
        ("barbell-back-squat", ["100×5", "102.0582833×3"]),
        ("plank", []),
    ]
    assert len(second["exercises"]) == 1


@pytest.mark.parametrize(
    "day",
    ["04.08.2026", "08/04/2026", "4 Aug 2026", "2026-08-04 07:00", "2026-13-04", "2026-02-30", "20260804"],
)
def test_fitnotes_has_no_dates_but_iso(day):
    reading = read(f"Date,Exercise,Category,Weight (kgs),Reps\n{day},Barbell Squat,Legs,100,5")
    (problem,) = reading.findings.problems
    assert (problem.line, problem.column, problem.value, problem.code) == (2, "date", day, "date")
    assert (reading.workouts, reading.rows) == ([], {"refused": 1})


def test_fitbod_parts_a_day_where_four_hours_pass():
    header = "Date,Exercise,Reps,Weight(lbs),isWarmup"
    times = ["2026-09-05 08:00:00", "2026-09-05 11:59:00", "2026-09-05 16:00:00", "2026-09-06 00:30:00"]
    content = "\n".join([header, *(f"{time} +0000,Leg Press,10,100,false" for time in times)])
    assert [head(workout)[:2] for workout in read(content, zone="America/Los_Angeles").workouts] == [
        ("2026-09-05T08:00:00Z", 14_340),
        ("2026-09-05T16:00:00Z", 0),
        ("2026-09-06T00:30:00Z", 0),
    ]


@pytest.mark.parametrize("order", [1, -1])
def test_fitbod_parts_no_evening_at_the_midnight_of_utc(order):
    header = "Date,Exercise,Reps,Weight(kg),isWarmup"
    times = ["2026-09-05 23:40:00", "2026-09-05 23:55:00", "2026-09-06 00:10:00"]
    rows = [f"{time} +0000,Leg Press,{10 - number},100,false" for number, time in enumerate(times)]
    [workout] = read("\n".join([header, *rows[::order]]), zone="America/Los_Angeles").workouts
    assert head(workout)[:2] == ("2026-09-05T23:40:00Z", 1800)
    assert [sets for _, sets, _ in entries(workout)] == [["100×10", "100×9", "100×8"]]


def test_fitbod_parts_local_times_at_midnight():
    header = "Date,Exercise,Reps,Weight(kg),isWarmup"
    rows = [f"{time},Leg Press,10,100,false" for time in ("2026-09-05 23:40:00", "2026-09-06 00:10:00")]
    assert len(read("\n".join([header, *rows]), zone="Europe/Berlin").workouts) == 2


def test_fitbod_newest_first_is_turned_around():
    header = "Date,Exercise,Reps,Weight(kg),isWarmup"
    rows = ["2026-09-05 09:00:00,Plank,3,0,false", "2026-09-05 08:30:00,Leg Press,8,80,false"]
    rows.append("2026-09-05 08:00:00,Leg Press,10,40,true")
    reading = read("\n".join([header, *rows]))
    [workout] = reading.workouts
    assert head(workout)[:2] == ("2026-09-05T08:00:00Z", 3600)
    assert [sets for _, sets, _ in entries(workout)] == [["w 40×10", "80×8"], ["0×3"]]
    assert reading.asks == {"timezone"}


def test_liftosaur_writes_the_equipment_behind_a_comma():
    header = "Workout DateTime,Exercise,Is Warmup Set?,Completed Reps"
    reading = read(f'{header}\n2026-03-01T10:00:00Z,"Shoulder Press, Dumbbell",0,8\n')
    assert only(reading)[0] == "dumbbell-shoulder-press"


def test_jefit_without_sessions_has_a_workout_a_day():
    content = (
        '### EXERCISE LOGS ###\n\nmydate,ename,logs,belongsession\n2026-01-05,Pull Up,"0x12,5x8",0\n'
        '2026-01-05,Plank,"a minute",0\n'
    )
    reading = read(content)
    assert head(reading.workouts[0])[0] == "2026-01-05T12:00:00Z"
    assert only(reading)[1] == ["0×12", "5×8"]
    assert reading.rows == {"sets": 2, "refused": 1}
    assert reading.asks == {"unit"}


ONE_SET_A_ROW = [path.name for path in FILES.iterdir() if path.stem not in ("jefit", "stronglifts")]


@pytest.mark.parametrize("name", sorted(ONE_SET_A_ROW))
def test_rows_add_up(name):
    lines = (FILES / name).read_text("utf-8-sig").replace("two\nlines", "two lines").strip().split("\n")
    assert sum(read(FILES / name).rows.values()) == len(lines) - 1


@pytest.mark.parametrize(
    "column", ["weight_kg", "reps", "duration_seconds", "rpe", "start_time", "set_index"]
)
@pytest.mark.parametrize(
    "text", ["1" * 60_000 + "x", "1" + " " * 60_000 + "x", "1h" + "\u202f" * 60_000 + "T"]
)
def test_very_long_cells_take_no_time(column, text):
    begin = time.monotonic()
    read(hevy({column: text}))
    assert time.monotonic() - begin < 2


def test_numbers_beyond_all_bounds_are_refused():
    digits = "9" * 400
    reading = read(f'### EXERCISE LOGS ###\nmydate,ename,logs\n2026-01-05,Pull Up,"{digits}x5,5x{digits}"\n')
    assert reading.rows == {"refused": 1}
    content = hevy(
        {"set_index": digits}, {"start_time": "2026-03-01 10:00"}, {"set_index": digits, "reps": 3}
    )
    assert read(content).rows == {"sets": 3}


def test_notes_of_many_rows_are_cut_like_one_long_note():
    rows = [f"2026-02-02 18:30:00,Push,1h,{BENCH},{n},80,5,0,0,{n:03}{'x' * 997},,8" for n in range(1, 9)]
    reading = read(strong(*rows))
    entry = only(reading)
    assert len(entry[2]) == 5000
    assert entry[2].startswith("Set 1: 001xxx")
    assert "\nSet 4: 004xxx" in entry[2]
    assert len(entry[1]) == 8
    assert [change.text for change in reading.findings.changes] == ["is cut after 5,000 characters"]


def test_a_note_on_every_row_takes_the_room_of_one():
    rows = [f"2026-02-02 18:30:00,Push,1h,{BENCH},{n},80,5,0,0,{'x' * 997},,8" for n in range(1, 9)]
    reading = read(strong(*rows))
    assert only(reading)[2] == f"Sets 1, 2, 3, 4, 5, 6, 7, 8: {'x' * 997}"
    assert reading.findings.changes == []


def test_a_row_of_notes_alone_is_kept_beyond_what_is_stored():
    rows = [f"2026-02-02 18:30:00,Push,1h,{BENCH},{n},0,0,0,0,{n:03}{'x' * 997},,8" for n in range(1, 9)]
    rows.append(f"2026-02-02 18:30:00,Push,1h,{BENCH},9,80,5,0,0,,,8")
    reading = read(strong(*rows))
    assert reading.findings.problems == []
    assert len(only(reading)[1]) == 1
