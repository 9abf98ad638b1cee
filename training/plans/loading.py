"""Which weights can be loaded: steps from the bar's weight on, in the unit of the account."""

import math
from dataclasses import dataclass

from fitness.web.units import rounded, to_kg

TOLERANCE_KG = 0.05  # two weights are the same within this: clients write 102.05828325 kg (225 lb) as 102.1
MAX_KG = 2000.0  # as of a planned exercise
BAR = {"kg": 20.0, "lb": 45.0}
WITH_BAR = "Barbell"
STEP = {"kg": 2.5, "lb": 5.0}  # of what is not in STEP_OF
STEP_OF = {"Dumbbell": {"kg": 2.0, "lb": 5.0}, "Kettlebell": {"kg": 4.0, "lb": 5.0}}
WITHOUT_STEPS = ("Bodyweight", "Band")  # which progress by repetitions
UNIT_MARGIN = 0.001  # of a quarter that somebody typed in this unit; 5 lb miss one of a kg by 0.018


@dataclass(frozen=True)
class Loading:
    """How one exercise is loaded: all numbers in `unit`. Its methods take kg and return kg."""

    unit: str
    bar: float  # 0 without one
    step: float
    increment: float  # of the rule; 0 where only repetitions are added

    def round_down(self, kg: float) -> float:
        """The heaviest weight that can be loaded and is at most this.

        Where this is less than the bar weighs, a lighter bar is meant.
        """
        weight, tolerance = self.value(min(kg, MAX_KG)), self.value(TOLERANCE_KG)
        bar = self.bar if weight >= self.bar - tolerance else 0
        steps = math.floor((weight - bar + tolerance) / self.step)
        return to_kg(round(bar + max(steps, 0) * self.step, 6), self.unit)

    def plus(self, kg: float) -> float:
        """The weight and the increment, not rounded to a step: a training max is not loaded itself."""
        return min(to_kg(round(self.value(kg) + self.increment, 6), self.unit), MAX_KG)

    def add(self, kg: float) -> float:
        return self.round_down(self.plus(kg))

    def subtract(self, kg: float) -> float:
        return self.lower(kg, kg - to_kg(self.increment, self.unit))

    def take_percent(self, kg: float, percent: float) -> float:
        return self.lower(kg, kg * percent / 100)

    def lower(self, kg: float, lower_kg: float) -> float:
        """`lower_kg` rounded, but not less than the bar for somebody who lifts at least the bar."""
        bar_kg = to_kg(self.bar, self.unit)
        least_kg = bar_kg if kg >= bar_kg - TOLERANCE_KG else 0
        return max(self.round_down(max(lower_kg, 0)), least_kg)

    def value(self, kg: float) -> float:
        """A weight in the unit, unrounded."""
        return kg / to_kg(1, self.unit)


def loading_of(equipment: str, unit: str, increment_kg: float) -> Loading:
    """How an exercise with a rule of this increment is loaded.

    Weights are rounded to the equipment's step where the increment is a multiple of it. Else somebody has
    other plates than these, and the increment itself is the step.
    """
    step = STEP_OF.get(equipment, STEP)[unit]
    increment = increment_in(unit, increment_kg, step)
    is_multiple = math.isclose(increment % step, 0, abs_tol=1e-6)
    bar = BAR[unit] if equipment == WITH_BAR else 0
    return Loading(unit, bar, step if is_multiple else increment, increment)


def increment_in(unit: str, increment_kg: float, step: float) -> float:
    """An increment in the unit; one that was typed in the other unit becomes the nearest half of a step."""
    value = increment_kg / to_kg(1, unit)
    quarter = rounded(value, 4)
    if abs(value - quarter) <= UNIT_MARGIN:
        return quarter
    return max(rounded(value * 2 / step, 1), 1) * step / 2


def default_increment_kg(equipment: str, unit: str) -> float:
    """The increment of a new rule; 0 for what progresses by repetitions."""
    return 0.0 if equipment in WITHOUT_STEPS else to_kg(STEP_OF.get(equipment, STEP)[unit], unit)


def is_heavier(weight_kg: float, than_kg: float) -> bool:
    return weight_kg > than_kg + TOLERANCE_KG
