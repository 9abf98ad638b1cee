"""The prompts: what a person starts with one click, as text that names the tools to call.

A prompt reads nothing itself. Its dates are days of UTC, like those of the tools.
"""

import datetime
from collections.abc import Callable
from dataclasses import dataclass

from rest_framework.exceptions import ValidationError

from fitness.api import fields
from fitness.api.errors import first_details, invalid_message
from fitness.api.serializers import QuerySerializer, Values
from fitness.days import ONE_DAY, utc_today
from fitness.json import JsonObject
from mcp_endpoint.jsonrpc import INVALID_PARAMS, Client, Params, ProtocolError, Result, check_cursor


class PlanArguments(QuerySerializer):
    wishes = fields.StringField(
        default="", help_text="What the week should be like, such as `three days, no barbell`."
    )


class LogArguments(QuerySerializer):
    text = fields.StringField(help_text="The notes, such as `Bench 3x5 100, row 3x8 70`.")


@dataclass(frozen=True)
class Prompt:
    """`text(arguments)` is what the person says by choosing the prompt."""

    name: str
    title: str
    description: str
    text: Callable[[Values], str]
    arguments: type[QuerySerializer] = QuerySerializer

    @property
    def definition(self) -> JsonObject:
        """The prompt's item in the result of prompts/list."""
        arguments = [
            {"name": name, "description": field.help_text, "required": field.required}
            for name, field in self.arguments.shared().fields.items()
        ]
        listed = {"name": self.name, "title": self.title, "description": self.description}
        return {**listed, "arguments": arguments}


def weekly_review(arguments: Values) -> str:
    today = utc_today()
    first = today - 6 * ONE_DAY
    weeks = begin(today - (today.weekday() + 21) * ONE_DAY)
    return f"""\
Review my training of the last seven days, {dated(first)} to {dated(today)}.
1. Read get_training_stats with since {weeks} for the last four weeks, list_workouts with since \
{begin(first)} and detail brief, get_training_plan with plan_id active, get_body_metrics with of weight, \
detail brief and limit 14, get_nutrition with since {first}, and get_current_goal. Some of these may have \
nothing; do without them.
2. Tell me in at most ten lines what I did against what was planned, working sets by muscle group against \
the weeks before, new records, and how body weight and nutrition fit my goal.
3. End with the one thing that I should change next week. Say which figures are missing, and save nothing."""


def plan_next_week(arguments: Values) -> str:
    today = utc_today()
    monday = today + (7 - today.weekday()) * ONE_DAY
    sunday = monday + 6 * ONE_DAY
    weeks = begin(monday - 56 * ONE_DAY)
    wishes = f"\nWhat I want of that week:\n{arguments['wishes']}\n" if arguments["wishes"] else ""
    return f"""\
Plan my training for next week, {dated(monday)} to {dated(sunday)}.{wishes}
1. Read get_current_goal, get_training_plan with plan_id active, and get_training_stats with since {weeks} \
for the last eight weeks; for each main lift get_exercise_history with limit 5 and detail brief. Some of \
these may have nothing; then ask me for what you need.
2. Show me the week as a table: day, exercise, sets × reps, load in my unit, and why a load goes up or \
stays. Where my plan says that targets follow what was lifted, take its targets.
3. Ask me whether it is right. Only when I say so, save it by create_training_plan, with every exercise_id \
from search_exercises, and with active true only if I want it in place of the plan that I follow."""


def log_from_text(arguments: Values) -> str:
    return f"""\
Log what these notes of mine say that I did, ate, weighed or took, and nothing else:

{arguments["text"]}

Today is {dated(utc_today())} in UTC; get_profile says what day it is where I am. Weights that I write \
without a unit are in the unit of my screens, which it says, too; tools take kilograms. Find each exercise \
by search_exercises with detail brief. Log a workout with all its exercises by one call of log_workout, \
and do not log anything twice. Ask me first where the notes leave open which exercise, day, load or \
repetitions I mean. Then tell me what was saved, with its figures and notices."""


def begin(day: datetime.date) -> str:
    return f"{day}T00:00:00Z"


def dated(day: datetime.date) -> str:
    """`Monday 23 November 2026`."""
    return f"{day:%A} {day.day} {day:%B} {day.year}"


PROMPTS = {
    prompt.name: prompt
    for prompt in (
        Prompt(
            name="weekly_review",
            title="Review my week",
            description="What the last seven days were against the plan, the weeks before and the goal.",
            text=weekly_review,
        ),
        Prompt(
            name="plan_next_week",
            title="Plan my next week",
            description="A week from the goal, the active plan and the last weeks; saved only on consent.",
            text=plan_next_week,
            arguments=PlanArguments,
        ),
        Prompt(
            name="log_from_text",
            title="Log from notes",
            description="Logs a workout, meals or weights from notes as they were written down.",
            text=log_from_text,
            arguments=LogArguments,
        ),
    )
}


def list_prompts(params: Params, client: Client) -> Result:
    check_cursor(params, "prompts")
    return {"prompts": [prompt.definition for prompt in PROMPTS.values()]}


def get_prompt(params: Params, client: Client) -> Result:
    name = params.get("name")
    if not isinstance(name, str):
        raise ProtocolError(INVALID_PARAMS, "params.name must be the name of a prompt.")
    if name not in PROMPTS:
        raise ProtocolError(INVALID_PARAMS, f"Unknown prompt: {name[:64]}")
    prompt = PROMPTS[name]
    message = {"role": "user", "content": {"type": "text", "text": prompt.text(values_of(prompt, params))}}
    return {"description": prompt.description, "messages": [message]}


def values_of(prompt: Prompt, params: Params) -> Values:
    """The arguments of a prompt; null and blank ones are left out. Raises ProtocolError."""
    given = params.get("arguments")
    given = {} if given is None else given
    if isinstance(given, dict):
        given = {name: value for name, value in given.items() if value is not None and str(value).strip()}
    try:
        return prompt.arguments.validated(given)
    except ValidationError as error:
        problems = first_details({"params": {"arguments": error.detail}})
        raise ProtocolError(INVALID_PARAMS, invalid_message(problems)) from None
