"""What a rule asks of an exercise, and where it is in the rule."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

MAX_REPS = 10_000  # as of a planned exercise
TOLERANCE_KG = 0.05  # two weights are the same within this: clients write 102.05828325 kg (225 lb) as 102.1


@dataclass(frozen=True)
class Target:
    """What is asked of an exercise. An `open` last set is done for as many repetitions as possible."""

    sets: int
    reps: int
    weight_kg: float  # 0: body weight, or not known yet
    open: bool = False

    @property
    def is_weightless(self) -> bool:
        return self.weight_kg <= TOLERANCE_KG


@dataclass(frozen=True)
class State:
    """A target, and what its rule remembers of the sessions before it."""

    target: Target  # of a wave the line by which this week is judged
    misses: int = 0  # in a row; of a wave 1 where the last open set missed its repetitions
    stage: int = 0  # index
    week: int = 0  # index
    training_max_kg: float = 0

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "target": {**vars(self.target)}}  # asdict takes ten times as long

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(**{**stored, "target": Target(**stored["target"])})


def is_heavier(weight_kg: float, than_kg: float) -> bool:
    return weight_kg > than_kg + TOLERANCE_KG
