"""Targets, and the rules by which they follow what was lifted.

Stored of each entry of a plan is the JSON of its own rule, which is what clients send and read. A lift that
is in a day several times, with 65, 75 and 85 % say, has one wave in each entry. These are judged as one,
which `share` makes: each of its weeks has the lines of all entries.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, ClassVar, NamedTuple, Self

from training.plans.loading import TOLERANCE_KG, Loading

MAX_REPS = 10_000  # as of a planned exercise


@dataclass(frozen=True)
class Target:
    """What to do of an exercise. An `open` last set is done for as many repetitions as possible."""

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

    target: Target  # for a wave, the line by which this week is judged
    misses: int = 0  # in a row; for a wave 1 after an open set that missed its repetitions
    stage: int = 0  # index
    week: int = 0  # index
    training_max_kg: float = 0

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "target": {**vars(self.target)}}  # asdict takes ten times as long

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(**{**stored, "target": Target(**stored["target"])})


@dataclass(frozen=True)
class Linear:
    """After each session that was done the increment more; after some misses in a row less."""

    kind: ClassVar[str] = "linear"
    increment_kg: float
    misses: int = 3
    deload_percent: float = 90.0


@dataclass(frozen=True)
class Double:
    """Repetitions from the bottom of a range to its top, then the increment more from the bottom."""

    kind: ClassVar[str] = "double"
    reps_from: int
    reps_to: int
    increment_kg: float
    misses: int = 3
    deload_percent: float = 90.0


@dataclass(frozen=True)
class Effort:
    """Up and down by how hard the last set was."""

    kind: ClassVar[str] = "effort"
    increment_kg: float
    rpe_up: float = 8.0
    rpe_down: float = 9.5


@dataclass(frozen=True)
class Stage:
    sets: int
    reps: int


@dataclass(frozen=True)
class Stages:
    """The increment more while a stage is done, the next stage after a miss, after the last one a reset."""

    kind: ClassVar[str] = "stages"
    stages: tuple[Stage, ...]
    increment_kg: float
    reset_percent: float = 85.0


# Of GZCLP's main lift: the last set of each is for as many repetitions as are clean.
OPEN_STAGES = (Stage(5, 3), Stage(6, 2), Stage(10, 1))


@dataclass(frozen=True)
class Line:
    """One entry in a week of a wave: sets at a percentage of the training max."""

    sets: int
    reps: int
    percent: float
    open: bool = False


WaveWeek = tuple[Line, ...]  # a line of each entry


@dataclass(frozen=True)
class Wave:
    """Weeks of percentages of a training max, which follows the last open set of a round of weeks."""

    kind: ClassVar[str] = "wave"
    weeks: tuple[WaveWeek, ...]
    training_max_kg: float  # the first one; State has that of today
    increment_kg: float


Rule = Linear | Double | Effort | Stages | Wave

KINDS: dict[str, type[Rule]] = {rule.kind: rule for rule in (Linear, Double, Effort, Stages, Wave)}
# Of each kind its parameters besides the increment, with their defaults; None where a client must give it.
PARAMETERS: dict[str, dict[str, Any]] = {
    kind: {
        one.name: None if one.default is MISSING else one.default
        for one in fields(rule)
        if one.name != "increment_kg"
    }
    for kind, rule in KINDS.items()
}
ALL_PARAMETERS = list(dict.fromkeys(name for names in PARAMETERS.values() for name in names))
LISTS = ("stages", "weeks")  # the parameters that are no numbers


def rule_to_json(rule: Rule) -> dict[str, Any]:
    """The rule of one entry as clients write it."""
    stored = {"kind": rule.kind, **vars(rule)}
    if isinstance(rule, Wave):
        stored["weeks"] = [{**vars(line)} for (line,) in rule.weeks]
    elif isinstance(rule, Stages):
        stored["stages"] = [{**vars(stage)} for stage in rule.stages]
    return stored


def rule_from_json(stored: Mapping[str, Any]) -> Rule:
    """The rule of one entry; what is stored was validated, and is not checked again."""
    values = {name: value for name, value in stored.items() if name != "kind"}
    if "weeks" in values:
        values["weeks"] = tuple((Line(**line),) for line in values["weeks"])
    if "stages" in values:
        values["stages"] = tuple(Stage(**stage) for stage in values["stages"])
    return KINDS[stored["kind"]](**values)


def share(waves: Sequence[Wave]) -> Wave:
    """The waves of a lift's entries in one day as one; training max and increment are those of the first."""
    weeks = zip(*(wave.weeks for wave in waves), strict=True)
    merged = tuple(tuple(line for week in of_entries for line in week) for of_entries in weeks)
    return Wave(merged, waves[0].training_max_kg, waves[0].increment_kg)


