"""Notices: what an answer's data lack, and what looks wrong in what was stored all the same.

Several hosts show a model nothing but the structured result, so they are in it. A notice is one sentence of
about two dozen words at most. Those that a write makes of its values are made before it, so that nothing is
stored when that fails, in one statement (log_workout three) whose cost does not grow with the history.
"""

import datetime
from collections.abc import Callable
from typing import Any
from uuid import UUID

import orjson
from django.db.models import Manager, OuterRef, Subquery
from django.utils import timezone

from accounts.models import Account
from fitness.api.parsers import is_uuid
from fitness.api.serializers import Values
from fitness.api.viewsets import parse_uuid
from fitness.days import ONE_DAY, utc_today
from fitness.db.faults import DATABASE_FAULTS, discard_connection
from fitness.json import Fragment, JsonObject, without_fragments
from fitness.web.local_time import zone_of
from mcp_endpoint import lines
from mcp_endpoint.lines import amount, counted, day, load
from training import stats
from training.api.serializers.plan import WEEKDAYS
from training.models import Exercise, Plan, ProgressionStep
from training.models.sets import Lift
from training.models.timed import timed_in_short
from training.plans import Step, reason, sentence
from training.plans.plan_rules import PlanRule, PlanWeek, day_of, lighter_targets
from training.plans.steps import STAYS
from training.plans.updates import unmoved_exercises
from training.plans.wording import target_text
from training.plans.workouts import LoggedWorkout
from training.web.train.next_time import unmoved

LAST_MINUTES = datetime.timedelta(minutes=10)  # in which an equal workout is probably the same one
MAX_LAST = 5  # workouts of them that are compared
ODD_FACTOR = 1.5  # of the best weight: what is above it may be a mistake
MANY_SETS, SHORT_SECONDS = 10, 300  # more sets in less time are a wrong duration
TWO_WEEKS = 14 * ONE_DAY
MAX_WEEKS = 26
TICKED_DAYS = 7
NEW_YEAR_DAYS = 60  # in January a day of December is no slip of the year
MAX_NOTICES = 20  # of one kind


def first(notices: list[str]) -> list[str]:
    """The first notices of a kind, and how many more there are."""
    more = len(notices) - MAX_NOTICES
    return [*notices[:MAX_NOTICES], *([f"There are {more} more of these."] if more > 0 else [])]


def of_day(date: datetime.date, account: Account) -> list[str]:
    """About a day in the future or of another year. Today may be the person's or that of UTC."""
    now = timezone.now()
    today = max(now.date(), now.astimezone(zone_of(account.time_zone)).date())
    if date > today:
        return [f"The date is {counted((date - today).days, 'day')} ahead."]
    is_long_ago = date.year != today.year and (today - date).days > NEW_YEAR_DAYS
    return [f"The year is {date.year}, not {today.year}."] if is_long_ago else []


def of_moment(at: datetime.datetime, account: Account) -> list[str]:
    return [*of_day(at.date(), account), *of_own_day(at, account)]


def of_own_day(at: datetime.datetime, account: Account, argument: str = "") -> list[str]:
    """The person's day at a moment where UTC has another one, with the argument that says so."""
    local = at.astimezone(zone_of(account.time_zone)).date()
    if local == at.date():
        return []
    says_so = f"; {argument} {local} says so" if argument else ""
    return [f"Where the user is, that was {day(local)}{says_so}."]


def of_workout(account: Account, values: Values) -> list[str]:
    ids = {entry["exercise"].id for entry in values["exercises"]}
    return [
        *of_best_sets(values, stats.best_sets_by_exercise(account, ids)),
        *of_moment(values["started_at"], account),
        *of_length(values),
        *of_the_same_workout(account, values),
    ]


def of_best_sets(values: Values, bests: dict[str, Lift]) -> list[str]:
    """New records; a weight far above the best so far is asked about instead."""
    found = []
    for exercise, weight_kg, reps in stats.new_personal_records(bests, values["exercises"]):
        best_kg, _ = bests[exercise.id]
        is_odd = weight_kg > ODD_FACTOR * best_kg > 0
        odd = f"{amount(weight_kg)} kg of {exercise.name} is more than {ODD_FACTOR:g} times the best so far"
        record = f"New record: {exercise.name} {load(weight_kg, reps)}."
        found.append(f"{odd}, {amount(best_kg)} kg." if is_odd else record)
    return first(found)


def of_length(values: Values) -> list[str]:
    sets, seconds = sum(len(entry["sets"]) for entry in values["exercises"]), values["duration_seconds"]
    if not sets and not any(entry["notes"] for entry in values["exercises"]):
        return ["It has no set."]
    is_short = sets > MANY_SETS and seconds < SHORT_SECONDS
    return [f"{sets} sets in {seconds} seconds: is that the duration?"] if is_short else []


