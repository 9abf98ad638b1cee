"""Weekly training plans.

Stored are the texts, the seven days as the JSON that clients read, their rules, and a history of
changes. Derived are the days per week, and the names, muscle groups and equipment in the days, which follow
the catalogue. Workouts that followed a plan store its name beside its id, so that the name stays when the
plan is deleted.
"""

import datetime
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NotRequired, Self, TypedDict, cast
from uuid import UUID

from django.conf import settings
from django.db import models, transaction
from django.db.models import F, Q
from django.utils.text import Truncator
from uuid_utils.compat import uuid7

from accounts.models import Account, Task
from fitness.db.keysets import Keyset
from fitness.json import timestamp
from fitness.web.language import in_english
from training.models.batches import ROWS_AT_ONCE
from training.models.planned import PlanDay, ordered_days
from training.models.planning import Planning, PlanningQuerySet
from training.models.workout import Workout, WorkoutQuerySet
from training.models.workout_corrections import detach_plan
from training.plans.plan_rules import Place, day_of
from training.plans.rearranging import Rearrangement, carry_over

MAX_HISTORY = 100  # changes
MAX_DETAIL = 1000  # characters of a change, as archives have them


class PlanChange(TypedDict):
    """An entry of a plan's history."""

    at: str
    kind: str  # "replaced", "activated", "retired", "progressed" or "deloaded"
    detail: str


class PlanValues(TypedDict):
    """A plan that a client has sent, validated. Without `active`, a plan stays active or inactive."""

    id: NotRequired[UUID]  # of a new plan that a form makes
    name: str
    summary: str
    progression: str
    days: list[PlanDay]
    active: NotRequired[bool]


class PlanDocument(TypedDict):
    """A plan as clients read it (`Plan` in the OpenAPI document)."""

    id: str
    name: str
    summary: str
    progression: str
    days_per_week: int
    active: bool
    source: str
    days: list[PlanDay]
    history: list[PlanChange]
    created_at: str
    updated_at: str | None


class PlanQuerySet(PlanningQuerySet["Plan"]):
    newest_first = Keyset("plans", "created_at", "id")

    def active(self) -> Self:
        return self.filter(active=True)

    def retire(self, at: datetime.datetime, detail: str) -> "list[Plan]":
        """Makes the active plans among these inactive. Returns them."""
        retired = list(self.active())
        for plan in retired:
            plan.active = False
            plan.add_history("retired", at, detail)
            plan.save(force_update=True)
        return retired

    def create_for(self, account: Account, values: PlanValues) -> "Plan":
        """Stores a new plan of the account."""
        with transaction.atomic():
            plan = Plan(account=account, created_at=account.stamp()[0], **values)
            if plan.active:
                account.plans.retire(plan.created_at, retirement_detail(plan))
            plan.save(force_insert=True)
        return plan


PlanQuerySetManager = models.Manager.from_queryset(PlanQuerySet)


class PlanManager(PlanQuerySetManager["Plan"]):
    """Leaves out deleted plans, whose rows remain until their workouts no longer refer to them."""

    def get_queryset(self) -> PlanQuerySet:
        plans = cast(PlanQuerySet, super().get_queryset())  # which is typed as a bare QuerySet
        return plans.filter(deleted_at=None)


