"""The plans and routines of the demo account, as tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from training.progression import Double, Effort, Linear, Rule

DELOAD_EVERY = 6  # weeks of training
TOP_OF_RANGE = {8: 10, 10: 12, 12: 15, 15: 20}
MORE_WITHOUT_WEIGHT = 5  # repetitions from the bottom of a range to its top


@dataclass(frozen=True)
class Lift:
    exercise_id: str
    sets: int
    reps: int
    start_kg: float = 0
    gain_kg: float = 0  # that years of training add
    step_kg: float = 2.5
    is_main: bool = False  # with warm-up sets and a fixed number of repetitions
    note: str = ""

    @property
    def increment_kg(self) -> float:
        return self.step_kg if self.start_kg else 0

    @property
    def is_timed(self) -> bool:
        return self.reps == 1


@dataclass(frozen=True)
class TrainingDay:
    label: str
    focus: str
    lifts: tuple[Lift, ...]


@dataclass(frozen=True)
class Programme:
    name: str
    summary: str
    progression: str
    days: Mapping[int, TrainingDay]  # by weekday (1 is Monday); the others are rest days
    rule_of: Callable[[Lift], Rule | None]


def linear(lift: Lift) -> Rule | None:
    return None if lift.is_timed else Linear(lift.increment_kg)


def by_effort_or_repetitions(lift: Lift) -> Rule | None:
    """Main lifts by their effort, but the deadlift each time; others by repetitions."""
    if lift.is_timed or lift == DEADLIFT:
        return linear(lift)
    if lift.is_main:
        return Effort(lift.increment_kg)
    top = TOP_OF_RANGE[lift.reps] if lift.increment_kg else lift.reps + MORE_WITHOUT_WEIGHT
    return Double(lift.reps, top, lift.increment_kg)


def main_lift(
    exercise_id: str, sets: int, reps: int, start_kg: float, gain_kg: float, note: str = ""
) -> Lift:
    return Lift(exercise_id, sets, reps, start_kg, gain_kg, is_main=True, note=note)


def day(label: str, focus: str, *lifts: Lift) -> TrainingDay:
    return TrainingDay(label, focus, lifts)


SQUAT = main_lift("barbell-back-squat", 4, 5, 80, 60)
BENCH = main_lift("barbell-bench-press", 4, 6, 62.5, 37.5, "Pause on the chest.")
DEADLIFT = main_lift("barbell-deadlift", 3, 5, 100, 80)
PRESS = main_lift("barbell-overhead-press", 4, 6, 37.5, 22.5)
ROW, PULL_UP = Lift("bent-over-barbell-row", 3, 8, 50, 32.5), Lift("pull-up", 3, 8)
CABLE_ROW, PULLDOWN = Lift("seated-cable-row", 3, 10, 50, 27.5), Lift("lat-pulldown", 3, 10, 45, 25)
INCLINE, DIP = Lift("incline-dumbbell-bench-press", 3, 10, 22, 12, 2), Lift("chest-dip", 3, 10)
RAISE, FACE_PULL = Lift("dumbbell-lateral-raise", 3, 12, 7, 6, 1), Lift("face-pull", 3, 15, 17.5, 12.5)
CURL, PUSHDOWN = Lift("dumbbell-curl", 3, 10, 10, 6, 1), Lift("rope-triceps-pushdown", 3, 12, 20, 15)
HINGE, LEG_CURL = Lift("barbell-romanian-deadlift", 3, 8, 70, 45), Lift("lying-leg-curl", 3, 12, 30, 22.5)
LEG_PRESS, EXTENSION = Lift("leg-press", 3, 10, 110, 90, 5), Lift("leg-extension", 3, 12, 40, 30)
LUNGE, CALF = (
    Lift("dumbbell-walking-lunge", 3, 10, 14, 10, 2),
    Lift("machine-standing-calf-raise", 4, 12, 60, 50, 5),
)
PLANK, LEG_RAISE = Lift("plank", 3, 1), Lift("hanging-leg-raise", 3, 12)

FULL_BODY = Programme(
    name="Full body, three days",
    summary="A squat or a hinge, a press and a pull on every training day.",
    progression="Once all sets reach their repetitions, add 2.5 kg: with dumbbells 1 kg, in the leg press "
    "5 kg. After three misses in a row take off a tenth. Every sixth week at 85 %.",
    rule_of=linear,
    days={
        1: day("Full body A", "Squat", SQUAT, BENCH, ROW, PLANK),
        3: day("Full body B", "Deadlift", DEADLIFT, PRESS, PULL_UP, CURL),
        5: day("Full body C", "Bench press", BENCH, LEG_PRESS, PULLDOWN, RAISE),
    },
)
UPPER_LOWER = Programme(
    name="Upper and lower, four days",
    summary="Two upper and two lower body days; each lift is heavy once and lighter once a week.",
    progression="Bench press, squat and overhead press: 2.5 kg more when the last set feels like RPE 8 or "
    "less, and as much less above 9.5. Deadlift: 2.5 kg more each time. Others: first more repetitions, then "
    "more weight. Every sixth week at 85 %.",
    rule_of=by_effort_or_repetitions,
    days={
        1: day("Upper A", "Bench press", BENCH, ROW, INCLINE, PULLDOWN, RAISE, PUSHDOWN),
        2: day("Lower A", "Squat", SQUAT, HINGE, EXTENSION, CALF, LEG_RAISE),
        4: day("Upper B", "Overhead press", PRESS, PULL_UP, CABLE_ROW, DIP, FACE_PULL, CURL),
        5: day("Lower B", "Deadlift", DEADLIFT, LEG_PRESS, LEG_CURL, LUNGE, PLANK),
    },
)
ROUTINES = (
    day(
        "Hotel room",
        "No equipment, 25 minutes",
        *(Lift("push-up", 4, 15), Lift("bodyweight-squat", 4, 20), Lift("bodyweight-reverse-lunge", 3, 12)),
        Lift("plank", 3, 1, note="45 seconds each."),
    ),
    day(
        "Arms and shoulders",
        "A short session for a spare day",
        *(Lift("dumbbell-shoulder-press", 3, 10, 18), Lift("dumbbell-curl", 4, 10, 12)),
        *(Lift("rope-triceps-pushdown", 4, 12, 25), Lift("dumbbell-lateral-raise", 4, 15, 8)),
    ),
    day(
        "Kettlebell conditioning",
        "Ten rounds, little rest",
        *(Lift("kettlebell-swing", 10, 15, 20), Lift("kettlebell-goblet-squat", 5, 10, 20)),
    ),
)
DAYS = (*FULL_BODY.days.values(), *UPPER_LOWER.days.values(), *ROUTINES)
EXERCISE_IDS = {lift.exercise_id for day in DAYS for lift in day.lifts}
