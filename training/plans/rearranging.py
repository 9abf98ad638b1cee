"""Which rule goes where when somebody changes the days or the rules of a plan.

A rule belongs to the exercise, then to the day. When the days change,

1. of the entries of an exercise on a weekday the n-th keeps what the n-th had;
2. what a day has lost goes to the same exercise on another day;
3. a rule without an entry ends: it keeps its state and its steps, and goes on once the exercise is back in
   the plan;
4. a rule begins again where somebody has typed another target.
"""

import datetime
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import uuid4

from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from training.models.planned import PlannedExercise
from training.plans.loading import Loading, loading_of
from training.plans.plan_rules import EndedRule, Place, PlanRule, PlanWeek, Progression, target_of
from training.plans.rules import (
    Entry,
    Rule,
    State,
    Target,
    Wave,
    begin,
    current_targets,
    group_key,
    groups,
    in_week,
)

MAX_ENDED = 100  # rules of a plan that are kept for exercises that have left it
ENDED_OFFSET = 100  # of the places of an ended rule: no entry of a day has one as high


def rearranged(former: Progression, old: PlanWeek, new: PlanWeek, at: datetime.datetime) -> Progression:
    """The rules of a plan whose days somebody has replaced at a moment."""
    behind = [placed_behind(one.rule, number) for number, one in enumerate(former.ended, 1)]
    known = replace(former, rules=(*former.rules, *behind))
    places = known.places
    was = {exercise_id: [place for place, _ in some] for exercise_id, some in old.by_exercise.items()}
    for gone, again in zip(former.ended, behind, strict=True):
        was.setdefault(gone.exercise_id, []).extend(again.places)
    moved = matched(new, was, places)
    typed = {
        place
        for place, before in moved.items()
        if target_of(entry := new.by_place[place]) != target_before(places[before][0], before, old, entry)
    }
    own_rules = {place: places[before][1] for place, before in moved.items()}
    rules = carry_over(new, own_rules, known, at, moved, typed)
    left = {one.id for one in known.rules} - {one.id for one in rules}
    ended = [EndedRule(old.entry_of(one)["exercise_id"], at, one) for one in former.rules if one.id in left]
    ended += [one for one in former.ended if one.rule.id in left]
    return replace(former, rules=rules, ended=tuple(ended[:MAX_ENDED]))


def placed_behind(rule: PlanRule, number: int) -> PlanRule:
    places = tuple(Place(one.weekday, one.position + number * ENDED_OFFSET) for one in rule.places)
    return replace(rule, places=places)


def target_before(rule: PlanRule, before: Place, old: PlanWeek, entry: PlannedExercise) -> Target:
    """The former target at a place. An ended rule had none in the plan: its state says it."""
    if before in old.by_place:
        return target_of(old.by_place[before])
    loading = loading_of(entry["equipment"], old.unit, rule.rule.increment_kg)
    targets = current_targets(rule.rule, rule.state, loading)
    target = targets[rule.places.index(before) if len(targets) > 1 else 0]
    return replace(target, open=False)


def matched(
    new: PlanWeek, was: Mapping[str, Sequence[Place]], with_rule: Collection[Place]
) -> dict[Place, Place]:
    """The former place of each entry of the changed days, where that place had a rule.

    `was` has the places of each exercise in their order.
    """
    found: dict[Place, Place] = {}
    for exercise_id, entries in new.by_exercise.items():
        now, before = [place for place, _ in entries], was.get(exercise_id, [])
        pairs = dict(same_days(now, before))
        kept = set(pairs.values())
        left = [place for place in before if place not in kept and place in with_rule]
        pairs |= zip((place for place in now if place not in pairs), left, strict=False)
        found |= {place: other for place, other in pairs.items() if other in with_rule}
    return found


def same_days(now: Sequence[Place], before: Sequence[Place]) -> Iterator[tuple[Place, Place]]:
    """Yields the n-th place of a weekday with the n-th that it was before."""
    by_day: dict[int, list[Place]] = defaultdict(list)
    for place in reversed(before):
        by_day[place.weekday].append(place)
    for place in now:
        if by_day[place.weekday]:
            yield place, by_day[place.weekday].pop()


@dataclass(frozen=True)
class Rearrangement:
    """What happened to the rules of a plan whose days have changed, by the names of exercises."""

    kept: int
    moved: list[tuple[str, list[int]]]  # with the weekdays where it is now
    resumed: list[str]
    ended: list[str]

    @classmethod
    def of(cls, former: Progression, old: PlanWeek, changed: Progression, new: PlanWeek) -> "Rearrangement":
        days = {one.id: weekdays(one) for one in former.rules}
        ids = {one.id for one in changed.rules}
        stayed = [one for one in changed.rules if one.id in days]
        moved = [one for one in stayed if weekdays(one) != days[one.id]]
        return cls(
            len(stayed) - len(moved),
            [(new.entry_of(one)["name"], weekdays(one)) for one in moved],
            [new.entry_of(one)["name"] for one in changed.rules if one.id not in days],
            [old.entry_of(one)["name"] for one in former.rules if one.id not in ids],
        )

    def text(self, shown: Callable[[str], str] = str) -> str:
        """Such as "Rules: 4 kept; Barbell Deadlift now on Friday; ended: Front Squat." Empty without any.

        `shown` names exercises in the language of the page.
        """
        parts = []
        if self.kept:
            parts.append(ngettext("%(count)s kept", "%(count)s kept", self.kept) % {"count": self.kept})
        for name, days in self.moved:
            on_days = ", ".join(str(WEEKDAYS[day - 1]) for day in days)
            parts.append(_("%(exercise)s now on %(days)s") % {"exercise": shown(name), "days": on_days})
        if self.resumed:
            parts.append(_("going on: %(exercises)s") % {"exercises": ", ".join(map(shown, self.resumed))})
        if self.ended:
            parts.append(_("ended: %(exercises)s") % {"exercises": ", ".join(map(shown, self.ended))})
        return _("Rules: %(changes)s.") % {"changes": "; ".join(parts)} if parts else ""


