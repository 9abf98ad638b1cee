"""Meals, their ticks and the daily targets out of an archive."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext_noop, ngettext_lazy

from accounts.imports.archived import ArchivedKind, Document, Place
from accounts.imports.kinds import Context, Record
from accounts.models import Account
from fitness.api.serializers import Values
from nutrition.api.serializers import MealSerializer, MealTickSerializer, NutritionTargetsSerializer
from nutrition.models import MAX_MACROS, Meal, MealTick, NutritionTargets


class MealKind(ArchivedKind):
    name = "meal"
    label = "meals"
    numbered = ngettext_lazy("%(number)s meal", "%(number)s meals", "count")
    model = Meal
    serializer = MealSerializer
    compared = ("name", *MAX_MACROS)

    def alike(self, account: Account, values: Sequence[Values]) -> QuerySet[Any]:
        return account.meals.filter(name__in=[one["name"] for one in values]).order_by("id")

    def in_use(self, account: Account, ids: Sequence[str]) -> set[str]:
        ticks = account.meal_ticks.filter(meal__in=ids).order_by()
        return set(map(str, ticks.values_list("meal", flat=True).distinct()))


class MealTickKind(ArchivedKind):
    """Ticks of meals, whose amounts the totals of their day hold already.

    So they are stored only with days that the import has stored, or found equal.
    """

    name = "meal_tick"
    label = "ticks of meals"
    numbered = ngettext_lazy("%(number)s tick of meals", "%(number)s ticks of meals", "count")
    model = MealTick
    serializer = MealTickSerializer
    compared = ("meal_id", "day", *MAX_MACROS)

    def reader(self, context: Context) -> Callable[[Document, Place], Values]:
        def read(document: Document, place: Place) -> Values:
            values = self.validated(document)
            meal_id = context.new_id("meal", values["meal_id"])
            has_day = context.new_id("nutrition", values["day"].isoformat()) is not None
            return {**values, "meal_id": UUID(meal_id) if meal_id else None, "has_day": has_day}

        return read

    def alike(self, account: Account, values: Sequence[Values]) -> QuerySet[Any]:
        return account.meal_ticks.filter(
            meal__in={one["meal_id"] for one in values} - {None},
            nutrition_day__day__in={one["day"] for one in values},
        ).select_related("nutrition_day")

    def differing(
        self, account: Account, records: Sequence[Record], known_ids: Sequence[str | None]
    ) -> list[str]:
        wanted = [record.values.values for record in records]
        there = {(tick.meal_id, tick.day) for tick in self.alike(account, wanted)}
        ticked = [(one["meal_id"], one["day"]) in there for one in wanted]
        return [gettext_noop("has other amounts in the file") if is_ticked else "" for is_ticked in ticked]

    def rows(self, account: Account) -> QuerySet[Any]:
        return super().rows(account).select_related("nutrition_day")

    def new_rows(self, account: Account, values: Sequence[Values]) -> Iterator[Any]:
        days = account.nutrition_days.filter(day__in={one["day"] for one in values if one["has_day"]})
        by_day = {day.day: day for day in days}
        seen = set()
        for one in values:
            day, key = by_day.get(one["day"]), (one["meal_id"], one["day"])
            is_new = day and one["has_day"] and one["meal_id"] and key not in seen
            seen.add(key)
            macros = {name: one[name] for name in MAX_MACROS}
            yield (
                MealTick(account=account, nutrition_day=day, meal_id=one["meal_id"], **macros)
                if is_new
                else None
            )


class NutritionTargetsKind(ArchivedKind):
    """The daily targets, of which an account has one row. Those that are there stay."""

    name = "nutrition_targets"
    label = "daily targets"
    numbered = ngettext_lazy("%(number)s daily target", "%(number)s daily targets", "count")
    model = NutritionTargets
    serializer = NutritionTargetsSerializer
    compared = tuple(MAX_MACROS)

    def alike(self, account: Account, values: Sequence[Values]) -> QuerySet[Any]:
        return self.rows(account)

    def differing(
        self, account: Account, records: Sequence[Record], known_ids: Sequence[str | None]
    ) -> list[str]:
        text = gettext_noop("are others here, which stay") if self.rows(account).exists() else ""
        return [text] * len(records)

    def new_rows(self, account: Account, values: Sequence[Values]) -> Iterator[Any]:
        is_free = not self.rows(account).exists()
        for one in values:
            yield self.model(account=account, **one) if is_free else None
            is_free = False