def begin(rule: Rule, target: Target, loading: Loading) -> State:
    """The state of a target that somebody has typed, before any session."""
    match rule:
        case Double():
            reps = min(max(target.reps, rule.reps_from), rule.reps_to)
            return State(Target(target.sets, reps, target.weight_kg))
        case Stages():
            typed = Stage(target.sets, target.reps)
            stage = rule.stages.index(typed) if typed in rule.stages else 0
            return at_stage(rule, stage, target.weight_kg)
        case Wave():
            return in_week(rule, 0, rule.training_max_kg, 0, loading)
        case _:
            return State(target)


def at_stage(rule: Stages, stage: int, weight_kg: float) -> State:
    return State(Target(rule.stages[stage].sets, rule.stages[stage].reps, weight_kg), stage=stage)


def in_week(rule: Wave, week: int, training_max_kg: float, misses: int, loading: Loading) -> State:
    line = judged_line(rule, week) or rule.weeks[week][-1]
    target = line_target(line, training_max_kg, loading)
    return State(target, misses=misses, week=week, training_max_kg=training_max_kg)


def judged_line(rule: Wave, week: int) -> Line | None:
    """The line by which a week is judged: its last open one. A wave without any has its last line."""
    lines = [line for line in rule.weeks[week] if line.open]
    if not lines and week == len(rule.weeks) - 1 and not any(line.open for of in rule.weeks for line in of):
        return rule.weeks[week][-1]
    return lines[-1] if lines else None


def line_target(line: Line, training_max_kg: float, loading: Loading) -> Target:
    weight_kg = loading.take_percent(training_max_kg, line.percent)
    return Target(line.sets, line.reps, weight_kg, line.open)


def current_targets(rule: Rule, state: State, loading: Loading) -> tuple[Target, ...]:
    """The targets of the next session: one, or for a wave one for each entry."""
    if not isinstance(rule, Wave):
        is_open = isinstance(rule, Stages) and rule.stages == OPEN_STAGES
        return (replace(state.target, open=is_open),)
    return tuple(line_target(line, state.training_max_kg, loading) for line in rule.weeks[state.week])


def lighter(target: Target, percent: float, loading: Loading) -> Target:
    """The target in a deload week of the plan. An open set is an ordinary one then."""
    weight_kg = loading.take_percent(target.weight_kg, percent)
    return Target(target.sets, target.reps, weight_kg)


class Entry(NamedTuple):
    """An exercise of a plan's day with its rule and its target."""

    weekday: int
    position: int
    exercise_id: str
    rule: Rule
    target: Target


def groups(entries: Iterable[Entry]) -> list[list[Entry]]:
    """The entries that share a target, in the order of their first ones.

    The waves of an exercise in one day share its training max, and have a target for each entry. Other
    entries of an exercise share a target on all days where their rules and targets are equal: "2.5 kg a
    session" is more than 2.5 kg a week.
    """
    found: dict[Hashable, list[Entry]] = {}
    for entry in entries:
        found.setdefault(group_key(entry), []).append(entry)
    return list(found.values())


def group_key(entry: Entry) -> Hashable:
    if isinstance(entry.rule, Wave):
        return entry.exercise_id, entry.weekday, len(entry.rule.weeks)
    return entry.exercise_id, entry.rule, entry.target


def shared_rule(rules: Sequence[Rule]) -> Rule:
    """The rule by which the entries of a group are judged."""
    waves = [rule for rule in rules if isinstance(rule, Wave)]
    return share(waves) if len(waves) > 1 else rules[0]