def of_the_same_workout(account: Account, values: Values) -> list[str]:
    """A workout with the same start; else one of the last minutes with the same title, exercises and sets."""
    same_start = account.workouts.filter(started_at=values["started_at"]).order_by("-id")
    for document in same_start.values_list("document", flat=True)[:1]:
        return [
            f"There is already a workout at this moment: {lines.workout(orjson.loads(document), account)}."
        ]
    since = timezone.now() - LAST_MINUTES
    newest = account.workouts.filter(updated_at__gte=since).order_by("-updated_at")
    sets = [(entry["exercise"].id, entry["sets"]) for entry in values["exercises"]]
    for document in newest.values_list("document", flat=True)[:MAX_LAST]:
        other = orjson.loads(document)
        same_sets = [(entry["exercise_id"], entry["sets"]) for entry in other["exercises"]] == sets
        if same_sets and other["title"] == values["title"]:
            return [f"There is already a workout equal to this one: {lines.workout(other, account)}."]
    return []


def of_targets(account: Account, plan: Plan) -> list[str]:
    """What a plan's days do not say: why their targets are what they are, and what a deload week asks for.

    One statement where there was a session.
    """
    progression, week = plan.progressions, plan.week
    if not progression.is_deload(day_of(account, timezone.now())):
        steps = account.progression_steps.last_of(progression)
        return first([target_in_words(week, one, steps.get(one.id)) for one in progression.rules])
    lighter = {
        f"{week.by_place[place]['name']} {target_text(less, week.unit)}.": None
        for place, less in lighter_targets(week, progression).items()
    }
    percent = f"{progression.deload_percent:g} %"
    return [f"This is a deload week, with {percent} of each weight.", *first(list(lighter))]


def target_in_words(week: PlanWeek, one: PlanRule, step: Step | None) -> str:
    """`Barbell Squat on Monday 4 × 6 at 62.5 kg: +2.5 kg a session; up from 60: 4 × 6 done on 9 Nov.`"""
    targets = ", ".join(dict.fromkeys(target_text(each, week.unit) for each in week.targets(one).values()))
    weekday = WEEKDAYS.get(one.places[0].weekday)
    on = f" on {weekday}" if weekday else ""
    why = f"; {reason(step, week.unit, week.zone)}" if step else ""
    rule = sentence(one.rule, week.loading(one))
    return f"{week.entry_of(one)['name']}{on} {targets}: {rule}{why}."


def of_next_time(account: Account, values: Values, workout: Fragment) -> list[str]:
    """What a plan asks for next time where the workout that was just stored has changed it.

    Two statements where the plan has rules. A fault of the database leaves it out: an error would make the
    model store the workout again.
    """
    if not values.get("read_plan"):
        return []
    try:
        plan = account.plans.with_rules().filter(pk=values["plan_id"]).first()
        return first(next_time(account, plan, values, without_fragments(workout)["id"])) if plan else []
    except DATABASE_FAULTS as fault:
        discard_connection(fault)
        return []


def next_time(account: Account, plan: Plan, values: Values, workout_id: str) -> list[str]:
    plan.account = account
    week, rules = plan.week, {one.id: one for one in plan.progressions.rules}
    steps = ProgressionStep.objects.of_workouts(account.pk, [UUID(workout_id)]).order_by("weekday", "id")
    moved = [
        f"Next time: {target_in_words(week, rules[str(row.rule)], Step.from_json(row.step))}"
        for row in steps
        if row.kind not in STAYS and str(row.rule) in rules and row.is_last_of(rules[str(row.rule)])
    ]
    workout = LoggedWorkout.of(UUID(workout_id), values["started_at"], timezone.now(), values["exercises"])
    older = unmoved_exercises(plan, workout)
    return [*moved, *(f"Moved no target of {name}: a later session is stored." for name in older)]


def of_deletion(account: Account, values: Values) -> list[str]:
    """Which targets a workout that is to be deleted takes no step back of: a later one is stored."""
    workout = account.workouts.filter(pk=parse_uuid(values["workout_id"])).first()
    return [said] if workout and (said := unmoved(account, workout)) else []


def of_history(account: Account, values: Values, history: JsonObject) -> list[str]:
    return [*of_times(account, history), *of_help(account, [history["exercise"]["id"]])]


def of_times(account: Account, history: JsonObject) -> list[str]:
    """The times and distances that the notes of the sessions name."""
    ids = [session["workout_id"] for session in history["sessions"]]
    rows = account.workout_exercises.filter(workout__in=ids, exercise=history["exercise"]["id"])
    with_notes = rows.exclude(notes="").order_by("-started_at", "position")
    found = [
        (at, timed_in_short(notes, Account.Units.KG))
        for at, notes in with_notes.values_list("started_at", "notes")
    ]
    return first([f"Time or distance on {day(at)}: {timed}." for at, timed in found if timed])


def of_records(account: Account, values: Values, page: JsonObject) -> list[str]:
    return of_help(account, [one["exercise_id"] for one in page["records"]])


