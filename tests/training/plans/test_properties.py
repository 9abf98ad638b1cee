"""What holds for any rule and any history."""

import dataclasses
import json

from hypothesis import given
from hypothesis import strategies as st

from tests.training.plans.builders import lifted, steps_of
from training.plans import (
    Double,
    Effort,
    Line,
    Linear,
    Stage,
    Stages,
    State,
    Step,
    Target,
    Wave,
    back_test,
    begin,
    current_targets,
    loading_of,
    reason,
    rule_from_json,
    rule_to_json,
    sentence,
    share,
)

increments = st.sampled_from([0, 0.5, 1, 1.25, 2, 2.26796185, 2.5, 5])
percents = st.integers(30, 100)
misses = st.integers(1, 4)
linear = st.builds(Linear, increments, misses, percents)
double = st.builds(
    lambda low, more, *others: Double(low, low + more, *others),
    st.integers(1, 12),
    st.integers(0, 6),
    increments,
    misses,
    percents,
)
effort = st.builds(Effort, increments, st.sampled_from([7, 8]), st.sampled_from([9, 9.5]))
stages = st.builds(
    Stages,
    st.lists(st.builds(Stage, st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=3).map(tuple),
    increments,
    percents,
)
lines = st.builds(Line, st.integers(1, 2), st.integers(1, 6), st.integers(30, 120), st.booleans())


def waves(least, most):
    weeks = st.lists(st.tuples(lines), min_size=least, max_size=most).map(tuple)
    return st.builds(Wave, weeks, st.floats(0, 300), increments)


wave = waves(1, 4)
rules_of_entries = st.one_of(linear, double, effort, stages, wave)
shared = (
    st.integers(1, 3).flatmap(lambda count: st.lists(waves(count, count), min_size=2, max_size=3)).map(share)
)
rules = st.one_of(rules_of_entries, shared)
loads = st.one_of(st.just(0), st.integers(0, 80).map(lambda n: n * 2.5), st.floats(0, 400))
typed = st.builds(Target, st.integers(1, 4), st.integers(1, 12), loads)
sets = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["working", "working", "warmup"]),
        "weight_kg": loads,
        "reps": st.integers(0, 15),
        "completed": st.sampled_from([True, True, False]),
        "rpe": st.one_of(st.none(), st.integers(5, 10)),
    }
)
equipments = st.sampled_from(["Barbell", "Dumbbell", "Machine", "Bodyweight"])
units = st.sampled_from(["kg", "lb"])


@st.composite
def histories(draw, max_size=8):
    """A rule, how its exercise is loaded, the first state and sessions in their order."""
    rule = draw(rules)
    loading = loading_of(draw(equipments), draw(units), rule.increment_kg)
    sessions = [
        lifted("0: 1", day=day, is_deload=draw(flags), is_held=draw(flags))
        for day in range(draw(st.integers(0, max_size)))
    ]
    sessions = [dataclasses.replace(one, sets=draw(st.lists(sets, max_size=5))) for one in sessions]
    return rule, loading, begin(rule, draw(typed), loading), sessions


flags = st.sampled_from([False, False, False, True])


@given(histories())
def test_what_a_step_changes_can_be_loaded(history):
    rule, loading, state, sessions = history
    for made in steps_of(rule, state, sessions, loading):
        weight_kg = made.after.target.weight_kg
        assert weight_kg == made.before.target.weight_kg or loading.round_down(weight_kg) == weight_kg
        for target in current_targets(rule, made.after, loading) if isinstance(rule, Wave) else ():
            assert loading.round_down(target.weight_kg) == target.weight_kg


@given(histories())
def test_targets_stay_within_what_a_plan_may_ask(history):
    rule, loading, state, sessions = history
    for made in steps_of(rule, state, sessions, loading):
        target = made.after.target
        assert 1 <= target.sets <= 100
        assert 1 <= target.reps <= 10_000
        assert 0 <= target.weight_kg <= 2_000
        assert 0 <= made.after.training_max_kg <= 2_000


@given(histories())
def test_kinds_say_what_became_of_the_target(history):
    rule, loading, state, sessions = history
    for made in steps_of(rule, state, sessions, loading):
        before, after = (
            (one.training_max_kg, one.target.weight_kg, one.target.reps) for one in (made.before, made.after)
        )
        if made.kind in ("held", "held_by_you"):
            assert made.before.target == made.after.target
        if made.kind in ("progressed", "moved"):
            assert after > before
        if made.kind == "deloaded" and not isinstance(rule, Stages):
            assert after < before


@given(histories())
def test_a_session_that_was_switched_off_changes_no_target(history):
    rule, loading, state, sessions = history
    held = [dataclasses.replace(session, is_held=True) for session in sessions]
    assert {made.after.target for made in steps_of(rule, state, held, loading)} <= {state.target}


@given(histories())
def test_every_step_has_a_reason_and_comes_back_from_json(history):
    rule, loading, state, sessions = history
    assert State.from_json(json.loads(json.dumps(state.to_json()))) == state
    for made in steps_of(rule, state, sessions, loading):
        assert reason(made, loading.unit)
        assert Step.from_json(json.loads(json.dumps(made.to_json()))) == made


@given(rules_of_entries)
def test_rules_come_back_from_json(rule):
    assert rule_from_json(json.loads(json.dumps(rule_to_json(rule)))) == rule


@given(rules)
def test_every_rule_has_a_sentence(rule):
    assert sentence(rule, loading_of("Barbell", "kg", rule.increment_kg))


@given(histories())
def test_a_back_test_has_a_line_for_each_session(history):
    rule, loading, state, sessions = history
    assert [line.session for line in back_test(rule, state, sessions, loading)] == sessions
