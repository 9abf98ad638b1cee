"""Programs: weeks to start from whose exercises have rules. Where starters have the same days, it is these.

Loads are 0, as those of starters. `fitted` gives a lift its first weight where its maximum is known. Where it
is not, the person is asked for the maximum, or the first session sets the weight.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext_lazy

from training.plans import Double, Line, Linear, Loading, Rule, Stage, Stages, Target, Wave
from training.plans.rules import OPEN_STAGES
from training.plans.starters import (
    FULL_BODY_A,
    FULL_BODY_B,
    LEGS,
    LOWER_HEAVY,
    LOWER_VOLUME,
    PULL,
    PUSH,
    UPPER_HEAVY,
    UPPER_VOLUME,
    Day,
    Lift,
)

TRAINING_MAX_PERCENT = 90  # of the estimated maximum

SQUAT = "barbell-back-squat"
BENCH = "barbell-bench-press"
DEADLIFT = "barbell-deadlift"
PRESS = "barbell-overhead-press"
ROW = "bent-over-barbell-row"

LARGE = (SQUAT, DEADLIFT, "barbell-romanian-deadlift", "leg-press")
# Of somebody with a year of training, in kg: a program is read with them before anybody says what they lift.
EXAMPLE_MAXIMA_KG = {
    SQUAT: 100,
    BENCH: 75,
    DEADLIFT: 125,
    PRESS: 50,
    ROW: 75,
    "barbell-romanian-deadlift": 95,
    "dumbbell-bulgarian-split-squat": 22,
    "dumbbell-curl": 16,
    "dumbbell-goblet-squat": 32,
    "dumbbell-lateral-raise": 12,
    "dumbbell-shoulder-press": 24,
    "face-pull": 30,
    "incline-dumbbell-bench-press": 28,
    "lat-pulldown": 65,
    "leg-press": 180,
    "lying-leg-curl": 50,
    "machine-standing-calf-raise": 90,
    "rope-triceps-pushdown": 35,
    "seated-cable-row": 65,
    "single-arm-dumbbell-row": 32,
}
REPETITIONS_ONLY = ("dead-bug", "hanging-knee-raise")
TOP_OF_RANGE = {5: 8, 6: 8, 8: 10, 10: 12, 12: 15, 15: 20}


@dataclass(frozen=True)
class ProgramLift(Lift):
    rule: Rule | None = None


@dataclass(frozen=True)
class ProgramDay(Day):
    lifts: tuple[ProgramLift, ...]


@dataclass(frozen=True)
class Program:
    """A week with rules; weekdays without a day rest."""

    key: str
    name: str | Promise
    goal: str | Promise
    summary: str | Promise
    source: str | Promise
    days: dict[int, ProgramDay]  # by the number of the weekday, from 1 (Monday)
    deload_every: int | None = None  # weeks
    deload_percent: float = 85

    @property
    def days_a_week(self) -> str:
        count = len(self.days)
        return ngettext("%(count)s day a week", "%(count)s days a week", count) % {"count": count}

    def begun_on(self, weekday: int) -> Self:
        """The same weekdays, whose first one from this one on has the first day, and the others follow."""
        turned = sorted(self.days, key=lambda one: (one < weekday, one))
        return replace(self, days=dict(zip(turned, self.days.values(), strict=True)))

    @property
    def lifts(self) -> list[ProgramLift]:
        return [lift for day in self.days.values() for lift in day.lifts]

    @property
    def weighted(self) -> list[str]:
        """The exercises with weight, each once: their maxima are asked for."""
        return [pk for pk in dict.fromkeys(lift.exercise_id for lift in self.lifts) if increment_kg(pk)]


def fitted(lift: ProgramLift, maximum_kg: float, loading: Loading) -> tuple[Rule | None, Target]:
    """A lift's rule and first target by its one-rep maximum in kg, of which 90 % are the training max.

    That weighs as much as the training max allows for the repetitions, by Epley's formula (1985).
    """
    training_max_kg = loading.take_percent(maximum_kg, TRAINING_MAX_PERCENT)
    weight_kg = loading.take_percent(training_max_kg, 100 / (1 + lift.reps / 30))
    rule = lift.rule
    if isinstance(rule, Wave):
        rule = replace(rule, training_max_kg=training_max_kg)
    return rule, Target(lift.sets, lift.reps, weight_kg)


def increment_kg(exercise_id: str) -> float:
    """What is added to an exercise at once. For accounts in pounds it becomes 5 or 10 lb (`loading_of`)."""
    if exercise_id in REPETITIONS_ONLY:
        return 0
    if exercise_id in LARGE:
        return 5
    return 2 if "dumbbell" in exercise_id else 2.5


def double(lift: Lift) -> Double:
    """From the lift's repetitions to some more."""
    return Double(lift.reps, TOP_OF_RANGE[lift.reps], increment_kg(lift.exercise_id))


