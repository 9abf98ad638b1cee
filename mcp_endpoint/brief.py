"""The brief form of lists and plans: what a model usually needs of them, in a fraction of the tokens.

Each function takes a page of the full form and returns the brief one. It parses the items one after the
other, because many dicts alive at once keep the garbage collector busy.
"""

from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter
from typing import TypeAlias

from fitness.json import JsonObject, without_fragments
from mcp_endpoint.lines import figures_of_nutrition, figures_of_tape
from training.models.sets import SetType
from training.models.timed import timed_in_short

Page: TypeAlias = JsonObject
MAX_HISTORY = 5  # entries of one plan


def workouts(page: Page) -> Page:
    """Each exercise is one line, its id and its sets; the names of the exercises are listed once a page."""
    names: dict[str, str] = {}

    def workout(full: JsonObject) -> JsonObject:
        lines = []
        for entry in full["exercises"]:
            names[entry["exercise_id"]] = entry["name"]
            timed = timed_in_short(entry["notes"], "kg")
            done = ", ".join(filter(None, [sets_as_text(entry["sets"]), timed]))
            lines.append(f"{entry['exercise_id']}: {done}")
        return {**only(full, "id", "title", "started_at", "volume_kg"), "exercises": lines}

    return {**listed(page, "workouts", workout), "names": names}


def sessions(page: Page) -> Page:
    return listed(page, "sessions", lambda each: {**each, "sets": sets_as_text(each["sets"])})


def sets_as_text(sets: list[JsonObject]) -> str:
    """`60×8 w, 100×5, 95×6 not done`: kg × repetitions, warm-ups marked by w; without the rpe."""
    return ", ".join([set_as_text(*values_of_set(one)) for one in sets])


values_of_set = itemgetter("weight_kg", "reps", "type", "completed")


@lru_cache(maxsize=4096)  # a page has hundreds of sets, most of them repeated
def set_as_text(weight_kg: float, reps: int, set_type: str, completed: bool) -> str:
    warmup = " w" if set_type == SetType.WARMUP else ""
    return f"{weight_kg:.7g}×{reps}{warmup}{'' if completed else ' not done'}"


def exercises(page: Page) -> Page:
    return listed(page, "exercises", lambda each: only(each, "id", "name", "muscle_group", "equipment"))


def routines(page: Page) -> Page:
    def routine(each: JsonObject) -> JsonObject:
        targets = [
            only(entry, "exercise_id", "name", "sets", "reps", "weight_kg") for entry in each["exercises"]
        ]
        return {**only(each, "id", "name"), "exercises": targets}

    return listed(page, "routines", routine)


def plans(page: Page) -> Page:
    """Without days off, and without exercises: get_training_plan has them."""

    def plan(each: JsonObject) -> JsonObject:
        days = [only(day, "weekday", "label") for day in each["days"] if not day["rest"]]
        return {**only(each, "id", "name", "active", "days_per_week"), "days": days}

    return listed(page, "plans", plan)


def plan(full: JsonObject) -> JsonObject:
    """Of its history the newest entries, which are the last ones."""
    return {**full, "history": full["history"][-MAX_HISTORY:]}


def body_metrics(page: Page) -> Page:
    """Each log is one line: `2026-03-02 06:45: 82.4 kg, 18.5 % body fat`, in UTC; without its notes."""
    lines = {"weight": line_of_weight, "measurements": line_of_tape}
    return {name: [lines[name](log) for log in logs] for name, logs in page.items()}


def line_of_weight(log: JsonObject) -> str:
    fat = log["body_fat_percent"]
    return f"{minute(log['logged_at'])}: {log['weight_kg']:.7g} kg" + (
        "" if fat is None else f", {fat:.7g} % body fat"
    )


def line_of_tape(log: JsonObject) -> str:
    return f"{minute(log['logged_at'])}: {figures_of_tape(log)}"


def records(page: Page) -> Page:
    """Each record is one line: `barbell-bench-press: 100×5, estimate 116.7, 2026-03-02`."""
    return {**page, "records": [line_of_record(record) for record in page["records"]]}


def line_of_record(record: JsonObject) -> str:
    lift = set_as_text(record["weight_kg"], record["reps"], SetType.WORKING, True)
    date, _, _ = record["date"].partition("T")
    return f"{record['exercise_id']}: {lift}, estimate {record['estimated_1rm_kg']:.7g}, {date}"


def nutrition(page: Page) -> Page:
    """Each day is one line: `2026-03-02: 2,000 kcal, 150 g protein, 200 g carbs, 70 g fat`."""
    return {**page, "nutrition": [f"{day['day']}: {figures_of_nutrition(day)}" for day in page["nutrition"]]}


def minute(timestamp: str) -> str:
    """`2026-03-02 06:45` of a timestamp as clients read it."""
    return timestamp[: len("2026-03-02T06:45")].replace("T", " ")


def listed(page: Page, name: str, shorten: Callable[[JsonObject], JsonObject]) -> Page:
    return {**page, name: [shorten(without_fragments(full)) for full in page[name]]}


def only(full: JsonObject, *names: str) -> JsonObject:
    return {name: full[name] for name in names}
