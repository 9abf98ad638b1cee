"""The weights, tape measurements and goals of the demo account, its nutrition and its supplements."""

from collections.abc import Iterator
from itertools import pairwise

from body.models import Goal, Measurement, WeightLog
from fitness.days import ONE_DAY
from fitness.site.demo.story import START_KG, Day, Story
from nutrition.models import Meal, NutritionDay, NutritionTargets
from supplements.models import Supplement, SupplementLog

TAPE_EVERY_DAYS, START_FAT_PERCENT = 21, 17.0
# Each site: cm at the start, cm per kilogram of body weight gained, cm per year of training.
SITES = {
    "chest_cm": (101, 0.35, 1.6),
    "waist_cm": (85, 0.75, -0.8),
    "hips_cm": (98, 0.4, 0.3),
    "arms_cm": (35.5, 0.2, 0.9),
    "thighs_cm": (57.5, 0.3, 1.1),
    "neck_cm": (38, 0.12, 0.2),
}
MAINTENANCE_KCAL_PER_KG, PROTEIN_G_PER_KG, FAT_G_PER_KG = 33, 1.9, 0.95
MEALS = {
    "Overnight oats with skyr": {"calories": 520, "protein_g": 38, "carbs_g": 66, "fat_g": 11},
    "Chicken, rice and vegetables": {"calories": 690, "protein_g": 52, "carbs_g": 84, "fat_g": 15},
    "Whey shake with a banana": {"calories": 250, "protein_g": 27, "carbs_g": 31, "fat_g": 2},
}
# Dosage, hour and time; the part of the story before its first day, and the probability of a tick on a day.
SUPPLEMENTS = {
    "Creatine monohydrate": ("5 g", 8, "08:00", 0, 0.93),
    "Vitamin D3": ("2,000 IU", 8, "08:00", 0.1, 0.85),
    "Omega-3": ("2 capsules", 13, "13:00", 0.4, 0.7),
    "Magnesium": ("300 mg", 21.5, "21:30", 0.2, 0.78),
}


def store_body(story: Story) -> None:
    WeightLog.objects.bulk_create(weight_logs(story), batch_size=500)
    Measurement.objects.bulk_create(measurements(story), batch_size=500)
    Goal.objects.bulk_create(goals(story))
    NutritionDay.objects.bulk_create(nutrition_days(story), batch_size=500)
    today = story.days[-1]
    kcal, protein_g = round(usual_kcal(today), -1), round(PROTEIN_G_PER_KG * today.weight_kg)
    NutritionTargets.objects.create(account=story.account, calories=kcal, protein_g=protein_g)
    for name, macros in MEALS.items():
        pk = story.dice(name).uuid7_at(story.account.created_at)
        Meal.objects.create(id=pk, account=story.account, name=name, **macros)
    for name, (dosage, hour, time, begins, taken) in SUPPLEMENTS.items():
        dice, days = story.dice(name), story.days[int(len(story.days) * begins) :]
        values = {"name": name, "dosage": dosage, "time": time}
        supplement = story.record(dice, Supplement, dice.time_on(days[0], 6, 20), "created_at", **values)
        supplement.save()
        SupplementLog.objects.bulk_create(
            story.record(dice, SupplementLog, at, "taken_at", supplement=supplement, day=day.date)
            for day in days
            if dice.chance(0.35 if day.is_away else taken) and (at := dice.time_on(day, hour, 15))
        )


def weight_logs(story: Story) -> Iterator[WeightLog]:
    """Weights of three mornings in four, 0.3 kg higher on Sundays and Mondays, with a random deviation.

    One in five has the body fat: 0.8 percent more for each kilogram gained, a percent less for each year.
    """
    dice = story.dice("scales")
    for number, day in enumerate(story.days):
        if dice.chance(0.1 if day.is_away else 0.75):
            kg = dice.gauss(day.weight_kg + 0.3 * (day.date.isoweekday() in (1, 7)), 0.35)
            percent = dice.gauss(START_FAT_PERCENT + (day.weight_kg - START_KG) * 0.8 - number / 365, 0.4)
            values = {
                "weight_kg": round(kg, 1),
                "body_fat_percent": max(round(percent, 1), 6.0) if dice.chance(0.2) else None,
                "notes": "After a late dinner." if dice.chance(0.02) else "",
            }
            yield story.record(dice, WeightLog, dice.time_on(day, 6.6, 15), "logged_at", **values)


def measurements(story: Story) -> Iterator[Measurement]:
    """To half a centimetre; one girth in ten was not measured."""
    dice = story.dice("tape")
    for number, day in enumerate(story.days[::TAPE_EVERY_DAYS]):
        years, gained_kg = number * TAPE_EVERY_DAYS / 365, day.weight_kg - START_KG
        girths = {
            site: round(2 * dice.gauss(cm + kg * gained_kg + year * years, 0.4)) / 2
            for site, (cm, kg, year) in SITES.items()
            if not dice.chance(0.1)
        }
        yield story.record(dice, Measurement, dice.time_on(day, 7, 15), "logged_at", **girths)


def goals(story: Story) -> Iterator[Goal]:
    """A goal at the beginning of each phase."""
    dice, days = story.dice("goals"), story.days
    for day in days[:1] + [day for before, day in pairwise(days) if day.phase != before.phase]:
        start_kg, change_kg = round(day.weight_kg, 1), day.phase.kg_per_week * day.phase.days / 7
        values = {
            "start_weight_kg": start_kg,
            "target_weight_kg": round(start_kg + change_kg, 1),
            "target_body_fat_percent": 12.0 if day.phase.goal == "cut" else None,
            "deadline": day.date + ONE_DAY * day.phase.days,
        }
        yield story.record(dice, Goal, dice.time_on(day, 7.5, 15), "created_at", **values)


def usual_kcal(day: Day) -> float:
    return day.weight_kg * MAINTENANCE_KCAL_PER_KG + day.phase.surplus_kcal


def nutrition_days(story: Story) -> Iterator[NutritionDay]:
    """Totals of most days, fewer at weekends and few while away. Macros in grams add up to the energy:
    protein and fat by body weight, carbohydrates the rest.
    """
    dice = story.dice("nutrition")
    for day in story.days:
        weekend = day.date.isoweekday() > 5
        if dice.chance(0.3 if day.is_away else 0.8 if weekend else 0.95):
            kcal = dice.gauss(usual_kcal(day) + 180 * weekend, 140)
            protein_g = round(dice.gauss(PROTEIN_G_PER_KG * day.weight_kg, 12))
            fat_g = round(dice.gauss(FAT_G_PER_KG * day.weight_kg, 9))
            carbs_g = max(round((kcal - 4 * protein_g - 9 * fat_g) / 4), 40)
            kcal = 4 * (protein_g + carbs_g) + 9 * fat_g
            macros = {"calories": kcal, "protein_g": protein_g, "carbs_g": carbs_g, "fat_g": fat_g}
            at = dice.time_on(day, 21, 40)
            yield NutritionDay(account=story.account, day=day.date, logged_at=at, **macros)
