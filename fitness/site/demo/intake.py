"""The nutrition and the supplements of the demo account."""

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from accounts.models import Account
from fitness.site.demo.dice import Dice
from fitness.site.demo.story import Story
from nutrition.models import Meal, NutritionDay, NutritionTargets
from supplements.models import Supplement, SupplementLog

MAINTENANCE_KCAL_PER_KG = 33
MEALS = {
    "Overnight oats with skyr": {"calories": 520, "protein_g": 38, "carbs_g": 66, "fat_g": 11},
    "Chicken, rice and vegetables": {"calories": 690, "protein_g": 52, "carbs_g": 84, "fat_g": 15},
    "Whey shake with a banana": {"calories": 250, "protein_g": 27, "carbs_g": 31, "fat_g": 2},
}


@dataclass(frozen=True)
class Schedule:
    name: str
    dosage: str
    time: str
    begins: float  # the part of the story before its first day
    taken: float  # the probability of a tick on a day


SCHEDULES = (
    Schedule("Creatine monohydrate", "5 g", "08:00", 0, 0.93),
    Schedule("Vitamin D3", "2,000 IU", "08:00", 0.1, 0.85),
    Schedule("Omega-3", "2 capsules", "13:00", 0.4, 0.7),
    Schedule("Magnesium", "300 mg", "21:30", 0.2, 0.78),
)


def store_intake(account: Account, story: Story) -> None:
    NutritionDay.objects.bulk_create(nutrition_days(account, story), batch_size=500)
    Meal.objects.bulk_create(meals(account, story))
    NutritionTargets.objects.create(account=account, **targets(story))
    for schedule in SCHEDULES:
        store_supplement(account, story, schedule)


def nutrition_days(account: Account, story: Story) -> Iterator[NutritionDay]:
    """Totals of most days: fewer at weekends, and few on holidays."""
    dice = story.dice("nutrition")
    for day in story.days:
        weekend = day.isoweekday() > 5
        if dice.chance(0.3 if story.week(day).kind == "holiday" else 0.8 if weekend else 0.95):
            weight_kg = story.weights_kg[day]
            kcal = weight_kg * MAINTENANCE_KCAL_PER_KG + story.phase(day).surplus_kcal + 180 * weekend
            yield NutritionDay(
                account=account,
                day=day,
                logged_at=dice.time_on(day, 21, 40),
                **totals(dice, dice.near(kcal, 140), weight_kg),
            )


def totals(dice: Dice, kcal: float, weight_kg: float) -> dict[str, float]:
    """Macros in grams that add up to the energy: protein and fat by body weight, carbohydrates the rest."""
    protein_g = round(dice.near(1.9 * weight_kg, 12))
    fat_g = round(dice.near(0.95 * weight_kg, 9))
    carbs_g = max(round((kcal - 4 * protein_g - 9 * fat_g) / 4), 40)
    calories = 4 * (protein_g + carbs_g) + 9 * fat_g
    return {"calories": calories, "protein_g": protein_g, "carbs_g": carbs_g, "fat_g": fat_g}


def targets(story: Story) -> dict[str, float]:
    """Those of the last day's weight and phase, in round numbers."""
    weight_kg = story.weights_kg[story.days[-1]]
    kcal = weight_kg * MAINTENANCE_KCAL_PER_KG + story.phase(story.days[-1]).surplus_kcal
    return {"calories": round(kcal, -1), "protein_g": round(1.9 * weight_kg)}


def meals(account: Account, story: Story) -> Iterator[Meal]:
    dice = story.dice("meals")
    for name, macros in MEALS.items():
        yield Meal(id=dice.uuid7_at(dice.time_on(story.start, 19, 30)), account=account, name=name, **macros)


def store_supplement(account: Account, story: Story, schedule: Schedule) -> None:
    dice = story.dice(schedule.name)
    days = story.days[int(len(story.days) * schedule.begins) :]
    created_at = dice.time_on(days[0], 6, 20)
    supplement = Supplement.objects.create(
        id=dice.uuid7_at(created_at),
        account=account,
        name=schedule.name,
        dosage=schedule.dosage,
        time=schedule.time,
        created_at=created_at,
    )
    SupplementLog.objects.bulk_create(ticks(supplement, story, days, schedule, dice), batch_size=500)


def ticks(
    supplement: Supplement, story: Story, days: Sequence[datetime.date], schedule: Schedule, dice: Dice
) -> Iterator[SupplementLog]:
    hours, minutes = map(int, schedule.time.split(":"))
    for day in days:
        if dice.chance(0.35 if story.week(day).is_missed else schedule.taken):
            taken_at = dice.time_on(day, hours + minutes / 60, 15)
            yield SupplementLog(
                id=dice.uuid7_at(taken_at + datetime.timedelta(seconds=1)),
                account=supplement.account,
                supplement=supplement,
                day=day,
                taken_at=taken_at,
            )
