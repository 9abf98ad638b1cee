"""Makes generated requests valid where the schema is not enough: ids that exist, cursors, seven days a week.

Applied to positive cases only: negative cases keep their generated values.
"""

import schemathesis
from schemathesis import GenerationMode

VALID_IDS = {"exercise_id": "barbell-bench-press", "plan_id": None}


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or case.meta.generation.mode != GenerationMode.POSITIVE:
        return
    if isinstance(case.query, dict):
        case.query.pop("cursor", None)
        if {"since", "until"} <= case.query.keys():
            del case.query["since"]
    case.headers.pop("Idempotency-Key", None)  # generated keys are the same for different requests
    case.headers.pop("If-Match", None)  # no generated tag is that of a record
    case.body = make_valid(case.body)


def make_valid(value):
    if isinstance(value, list):
        return [make_valid(item) for item in value]
    if isinstance(value, dict):
        return {
            make_valid(name): VALID_IDS.get(name, field_value(name, item)) for name, item in value.items()
        }
    if isinstance(value, str):
        return value.replace("\0", "")  # rejected anywhere in a body, also in fields that are ignored
    return value


def field_value(name, value):
    value = make_valid(value)
    if name == "rules":  # each is of an entry of the plan or routine, and its fields are those of its kind
        return []
    if name == "days" and isinstance(value, list):
        days = [day for day in value if isinstance(day, dict)] or [{"label": "Day"}]
        return [{**days[n % len(days)], "weekday": n + 1, "rest": False} for n in range(7)]
    return value
