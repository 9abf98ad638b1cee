"""What the entries of a day say, and its totals beside the targets, for Nutrition and Home."""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from accounts.models import Account
from fitness.days import ONE_DAY, today
from nutrition.models import FoodEntry, NutritionDay, NutritionTargets
from nutrition.web.amounts import written

Meal = FoodEntry.Meal

DAYS_OF_MEAN = 7

# Of a day's totals: the field, its label and its unit.
PARTS = (
    ("calories", _("Energy"), "kcal"),
    ("protein_g", _("Protein"), "g"),
    ("carbs_g", _("Carbs"), "g"),
    ("fat_g", _("Fat"), "g"),
)
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


class Amount(NamedTuple):
    """A part of a day's totals, with what it is compared with; None where there is nothing."""

    label: str
    unit: str
    total: float | None
    target: float | None
    mean: float | None

    @property
    def left(self) -> float:
        """What may still be eaten; less than 0 is over the target."""
        return (self.target or 0.0) - (self.total or 0.0)

    @property
    def over(self) -> float:
        return -self.left

    @property
    def percent(self) -> float:
        return min(100 * (self.total or 0.0) / self.target, 100.0) if self.target else 0.0


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


def unlisted(stored: NutritionDay | None, entries: Sequence[FoodEntry]) -> float:
    """The energy that the totals hold beside their entries, where somebody has set more."""
    return (stored.calories if stored else 0.0) - math.fsum(entry.calories for entry in entries)


def unknown(entries: Sequence[FoodEntry]) -> str:
    """ "carbs unknown for 1 entry"; empty where the totals hold everything.

    What was included in totals that somebody has set is known.
    """
    own = [entry for entry in entries if not entry.is_included]
    counts = {name: sum(getattr(entry, name) is None for entry in own) for name in UNKNOWN}
    return ", ".join(UNKNOWN[name] % {"count": count} for name, count in counts.items() if count)


def amounts(
    stored: NutritionDay | None, targets: NutritionTargets | None, week: Sequence[NutritionDay] = ()
) -> list[Amount]:
    """The totals of a day beside the targets and the mean of the days logged in the week before it.

    None where there is nothing to show.
    """
    if not (stored or targets or week):
        return []
    return [
        Amount(
            str(label),
            unit,
            getattr(stored, name, None),
            getattr(targets, name, None),
            math.fsum(getattr(one, name) for one in week) / len(week) if week else None,
        )
        for name, label, unit in PARTS
    ]


def copy_offers(account: Account) -> list[Meal]:
    """The meals that yesterday has and today has not."""
    day = today()
    yesterday = day - ONE_DAY
    logged = account.food_entries.filter(nutrition_day__day__in=[day, yesterday]).exclude(meal=Meal.OTHER)
    has = set(logged.values_list("nutrition_day__day", "meal").distinct())
    return [meal for meal in Meal if (yesterday, meal) in has and (day, meal) not in has]
