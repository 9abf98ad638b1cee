"""The sentence of /progress against made-up histories: what it says, and why that is the most useful."""

import datetime

import pytest

from training.stats import BestOfSession
from training.web.progress.headline import Change, History, LiftHistory, headline

NOW = datetime.datetime(2026, 11, 18, 12, 0)  # a Wednesday
ENOUGH = {"Chest": [12, 12, 12, 12], "Back": [14, 14, 14, 14], "Legs": [16, 16, 16, 16]}


def days_ago(days, hour=12):
    return NOW.replace(hour=hour) - datetime.timedelta(days=days)


def session(days, weight_kg, reps=5, hour=12):
    return BestOfSession(days_ago(days, hour), (weight_kg, reps))


def sessions(*weights, every=4, last=1, reps=5):
    """Sessions with these weights, the last of them so many days ago."""
    count = len(weights)
    return [
        session(last + every * (count - 1 - number), weight_kg, reps)
        for number, weight_kg in enumerate(weights)
    ]


def of_reps(*reps):
    return [one._replace(best=(0, count)) for one, count in zip(sessions(*reps), reps, strict=True)]


def lift(name="Squat", **changes):
    return LiftHistory(name, **changes)


def history(*lifts, last=1, **figures):
    return History(now=NOW, last_workout=days_ago(last), lifts=lifts, **figures)


UP = Change(100, 109)
FLAT = sessions(100, 100, 100, 100, 100, 100)
RECORD = session(1, 120)
GROWING = sessions(100, 102.5, 105, 107.5, 110, 112.5)

