"""What texts say of plans and routines whose targets follow what was lifted: their rules and last steps.

Weights are in the account's unit, as in the reasons of steps. Without rules there is no statement.
"""

import datetime
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import NamedTuple

import orjson
from django.utils import timezone

from accounts.models import Account
from fitness.api.serializers import Values
from fitness.db.faults import DATABASE_FAULTS, discard_connection
from fitness.web.units import to_unit
from mcp_endpoint.phrases import MAX_NAMES, bounded, counted
from training.api.serializers.plan import WEEKDAYS
from training.models import Plan, Routine
from training.models.adapting import Adapting
from training.models.planned import PlannedExercise
from training.progression import State, Step, Target, reason, sentence
from training.progression.asking import lighter_target
from training.progression.plans import Begun, Followed, Place, Progression, Week, target_of
from training.progression.store import day_of, done_of, target_text, unmoved, week_of

MAX_RULES = 40  # in the text of one plan
MAX_CHANGES = 10  # in the text of a workout


class Rules:
    """The rules of a plan or routine in words."""

    def __init__(self, account: Account, planning: Adapting) -> None:
        self.account, self.progression = account, planning.progressions
        self.week: Week = week_of(account, planning.schedule)
        self.times = Counter(self.week.exercise_of(one).id for one in self.progression.followed)

    def name(self, one: Followed) -> str:
        """The exercise, with its day where the plan has several targets of it."""
        exercise = self.week.exercise_of(one)
        day = WEEKDAYS.get(one.places[0].weekday)
        return f"{exercise.name} on {day}" if day and self.times[exercise.id] > 1 else exercise.name

    def targets(self, one: Followed) -> list[Target]:
        """What is asked now, of a wave by each of its entries."""
        return list(dict.fromkeys(self.week.asked(one).values()))

    def target(self, one: Followed) -> str:
        return ", ".join(target_text(target, self.week.unit) for target in self.targets(one))

    def next_target(self, one: Followed) -> str:
        first, *others = self.targets(one)
        if others or first.is_weightless:
            return self.target(one)
        weight = to_unit(first.weight_kg, self.week.unit)
        return f"{weight} {self.week.unit} ({first.sets} × {first.reps})"

    def reason(self, step: Step) -> str:
        return reason(step, self.week.unit, self.week.zone)

    def line(self, one: Followed, step: Step | None) -> str:
        """`Barbell Bench Press 4 × 6 at 62.5 kg (+2.5 kg a session; up from 60: 4 × 6 done on 9 Nov)`."""
        rule = sentence(one.rule, self.week.loading(one))
        why = f"{rule}; {self.reason(step)}" if step else rule
        return f"{self.name(one)} {self.target(one)} ({why})"

    def is_deload(self, now: datetime.datetime) -> bool:
        return self.progression.is_deload(day_of(self.account, now))

    def lighter(self, place: Place, entry: PlannedExercise) -> str:
        """What a deload week asks of an entry; empty where that is the same as always."""
        less = lighter_target(self.week, self.progression, place)
        return f"{entry['name']} {target_text(less, self.week.unit)}" if less != target_of(entry) else ""

    def deload(self) -> str:
        texts = (self.lighter(place, entry) for place, entry in self.week.entries())
        lines = list(dict.fromkeys(filter(None, texts)))
        percent = f"This is a deload week, with {self.progression.deload_percent:g} % of each weight"
        return f"{percent}: {bounded(lines, MAX_RULES)}." if lines else f"{percent}."


def rules(account: Account, plan: Plan) -> list[str]:
    """Sentences about the rules of a plan; none without any."""
    of_plan = Rules(account, plan)
    return in_full(of_plan, account.progression_steps.last_of(of_plan.progression))


def in_full(of_plan: Rules, steps: dict[str, Step]) -> list[str]:
    lines = [of_plan.line(one, steps.get(one.id)) for one in of_plan.progression.followed]
    follow = [f"Targets follow what was lifted: {bounded(lines, MAX_RULES)}."] if lines else []
    return [*follow, of_plan.deload()] if of_plan.is_deload(timezone.now()) else follow


