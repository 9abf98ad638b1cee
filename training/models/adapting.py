"""What plans and routines share beyond their exercises: rules by which targets follow what was lifted.

Stored are the rules as the JSON of a Progression (training/progression/plans.py), with where each of them is.
What workouts did to targets is a ProgressionStep each.
"""

import datetime
from dataclasses import replace
from typing import Any, Self, TypedDict, TypeVar

from django.db import models, transaction
from django.db.models import TextField
from django.db.models.functions import Cast

from accounts.models import Account
from training.models.planned import PlanDay, Planning, PlanningQuerySet
from training.models.progression import ProgressionStep, ReadPlan, StepQuerySet
from training.progression import store
from training.progression.plans import Place, Progression, Week, follow_entries, matched, target_of
from training.progression.rules import Rule

A = TypeVar("A", bound="Adapting")


class ProgressionValues(TypedDict):
    """The rules of a plan or routine that a client has sent, validated."""

    deload_every: int | None
    deload_percent: float
    rules: dict[Place, tuple[str, Rule]]  # with the exercise that the client means


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

    @property
    def changed_at(self) -> datetime.datetime:
        """When somebody or a workout changed it last, as far as that is stored."""
        return self.created_at

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
            if former.deload_every != changed.deload_every:
                changed = replace(changed, counted_from=store.day_of(self.account, at))
            self.set_rules(changed, former)
            days = week.with_targets(followed)
            if days != week.days:
                self.schedule = days
                self.add_history("replaced", at, "Changed: days, to what the rules ask for.")
            self.save(force_update=True)

    def follow_schedule(self, days: list[PlanDay], at: datetime.datetime) -> None:
        """Takes the rules along to other days: a target or an exercise that was typed begins a new fold."""
        former = self.progressions
        old, new = self.week, store.week_of(self.account, days)
        was, now = dict(old.entries()), dict(new.entries())
        of_old = {place: rule for place, (_, rule) in former.places.items()}
        moved = matched(new, old, of_old)
        typed = [
            place
            for place, before in moved.items()
            if target_of(now[place]) != target_of(was[before])
            or now[place]["exercise_id"] != was[before]["exercise_id"]
        ]
        rules = {place: of_old[before] for place, before in moved.items()}
        followed = follow_entries(new, rules, former, at, moved, typed)
        self.set_rules(replace(former, followed=followed), former)

    def set_rules(self, changed: Progression, former: Progression) -> None:
        """Sets the rules, and deletes the steps of those that are gone. The account is locked."""
        gone = {one.id for one in former.followed} - {one.id for one in changed.followed}
        if gone:
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

    @classmethod
    def rename_all(cls, account: Account, plannings: list[Self], exercise_ids: set[str]) -> int:
        """As of all Planning; where an exercise was merged, its sessions are folded again."""
        before = {one.pk: [entry["exercise_id"] for entry in one.planned_exercises] for one in plannings}
        changed = super().rename_all(account, plannings, exercise_ids)
        for one in plannings:
            if one.rules and before[one.pk] != [entry["exercise_id"] for entry in one.planned_exercises]:
                store.fold_all_of_locked(one.account, one.holder)
        return changed
