"""Days of nutrition, meals, their ticks and the daily targets in archives."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import ngettext_lazy

from accounts.archives import ArchiveList, FlatList, Reference
from accounts.models import Account
from fitness.api.serializers import Values
from nutrition.api.serializers import (
    MealSerializer,
    MealTickSerializer,
    NutritionTargetsSerializer,
    WholeDaySerializer,
)
from nutrition.models import MAX_MEALS, Meal, MealTick, NutritionDay, NutritionTargets


class NutritionDays(FlatList):
    name = "nutrition"
    numbered = ngettext_lazy("%(number)s day of nutrition", "%(number)s days of nutrition", "count")
    rows = NutritionDay.objects.all()
    order = ("day",)
    serializer = WholeDaySerializer
    key = ("day",)


class Meals(FlatList):
    name = "meals"
    numbered = ngettext_lazy("%(number)s meal", "%(number)s meals", "count")
    rows = Meal.objects.all()
    order = ("name", "id")
    serializer = MealSerializer
    most = MAX_MEALS


class MealTicks(FlatList):
    """Ticks of meals, whose amounts the totals of their day hold already."""

    name = "meal_ticks"
    numbered = ngettext_lazy("%(number)s tick of meals", "%(number)s ticks of meals", "count")
    rows = MealTick.objects.select_related("nutrition_day")
    order = ("nutrition_day__day", "id")
    serializer = MealTickSerializer
    key = ("meal_id", "day")
    references = (Reference("meal_id", "meals"), Reference("day", "nutrition", is_id=False))

    def new_rows(self, account: Account, values: Sequence[Values]) -> list[Any]:
        days = {day.day: day for day in account.nutrition_days.filter(day__in=[one["day"] for one in values])}
        return super().new_rows(account, [{"nutrition_day": days[one.pop("day")], **one} for one in values])


class Targets(ArchiveList):
    """The daily targets, of which an account has one row."""

    name = "nutrition_targets"
    numbered = ngettext_lazy("%(number)s daily target", "%(number)s daily targets", "count")
    rows = NutritionTargets.objects.all()
    order = ("id",)
    serializer = NutritionTargetsSerializer
    key = ()
    is_setting = True
