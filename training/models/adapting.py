"""What plans and routines share beyond their exercises: rules by which targets follow what was lifted.

Stored are the rules as the JSON of a Progression (training/progression/plans.py), with where each of them is.
What workouts did to targets is a ProgressionStep each.
"""

import datetime
from dataclasses import replace
from typing import Any, NotRequired, Self, TypedDict, TypeVar

from django.db import models, transaction
from django.db.models import TextField
from django.db.models.functions import Cast

from accounts.models import Account
from training.models.exercise import Exercise
from training.models.planned import PlanDay, Planning, PlanningQuerySet
from training.models.progression import ProgressionStep, ReadPlan, StepQuerySet
from training.progression import store
from training.progression.plans import Place, Progression, Week
from training.progression.rearranging import Rearrangement, follow_entries, rearranged
from training.progression.rules import Rule
from training.progression.targets import Target

A = TypeVar("A", bound="Adapting")


class ProgressionValues(TypedDict):
    """The rules of a plan or routine that a client has sent, validated."""

    deload_every: int | None
    deload_percent: float
    rules: dict[Place, tuple[str, Rule]]  # with the exercise that the client means
    next_deload: NotRequired[datetime.date | None]  # a day of that week; else the count goes on


class AdaptingQuerySet(PlanningQuerySet[A]):
    """Routines or plans."""

    def ruled(self) -> Self:
        """Those whose targets follow what was lifted."""
        return self.filter(rules__isnull=False)


class Adapting(Planning):
    """A plan or routine, whose targets may follow what was lifted."""

    account: "models.ForeignKey[Account, Account]"  # this and what follows are of the subclasses
    created_at: "models.DateTimeField[datetime.datetime, datetime.datetime]"
    # The JSON of a Progression; None without rules.
    rules: "models.JSONField[dict[str, Any] | None, dict[str, Any] | None]" = models.JSONField(
        null=True, editable=False
    )

    class Meta:
        abstract = True

    @property
    def schedule(self) -> list[PlanDay]:
        """The days with the exercises; of a routine one, ROUTINE_DAY."""
        raise NotImplementedError

    @schedule.setter
    def schedule(self, days: list[PlanDay]) -> None:
        raise NotImplementedError

    @property
    def holder(self) -> store.Holder:
        return store.Holder(str(self._meta.model_name), self.pk)

    @property
    def steps(self) -> StepQuerySet:
        return ProgressionStep.objects.filter(account=self.account_id, **self.holder.reference)

    @property
    def week(self) -> Week:
        return store.week_of(self.account, self.schedule)

    @property
    def progressions(self) -> Progression:
        """Its rules, and how often a week is lighter."""
        return Progression.from_json(self.rules) if self.rules else Progression()

    @property
    def followed_columns(self) -> dict[str, Any]:
        """The columns that a workout may change, with their values."""
        return {self.PLANNED: getattr(self, self.PLANNED), "rules": self.rules}

    def add_history(self, kind: str, at: datetime.datetime, detail: str) -> None:
        """Notes a change. Only plans have a history."""

    def begin_change(self) -> datetime.datetime:
        """Locks the account, reads the row again, and returns the time of the change."""
        at = self.account.stamp()[0]
        self.refresh_from_db(from_queryset=type(self)._default_manager.all())
        return at

    def adapt(self, values: ProgressionValues) -> None:
        """Replaces all rules. Those that stay as they are go on from where they are.

        A rule whose entry somebody has replaced meanwhile is left out. Raises DoesNotExist if the plan or
        routine is gone.
        """
        with transaction.atomic():
            at = self.begin_change()
            former, week = self.progressions, self.week
            exercises = {place: entry["exercise_id"] for place, entry in week.entries()}
            rules = {
                place: rule
                for place, (exercise_id, rule) in values["rules"].items()
                if exercises.get(place) == exercise_id
            }
            followed = follow_entries(week, rules, former, at, {place: place for place in exercises})
            changed = replace(
                former,
                followed=followed,
                deload_every=values["deload_every"],
                deload_percent=values["deload_percent"],
            )
            next_deload = values.get("next_deload")
            if next_deload and changed.deload_every:
                weeks = datetime.timedelta(weeks=changed.deload_every - 1)
                changed = replace(changed, counted_from=next_deload - weeks)
            elif former.deload_every != changed.deload_every:
                changed = replace(changed, counted_from=store.day_of(self.account, at))
            self.set_rules(changed, former)
            days = week.with_targets(followed)
            if days != week.days:
                self.schedule = days
                self.add_history("replaced", at, "Changed: days, to what the rules ask for.")
            self.save(force_update=True)

    def set_target(self, place: Place, target: Target) -> None:
        """Asks for another target at a place, as if somebody had typed it: a new beginning of its rule."""
        with transaction.atomic():
            at = self.begin_change()
            days = self.week.with_targets_at({place: target})
            self.follow_schedule(days, at)
            self.schedule = days
            self.schedule = self.week.with_targets(self.progressions.followed)
            self.add_history("replaced", at, "Changed: days, to a target from the records.")
            self.save(force_update=True)

    def follow_schedule(self, days: list[PlanDay], at: datetime.datetime) -> Rearrangement:
        """Takes the rules along to other days, and says what became of them."""
        former, old, new = self.progressions, self.week, store.week_of(self.account, days)
        changed = rearranged(self.with_merged(former), old, new, at)
        self.set_rules(changed, former)
        return Rearrangement.of(former, old, changed, new)

    def with_merged(self, rules: Progression) -> Progression:
        """The rules, those that are ended with the exercises that the catalogue has kept of merged ones."""
        if not rules.ended:
            return rules
        kept = Exercise.objects.seen_by(self.account).find_all({one.exercise_id for one in rules.ended})
        ended = (
            replace(one, exercise_id=kept[pk].pk) for one in rules.ended if (pk := one.exercise_id) in kept
        )
        return replace(rules, ended=tuple(ended))

    def set_rules(self, changed: Progression, former: Progression) -> None:
        """Sets the rules, and deletes the steps of those that are gone. The account is locked."""
        if gone := {one.id for one in former.all_rules} - {one.id for one in changed.all_rules}:
            self.steps.filter(rule__in=gone).delete()
        self.rules = None if changed.is_empty else changed.to_json()

    def store_targets(self, read: ReadPlan | None = None) -> bool:
        """Stores what a workout changes; with `read` only if the row is still as it was read then.

        Returns whether it was.
        """
        rows: models.QuerySet[Any] = self.stored
        for name, text in read._asdict().items() if read else ():
            rows = rows.alias(**{f"{name}_text": Cast(name, TextField())}).filter(**{f"{name}_text": text})
        return bool(rows.update(**self.followed_columns))
