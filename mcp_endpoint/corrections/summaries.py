"""The lines of text before the results of corrections: what was changed or deleted, with its figures."""

import datetime

from fitness.json import JsonObject
from mcp_endpoint.phrases import (
    Notice,
    amount,
    body_weight,
    counted,
    day,
    day_and_time,
    figures_of_nutrition,
    figures_of_tape,
    span,
)
from mcp_endpoint.summaries import (
    dosed,
    figures_of_plan,
    figures_of_workout,
    parsed,
    sets_of,
    title,
)
from mcp_endpoint.tool import Outcome


def updated_workout(outcome: Outcome) -> str:
    workout, before = outcome.result, outcome.result["before"]
    return f"{figures_of_workout(workout)} now; before, it had {sets_and_volume(before)}."


def deleted_workout(outcome: Outcome) -> str:
    workout = outcome.result["deleted"]
    started = day(parsed(workout["started_at"]))
    return f"{title(workout)} of {started} deleted; it had {sets_and_volume(workout)}."


def sets_and_volume(workout: JsonObject) -> str:
    return f"{counted(sets_of(workout), 'set')}, {amount(workout['volume_kg'])} kg"


def updated_weight(outcome: Outcome) -> str:
    log, before = outcome.result, outcome.result["before"]
    return f"{figures_of_weight(log)} now; before, it was {figures_of_weight(before)}."


def deleted_weight(outcome: Outcome) -> str:
    return f"{figures_of_weight(outcome.result['deleted'])} deleted."


def figures_of_weight(log: JsonObject) -> str:
    fat = log["body_fat_percent"]
    with_fat = "" if fat is None else f" and {amount(fat)} % body fat"
    return f"{body_weight(log['weight_kg'])}{with_fat} ({day_and_time(parsed(log['logged_at']))})"


def updated_measurements(outcome: Outcome) -> str:
    log, before = outcome.result, outcome.result["before"]
    at = day_and_time(parsed(log["logged_at"]))
    return f"Log of {at}: {figures_of_tape(log)} now; before, it was {figures_of_tape(before)}."


def deleted_measurements(outcome: Outcome) -> str:
    log = outcome.result["deleted"]
    return f"Log of {day_and_time(parsed(log['logged_at']))} deleted: {figures_of_tape(log)}."


def updated_routine(outcome: Outcome) -> str:
    routine, before = outcome.result, outcome.result["before"]
    return f"Routine {named_routine(routine)} now; before, it was {named_routine(before)}."


def deleted_routine(outcome: Outcome) -> str:
    routine = outcome.result["deleted"]
    return f"Routine {named_routine(routine)} deleted. Workouts that were started from it stay."


def named_routine(routine: JsonObject) -> str:
    entries = routine["exercises"]
    figures = f"{counted(len(entries), 'exercise')}, {counted(sum(one['sets'] for one in entries), 'set')}"
    return f'"{routine["name"]}" ({figures})'


def updated_plan(outcome: Outcome) -> list[str]:
    """With what became of its rules, as the history has it."""
    plan, before = outcome.result, outcome.result["before"]
    said = f"Training plan {named_plan(plan)} now; before, it was {named_plan(before)}."
    changes = [one["detail"] for one in plan["history"] if one["kind"] == "replaced"]
    _, rules, became = changes[-1].partition("Rules: ") if changes else ("", "", "")
    return [said, Notice(rules + became)] if rules else [said]


def activated_plan(outcome: Outcome) -> list[str]:
    retired, weeks = outcome.result["retired"], outcome.more
    in_place_of = f', in place of "{retired["name"]}"' if retired else ""
    said = f'Training plan "{outcome.result["name"]}" is the active plan now{in_place_of}.'
    counted_from = f"Every {weeks} weeks one is a deload; this week is the first." if weeks else ""
    return [said, Notice(counted_from)]


def deleted_plan(outcome: Outcome) -> str:
    plan = outcome.result["deleted"]
    return f"Training plan {named_plan(plan)} deleted. Workouts keep its name; no plan became active instead."


def named_plan(plan: JsonObject) -> str:
    state = "active" if plan["active"] else "not active"
    return f'"{plan["name"]}", {state} ({figures_of_plan(plan)})'


def added_supplement(outcome: Outcome) -> str:
    return f"{scheduled(outcome.result)} added to the schedule."


def updated_supplement(outcome: Outcome) -> str:
    return f"{scheduled(outcome.result)} now; before, it was {scheduled(outcome.result['before'])}."


def removed_supplement(outcome: Outcome) -> str:
    supplement = outcome.result["deleted"]
    ticks = counted(len(supplement["ticks"]), "tick")
    return f"{scheduled(supplement)} removed from the schedule, with {ticks}."


def scheduled(supplement: JsonObject) -> str:
    return f"{dosed(supplement['name'], supplement['dosage'])} at {supplement['time']}"


def undone_tick(outcome: Outcome) -> str:
    tick = outcome.result["deleted"]
    date = datetime.date.fromisoformat(tick["day"])
    taken = day_and_time(parsed(tick["taken_at"]))
    return f"The tick of {day(date)} is removed; it said that it was taken {taken}."


def cleared_day(outcome: Outcome) -> str:
    totals = outcome.result["deleted"]
    date = datetime.date.fromisoformat(totals["day"])
    meals = totals["meals"]
    with_meals = f", with {counted(len(meals), 'ticked meal')}" if meals else ""
    return f"{day(date)} cleared; it had {figures_of_nutrition(totals)}{with_meals}."


def body_trend(outcome: Outcome) -> str:
    weight, points = outcome.result["weight"], outcome.result["points"]
    if not points:
        return "No weight was logged in this window."
    window = span([outcome.values["since"], outcome.values["until"]])
    first, last = body_weight(weight["first"]), body_weight(weight["last"])
    slope = weight["change_per_week"]
    a_week = "" if slope is None else f", {slope:+.2f} kg a week"
    trend = body_weight(points[-1]["trend_kg"])
    logs = counted(weight["entries"], "log")
    return f"{window}: {logs}, {first} to {last}{a_week}; the trend is {trend}."
