"""Plans that adapt: how a target follows what was lifted.

What this package exports are pure functions, without models and databases:

- `loading` has the weights that can be loaded.
- `rules` has targets, the kinds of rules, and which entries of a plan share a target.
- `steps` compares a session to a target and says what becomes of it: `step(rule, state, session, loading)`.
- `forecasts` is that function in a loop, over sessions to come or past.
- `wording` says targets, rules and steps in plain words.

The others know plans and workouts. `plan_rules` has the rules of a plan and what they ask for on a day,
`workouts` which session a workout is to each of them, `rearranging` which rule goes where when days change,
`past` what a rule would have done with the sessions of two years.
A workout that is stored, corrected or deleted moves targets by `updates`, whose docstring says how.
`starters` has routines to start from, `programs` weeks with rules, and `program_plans` makes plans of these.
"""

from training.plans.forecasts import Tested, back_test, preview
from training.plans.loading import Loading, default_increment_kg, loading_of
from training.plans.rules import (
    Double,
    Effort,
    Entry,
    Line,
    Linear,
    Rule,
    Stage,
    Stages,
    State,
    Target,
    Wave,
    begin,
    current_targets,
    groups,
    lighter,
    rule_from_json,
    rule_to_json,
    share,
)
from training.plans.steps import LoggedSet, Session, Step, step
from training.plans.wording import reason, sentence
