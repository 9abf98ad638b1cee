"""What a plan or routine asks on each card of a workout that begins with one of its days."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from training.models.draft import LineOfDraft, TargetOfDraft
from training.plans.plan_rules import DayTarget
from training.plans.rules import Target, Wave


@dataclass(frozen=True)
class Card:
    """An entry of a day, or the entries of a wave, whose sets are one exercise of the workout.

    `is_repeated`: the day has its exercise on another card as well.
    """

    entries: Sequence[DayTarget]
    is_repeated: bool

    @property
    def exercise_id(self) -> str:
        return self.entries[0].entry["exercise_id"]

    @property
    def has_rule(self) -> bool:
        """Whether a rule or a lighter week says what is asked."""
        return self.entries[0].rule is not None or self.entries[0].is_deload

    @property
    def has_target_of_its_own(self) -> bool:
        """Whether its target is not that of every card of the exercise."""
        return self.has_rule or self.is_repeated

    @property
    def is_binding(self) -> bool:
        return self.entries[0].is_binding

    @property
    def target(self) -> TargetOfDraft:
        """Keys that say nothing are left out. Of several lines the numbers are those of the last one."""
        lines = [line_of(one.target) for one in self.entries]
        target = cast(TargetOfDraft, lines[-1])  # the keys of a line, and others that are not required
        if len(lines) > 1:
            target = {**target, "sets": sum(line["sets"] for line in lines), "lines": lines}
        notes = (one.entry["note"] for one in self.entries)
        if note := "\n".join(dict.fromkeys(filter(None, notes))):
            target["note"] = note
        if not self.has_rule and self.is_repeated:
            target["is_fixed"] = True
        return self.with_week(target)

    def with_week(self, target: TargetOfDraft) -> TargetOfDraft:
        """With where a wave is; a lighter week of the plan is none of the wave's."""
        first = self.entries[0]
        if first.is_deload:
            target["is_deload"] = True
        elif first.rule and isinstance(first.rule.rule, Wave):
            target["week"] = first.rule.state.week + 1
            target["weeks"] = len(first.rule.rule.weeks)
        return target


def line_of(target: Target) -> LineOfDraft:
    line: LineOfDraft = {"sets": target.sets, "reps": target.reps, "weight_kg": target.weight_kg}
    if target.open:
        line["open"] = True
    return line


def cards_of(asked: Iterable[DayTarget]) -> Iterator[Card]:
    """The entries of a day as cards, those of a wave where its first one is.

    A lift that has other entries in the day beside its wave keeps a card for each: the workout then has it as
    often as the plan, so that no set counts for another entry.
    """
    groups: dict[Hashable, list[DayTarget]] = {}
    for one in asked:
        groups.setdefault(shared_card(one), []).append(one)
    count = Counter(group[0].entry["exercise_id"] for group in groups.values())
    for group in groups.values():
        if count[group[0].entry["exercise_id"]] == 1:
            yield Card(group, is_repeated=False)
        else:
            yield from (Card([one], is_repeated=True) for one in group)


def shared_card(asked: DayTarget) -> Hashable:
    is_wave = asked.rule is not None and isinstance(asked.rule.rule, Wave)
    return asked.rule.id if asked.rule and is_wave else asked.place