def linear(lift: Lift) -> Linear:
    """2.5 kg a session, also for squats, which come three times a week; 5 kg for deadlifts."""
    return Linear(5 if lift.exercise_id == DEADLIFT else 2.5)


def linear_or_double(lift: Lift) -> Rule:
    """Sets of five get heavier each time, longer sets get longer first."""
    return linear(lift) if lift.reps == 5 else double(lift)


def day_with_rules(day: Day, rule_of: Callable[[Lift], Rule]) -> ProgramDay:
    lifts = (
        ProgramLift(lift.exercise_id, lift.sets, lift.reps, lift.note, rule_of(lift)) for lift in day.lifts
    )
    return ProgramDay(day.name, day.focus, tuple(lifts))


FIVE_BY_FIVE_A = Day(
    _("5 × 5 A"), _("Squat, bench press, row"), (Lift(SQUAT, 5, 5), Lift(BENCH, 5, 5), Lift(ROW, 5, 5))
)
FIVE_BY_FIVE_B = Day(
    _("5 × 5 B"),
    _("Squat, overhead press, deadlift"),
    (Lift(SQUAT, 5, 5), Lift(PRESS, 5, 5), Lift(DEADLIFT, 1, 5)),
)

MEDIUM_STAGES = (Stage(3, 10), Stage(3, 8), Stage(3, 6))


def tiers(number: int, heavy: str, medium: str, light: str) -> ProgramDay:
    """A day of GZCLP: one heavy lift, one with medium weight, and one light."""
    return ProgramDay(
        f"GZCLP {number}",
        _("One heavy, one medium, one light lift"),
        (
            ProgramLift(
                heavy,
                5,
                3,
                _("As many as are clean in the last set."),
                Stages(OPEN_STAGES, increment_kg(heavy)),
            ),
            ProgramLift(medium, 3, 10, "", Stages(MEDIUM_STAGES, increment_kg(medium))),
            ProgramLift(light, 3, 15, "", Double(15, 18, increment_kg(light))),
        ),
    )


# (reps, percent) of the three weeks, for each of the three sets of a day.
WAVES = (((5, 65), (3, 70), (5, 75)), ((5, 75), (3, 80), (3, 85)), ((5, 85), (3, 90), (1, 95)))


def main_and_assistance(name: str | Promise, main: str, *assistance: Lift) -> ProgramDay:
    """A day of 5/3/1: three sets of one lift, of which the last is open, then easier exercises."""
    sets = tuple(
        ProgramLift(main, 1, weeks[0][0], "", wave(main, weeks, is_open=weeks is WAVES[-1]))
        for weeks in WAVES
    )
    others = day_with_rules(Day("", "", assistance), double).lifts
    return ProgramDay(name, format_lazy(_("{lift}, then assistance"), lift=name), sets + others)


def wave(exercise_id: str, weeks: tuple[tuple[int, float], ...], *, is_open: bool) -> Wave:
    lines = tuple((Line(1, reps, percent, is_open),) for reps, percent in weeks)
    return Wave(lines, training_max_kg=0, increment_kg=increment_kg(exercise_id))


