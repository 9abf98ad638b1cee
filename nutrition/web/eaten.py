"""What the entries of a day say, and what is left of its targets, for Nutrition and Home."""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from accounts.models import Account
from fitness.days import ONE_DAY, today
from fitness.web.templatetags.units import whole
from nutrition.models import FoodEntry, NutritionDay, NutritionTargets
from nutrition.web.amounts import written

Meal = FoodEntry.Meal

AMOUNTS = {
    "calories": _("%(amount)s kcal"),
    "protein_g": _("%(amount)s g protein"),
    "carbs_g": _("%(amount)s g carbs"),
    "fat_g": _("%(amount)s g fat"),
}
UNKNOWN = {
    "protein_g": ngettext_lazy(
        "protein unknown for %(count)s entry", "protein unknown for %(count)s entries", "count"
    ),
    "carbs_g": ngettext_lazy(
        "carbs unknown for %(count)s entry", "carbs unknown for %(count)s entries", "count"
    ),
    "fat_g": ngettext_lazy("fat unknown for %(count)s entry", "fat unknown for %(count)s entries", "count"),
}


class Eaten(NamedTuple):
    """A meal of a day with its entries, each with its amount as people read it."""

    meal: Meal
    entries: list[tuple[FoodEntry, str]]
    calories: float


class Left(NamedTuple):
    """What may still be eaten, and what is over a target: texts as "1,240 kcal, 62 g protein"."""

    left: str
    over: str


def meal_now() -> Meal:
    """The meal that is probably logged now, by the clock of the account."""
    hour = timezone.localtime().hour
    if hour < 11:
        return Meal.BREAKFAST
    if hour < 15:
        return Meal.LUNCH
    return Meal.SNACKS if hour < 17 else Meal.DINNER


def by_meal(entries: Sequence[FoodEntry]) -> list[Eaten]:
    """The entries of a day, by meals in the order of the day."""
    groups: dict[str, list[FoodEntry]] = defaultdict(list)
    for entry in entries:
        groups[entry.meal].append(entry)
    return [eaten(meal, groups[meal]) for meal in Meal if meal in groups]


def eaten(meal: Meal, entries: list[FoodEntry]) -> Eaten:
    amounts = [written(entry.amount, entry.unit) if entry.amount else "" for entry in entries]
    return Eaten(meal, list(zip(entries, amounts, strict=True)), sum(entry.calories for entry in entries))


def unknown(entries: Sequence[FoodEntry]) -> str:
    """ "carbs unknown for 1 entry"; empty where the totals hold everything.

    What was included in totals that somebody has set is known.
    """
    own = [entry for entry in entries if not entry.is_included]
    counts = {name: sum(getattr(entry, name) is None for entry in own) for name in UNKNOWN}
    return ", ".join(UNKNOWN[name] % {"count": count} for name, count in counts.items() if count)


def left_of(totals: NutritionDay | None, targets: NutritionTargets | None) -> Left | None:
    """What is left of the targets; None without any."""
    if targets is None:
        return None
    left: list[str] = []
    over: list[str] = []
    for name, text in AMOUNTS.items():
        target: float | None = getattr(targets, name)
        if target is not None:
            amount = round(target - getattr(totals, name, 0.0))
            (left if amount >= 0 else over).append(text % {"amount": whole(abs(amount))})
    return Left(", ".join(left), ", ".join(over)) if left or over else None


def copy_offers(account: Account) -> list[Meal]:
    """The meals that yesterday has and today has not."""
    day = today()
    yesterday = day - ONE_DAY
    logged = account.food_entries.filter(nutrition_day__day__in=[day, yesterday]).exclude(meal=Meal.OTHER)
    has = set(logged.values_list("nutrition_day__day", "meal").distinct())
    return [meal for meal in Meal if (yesterday, meal) in has and (day, meal) not in has]
