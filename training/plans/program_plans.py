"""Programs as plans of an account, and first weights by what somebody lifts."""

import datetime
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Account
from fitness.days import today
from training import stats
from training.models import Plan
from training.models.planned import PlanDay, PlannedExercise, PlannedTarget, planned
from training.models.sets import estimated_1rm_kg
from training.plans import Rule, Target, Wave, default_increment_kg, loading_of
from training.plans.plan_rules import Place, PlanRule, day_of
from training.plans.programs import PROGRAMS, TRAINING_MAX_PERCENT, Program, ProgramLift, fitted, increment_kg
from training.plans.starters import ROUTINES, StarterRoutines, catalogue_of, rest_label

# What fits to a number of training days a week.
FITTING: dict[int, Program | StarterRoutines] = {
    2: ROUTINES["full-body"],
    3: PROGRAMS["linear-three-days"],
    4: PROGRAMS["upper-lower-double"],
    5: ROUTINES["push-pull-legs"],
    6: PROGRAMS["push-pull-legs-double"],
}


class Record(NamedTuple):
    """The best set of an account with an exercise."""

    weight_kg: float
    reps: int
    at: datetime.datetime

    @property
    def maximum_kg(self) -> float:
        return estimated_1rm_kg(self.weight_kg, self.reps)


def records(account: Account, exercise_ids: Iterable[str]) -> dict[str, Record]:
    """The account's records with weight, by the id of the exercise."""
    best = stats.best_sessions(account).filter(exercise__in=list(exercise_ids))
    return {row.exercise_id: Record(row.weight_kg, row.reps, row.started_at) for row in best if row.weight_kg}


def add_program(account: Account, program: Program, maxima_kg: Mapping[str, float]) -> Plan:
    """The account's plan of that name, which is added if there is none, and is active if no other one is.

    Its next day of training is the first one of the program.
    `maxima_kg` are the estimated one-rep maxima by exercise. A lift without one begins at 0.
    """
    with transaction.atomic():
        account.lock()  # of two taps, the second finds what the first has added
        if plan := account.plans.filter(name=str(program.name)).first():
            return plan
        days, rules = fitted_week(program.begun_on(today().isoweekday()), maxima_kg, account.units)
        plan = Plan.objects.create_for(
            account,
            {
                "name": str(program.name),
                "summary": str(program.summary),
                "progression": _("Source: %(source)s.") % {"source": program.source},
                "days": days,
                "active": not account.plans.active().exists(),
            },
        )
        plan.adapt(
            {
                "deload_every": program.deload_every,
                "deload_percent": program.deload_percent,
                "rules": rules,
            }
        )
        return plan


def activate(plan: Plan) -> None:
    """Makes a plan the account's active one. A program that nobody has trained begins with its first day.

    So do the pages, where programs are offered; what activates by the API finds each day where it put it.
    Raises DoesNotExist if it is gone.
    """
    with transaction.atomic():
        plan.activate()
        turned = begun_days(plan.days, day_of(plan.account, timezone.now()).isoweekday())
        if turned and not plan.workouts.exists():
            plan.turn_days(turned, plan.changed_at, "to begin with the first one")


def begun_days(days: list[PlanDay], weekday: int) -> dict[int, int]:
    """Of a program that is begun on a weekday, where each weekday's training goes; empty of another plan."""
    trained = {day["weekday"]: [one["exercise_id"] for one in day["exercises"]] for day in days}
    weekdays = [day["weekday"] for day in days if not day["rest"]]
    turned = sorted(weekdays, key=lambda one: (one < weekday, one))
    programs = [
        [[lift.exercise_id for lift in day.lifts] for day in program.days.values()]
        for program in PROGRAMS.values()
    ]
    for first in range(len(weekdays)):
        in_order = weekdays[first:] + weekdays[:first]
        if in_order != turned and [trained[one] for one in in_order] in programs:
            return dict(zip(in_order, turned, strict=True))
    return {}


def fitted_week(
    program: Program, maxima_kg: Mapping[str, float], unit: str
) -> tuple[list[PlanDay], dict[Place, tuple[str, Rule]]]:
    """The seven days of a program for one person, and the rules of their entries.

    Exercises that the catalogue lacks are left out.
    """
    catalogue = catalogue_of(program.days.values())
    days: list[PlanDay] = []
    rules: dict[Place, tuple[str, Rule]] = {}
    for weekday in range(1, 8):
        day = program.days.get(weekday)
        entries: list[PlannedExercise] = []
        for lift in day.lifts if day else ():
            exercise = catalogue.get(lift.exercise_id)
            if exercise is None:
                continue
            rule, target = lift.rule, Target(lift.sets, lift.reps, 0)
            if exercise.pk in maxima_kg:
                loading = loading_of(exercise.equipment, unit, increment_kg(lift.exercise_id))
                rule, target = fitted(lift, maxima_kg[exercise.pk], loading)
            if rule:
                rules[Place(weekday, len(entries))] = (lift.exercise_id, rule)
            values: PlannedTarget = {
                "sets": target.sets,
                "reps": target.reps,
                "weight_kg": target.weight_kg,
                "note": str(lift.note),
            }
            entries.append(planned(exercise, values))
        days.append(
            {
                "weekday": weekday,
                "label": str(day.name) if day else rest_label(),
                "focus": str(day.focus) if day else "",
                "rest": day is None,
                "exercises": entries,
            }
        )
    return days, rules


def target_from_records(account: Account, entry: PlannedExercise, one: PlanRule, rule: Rule) -> Target | None:
    """What an entry with a rule asks for by the account's record with the exercise; None without a record."""
    record = records(account, [entry["exercise_id"]]).get(entry["exercise_id"])
    if record is None:
        return None
    loading = loading_of(entry["equipment"], account.units, rule.increment_kg)
    lift = ProgramLift(entry["exercise_id"], entry["sets"], entry["reps"], "", rule)
    fitted_rule, target = fitted(lift, record.maximum_kg, loading)
    if isinstance(fitted_rule, Wave):  # of which a typed percentage sets the training max
        (line,) = fitted_rule.weeks[one.state.week]
        return Target(line.sets, line.reps, fitted_rule.training_max_kg * line.percent / 100)
    return target


def training_maxes(account: Account, entries: Iterable[PlannedExercise]) -> dict[str, float]:
    """90 % of the estimated maximum of the account's record with each exercise, in kg, by its id."""
    equipment = {entry["exercise_id"]: entry["equipment"] for entry in entries}
    found = {}
    for exercise_id, record in records(account, equipment).items():
        kind = equipment[exercise_id]
        loading = loading_of(kind, account.units, default_increment_kg(kind, account.units))
        found[exercise_id] = loading.take_percent(record.maximum_kg, TRAINING_MAX_PERCENT)
    return found