# What somebody did, the sentence, and why it is the most useful one.
HISTORIES = {
    "a record this week": (
        history(lift(record=RECORD, sessions=[*FLAT, RECORD], change=UP), groups={"Arms": [6] * 4, **ENOUGH}),
        "Squat, 120 kg × 5: a record this week.",
        "What was just achieved is forgotten in a week; the rest can wait.",
    ),
    "several records": (
        history(*(lift(name, record=RECORD) for name in ("Squat", "Bench", "Row"))),
        "Squat, 120 kg × 5: a record this week, and 2 more exercises have one.",
        "The lift that is trained most is named, the others are on the board of records.",
    ),
    "a record of last Sunday": (
        history(lift(record=session(3, 120, hour=23), change=UP)),
        "Squat up 9 % in 90 days.",
        "Last week's news: weeks begin on Monday, in the zone of the account.",
    ),
    "a record that is still to come": (
        history(lift(record=session(-1, 120), change=UP)),
        "Squat up 9 % in 90 days.",
        "A workout that is dated to tomorrow has not been done.",
    ),
    "a record in pounds": (
        history(lift(record=session(1, 102.05828325, 1)), units="lb"),
        "Squat, 225 lb × 1: a record this week.",
        "As the account reads its weights now, whatever they were logged in.",
    ),
    "a record without weight": (
        history(lift("Pull-Up", measure="reps", record=session(0, 0, 12))),
        "Pull-Up, 12 reps: a record this week.",
        "Repetitions are what grows; 0 kg says nothing.",
    ),
    "less help": (
        history(lift("Assisted Pull-Up", measure="help", record=session(1, 20, 8))),
        "Assisted Pull-Up, 8 reps with 20 kg of help: a record this week.",
        "Less help is better, and the weight alone would read like a load.",
    ),
    "four sessions without a better one": (
        history(lift(sessions=FLAT, change=UP), groups={"Arms": [6] * 4, **ENOUGH}),
        "Squat has stalled: its last four workouts were no better than those before.",
        "What has just stopped is what to act on, though 90 days still look good.",
    ),
    "four sessions of as many reps": (
        history(lift("Pull-Up", measure="reps", sessions=of_reps(9, 10, 10, 10, 9, 10))),
        "Pull-Up has stalled: its last four workouts were no better than those before.",
        "A rep fewer is an attempt too; ten were there before.",
    ),
    "four sessions with as much help": (
        history(lift("Assisted Dip", measure="help", sessions=sessions(25, 20, 20, 20, 20, 20))),
        "Assisted Dip has stalled: its last four workouts were no better than those before.",
        "Help that does not shrink is a stall.",
    ),
    "help that shrinks": (
        history(
            lift(
                "Assisted Dip",
                measure="help",
                sessions=sessions(30, 30, 25, 25, 20, 20),
                change=Change(30, 20, "help"),
            )
        ),
        "Assisted Dip with 33 % less help than 90 days ago.",
        "Falling weight is progress here, and no stall.",
    ),
    "a deload": (
        history(lift(sessions=sessions(110, 112.5, 115, 115, 70, 70), change=UP)),
        "Squat up 9 % in 90 days.",
        "Light weeks on purpose are no failed attempts.",
    ),
    "a lift that was stopped": (
        history(lift(sessions=sessions(100, 100, 100, 100, 100, 100, last=20)), week_sets=9),
        "9 sets so far this week.",
        "Nobody wants to hear that what they gave up does not grow.",
    ),
    "three sessions without a better one": (
        history(lift(sessions=sessions(95, 97.5, 100, 100, 99, 100), change=UP)),
        "Squat up 9 % in 90 days.",
        "One of the last four was the best so far: three are no stall yet.",
    ),
    "a group that lags": (
        history(lift(sessions=GROWING, change=UP), groups={**ENOUGH, "Arms": [6, 6, 9, 6]}),
        "Arms had fewer than 10 sets in each of the last four weeks.",
        "All else is well, and this is what to add.",
    ),
    "two groups that lag alike": (
        history(groups={**ENOUGH, "Arms": [6] * 4, "Core": [6] * 4, "Shoulders": [11] * 4}),
        "Arms and Core had fewer than 10 sets in each of the last four weeks.",
        "With a tie neither is the only one.",
    ),
    "a group in a deload": (
        history(lift(change=UP), groups={**ENOUGH, "Arms": [12, 12, 12, 5]}),
        "Squat up 9 % in 90 days.",
        "One light week is no habit.",
    ),
    "little of everything": (
        history(lift(change=UP), groups={"Chest": [6] * 4, "Back": [6] * 4, "Legs": [9] * 4}),
        "Squat up 9 % in 90 days.",
        "Two days a week are a choice, and no group lags behind others.",
    ),
    "down": (
        history(lift("Row", change=Change(80, 80)), lift(change=Change(100, 97))),
        "Squat down 3 % in 90 days.",
        "Of those that changed the one that is trained most, also where it fell.",
    ),
    "a rep fewer": (
        history(lift("Pull-Up", measure="reps", change=Change(9, 8, "reps"))),
        "Pull-Up down 1 rep in 90 days.",
        "Repetitions are counted, not percent.",
    ),
    "nothing has changed": (
        history(lift(change=Change(80, 80))),
        "Your exercises are where they were 90 days ago.",
        "A plateau of all lifts is worth knowing.",
    ),
    "a new account with one workout": (
        history(lift(sessions=[session(0, 60)]), last=0, week_sets=1),
        "1 set so far this week.",
        "A first set beats nothing, and nothing can be compared yet.",
    ),
    "a beginner in the second month": (
        history(
            lift(sessions=GROWING), groups={"Arms": [0, 0, 6, 6], **ENOUGH}, week_sets=20, usual_sets=24.6
        ),
        "20 sets so far this week; usually 25 by Wednesday.",
        "No lift is old enough for a change, and weeks before the first are no lag.",
    ),
    "a Monday morning": (
        history(last=2, last_week_sets=70, usual_sets=0.0),
        "70 sets last week.",
        "That nothing is done yet is no news; last week is.",
    ),
    "back after a pause": (
        history(lift(sessions=FLAT[:3]), last=40),
        "Your last workout was on 9 October 2026.",
        "What matters is where to begin again, not what stood still.",
    ),
    "warm-ups alone": (
        history(lift(), last=1),
        "Your last workout was on 17 November 2026.",
        "No set counts, so nothing is said of sets.",
    ),
    "only workouts to come": (history(lift(), last=-3), "", "Nothing was done, so nothing is said."),
}


@pytest.mark.parametrize(("done", "sentence", "why"), HISTORIES.values(), ids=HISTORIES)
def test_the_sentence_is_the_most_useful_one(done, sentence, why):
    assert headline(done) == sentence, why


@pytest.mark.parametrize("weights", [(0, 0, 0, 0, 0, 0), (100, 100, 0, 0, 0, 0)])
def test_weeks_without_the_usual_weight_are_no_stall(weights):
    assert headline(history(lift(sessions=sessions(*weights)), week_sets=9)) == "9 sets so far this week."
