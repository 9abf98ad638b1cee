"""Which rule goes where when somebody changes the days or the rules of a plan.

A rule belongs to the exercise, then to the day. When the days change,

1. of the entries of an exercise on a weekday the n-th keeps what the n-th had;
2. what a day has lost goes to the same exercise on another day;
3. what no entry has any more is ended: it keeps its state and its steps, and goes on once the exercise is
   back in the plan.
4. A target that was typed is a new beginning of its rule.
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
from training.progression.groups import Entry, groups, key, shared_rule
from training.progression.loading import Loading, loading_of
from training.progression.plans import EndedRule, Followed, Place, Progression, Week, target_of
from training.progression.rules import Rule, Wave, asked, begin, in_week
from training.progression.targets import State, Target

MAX_ENDED = 100  # rules of a plan that are kept for exercises that have left it
BEHIND = 100  # more entries than a day has: added to the places of an ended rule, which no entry has then


def rearranged(former: Progression, old: Week, new: Week, at: datetime.datetime) -> Progression:
    """The rules of a plan whose days somebody has replaced at a moment."""
    behind = [standing_behind(one.rule, number) for number, one in enumerate(former.ended, 1)]
    known = replace(former, followed=(*former.followed, *behind))
    places = known.places
    was = {exercise_id: [place for place, _ in some] for exercise_id, some in old.by_exercise.items()}
    for gone, again in zip(former.ended, behind, strict=True):
        was.setdefault(gone.exercise_id, []).extend(again.places)
    moved = matched(new, was, places)
    typed = [
        place
        for place, before in moved.items()
        if target_of(entry := new.by_place[place]) != target_before(places[before][0], before, old, entry)
    ]
    rules = {place: places[before][1] for place, before in moved.items()}
    followed = follow_entries(new, rules, known, at, moved, typed)
    left = {one.id for one in known.followed} - {one.id for one in followed}
    ended = [EndedRule(old.exercise_of(one).id, at, one) for one in former.followed if one.id in left]
    ended += [one for one in former.ended if one.rule.id in left]
    return replace(former, followed=followed, ended=tuple(ended[:MAX_ENDED]))


def standing_behind(followed: Followed, number: int) -> Followed:
    places = tuple(Place(one.weekday, one.position + number * BEHIND) for one in followed.places)
    return replace(followed, places=places)


def target_before(followed: Followed, before: Place, old: Week, entry: PlannedExercise) -> Target:
    """What was asked at a place; of an ended rule, what it would ask of the entry now."""
    if before in old.by_place:
        return target_of(old.by_place[before])
    loading = loading_of(entry["equipment"], old.unit, followed.rule.increment_kg)
    targets = asked(followed.rule, followed.state, loading)
    target = targets[followed.places.index(before) if len(targets) > 1 else 0]
    return replace(target, open=False)


def matched(new: Week, was: Mapping[str, Sequence[Place]], ruled: Collection[Place]) -> dict[Place, Place]:
    """For entries of changed days the places that they had before, as far as these have rules.

    `was` has the places of each exercise in their order.
    """
    found: dict[Place, Place] = {}
    for exercise_id, entries in new.by_exercise.items():
        now, before = [place for place, _ in entries], was.get(exercise_id, [])
        pairs = dict(same_days(now, before))
        kept = set(pairs.values())
        left = [place for place in before if place not in kept and place in ruled]
        pairs |= zip((place for place in now if place not in pairs), left, strict=False)
        found |= {place: other for place, other in pairs.items() if other in ruled}
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
    """What became of the rules of a plan whose days have changed: names of exercises."""

    kept: int
    moved: list[tuple[str, list[int]]]  # with the weekdays where it is now
    resumed: list[str]
    ended: list[str]

    @classmethod
    def of(cls, former: Progression, old: Week, changed: Progression, new: Week) -> "Rearrangement":
        days = {one.id: weekdays(one) for one in former.followed}
        stayed = [one for one in changed.followed if one.id in days]
        moved = [one for one in stayed if weekdays(one) != days[one.id]]
        left = {one.id for one in former.followed} - {one.id for one in changed.followed}
        return cls(
            len(stayed) - len(moved),
            [(new.exercise_of(one).name, weekdays(one)) for one in moved],
            [new.exercise_of(one).name for one in changed.followed if one.id not in days],
            [old.exercise_of(one).name for one in former.followed if one.id in left],
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


def weekdays(rule: Followed) -> list[int]:
    return sorted({place.weekday for place in rule.places})


def follow_entries(
    week: Week,
    rules: Mapping[Place, Rule],
    former: Progression,
    at: datetime.datetime,
    moved: Mapping[Place, Place],
    changed: Iterable[Place] = (),
) -> tuple[Followed, ...]:
    """The rules of a plan that somebody has changed: its entries, its rules or both.

    `moved` has the former place of each entry that was there before, `changed` the places of those whose
    target was typed. What has the same rule and target as before goes on; anything else begins anew.
    """
    places, typed = former.places, set(changed)
    kept: dict[str, list[Entry]] = defaultdict(list)
    fresh: list[Entry] = []
    for place, planned in week.entries():
        if place not in rules:
            continue
        entry = Entry(*place, planned["exercise_id"], rules[place], target_of(planned))
        known, rule = places.get(moved[place], (None, None)) if place in moved else (None, None)
        if known and rule == entry.rule and place not in typed:
            kept[known.id].append(entry)
        else:
            fresh.append(entry)
    by_id = {one.id: one for one in former.followed}
    for pk in list(kept):
        if breaks_wave(by_id[pk], kept[pk], fresh):
            fresh += kept.pop(pk)
    left = []
    for entry in sorted(fresh):
        same = next((pk for pk, some in kept.items() if is_same(entry, some[0])), None)
        if same:
            kept[same].append(entry)
        else:
            left.append(entry)
    stay = [with_entries(by_id[pk], some) for pk, some in kept.items()]
    taken = set(kept)
    for group in groups(left):
        known = first_known(group.entries, moved, former, taken)
        taken |= {known.id} if known else set()
        stay.append(begun(week, group.entries, known, at, typed))
    return tuple(sorted(stay, key=lambda one: one.places))


def breaks_wave(followed: Followed, entries: Sequence[Entry], fresh: Iterable[Entry]) -> bool:
    """Whether a wave has lost or gained a line: its weeks are others then."""
    if not isinstance(followed.rule, Wave):
        return False
    return len(entries) != len(followed.places) or any(key(one) == key(entries[0]) for one in fresh)


def is_same(entry: Entry, other: Entry) -> bool:
    return not isinstance(entry.rule, Wave) and key(entry) == key(other)


def with_entries(followed: Followed, entries: Sequence[Entry]) -> Followed:
    entries = sorted(entries, key=lambda one: (one.weekday, one.position))
    places = tuple(Place(one.weekday, one.position) for one in entries)
    return replace(followed, places=places, rules=tuple(one.rule for one in entries))


def first_known(
    entries: Sequence[Entry], moved: Mapping[Place, Place], former: Progression, taken: set[str]
) -> Followed | None:
    """The former rule of one of the entries, whose id and steps go on."""
    places = former.places
    for entry in entries:
        place = Place(entry.weekday, entry.position)
        if place in moved and moved[place] in places and places[moved[place]][0].id not in taken:
            return places[moved[place]][0]
    return None


def begun(
    week: Week, entries: Sequence[Entry], known: Followed | None, at: datetime.datetime, typed: set[Place]
) -> Followed:
    """A new beginning, from what the entries ask."""
    rule = shared_rule(list(entries))
    places = tuple(Place(one.weekday, one.position) for one in entries)
    rules = tuple(one.rule for one in entries)
    state = State(entries[0].target)
    one = Followed(str(uuid4()), 1, at, places, rules, state)
    loading = week.loading(one)
    if known and isinstance(rule, Wave) and has_same_maximum(rule, known.rule):
        state = typed_wave(rule, known.state, entries, typed, loading)
    else:
        state = begin(rule, entries[0].target, loading)
    if known:
        one = replace(one, id=known.id, fold=known.fold + 1)
    return replace(one, state=state)


def has_same_maximum(rule: Wave, former: Rule) -> bool:
    """Whether a wave has the training max that somebody gave the former one, and goes on with today's."""
    return (
        isinstance(former, Wave)
        and former.training_max_kg == rule.training_max_kg
        and len(former.weeks) == len(rule.weeks)
    )


def typed_wave(
    rule: Wave, state: State, entries: Sequence[Entry], typed: set[Place], loading: Loading
) -> State:
    """The same week of a wave, with the training max of which somebody has typed a percentage."""
    training_max_kg = state.training_max_kg
    for line, entry in zip(rule.weeks[state.week], entries, strict=True):
        if Place(entry.weekday, entry.position) in typed and entry.target.weight_kg:
            training_max_kg = min(entry.target.weight_kg * 100 / line.percent, 2000)
            break
    return in_week(rule, state.week, training_max_kg, state.misses, loading)
