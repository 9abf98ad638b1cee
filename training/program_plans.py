"""Programs as plans of an account: their rules, with first weights by what somebody lifts."""

import datetime
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import Account
from fitness.days import today
from training import stats
from training.models import Exercise, Plan
from training.models.planned import PlanDay, PlannedExercise, planned
from training.models.sets import estimated_1rm_kg
from training.programs import PROGRAMS, Program, ProgramDay, RuledLift, fitted, increment_kg
from training.progression import Rule, Target, loading_of
from training.progression.plans import Place
from training.starters import ROUTINES, StarterRoutines, catalogue_of, rest_label

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


def asked_about(program: Program) -> list[Exercise]:
    """The exercises with weight of a program, as far as the catalogue has them."""
    catalogue = catalogue_of(program.days.values())
    return [catalogue[pk] for pk in program.weighted if pk in catalogue]


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
        catalogue = catalogue_of(program.days.values())
        begun = program.begun_on(today().isoweekday())
        week = FittedWeek(begun, catalogue, maxima_kg, account.units)
        plan = Plan.objects.create_for(
            account,
            {
                "name": str(program.name),
                "summary": str(program.summary),
                "progression": _("Source: %(source)s.") % {"source": program.source},
                "days": [week.day(weekday) for weekday in range(1, 8)],
                "active": not account.plans.active().exists(),
            },
        )
        plan.adapt(
            {
                "deload_every": program.deload_every,
                "deload_percent": program.deload_percent,
                "rules": week.rules,
            }
        )
        return plan


class FittedWeek:
    """The days of a program for one person. `rules` has the rule of each entry of the days made so far."""

    def __init__(
        self, program: Program, catalogue: Mapping[str, Exercise], maxima_kg: Mapping[str, float], unit: str
    ) -> None:
        self.program, self.catalogue, self.maxima_kg, self.unit = program, catalogue, maxima_kg, unit
        self.rules: dict[Place, tuple[str, Rule]] = {}

    def day(self, weekday: int) -> PlanDay:
        day = self.program.days.get(weekday)
        if day is None:
            return {"weekday": weekday, "label": rest_label(), "focus": "", "rest": True, "exercises": []}
        exercises = self.exercises(weekday, day)
        return {
            "weekday": weekday,
            "label": str(day.name),
            "focus": str(day.focus),
            "rest": False,
            "exercises": exercises,
        }

    def exercises(self, weekday: int, day: ProgramDay) -> list[PlannedExercise]:
        """The exercises of a day that the catalogue has."""
        entries: list[PlannedExercise] = []
        for lift in day.lifts:
            exercise = self.catalogue.get(lift.exercise_id)
            if exercise is None:
                continue
            rule, target = self.fitted(lift, exercise)
            if rule:
                self.rules[Place(weekday, len(entries))] = (lift.exercise_id, rule)
            values = {"sets": target.sets, "reps": target.reps, "weight_kg": target.weight_kg}
            entries.append(planned(exercise, {**values, "note": str(lift.note)}))  # type: ignore[typeddict-item]  # the values of a Target
        return entries

    def fitted(self, lift: RuledLift, exercise: Exercise) -> tuple[Rule | None, Target]:
        maximum_kg = self.maxima_kg.get(exercise.pk)
        if maximum_kg is None:
            return lift.rule, Target(lift.sets, lift.reps, 0)
        loading = loading_of(exercise.equipment, self.unit, increment_kg(lift.exercise_id))
        return fitted(lift, maximum_kg, loading)
