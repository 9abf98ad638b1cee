"""The brief form of lists and plans: what a model usually needs of them, in a fraction of the tokens.

Each function takes a page of the full form and returns the brief one. It parses the items one after the
other, because many dicts alive at once keep the garbage collector busy.
"""

from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter

from fitness.json import JsonObject, without_fragments
from mcp_endpoint.lines import figures_of_nutrition, figures_of_tape
from training.models.sets import SetType
from training.models.timed import timed_in_short

MAX_HISTORY = 5  # entries of one plan


def workouts(page: JsonObject) -> JsonObject:
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


def sessions(page: JsonObject) -> JsonObject:
    return listed(page, "sessions", lambda each: {**each, "sets": sets_as_text(each["sets"])})


def sets_as_text(sets: list[JsonObject]) -> str:
    """`60×8 w, 100×5, 95×6 not done`: kg × repetitions, warm-ups marked by w; without the rpe."""
    return ", ".join([set_as_text(*values_of_set(one)) for one in sets])


values_of_set = itemgetter("weight_kg", "reps", "type", "completed")


@lru_cache(maxsize=4096)  # a page has hundreds of sets, most of them repeated
def set_as_text(weight_kg: float, reps: int, set_type: str, completed: bool) -> str:
    warmup = " w" if set_type == SetType.WARMUP else ""
    return f"{weight_kg:.7g}×{reps}{warmup}{'' if completed else ' not done'}"


def exercises(page: JsonObject) -> JsonObject:
    return listed(page, "exercises", lambda each: only(each, "id", "name", "muscle_group", "equipment"))


def routines(page: JsonObject) -> JsonObject:
    def routine(each: JsonObject) -> JsonObject:
        targets = [
            only(entry, "exercise_id", "name", "sets", "reps", "weight_kg") for entry in each["exercises"]
        ]
        return {**only(each, "id", "name"), "exercises": targets}

    return listed(page, "routines", routine)


def plans(page: JsonObject) -> JsonObject:
    """Without days off, and without exercises: get_training_plan has them."""

    def plan(each: JsonObject) -> JsonObject:
        days = [only(day, "weekday", "label") for day in each["days"] if not day["rest"]]
        return {**only(each, "id", "name", "active", "days_per_week"), "days": days}

    return listed(page, "plans", plan)


def plan(full: JsonObject) -> JsonObject:
    """Of its history the newest entries, which are the last ones."""
    return {**full, "history": full["history"][-MAX_HISTORY:]}


def body_metrics(page: JsonObject) -> JsonObject:
    """Each log is one line: `2026-03-02 06:45: 82.4 kg, 18.5 % body fat`, in UTC; without its notes."""

    def line(log: JsonObject) -> str:
        at = log["logged_at"][: len("2026-03-02T06:45")].replace("T", " ")
        if "weight_kg" not in log:
            return f"{at}: {figures_of_tape(log)}"
        fat = log["body_fat_percent"]
        return f"{at}: {log['weight_kg']:.7g} kg" + ("" if fat is None else f", {fat:.7g} % body fat")

    return {name: list(map(line, logs)) for name, logs in page.items()}


def records(page: JsonObject) -> JsonObject:
    """Each record is one line: `barbell-bench-press: 100×5, estimate 116.7, 2026-03-02`."""

    def line(record: JsonObject) -> str:
        lift = set_as_text(record["weight_kg"], record["reps"], SetType.WORKING, True)
        date, _, _ = record["date"].partition("T")
        return f"{record['exercise_id']}: {lift}, estimate {record['estimated_1rm_kg']:.7g}, {date}"

    return {**page, "records": list(map(line, page["records"]))}


def nutrition(page: JsonObject) -> JsonObject:
    """Each day is one line: `2026-03-02: 2,000 kcal, 150 g protein, 200 g carbs, 70 g fat`."""
    return {**page, "nutrition": [f"{day['day']}: {figures_of_nutrition(day)}" for day in page["nutrition"]]}


def listed(page: JsonObject, name: str, shorten: Callable[[JsonObject], JsonObject]) -> JsonObject:
    return {**page, name: [shorten(without_fragments(full)) for full in page[name]]}


def only(full: JsonObject, *names: str) -> JsonObject:
    return {name: full[name] for name in names}
