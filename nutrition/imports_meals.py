"""Meals, their ticks and the daily targets out of an archive."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext_noop, ngettext_lazy

from accounts.imports.archived import ArchivedKind, Document, OnlyOneKind, Place
from accounts.imports.kinds import Context
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
    found_by, order = ("name",), ("id",)

    def in_use(self, account: Account, ids: Sequence[str]) -> set[str]:
        ticks = account.meal_ticks.filter(meal__in=ids).order_by()
        return set(map(str, ticks.values_list("meal", flat=True).distinct()))


class MealTickKind(OnlyOneKind):
    """Ticks of meals, whose amounts the totals of their day hold already.

    So they are stored only with days that the import has stored, or found equal.
    """

    name = "meal_tick"
    label = "ticks of meals"
    numbered = ngettext_lazy("%(number)s tick of meals", "%(number)s ticks of meals", "count")
    model = MealTick
    serializer = MealTickSerializer
    compared = ("meal_id", "day", *MAX_MACROS)
    found_by = ("meal_id", "day")
    taken = gettext_noop("has other amounts in the file")

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


class NutritionTargetsKind(OnlyOneKind):
    """The daily targets, of which an account has one row."""

    name = "nutrition_targets"
    label = "daily targets"
    numbered = ngettext_lazy("%(number)s daily target", "%(number)s daily targets", "count")
    model = NutritionTargets
    serializer = NutritionTargetsSerializer
    compared = tuple(MAX_MACROS)
    taken = gettext_noop("are others here, which stay")
