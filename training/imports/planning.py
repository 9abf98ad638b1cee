"""Routines and plans out of an archive."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from typing import Any

from django.utils.translation import gettext_noop as _
from django.utils.translation import ngettext_lazy

from accounts.imports.archived import CreatedKind, CreatedSerializer, Document, Place, not_after
from accounts.imports.kinds import Context
from accounts.models import Account, Task
from fitness.api import fields
from fitness.api.serializers import Values
from fitness.imports.sentences import sentence
from fitness.json import timestamp
from training.api.serializers.plan import PlanChangeSerializer, PlanSerializer, PlanSource
from training.api.serializers.routine import RoutineSerializer
from training.imports.archived import Catalogue, is_known
from training.models import Plan, Routine
from training.models.plan import MAX_HISTORY
from training.models.planned import PlannedExercise, ordered_days

LEFT_OUT = sentence(_("is not in this catalogue, and is left out: %(name)s"))
TARGET = ("exercise_id", "sets", "reps", "weight_kg", "note")
MAX_USES = 2**31 - 1


class PlanningKind(CreatedKind):
    """Routines or plans: the same if they ask for the same, whatever the catalogue calls it."""

    found_by = ("name",)

    def reader(self, context: Context) -> Callable[[Document, Place], Values]:
        catalogue_of = cache(Catalogue)  # read with the first document: most files are no archives

        def read(document: Document, place: Place) -> Values:
            catalogue = catalogue_of(context)
            return self.validated(self.known_part(document, catalogue.exercises, place), catalogue.context)

        return read

    def known_part(self, document: Document, known: Collection[str], place: Place) -> Document:
        """The document without exercises that the catalogue lacks."""
        raise NotImplementedError

    def in_use(self, account: Account, ids: Sequence[str]) -> set[str]:
        """Those with rules: what an import has stored of them, and nobody has changed, is gone by now."""
        ruled = self.rows(account).filter(pk__in=ids, rules__isnull=False)
        return set(map(str, ruled.values_list("pk", flat=True)))


def known_entries(entries: Any, known: Collection[str], place: Place, path: str) -> Any:
    if not isinstance(entries, list):
        return entries  # the serializer refuses it
    for entry in entries:
        if not is_known(entry, known):
            place.change(path, LEFT_OUT % {"name": entry.get("name")})
    return [entry for entry in entries if is_known(entry, known)]


def targets(entries: Sequence[PlannedExercise]) -> list[list[object]]:
    """What is asked for, without what follows the catalogue."""
    shown: Any = entries  # mypy looks up keys of a TypedDict by literals only
    return [[entry[name] for name in TARGET] for entry in shown]


class RoutineExtras(CreatedSerializer):
    use_count = fields.IntegerField(default=0, min_value=0, max_value=MAX_USES)


class RoutineKind(PlanningKind):
    name = "routine"
    label = "routines"
    numbered = ngettext_lazy("%(number)s routine", "%(number)s routines", "count")
    model = Routine
    serializer = RoutineSerializer
    managed = RoutineExtras
    compared = ("name", "focus", "exercises")

    def known_part(self, document: Document, known: Collection[str], place: Place) -> Document:
        entries = known_entries(document.get("exercises"), known, place, "exercises")
        return {**document, "exercises": entries}

    def comparable(self, name: str, value: Any) -> Any:
        return targets(value) if name == "exercises" else value


class ArchivedChangeSerializer(PlanChangeSerializer):
    detail = fields.StringField(max_length=1000)


class PlanExtras(CreatedSerializer):
    active = fields.BooleanField(default=False)
    # A field of the plan, not Field.source.
    source = fields.ChoiceField(PlanSource, default=PlanSource.MANUAL)  # type: ignore[assignment]
    history = ArchivedChangeSerializer(many=True, default=list, max_length=MAX_HISTORY)
    updated_at = fields.TimestampField(default=None, allow_null=True)


class PlanKind(PlanningKind):
    """Plans with their history. A plan comes back as the active one only where no other is."""

    name = "plan"
    label = "plans"
    numbered = ngettext_lazy("%(number)s plan", "%(number)s plans", "count")
    model = Plan
    serializer = PlanSerializer
    managed = PlanExtras
    compared = ("name", "summary", "progression", "days")

    def known_part(self, document: Document, known: Collection[str], place: Place) -> Document:
        days = document.get("days")
        if not isinstance(days, list):
            return document
        return {**document, "days": [known_day(day, known, place) for day in days]}

    def comparable(self, name: str, value: Any) -> Any:
        if name != "days":
            return value
        return [{**day, "exercises": targets(day["exercises"])} for day in ordered_days(value)]

    def new_rows(self, account: Account, values: Sequence[Values]) -> Iterator[Any]:
        has_active = account.plans.active().exists()
        for one, stamp in zip(values, account.stamp(len(values)), strict=True):
            history = [{**change, "at": timestamp(change["at"])} for change in one["history"]]
            updated_at = one["updated_at"] and not_after(stamp, one["updated_at"])
            times = {"created_at": not_after(stamp, one["created_at"]), "updated_at": updated_at}
            active = one["active"] and not has_active
            has_active = has_active or active
            yield Plan(account=account, **{**one, **times, "history": history, "active": active})

    def fingerprint(self, row: Plan) -> str:
        """Changes of a plan are stamped. The catalogue's, which it follows, are not."""
        return timestamp(row.updated_at) if row.updated_at else "unchanged"

    def in_use(self, account: Account, ids: Sequence[str]) -> set[str]:
        return super().in_use(account, ids) | self.followed(account, ids)

    def followed(self, account: Account, ids: Sequence[str]) -> set[str]:
        """Those that workouts have followed."""
        workouts = account.workouts.filter(plan__in=ids).order_by()
        return set(map(str, workouts.values_list("plan", flat=True).distinct()))

    def delete(self, account: Account, ids: Sequence[str]) -> None:
        """Plans that workouts have followed are deleted as the API does it: their workouts change later."""
        used = self.followed(account, ids)
        super().delete(account, [pk for pk in ids if pk not in used])
        if used:
            at = account.stamp()[0]
            account.plans.filter(pk__in=used).update(deleted_at=at, active=False, rules=None)
        for pk in used:
            Task.objects.ask(account.pk, Task.Kind.PLAN_DELETION, pk)


def known_day(day: Any, known: Collection[str], place: Place) -> Any:
    if not isinstance(day, dict) or "exercises" not in day:
        return day
    return {**day, "exercises": known_entries(day.get("exercises"), known, place, "days")}