class Steps(NamedTuple):
    """What a list says of rules, by the ids of routines or plans: of one all, of others the newest step."""

    in_full: dict[str, str]
    in_short: dict[str, str]


def steps_of_plans(account: Account, plans: Sequence[Plan]) -> Steps:
    """All rules of the active plan or of the only one, each with its last step."""
    read = next((one for one in plans if one.active), plans[0] if len(plans) == 1 else None)
    return steps_of(account, plans, read)


def steps_of_routines(account: Account, routines: Sequence[Routine]) -> dict[str, str]:
    return steps_of(account, routines, None).in_short


def steps_of(account: Account, plannings: Sequence[Adapting], read: Adapting | None) -> Steps:
    """Of those with rules, and of `read` all; of the others that a text names how many, and the newest step.

    One statement for the steps of all.
    """
    others = {str(one.pk): Rules(account, one) for one in plannings[:MAX_NAMES] if one.rules and one != read}
    newest = {pk: newest_of(one.progression.followed) for pk, one in others.items()}
    whole = Rules(account, read) if read and read.rules else None
    followed = [*(one for one in newest.values() if one), *(whole.progression.followed if whole else ())]
    steps = account.progression_steps.last_of(Progression(tuple(followed)))
    texts = {pk: in_short(one, newest[pk], steps) for pk, one in others.items()}
    sentences = {str(read.pk): " ".join(in_full(whole, steps))} if read and whole else {}
    return Steps(with_text(sentences), with_text(texts))


def with_text(texts: dict[str, str]) -> dict[str, str]:
    return {pk: text for pk, text in texts.items() if text}


def newest_of(followed: Iterable[Followed]) -> Followed | None:
    found = [(one.newest, one) for one in followed if one.newest]
    return max(found, key=itemgetter(0))[1] if found else None


def in_short(of_plan: Rules, newest: Followed | None, steps: dict[str, Step]) -> str:
    count = len(of_plan.progression.followed)
    parts = [counted(count, "rule")] if count else []
    if newest and newest.id in steps:
        parts.append(f"{of_plan.name(newest)} {of_plan.target(newest)}, {of_plan.reason(steps[newest.id])}")
    if of_plan.is_deload(timezone.now()):
        parts.append("this is a deload week")
    return "; ".join(parts)


def next_time(account: Account, values: Values) -> str:
    """What a plan asks next time where the workout that was just stored has changed it; empty otherwise.

    Two statements where the plan has rules. A fault of the database leaves the sentence out: an error would
    make the model store the workout again.
    """
    if not values.get("read_plan"):
        return ""
    try:
        return changes_of(account, values)
    except DATABASE_FAULTS as fault:
        discard_connection(fault)
        return ""


def changes_of(account: Account, values: Values) -> str:
    plan = account.plans.ruled().filter(pk=values["plan_id"]).first()
    if plan is None:
        return ""
    before = Progression.from_json(orjson.loads(values["read_plan"].rules))
    known = {one.id: one.state for one in before.followed}
    of_plan = Rules(account, plan)
    followed = of_plan.progression.followed
    changed = tuple(one for one in followed if one.id in known and asks_otherwise(one.state, known[one.id]))
    steps = account.progression_steps.last_of(replace(of_plan.progression, followed=changed))
    lines = [next_target(of_plan, one, steps.get(one.id)) for one in changed]
    said = [f"Next time: {bounded(lines, MAX_CHANGES)}."] if lines else []
    done = done_of(plan.pk, values["started_at"], timezone.now(), values["exercises"])
    if older := [of_plan.name(one) for one in unmoved(account, plan, done, Begun())]:
        said.append(f"Moved no target of {bounded(older, MAX_CHANGES)}: a later session is stored.")
    return " ".join(said)


def asks_otherwise(state: State, former: State) -> bool:
    return replace(state, misses=0) != replace(former, misses=0)


def next_target(of_plan: Rules, one: Followed, step: Step | None) -> str:
    """`Barbell Bench Press 65 kg (4 × 6), up from 62.5: 4 × 6 done on 9 Nov`."""
    why = f", {of_plan.reason(step)}" if step else ""
    return f"{of_plan.name(one)} {of_plan.next_target(one)}{why}"
