import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.models import Account
from accounts.models.account import from_microseconds, normalize_email
from body.models import Goal
from fitness.json import timestamp
from fitness.management.base import OneLineCommand
from training.models import Plan, Workout
from training.models.workout_corrections import exercises_of
from training.plans.plan_rules import day_of

AT_ONCE = 100  # rows in one transaction, for which other writers wait
MICROSECOND = timedelta(microseconds=1)


class Command(OneLineCommand):
    help = (
        "Sets back what a clock that ran ahead has stamped: workouts, plans and goals that will have changed "
        "are stamped anew, in their order. Run it once the clock is right."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", nargs="?", help="of one account; without it, of all")
        parser.add_argument("--dry-run", action="store_true", help="only count what lies ahead")

    def handle(self, email: str | None, dry_run: bool, **options: object) -> None:
        accounts = Account.objects.order_by("pk")
        if email:
            accounts = accounts.filter(email=normalize_email(email))
            if not accounts.exists():
                raise CommandError("there is no account with this email.")
        total = 0
        for account in accounts.iterator():
            if count := count_ahead(account) if dry_run else set_back(account):
                self.stdout.write(f"{account.email}: {count}")
                total += count
        self.stdout.write(f"{total} changes {'lie ahead' if dry_run else 'were set back'}")
        if total and not dry_run:
            self.stdout.write(
                "Programs that follow /workouts/events must begin anew there: their `since` may lie ahead."
            )


def count_ahead(account: Account) -> int:
    workouts, plans, goals = ahead(account, from_microseconds(time.time_ns() // 1000))
    return workouts.count() + plans.count() + goals.count()


def ahead(account: Account, now: datetime) -> tuple[QuerySet[Workout], QuerySet[Plan], QuerySet[Goal]]:
    """The workouts, plans and goals that have changed after `now`, in their order."""
    return (
        account.workouts.filter(updated_at__gt=now).order_by("updated_at"),
        account.plans.filter(Q(created_at__gt=now) | Q(updated_at__gt=now)).order_by("created_at", "id"),
        account.goals.filter(created_at__gt=now).order_by("created_at", "id"),
    )


def set_back(account: Account) -> int:
    """Returns how many workouts, plans and goals it has stamped anew.

    Workouts some at a time. From the first transaction on, new changes are stamped now, and workouts that
    still lie ahead come after them: whoever follows the changes in their order meets each of them again.
    """
    with transaction.atomic():
        account.lock()
        now = time.time_ns() // 1000
        account.state.stored.filter(last_change__gt=now).update(last_change=now)
        workouts, plans, goals = ahead(account, from_microseconds(now))
        ids = list(workouts.values_list("pk", flat=True))
        goals_ahead, plans_ahead = list(goals), list(plans)
        for goal, stamp in zip(goals_ahead, account.stamp(len(goals_ahead)), strict=True):
            goal.created_at = stamp
            goal.save(update_fields=["created_at"])
        for plan, stamp in zip(plans_ahead, account.stamp(len(plans_ahead)), strict=True):
            set_plan_back(plan, stamp)
        set_rules_back(account, from_microseconds(now))
    for start in range(0, len(ids), AT_ONCE):
        with transaction.atomic():
            account.lock()
            some = account.workouts.filter(pk__in=ids[start : start + AT_ONCE])
            restamp(account, list(some.order_by("updated_at")))
    return len(ids) + len(plans_ahead) + len(goals_ahead)


def restamp(account: Account, workouts: Sequence[Workout]) -> None:
    """Gives the workouts of a locked account the next stamps, which their documents show."""
    rows_of = exercises_of(account, workouts)
    for workout, stamp in zip(workouts, account.stamp(len(workouts)), strict=True):
        is_unchanged = workout.created_at == workout.updated_at  # else it reads as changed since
        workout.created_at = min(workout.created_at, stamp if is_unchanged else stamp - MICROSECOND)
        workout.render([row.entry for row in rows_of[workout.pk]], stamp)
    account.workouts.bulk_update(workouts, ["created_at", "updated_at", "document"])


def set_plan_back(plan: Plan, stamp: datetime) -> None:
    plan.created_at = min(plan.created_at, stamp)
    plan.updated_at = plan.updated_at and min(plan.updated_at, stamp)
    plan.history = [{**entry, "at": min(entry["at"], timestamp(stamp))} for entry in plan.history]
    plan.save(update_fields=["created_at", "updated_at", "history"])


def set_rules_back(account: Account, now: datetime) -> None:
    """Has rules that were set ahead begin now, and their lighter weeks be counted from today.

    They leave out workouts that were stored before they began.
    """
    for rows in (account.plans, account.routines):
        for planning in rows.filter(rules__isnull=False):
            rules = planning.progressions
            begun = tuple(replace(one, began_at=min(one.began_at, now)) for one in rules.rules)
            counted_from = min(rules.counted_from, day_of(account, now))
            if (begun, counted_from) != (rules.rules, rules.counted_from):
                planning.rules = replace(rules, rules=begun, counted_from=counted_from).to_json()
                planning.save(update_fields=["rules"])
