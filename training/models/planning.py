"""Plans and routines: what both have in common.

Stored are a JSON column with planned exercises, and the rules by which their targets follow what was lifted,
as the JSON of a Progression (training/plans/plan_rules.py). What workouts did to targets is a
ProgressionStep each.
"""

import datetime
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, NotRequired, Self, TypedDict, TypeVar
from uuid import UUID

from django.db import models, transaction
from django.db.models import TextField
from django.db.models.functions import Cast

from accounts.models import Account
from fitness.db.owned import OfAccount, Owned
from fitness.json import dumps
from training.models.batches import change_in_batches
from training.models.exercise import Exercise, summaries_of
from training.models.planned import Catalogue, PlanDay, renamed
from training.models.progression_step import ProgressionStep, ReadPlan, StepQuerySet
from training.plans.plan_rules import Place, PlanWeek, Progression, day_of
from training.plans.rearranging import Rearrangement, carry_over, rearranged
from training.plans.rules import Rule, Target

P = TypeVar("P", bound="Planning")


class ProgressionValues(TypedDict):
    """The rules of a plan or routine that a client has sent, validated."""

    deload_every: int | None
    deload_percent: float
    rules: dict[Place, tuple[str, Rule]]  # with the exercise that the client means
    next_deload: NotRequired[datetime.date | None]  # a day of that week; else the count goes on


class PlanningQuerySet(models.QuerySet[P]):
    """Routines or plans."""

    def with_exercise(self, exercise: Exercise) -> Self:
        """Plans or routines with the exercise, and perhaps a few others.

        The databases share no way to search JSON, but an id is always within quotes in its text.
        """
        text = Cast(self.model.PLANNED, TextField())
        return self.alias(text=text).filter(text__contains=f'"{exercise.pk}"')

    def accounts_with(self, exercise: Exercise) -> "models.QuerySet[P, UUID]":
        """The ids of the accounts that plan the exercise."""
        return self.with_exercise(exercise).order_by().values_list("account", flat=True).distinct()

    def stale(self, account: Account, exercise: Exercise) -> list[UUID]:
        """The ids of those of an account that name the exercise otherwise than the catalogue does."""
        planning = self.filter(account=account).with_exercise(exercise)
        return [one.pk for one in planning if one.rename({exercise.pk: exercise.kept})]

    def refresh_documents(self) -> int:
        """Names planned exercises as the catalogue does now. Returns how many routines or plans changed."""
        return change_in_batches(self, self.model.refresh_batch)

    def with_rules(self) -> Self:
        """Those with rules, so that targets follow what was lifted."""
        return self.filter(rules__isnull=False)


