"""Plans that adapt: how a target follows what was lifted. Pure functions, without models and databases."""

from training.progression.forecasts import Forecast, Tested, back_test, preview
from training.progression.loading import Loading, default_increment_kg, loading_of
from training.progression.reasons import reason, sentence
from training.progression.rules import (
    Double,
    Effort,
    Line,
    Linear,
    Rule,
    Stage,
    Stages,
    Wave,
    asked,
    begin,
    lighter,
    rule_from_json,
    rule_to_json,
    share,
)
from training.progression.sessions import LoggedSet, Session
from training.progression.steps import MAX_SESSIONS, Kind, Step, fold, step
from training.progression.targets import State, Target

__all__ = [
    "MAX_SESSIONS",
    "Double",
    "Effort",
    "Forecast",
    "Kind",
    "Line",
    "Linear",
    "Loading",
    "LoggedSet",
    "Rule",
    "Session",
    "Stage",
    "Stages",
    "State",
    "Step",
    "Target",
    "Tested",
    "Wave",
    "asked",
    "back_test",
    "begin",
    "default_increment_kg",
    "fold",
    "lighter",
    "loading_of",
    "preview",
    "reason",
    "rule_from_json",
    "rule_to_json",
    "sentence",
    "share",
    "step",
]
