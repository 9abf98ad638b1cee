"""The last weeks of the demo's training: sessions do what the active plan asks, and its rules follow them."""

import datetime
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from accounts.models import Account
from fitness.site.demo.dice import Dice
from fitness.site.demo.programme import DELOAD_EVERY, Lift, Programme
from training.models import Plan
from training.models.sets import WorkoutSet
from training.progression import Target
from training.progression.asking import lighter_target
from training.progression.plans import Begun, Done, Place, Progression, target_of
from training.progression.rearranging import follow_entries
from training.progression.store import Changes

WEEKS = 10
MODEST = 0.95  # of the usual weight: what the plan asks for first
# Of the usual weight: with as much, the last set leaves no repetition in reserve.
MOST = 1.04
MORE_REPS = 3  # than asked first, of lifts without weight


class FollowingDemo:
    """A plan with rules, what it asks of each session, and the `steps` that the sessions made."""

    def __init__(
        self,
        account: Account,
        plan: Plan,
        programme: Programme,
        first_day: datetime.date,
        at: datetime.datetime,
        dice: Dice,
    ) -> None:
        self.account, self.plan, self.first_day, self.dice = account, plan, first_day, dice
        self.steps: list[dict[str, Any]] = []
        rules = {
            Place(weekday, position): rule
            for weekday, training in programme.days.items()
            for position, lift in enumerate(training.lifts)
            if (rule := programme.rule_of(lift))
        }
        followed = follow_entries(plan.week, rules, Progression(), at, {})
        progression = Progression(
            tuple(replace(one, id=str(dice.uuid7_at(at))) for one in followed),
            DELOAD_EVERY,
            counted_from=at.date(),
        )
        plan.rules = progression.to_json()

    def is_deload(self, day: datetime.date) -> bool:
        return self.plan.progressions.is_deload(day)

    def target(self, day: datetime.date, position: int) -> Target:
        """What the plan asks of an exercise on a day."""
        week, progression, place = self.plan.week, self.plan.progressions, Place(day.isoweekday(), position)
        if progression.is_deload(day):
            return lighter_target(week, progression, place)
        return target_of(week.by_place[place])

    def working_sets(self, lift: Lift, target: Target, usual_kg: float) -> Iterator[WorkoutSet]:
        """The sets that are asked for, as far as the strength of the day suffices.

        Each set leaves half a repetition less in reserve than the one before.
        """
        possible = self.possible_reps(lift, target, usual_kg)
        for index in range(target.sets):
            left = possible + (target.sets - 1 - index) / 2 - target.reps
            reps = target.reps + min(int(left // 1), 0)
            rpe = min(max(round((10 - left) * 2) / 2, 6.0), 10.0)
            yield {
                "type": "working",
                "weight_kg": target.weight_kg,
                "reps": max(reps, 1),
                "completed": True,
                "rpe": rpe if lift.is_main else None,
            }

    def possible_reps(self, lift: Lift, target: Target, usual_kg: float) -> float:
        """How many repetitions the last set can have, by Epley's formula (1985)."""
        if target.is_weightless:
            return lift.reps + self.dice.near(MORE_REPS, 0.7)
        most_kg = usual_kg * MOST * self.dice.near(1, 0.012)
        return 30 * (most_kg * (1 + lift.reps / 30) / target.weight_kg - 1)

    def follow(self, done: Done, at: datetime.datetime) -> None:
        """Lets the rules follow a session, as a workout that is logged does, but without the database."""
        changes = Changes(self.plan, self.account)
        changes.move(done, Begun())
        days = changes.week.with_targets(changes.taken)
        if days != self.plan.days:
            self.plan.days = days
            self.plan.add_history(*changes.moved(at))
        self.plan.rules = changes.progression.to_json()
        self.steps += [{**row, "id": self.dice.uuid7_at(at)} for row in changes.rows]