PROGRAMS = {
    program.key: program
    for program in (
        Program(
            "linear-three-days",
            _("Linear, three days"),
            _("First months"),
            _(
                "Three days with sets of five that get heavier each time. After three misses in a row a "
                "tenth comes off, and the way up begins again."
            ),
            _("The beginners' progression of Mark Rippetoe's Starting Strength"),
            {
                1: day_with_rules(FULL_BODY_A, linear_or_double),
                3: day_with_rules(FULL_BODY_B, linear_or_double),
                5: day_with_rules(FULL_BODY_A, linear_or_double),
            },
        ),
        Program(
            "linear-five-by-five",
            _("Linear, 5 × 5"),
            _("First months"),
            _(
                "Five lifts with a barbell, the squat on each of three days. When all sets are done, the "
                "next ones are heavier."
            ),
            _("Five sets of five by Reg Park and Bill Starr, with the days of StrongLifts 5×5"),
            {
                1: day_with_rules(FIVE_BY_FIVE_A, linear),
                3: day_with_rules(FIVE_BY_FIVE_B, linear),
                5: day_with_rules(FIVE_BY_FIVE_A, linear),
            },
        ),
        Program(
            "gzclp",
            "GZCLP",
            _("Strength"),
            _(
                "Each day has a heavy, a medium and a light lift. A miss keeps the weight and takes "
                "repetitions off each set. The weight goes down only after a miss in the last stage."
            ),
            _(
                "Cody Lefever's GZCLP. His light lifts go up once the last of three sets reaches 25; here "
                "once all reach 18, which is as much work"
            ),
            {
                1: tiers(1, SQUAT, BENCH, "lat-pulldown"),
                2: tiers(2, PRESS, DEADLIFT, "single-arm-dumbbell-row"),
                4: tiers(3, BENCH, SQUAT, "lat-pulldown"),
                5: tiers(4, DEADLIFT, PRESS, "single-arm-dumbbell-row"),
            },
        ),
        Program(
            "five-three-one",
            "5/3/1",
            _("Strength"),
            _(
                "One main lift a day, with percentages of a training max that grows every four weeks. In "
                "three of them the last set is open, the fourth is light."
            ),
            "Jim Wendler, 5/3/1",
            {
                1: main_and_assistance(
                    pgettext_lazy("day of 5/3/1", "Overhead press"), PRESS, Lift("lat-pulldown", 3, 10)
                ),
                2: main_and_assistance(
                    pgettext_lazy("day of 5/3/1", "Deadlift"), DEADLIFT, Lift("hanging-knee-raise", 3, 10)
                ),
                4: main_and_assistance(
                    pgettext_lazy("day of 5/3/1", "Bench press"),
                    BENCH,
                    Lift("single-arm-dumbbell-row", 3, 10),
                ),
                5: main_and_assistance(
                    pgettext_lazy("day of 5/3/1", "Squat"), SQUAT, Lift("lying-leg-curl", 3, 12)
                ),
            },
            deload_every=4,
            deload_percent=65,  # about 40, 50 and 60 % of the training max
        ),
        Program(
            "upper-lower-double",
            _("Upper and lower, by repetitions"),
            _("Muscle"),
            _("Each half of the body twice a week. Repetitions grow first, then the load."),
            _("double progression, a common method without one author"),
            {
                1: day_with_rules(UPPER_HEAVY, double),
                2: day_with_rules(LOWER_HEAVY, double),
                4: day_with_rules(UPPER_VOLUME, double),
                5: day_with_rules(LOWER_VOLUME, double),
            },
            deload_every=6,
        ),
        Program(
            "push-pull-legs-double",
            _("Push, pull, legs, by repetitions"),
            _("Muscle"),
            _(
                "Each day trains a third of the body, and each third comes twice a week. Repetitions grow "
                "first, then the load."
            ),
            _("double progression, a common method without one author"),
            {
                weekday: day_with_rules(day, double)
                for weekday, day in enumerate((PUSH, PULL, LEGS, PUSH, PULL, LEGS), 1)
            },
            deload_every=6,
        ),
    )
}
