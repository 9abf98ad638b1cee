"""The brief form of lists: what a model mostly needs of them, in a fraction of the tokens.

Each function takes a page of the full form and returns the brief one. It makes one record plain after the
other, because many dicts alive at once keep the garbage collector busy.
"""

from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter

from fitness.api.renderers import without_fragments
from training.models.workout import SetType

Page = dict


def workouts(page: Page) -> Page:
    """Each exercise is a line of its id and its sets; the page lists the names once."""
    names = {}

    def workout(full: dict) -> dict:
        lines = []
        for entry in full["exercises"]:
            names[entry["exercise_id"]] = entry["name"]
            lines.append(f"{entry['exercise_id']}: {sets_in_short(entry['sets'])}")
        return {**only(full, "id", "title", "started_at", "volume_kg"), "exercises": lines}

    return {**listed(page, "workouts", workout), "names": names}


def sessions(page: Page) -> Page:
    return listed(page, "sessions", lambda each: {**each, "sets": sets_in_short(each["sets"])})


def sets_in_short(sets: list[dict]) -> str:
    """`60×8 w, 100×5, 95×6 not done`: kg × repetitions, warm-ups marked by w; without the rpe."""
    return ", ".join([set_in_short(*shown_of_set(one)) for one in sets])


shown_of_set = itemgetter("weight_kg", "reps", "type", "completed")


@lru_cache(maxsize=4096)  # a page has hundreds of sets, and most are repeated
def set_in_short(weight_kg: float, reps: int, set_type: str, completed: bool) -> str:
    warmup = " w" if set_type == SetType.WARMUP else ""
    return f"{weight_kg:.7g}×{reps}{warmup}{'' if completed else ' not done'}"


def exercises(page: Page) -> Page:
    return listed(page, "exercises", lambda each: only(each, "id", "name", "muscle_group", "equipment"))


def routines(page: Page) -> Page:
    def routine(each: dict) -> dict:
        targets = [
            only(entry, "exercise_id", "name", "sets", "reps", "weight_kg") for entry in each["exercises"]
        ]
        return {**only(each, "id", "name"), "exercises": targets}

    return listed(page, "routines", routine)


def plans(page: Page) -> Page:
    """Days off and the exercises of the others are left out: get_training_plan has them."""

    def plan(each: dict) -> dict:
        days = [only(day, "weekday", "label") for day in each["days"] if not day["rest"]]
        return {**only(each, "id", "name", "active", "days_per_week"), "days": days}

    return listed(page, "plans", plan)


def listed(page: Page, name: str, shorten: Callable[[dict], dict]) -> Page:
    return {**page, name: [shorten(without_fragments(full)) for full in page[name]]}


def only(full: dict, *names: str) -> dict:
    return {name: full[name] for name in names}