def of_help(account: Account, exercise_ids: list[str]) -> list[str]:
    """The set with least help of each assisted exercise, whose best set is the heaviest."""
    assisted = Exercise.objects.seen_by(account).assisted_among(exercise_ids)
    rows = stats.best_sessions_with(account, assisted) if assisted else ()
    return first(
        [
            f"The weight of {row.exercise__name} is help; least of it: {load(row.weight_kg, row.reps)} "
            f"({day(row.started_at)})."
            for row in rows
        ]
    )


def of_weeks(account: Account, values: Values, _: JsonObject) -> list[str]:
    """The weeks with a session, of a window of more than two."""
    since, until = values["since"], values["until"]
    if until - since <= TWO_WEEKS:
        return []
    weeks = stats.utc_weeks(account, since, until)
    more = len(weeks) - MAX_WEEKS
    left_out = [f"{counted(more, 'week')} before are left out: narrow since and until."] if more > 0 else []
    return [*left_out, *(of_week(week, since) for week in weeks[-MAX_WEEKS:])]


def of_week(week: stats.UtcWeek, since: datetime.datetime) -> str:
    """`Week of 16 Nov: 3 sessions; working sets: Chest 12, Back 9.`"""
    begin = f", from {day(since)} on" if since.date() > week.monday else ""
    sets = ", ".join(f"{group} {count}" for group, count in week.working_sets.most_common() if count)
    working = f"; working sets: {sets}" if sets else ""
    return f"Week of {day(week.monday)}{begin}: {counted(week.sessions, 'session')}{working}."


def of_weight(account: Account, values: Values) -> list[str]:
    fat = values["body_fat_percent"]
    odd = f"Body fat of {amount(fat or 0)} % is very low: percent, not parts of one."
    return [
        *of_log_before(account.weight_logs, values, lambda log: lines.body_weight(log.weight_kg)),
        *of_moment(values["logged_at"], account),
        *([odd] if fat is not None and fat < 1 else []),
    ]


def of_measurements(account: Account, values: Values) -> list[str]:
    before = of_log_before(account.measurements, values, lambda log: lines.figures_of_tape(vars(log)))
    return [*before, *of_moment(values["logged_at"], account)]


def of_log_before(logs: Manager[Any], values: Values, figures: Callable[[Any], str]) -> list[str]:
    """The latest log up to the time of the new one."""
    earlier = logs.filter(logged_at__lte=values["logged_at"]).order_by("-logged_at", "-id")
    return [f"The log before was {figures(log)} ({day(log.logged_at)})." for log in earlier[:1]]


def of_nutrition(account: Account, values: Values) -> list[str]:
    """The totals that are replaced."""
    stored = account.nutrition_days.filter(day=values["day"])
    before = [f"The day had {lines.figures_of_nutrition(one.macros)} before." for one in stored]
    return [*before, *of_day(values["day"], account)]


def of_tick(account: Account, values: Values) -> list[str]:
    """Which supplement it is, and whether it was ticked before."""
    if not is_uuid(values["supplement_id"]):
        return []
    ticks = account.supplement_logs.filter(supplement=OuterRef("pk"), day=values["day"])
    supplements = account.supplements.filter(pk=UUID(values["supplement_id"]))
    found = supplements.annotate(taken_at=Subquery(ticks.values("taken_at")))
    supplement = found.values_list("name", "dosage", "taken_at").first()
    if supplement is None:
        return []
    name, taken_at = lines.dosed(*supplement[:2]), supplement[2]
    if taken_at:
        return [f"{name} was ticked for {day(values['day'])} already; nothing changed."]
    is_of_utc = values["day"] == values["taken_at"].astimezone(datetime.UTC).date()
    own = of_own_day(values["taken_at"], account, "day") if is_of_utc else []
    return [f"The supplement is {name}.", *of_day(values["day"], account), *own]


def of_ticks(account: Account, values: Values, page: JsonObject) -> list[str]:
    """Which of the supplements were ticked on each of the last days."""
    supplements, found = page["supplements"], []
    if not supplements:
        return []
    days = [utc_today() - number * ONE_DAY for number in range(TICKED_DAYS)]
    logs = account.supplement_logs.between(days[-1], days[0])
    ticked = {(log.day, str(log.supplement_id)) for log in logs}
    for date in days:
        taken = [one["name"] for one in supplements if (date, one["id"]) in ticked]
        words = "all" if len(taken) == len(supplements) > 1 else ", ".join(taken) or "none"
        found.append(f"{day(date)}: {words} taken.")
    return found


def of_goal(account: Account, values: Values) -> list[str]:
    """The goal that is replaced, and a deadline that is past."""
    before, deadline = account.goals.newest(), values["deadline"]
    past = (timezone.now().date() - deadline).days if deadline else 0
    return [
        *([f"Before, it was {lines.goal(vars(before), account)}."] if before else []),
        *([f"The deadline is {counted(past, 'day')} past."] if past > 0 else []),
    ]
