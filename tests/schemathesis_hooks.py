"""What a generated request cannot know: which ids exist, what a cursor is, that a week has seven days.

Applied to positive cases only, so that refusals are still tried with everything.
"""

import schemathesis
from schemathesis import GenerationMode

KNOWN = {"exercise_id": "barbell-bench-press", "plan_id": None}


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or case.meta.generation.mode != GenerationMode.POSITIVE:
        return
    if isinstance(case.query, dict):
        case.query.pop("cursor", None)
        if {"since", "until"} <= case.query.keys():
            del case.query["since"]
    case.headers.pop("Idempotency-Key", None)  # generated ones are the same for different requests
    case.body = made_possible(case.body)


def made_possible(value):
    if isinstance(value, list):
        return [made_possible(item) for item in value]
    if isinstance(value, dict):
        return {made_possible(name): KNOWN.get(name, member(name, item)) for name, item in value.items()}
    if isinstance(value, str):
        return value.replace("\0", "")  # refused anywhere in a body, also where anything else is ignored
    return value


def member(name, value):
    value = made_possible(value)
    if name == "days" and isinstance(value, list):
        days = [day for day in value if isinstance(day, dict)] or [{"label": "Day"}]
        return [{**days[n % len(days)], "weekday": n + 1, "rest": False} for n in range(7)]
    return value
