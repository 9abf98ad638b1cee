"""What staff see of an account at a glance, above its form in the admin."""

import datetime
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db.models import Count, Model, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone

from accounts import factors
from accounts.audit import Event
from accounts.key_days import KeyCounts, KeyDay
from accounts.models import Account, ApiKey

DAYS = 30
EVENTS = 20

# name of the account's manager -> what its rows are called
RECORDS = {
    "routines": "routines",
    "plans": "plans",
    "weight_logs": "body weights",
    "measurements": "measurements",
    "goals": "goals",
    "nutrition_days": "days of nutrition",
    "foods": "foods",
    "supplements": "supplements",
    "supplement_logs": "supplements taken",
}


class Records(NamedTuple):
    name: str
    number: int
    address: str  # of the list in the admin, "" for who may not see it


class KeyFacts(NamedTuple):
    key: ApiKey
    use: KeyCounts


def account_facts(account: Account, user: Account) -> dict[str, Any]:
    """The context of the template for a member of staff: a fixed number of statements, whatever it holds."""
    keys = keys_with_use(account)
    total = KeyCounts()
    for _, use in keys:
        total.add(use)
    return {
        "state": account.state,
        "storage_mb": settings.ACCOUNT_STORAGE_MB,
        "factors": list(factors.factors_of(account)),
        "last_sign_in": account.audit_events.filter(event=Event.SIGNED_IN).first(),
        "last_key_use": max((key.last_used_at for key, _ in keys if key.last_used_at), default=None),
        "keys": [facts for facts in keys if facts.key.is_active],
        "ended_keys": sum(not key.is_active for key, _ in keys),
        "use": total,
        "days": DAYS,
        "tasks": list(account.tasks.order_by("created_at", "pk")),
        "records": list(record_counts(account, user)),
        "events": account.audit_events.all()[:EVENTS],
        "events_address": list_of("accounts_auditevent", account),
        "keys_address": list_of("accounts_apikey", account),
    }


def first_day() -> datetime.date:
    return timezone.now().date() - datetime.timedelta(days=DAYS - 1)


def requests_of(accounts: Iterable[Account]) -> dict[UUID, int]:
    """The requests of DAYS by account, for those who made any."""
    days = KeyDay.objects.filter(account__in=list(accounts), day__gte=first_day())
    return dict(days.values("account").annotate(all=Sum("requests")).values_list("account", "all"))


def keys_with_use(account: Account) -> list[KeyFacts]:
    sums = {name: Sum(name) for name in ("requests", "writes", "refusals")}
    days = account.key_days.filter(day__gte=first_day()).values("api_key").annotate(**sums)
    uses = {row.pop("api_key"): KeyCounts(**row) for row in days}
    return [KeyFacts(key, uses.get(key.pk, KeyCounts())) for key in account.api_keys.with_use()]


def record_counts(account: Account, user: Account) -> Iterator[Records]:
    """Counts the records of each kind, in one statement; that of workouts is stored."""
    yield Records("workouts", account.state.workout_count, list_for(user, account.workouts.model, account))
    kinds = {name: getattr(account, name).all() for name in RECORDS}
    numbers = Account.objects.filter(pk=account.pk).values_list(*map(number_of, kinds.values())).get()
    for (name, rows), number in zip(kinds.items(), numbers, strict=True):
        yield Records(RECORDS[name], number, list_for(user, rows.model, account))


def number_of(rows: QuerySet[Any]) -> Coalesce:
    counted: QuerySet[Any, Any] = rows.order_by().values("account").annotate(found=Count("pk"))
    return Coalesce(Subquery(counted.values("found")), 0)


def list_for(user: Account, model: type[Model], account: Account) -> str:
    may_view = user.has_perm(f"{model._meta.app_label}.view_{model._meta.model_name}")
    return list_of(model._meta.db_table, account) if may_view else ""


def list_of(table: str, account: Account) -> str:
    """The address of a list in the admin, of the rows of one account."""
    return f"{reverse(f'admin:{table}_changelist')}?account__id__exact={account.pk}"
