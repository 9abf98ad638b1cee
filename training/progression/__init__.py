"""Plans that adapt: how a target follows what was lifted.

What this package exports are pure functions, without models and databases. `plans` says which entries of a
plan a rule is for and what a workout is to them, `rearranging` which rule goes where when days change, and
`store` is what the models call: it lets a workout that is stored, corrected or deleted move its targets.

`rules` has the kinds of rules, `targets` what is asked and remembered, `loading` which weights can be loaded,
`groups` which entries of a plan share a target, `sessions` how a session compares to a target, `steps` what
it does to it, `reasons` why, in plain words, `forecasts` what a rule would do, and `today` what it asks now.
`training/programs.py` has programs with rules to start from.
"""

from training.progression.forecasts import Tested, back_test, preview
from training.progression.groups import Entry, groups
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
from training.progression.steps import Step, step
from training.progression.targets import State, Target
