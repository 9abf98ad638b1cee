"""Days of nutrition, foods, what was eaten and the daily targets in archives."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import ngettext_lazy

from accounts.archives import ArchiveList, Document, FlatList, Reference, Restoring
from accounts.models import Account
from fitness.api import fields
from fitness.api.serializers import StrictSerializer, Values
from nutrition.api.serializers import (
    FoodEntrySerializer,
    FoodSerializer,
    NutritionTargetsSerializer,
    WholeDaySerializer,
)
from nutrition.models import MAX_ENTRIES, MAX_FOODS, Food, FoodEntry, NutritionDay, NutritionTargets


class NutritionDays(FlatList):
    name = "nutrition"
    numbered = ngettext_lazy("%(number)s day of nutrition", "%(number)s days of nutrition", "count")
    rows = NutritionDay.objects.all()
    order = ("day",)
    serializer = WholeDaySerializer
    key = ("day",)


class UsedSerializer(StrictSerializer):
    """When a food was eaten last."""

    used_at = fields.TimestampField(default=None, allow_null=True)


class Foods(FlatList):
    name = "foods"
    numbered = ngettext_lazy("%(number)s food", "%(number)s foods", "count")
    rows = Food.objects.all()
    order = ("name", "id")
    serializer = FoodSerializer
    managed = UsedSerializer
    most = MAX_FOODS


class FoodEntries(FlatList):
    """What was eaten, whose amounts the totals of their day hold already."""

    name = "food_entries"
    numbered = ngettext_lazy("%(number)s entry of food", "%(number)s entries of food", "count")
    rows = FoodEntry.objects.select_related("nutrition_day")
    order = ("nutrition_day__day", "id")
    serializer = FoodEntrySerializer
    most, most_of = MAX_ENTRIES, "day"
    references = (Reference("food_id", "foods", or_null=True), Reference("day", "nutrition", is_id=False))

    def values(self, document: Document, restoring: Restoring) -> Values:
        values = super().values(document, restoring)
        del values["id"]  # is numbered again
        return values

    def new_rows(self, account: Account, values: Sequence[Values]) -> list[Any]:
        days = {day.day: day for day in account.nutrition_days.filter(day__in=[one["day"] for one in values])}
        return super().new_rows(account, [{"nutrition_day": days[one.pop("day")], **one} for one in values])


def as_foods(document: Document) -> None:
    """Renames the meals and ticks of an archive that was written before there were foods.

    Of its days those with a tick are not known to be complete, as in a database of that time.
    """
    if "foods" in document or "food_entries" in document:
        return
    meals, ticks = document.pop("meals", []), document.pop("meal_ticks", [])
    if isinstance(meals, list):
        document["foods"] = [one | {"is_meal": True} if isinstance(one, dict) else one for one in meals]
    if isinstance(ticks, list):
        document["food_entries"] = [as_entry(one) if isinstance(one, dict) else one for one in ticks]
        ticked = {str(one.get("day")) for one in ticks if isinstance(one, dict)}
        for day in listed(document.get("nutrition")):
            day.setdefault("is_complete", str(day.get("day")) not in ticked)


def listed(found: object) -> list[Document]:
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def as_entry(tick: Document) -> Document:
    same = {name: value for name, value in tick.items() if name != "meal_id"}
    pk = tick.get("meal_id")
    return {"id": f"{pk} {tick.get('day')}", **same, "food_id": pk, "is_tick": True, "amount": 1}


class Targets(ArchiveList):
    """The daily targets, of which an account has one row."""

    name = "nutrition_targets"
    numbered = ngettext_lazy("%(number)s daily target", "%(number)s daily targets", "count")
    rows = NutritionTargets.objects.all()
    order = ("id",)
    serializer = NutritionTargetsSerializer
    key = ()
    is_setting = True