def weekdays(rule: PlanRule) -> list[int]:
    return sorted({place.weekday for place in rule.places})


def carry_over(
    week: PlanWeek,
    rules: Mapping[Place, Rule],
    former: Progression,
    at: datetime.datetime,
    moved: Mapping[Place, Place] | None = None,
    typed: Collection[Place] = (),
) -> tuple[PlanRule, ...]:
    """The rules of a plan whose entries or rules somebody has changed at a moment.

    `rules` has the rule of each entry. `moved` has the former place of each entry that was there before,
    without it the entries are where they were. `typed` are the places whose target was typed. An entry with
    the same rule and target as before goes on; anything else begins anew.
    """
    if moved is None:
        moved = {place: place for place in rules}
    places = former.places
    before = {place: places[was] for place, was in moved.items() if was in places}
    by_id = {one.id: one for one in former.rules}
    kept: dict[str, list[Entry]] = defaultdict(list)
    fresh: list[Entry] = []
    for place, planned in week.entries():
        if place not in rules:
            continue
        entry = Entry(*place, planned["exercise_id"], rules[place], target_of(planned))
        known, rule = before.get(place, (None, None))
        if known and rule == entry.rule and place not in typed:
            kept[known.id].append(entry)
        else:
            fresh.append(entry)
    for pk in list(kept):
        if breaks_wave(by_id[pk], kept[pk], fresh):
            fresh += kept.pop(pk)
    left: list[Entry] = []
    for entry in sorted(fresh):
        key = None if isinstance(entry.rule, Wave) else group_key(entry)
        same = next((some for some in kept.values() if group_key(some[0]) == key), left)
        same.append(entry)
    found = [with_entries(by_id[pk], entries) for pk, entries in kept.items()]
    taken = set(kept)
    for entries in groups(left):
        was_there = (before[place][0] for place in places_of(entries) if place in before)
        known = next((one for one in was_there if one.id not in taken), None)
        taken |= {known.id} if known else set()
        found.append(begun_rule(week, entries, known, at, typed))
    return tuple(sorted(found, key=lambda one: one.places))


def breaks_wave(rule: PlanRule, entries: Sequence[Entry], fresh: Iterable[Entry]) -> bool:
    """Whether a wave has lost or gained a line, which makes another wave of it."""
    if not isinstance(rule.rule, Wave):
        return False
    key = group_key(entries[0])
    return len(entries) != len(rule.places) or any(group_key(one) == key for one in fresh)


def places_of(entries: Iterable[Entry]) -> tuple[Place, ...]:
    return tuple(Place(one.weekday, one.position) for one in entries)


def with_entries(rule: PlanRule, entries: Iterable[Entry]) -> PlanRule:
    entries = sorted(entries)
    return replace(rule, places=places_of(entries), entry_rules=tuple(one.rule for one in entries))


def begun_rule(
    week: PlanWeek,
    entries: Sequence[Entry],
    known: PlanRule | None,
    at: datetime.datetime,
    typed: Collection[Place],
) -> PlanRule:
    """A rule that begins with the targets of its entries, and has the id and the steps of a known one."""
    target = entries[0].target
    pk, fold = (known.id, known.fold + 1) if known else (str(uuid4()), 1)
    made = with_entries(PlanRule(pk, fold, at, (), (), State(target)), entries)
    rule, loading = made.rule, week.loading(made)
    if known and isinstance(rule, Wave) and has_same_maximum(rule, known.rule):
        return replace(made, state=typed_wave(rule, known.state, entries, typed, loading))
    return replace(made, state=begin(rule, target, loading))


def has_same_maximum(rule: Wave, former: Rule) -> bool:
    """Whether nobody has set another first training max, so that the current one stays."""
    return (
        isinstance(former, Wave)
        and former.training_max_kg == rule.training_max_kg
        and len(former.weeks) == len(rule.weeks)
    )


def typed_wave(
    rule: Wave, state: State, entries: Sequence[Entry], typed: Collection[Place], loading: Loading
) -> State:
    """The same week of a wave. A weight that somebody typed is a percentage of the new training max."""
    training_max_kg = state.training_max_kg
    for line, entry in zip(rule.weeks[state.week], entries, strict=True):
        if Place(entry.weekday, entry.position) in typed and entry.target.weight_kg:
            training_max_kg = min(entry.target.weight_kg * 100 / line.percent, 2000)
            break
    return in_week(rule, state.week, training_max_kg, state.misses, loading)