class Planning(Owned):
    """A plan or a routine. `PLANNED` is its JSON column with the planned exercises."""

    PLANNED: ClassVar[str]
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
    def document(self) -> Mapping[str, Any]:
        """The plan or routine as clients read it."""
        raise NotImplementedError

    @property
    def noun(self) -> str:
        """plan or routine: the name of the model, and of the reference to it in steps."""
        return str(self._meta.model_name)

    @property
    def steps(self) -> StepQuerySet:
        return ProgressionStep.objects.filter(account=self.account_id, **{self.noun: self.pk})

    @property
    def week(self) -> PlanWeek:
        return PlanWeek.of(self.account, self.schedule)

    @property
    def progressions(self) -> Progression:
        """The rules, and how often a week is lighter."""
        return Progression.from_json(self.rules) if self.rules else Progression()

    @property
    def progression_values(self) -> ProgressionValues:
        """The rules as a client would send them, to change some of them."""
        progression, entries = self.progressions, self.week.by_place
        return {
            "deload_every": progression.deload_every,
            "deload_percent": progression.deload_percent,
            "rules": {
                place: (entries[place]["exercise_id"], rule)
                for place, (_, rule) in progression.places.items()
            },
        }

    @property
    def target_columns(self) -> dict[str, Any]:
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
            rules = {
                place: rule
                for place, (exercise_id, rule) in values["rules"].items()
                if place in week.by_place and week.by_place[place]["exercise_id"] == exercise_id
            }
            changed = replace(
                former,
                rules=carry_over(week, rules, former, at),
                deload_every=values["deload_every"],
                deload_percent=values["deload_percent"],
            )
            next_deload = values.get("next_deload")
            if next_deload and changed.deload_every:
                first = next_deload.toordinal() - 7 * (changed.deload_every - 1)
                changed = replace(changed, counted_from=datetime.date.fromordinal(max(first, 1)))
            elif former.deload_every != changed.deload_every:
                changed = replace(changed, counted_from=day_of(self.account, at))
            self.set_rules(changed, former)
            days = week.with_targets(changed.rules)
            if days != week.days:
                self.schedule = days
                self.add_history("replaced", at, "Changed: days, to what the rules ask for.")
            self.save(force_update=True)

    def set_target(self, place: Place, target: Target) -> None:
        """Sets the target at a place, as if somebody had typed it: its rule begins again."""
        with transaction.atomic():
            at = self.begin_change()
            days = self.week.with_targets_at({place: target})
            self.follow_schedule(days, at)
            self.schedule = days
            self.schedule = self.week.with_targets(self.progressions.rules)
            self.add_history("replaced", at, "Changed: days, to a target from the records.")
            self.save(force_update=True)

    def follow_schedule(self, days: list[PlanDay], at: datetime.datetime) -> Rearrangement:
        """Moves the rules to changed days, and returns what happened to them."""
        former, old, new = self.progressions, self.week, PlanWeek.of(self.account, days)
        changed = rearranged(self.with_merged(former), old, new, at)
        self.set_rules(changed, former)
        return Rearrangement.of(former, old, changed, new)

    def with_merged(self, rules: Progression) -> Progression:
        """The rules. An ended one whose exercise was merged into another gets that one."""
        if not rules.ended:
            return rules
        kept = Exercise.objects.seen_by(self.account).find_all({one.exercise_id for one in rules.ended})
        ended = (
            replace(one, exercise_id=kept[pk].pk) for one in rules.ended if (pk := one.exercise_id) in kept
        )
        return replace(rules, ended=tuple(ended))

    def set_rules(self, changed: Progression, former: Progression) -> None:
        """Sets the rules, and deletes the steps of those that are gone. The account is locked."""
        if gone := former.rule_ids - changed.rule_ids:
            self.steps.filter(rule__in=gone).delete()
        self.rules = None if changed.is_empty else changed.to_json()

    def store_targets(self, read: ReadPlan | None = None) -> bool:
        """Stores what a workout changes; with `read` only if the row is still as it was read then.

        Returns whether it was.
        """
        rows: models.QuerySet[Any] = self.stored
        for name, text in read._asdict().items() if read else ():
            rows = rows.alias(**{f"{name}_text": Cast(name, TextField())}).filter(**{f"{name}_text": text})
        return bool(rows.update(**self.target_columns))

    @classmethod
    def refresh_batch(cls, account: Account, ids: list[UUID]) -> int:
        """Names the exercises in some of a locked account as the catalogue does; returns how many changed."""
        rows = cls._default_manager.filter(OfAccount(account.pk))
        plannings = list(rows.filter(pk__in=ids))
        days = (day for planning in plannings for day in planning.schedule)
        exercises = {entry["exercise_id"] for day in days for entry in day["exercises"]}
        catalogue = {pk: exercise.kept for pk, exercise in summaries_of(account, exercises).items()}
        changed = [planning for planning in plannings if planning.rename(catalogue)]
        rows.bulk_update(changed, [cls.PLANNED])
        return len(changed)

    def rename(self, catalogue: Catalogue) -> bool:
        """Names the exercises as `catalogue` does, without saving; returns whether that changed any."""
        before = self.schedule
        self.schedule = [{**day, "exercises": renamed(day["exercises"], catalogue)} for day in before]
        return self.schedule != before


def size_of(planning: Planning) -> int:
    """The bytes of a routine or a plan as clients read it."""
    return len(dumps(planning.document))
