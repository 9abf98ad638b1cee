import datetime
import logging

from django.conf import settings
from django.db import Error, models, transaction
from django.db.models import F, Q
from django.utils import timezone
from uuid_utils.compat import uuid7

from fitness.api.fields import timestamp
from fitness.api.pagination import Keyset
from training.models.planned import PlanningQuerySet, ordered, rename_exercises, renamed

log = logging.getLogger("fitness.plans")

HISTORY_LENGTH = 100
TIME_TO_DELETE = datetime.timedelta(minutes=5)  # by then a request that deletes a plan has ended


class PlanQuerySet(PlanningQuerySet):
    newest_first = Keyset("plans", "created_at", "id")

    def active(self):
        return self.filter(active=True)

    def retire(self, at, detail):
        """Makes the active plans among these inactive. Returns them."""
        retired = list(self.active())
        for plan in retired:
            plan.active = False
            plan.add_history("retired", at, detail)
            plan.save(force_update=True)
        return retired

    def create_for(self, account, values):
        """Stores a new plan of the account: name, summary, progression, days and perhaps `active`."""
        with transaction.atomic():
            plan = Plan(account=account, created_at=account.stamp()[0], **values)
            if plan.active:
                account.plans.retire(plan.created_at, retirement_detail(plan))
            plan.save(force_insert=True)
        return plan


class PlanManager(models.Manager.from_queryset(PlanQuerySet)):
    """Plans without those that are deleted, of which a row is left while workouts are taken off them."""

    def get_queryset(self) -> PlanQuerySet:
        return super().get_queryset().filter(deleted_at=None)

    def finish_deletions(self) -> int:
        """Completes what a process that was killed had begun to delete. Returns how many plans that was."""
        abandoned = Plan._base_manager.filter(deleted_at__lt=timezone.now() - TIME_TO_DELETE)
        return len([plan.detach_workouts() for plan in abandoned.select_related("account")])


class Plan(models.Model):
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
    days = models.JSONField()  # seven, in weekday order, as clients read them
    history = models.JSONField(default=list)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True, editable=False)  # nobody sees the plan from then on

    objects = PlanManager()

    class Meta:
        indexes = [models.Index("account", F("created_at").desc(), F("id").desc(), name="plan_newest")]
        constraints = [
            models.UniqueConstraint(fields=["account"], condition=Q(active=True), name="one_active_plan")
        ]

    def __str__(self):
        return self.name

    refresh_batch = staticmethod(rename_exercises)  # brings plans in line with the catalogue
    PLANNED = "days"
    WRITABLE = ("name", "summary", "progression", "days")

    @property
    def days_per_week(self):
        return sum(not day["rest"] for day in self.days)

    @property
    def document(self):
        """The plan as clients read it (spec.md, "Training plan")."""
        return {
            "id": str(self.id),
            "name": self.name,
            "summary": self.summary,
            "progression": self.progression,
            "days_per_week": self.days_per_week,
            "active": self.active,
            "source": self.source,
            "days": [
                {
                    "weekday": day["weekday"],
                    "label": day["label"],
                    "focus": day["focus"],
                    "rest": day["rest"],
                    "exercises": ordered(day["exercises"]),
                }
                for day in self.days
            ],
            "history": [
                {"at": entry["at"], "kind": entry["kind"], "detail": entry["detail"]}
                for entry in self.history
            ],
            "created_at": timestamp(self.created_at),
            "updated_at": timestamp(self.updated_at) if self.updated_at else None,
        }

    def replace(self, values):
        """Puts `values` in place; without `active` among them, the plan stays active or inactive.

        Raises DoesNotExist if the plan is gone.
        """
        with transaction.atomic():
            at = self.begin_change()
            self.add_history("replaced", at, self.difference(values))
            for name in self.WRITABLE:
                setattr(self, name, values[name])
            if values.get("active", self.active):
                self.become_active(at)
            elif self.active:
                self.active = False
                self.add_history("retired", at, "Was set inactive.")
            self.save(force_update=True)

    def activate(self):
        """Makes this the account's one active plan. Raises DoesNotExist if it is gone."""
        with transaction.atomic():
            at = self.begin_change()
            self.become_active(at)
            self.save(force_update=True)

    def remove(self):
        """Deletes the plan. Its workouts keep its name, and count as changed.

        The plan is gone at once; its workouts follow in batches, so that nobody waits for thousands of
        them. After a fault of the database they follow later. Raises DoesNotExist if it is gone already.
        """
        with transaction.atomic():
            at = self.account.stamp()[0]
            if not Plan.objects.filter(pk=self.pk).update(deleted_at=at, active=False):
                raise Plan.DoesNotExist()
        try:
            self.detach_workouts()
        except Error as error:
            log.warning("plan %s is deleted, some of its workouts follow later: %s", self.pk, error)

    def detach_workouts(self) -> None:
        """Takes the workouts off a deleted plan, then deletes what is left of it."""
        is_left = True
        while is_left:
            self.workouts.detach_plan()
            with transaction.atomic():
                self.account.lock()
                is_left = self.workouts.exists()  # of a request that saw the plan before it was deleted
                if not is_left:
                    Plan._base_manager.filter(pk=self.pk).delete()

    def begin_change(self):
        """Locks the account, reads the plan as it stands then, and returns the moment of the change."""
        at = self.account.stamp()[0]
        self.refresh_from_db(from_queryset=Plan.objects.all())
        return at

    def become_active(self, at):
        """Becomes active in place of the plan that is. Nothing happens to a plan that is active."""
        if self.active:
            return
        former = Plan.objects.filter(account=self.account_id).retire(at, retirement_detail(self))
        self.active = True
        in_place_of = f' in place of "{former[0].name}"' if former else ""
        self.add_history("activated", at, f"Became the active plan{in_place_of}.")

    def add_history(self, kind, at, detail):
        """Keeps a change in the history, of which the oldest entries go first."""
        entry = {"at": timestamp(at), "kind": kind, "detail": detail}
        self.history = [*self.history, entry][-HISTORY_LENGTH:]
        self.updated_at = at

    def difference(self, values):
        changed = [name for name in self.WRITABLE if getattr(self, name) != values[name]]
        return f"Changed: {', '.join(changed)}." if changed else "Nothing changed."

    def rename(self, catalogue):
        """Names the exercises as `catalogue` (Exercises by id) does; answers whether that changed any."""
        before = self.days
        self.days = [{**day, "exercises": renamed(day["exercises"], catalogue)} for day in self.days]
        return self.days != before


def retirement_detail(plan):
    return f'Made way for "{plan.name}".'