class Plan(Planning):
    """A weekly training plan. At most one of an account is active."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="plans", db_index=False
    )
    name = models.CharField(max_length=200)
    summary = models.TextField(blank=True)
    progression = models.TextField(blank=True)
    active = models.BooleanField(default=False)
    source = models.CharField(max_length=20, default="manual", editable=False)
    # Seven, in weekday order.
    days: "models.JSONField[list[PlanDay], list[PlanDay]]" = models.JSONField()
    history: "models.JSONField[list[PlanChange], list[PlanChange]]" = models.JSONField(default=list)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True, editable=False)  # set: PlanManager hides the plan

    objects = PlanManager()

    class Meta:
        indexes = [models.Index("account", F("created_at").desc(), F("id").desc(), name="plan_newest")]
        constraints = [
            models.UniqueConstraint(fields=["account"], condition=Q(active=True), name="one_active_plan")
        ]

    def __str__(self) -> str:
        return self.name

    PLANNED = "days"
    WRITABLE = ("name", "summary", "progression", "days")

    @property
    def workouts(self) -> WorkoutQuerySet:
        return Workout.objects.filter(account=self.account_id, plan=self)

    @property
    def schedule(self) -> list[PlanDay]:
        return self.days

    @schedule.setter
    def schedule(self, days: list[PlanDay]) -> None:
        self.days = days

    @property
    def days_per_week(self) -> int:
        return sum(not day["rest"] for day in self.days)

    @property
    def document(self) -> PlanDocument:
        return {
            "id": str(self.id),
            "name": self.name,
            "summary": self.summary,
            "progression": self.progression,
            "days_per_week": self.days_per_week,
            "active": self.active,
            "source": self.source,
            "days": ordered_days(self.days),
            "history": [
                {"at": entry["at"], "kind": entry["kind"], "detail": entry["detail"]}
                for entry in self.history
            ],
            "created_at": timestamp(self.created_at),
            "updated_at": timestamp(self.updated_at) if self.updated_at else None,
        }

    def replace(self, values: PlanValues) -> Rearrangement | None:
        """Replaces what clients may write by `values`, and returns what became of its rules, if it has any.

        Raises DoesNotExist if the plan is gone.
        """
        with transaction.atomic():
            at = self.begin_change()
            new = {name: value for name, value in values.items() if name in self.WRITABLE}
            changed = [name for name in self.WRITABLE if getattr(self, name) != new[name]]
            details = [f"Changed: {', '.join(changed)}." if changed else "Nothing changed."]
            rules = None
            if self.rules:
                rules = self.follow_schedule(values["days"], at)
                with in_english():  # as all of the history
                    details.append(rules.text())
            self.add_history("replaced", at, " ".join(filter(None, details)))
            for name, value in new.items():
                setattr(self, name, value)
            if self.rules:
                self.days = self.week.with_targets(self.progressions.rules)
            if values.get("active", self.active):
                self.become_active(at)
            elif self.active:
                self.active = False
                self.add_history("retired", at, "Was set inactive.")
            self.save(force_update=True)
        return rules

    def activate(self) -> None:
        """Makes this the account's one active plan. Raises DoesNotExist if it is gone."""
        with transaction.atomic():
            at = self.begin_change()
            self.become_active(at)
            self.save(force_update=True)

    @property
    def values(self) -> PlanValues:
        """As a client would send it, to change a part."""
        return {
            "name": self.name,
            "summary": self.summary,
            "progression": self.progression,
            "days": self.days,
        }

    def replace_texts(self, name: str, summary: str, progression: str) -> None:
        """Leaves the days as they are by now. Raises DoesNotExist if the plan is gone."""
        with transaction.atomic():
            self.begin_change()
            self.replace({"name": name, "summary": summary, "progression": progression, "days": self.days})

    def replace_day(self, day: PlanDay, weekday: int, at: datetime.datetime) -> Rearrangement | None:
        """Replaces one day, which then changes places with that of `weekday`, if that is another.

        Returns what became of the rules, if the plan has any. The change is begun already.
        """
        former, old = self.progressions, self.week
        if (own := day["weekday"]) != weekday:
            every_day = {number: number for number in range(1, 8)}
            self.turn_days(every_day | {own: weekday, weekday: own}, at, "two of which changed places")
        days = list(self.days)
        days[weekday - 1] = {**day, "weekday": weekday}
        if days != self.days:
            self.replace({**self.values, "days": days})
        return Rearrangement.of(former, old, self.progressions, self.week) if former.rules else None

    def turn_days(self, to: Mapping[int, int], at: datetime.datetime, why: str) -> None:
        """Moves whole days, by their weekdays, and their rules with them. The account is locked."""
        former, old = self.progressions, self.days
        places = former.places
        moved = {Place(to[place.weekday], place.position): place for place in places}
        days = {to[day["weekday"]]: day for day in old if day["weekday"] in to}
        self.days = [{**days.get(day["weekday"], day), "weekday": day["weekday"]} for day in old]
        rules = {place: places[before][1] for place, before in moved.items()}
        carried = carry_over(self.week, rules, former, at, moved)
        self.set_rules(replace(former, rules=carried), former)
        self.add_history("replaced", at, f"Changed: days, {why}.")
        self.save(force_update=True)

    def remove(self) -> None:
        """Deletes the plan. Its workouts keep its name, and count as changed.

        The plan is gone at once. A worker detaches the workouts beyond the first hundred, so that no request
        waits for thousands of them. Raises DoesNotExist if the plan is gone already.
        """
        with transaction.atomic():
            at = self.account.stamp()[0]
            if not self.stored.filter(deleted_at=None).update(deleted_at=at, active=False, rules=None):
                raise Plan.DoesNotExist()
            if self.detach_some():
                Task.objects.ask(self.account_id, Task.Kind.PLAN_DELETION, self.pk)

    @classmethod
    def go_on_with_removal(cls, account: Account, pk: str) -> bool:
        """Detaches more workouts of a removed plan; returns whether it may have more."""
        removed = cls._base_manager.exclude(deleted_at=None).filter(account=account, pk=pk)
        with transaction.atomic():
            account.lock()
            plan = removed.first()
            return plan is not None and plan.detach_some()

    def detach_some(self) -> bool:
        """Removes a deleted plan from its next workouts; returns whether it may have more.

        The account is locked. With the last ones the row of the plan is deleted.
        """
        ids = list(self.workouts.values_list("pk", flat=True)[:ROWS_AT_ONCE])
        if ids:
            detach_plan(self.account, ids)
        if len(ids) == ROWS_AT_ONCE:
            return True
        self.delete()
        return False

    def become_active(self, at: datetime.datetime) -> None:
        """Retires the account's active plan and makes this one active, unless it is active already."""
        if self.active:
            return
        former = Plan.objects.filter(account=self.account_id).retire(at, retirement_detail(self))
        self.active = True
        if self.rules:
            self.rules = replace(self.progressions, counted_from=day_of(self.account, at)).to_json()
        in_place_of = f' in place of "{former[0].name}"' if former else ""
        self.add_history("activated", at, f"Became the active plan{in_place_of}.")

    def add_history(self, kind: str, at: datetime.datetime, detail: str) -> None:
        """Adds a change to the history, which keeps the newest MAX_HISTORY."""
        entry: PlanChange = {"at": timestamp(at), "kind": kind, "detail": Truncator(detail).chars(MAX_DETAIL)}
        self.history = [*self.history, entry][-MAX_HISTORY:]
        self.updated_at = at

    @property
    def changed_at(self) -> datetime.datetime:
        return self.updated_at or self.created_at

    @property
    def target_columns(self) -> dict[str, Any]:
        columns = {**super().target_columns, "history": self.history}
        return {**columns, "updated_at": self.updated_at} if self.updated_at else columns


def retirement_detail(plan: Plan) -> str:
    return f'Made way for "{plan.name}".'
