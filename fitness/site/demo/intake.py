"""What the demo's lifter eats and takes."""

from dataclasses import dataclass

from fitness.site.demo.story import DAY
from nutrition.models import Meal, NutritionDay
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
    begins: float  # as a share of the whole time
    taken: float  # how often it is not forgotten


SCHEDULES = (
    Schedule("Creatine monohydrate", "5 g", "08:00", 0, 0.93),
    Schedule("Vitamin D3", "2,000 IU", "08:00", 0.1, 0.85),
    Schedule("Omega-3", "2 capsules", "13:00", 0.4, 0.7),
    Schedule("Magnesium", "300 mg", "21:30", 0.2, 0.78),
)


def store_intake(account, story):
    NutritionDay.objects.bulk_create(nutrition_days(account, story), batch_size=500)
    Meal.objects.bulk_create(meals(account, story))
    for schedule in SCHEDULES:
        store_supplement(account, story, schedule)


def nutrition_days(account, story):
    """Totals of most days: little is written down on a holiday, and less at the weekend."""
    dice = story.dice("nutrition")
    for day in story.days:
        weekend = day.isoweekday() > 5
        if dice.chance(0.3 if story.week(day).kind == "holiday" else 0.8 if weekend else 0.95):
            weight_kg = story.weights_kg[day]
            kcal = weight_kg * MAINTENANCE_KCAL_PER_KG + story.phase(day).surplus_kcal + 180 * weekend
            yield NutritionDay(
                account=account,
                day=day,
                logged_at=dice.moment(day, 21, 40),
                **totals(dice, dice.near(kcal, 140), weight_kg),
            )


def totals(dice, kcal, weight_kg):
    """Macros in grams that add up to the energy: protein and fat by body weight, carbohydrates the rest."""
    protein_g = round(dice.near(1.9 * weight_kg, 12))
    fat_g = round(dice.near(0.95 * weight_kg, 9))
    carbs_g = max(round((kcal - 4 * protein_g - 9 * fat_g) / 4), 40)
    calories = 4 * (protein_g + carbs_g) + 9 * fat_g
    return {"calories": calories, "protein_g": protein_g, "carbs_g": carbs_g, "fat_g": fat_g}


def meals(account, story):
    dice = story.dice("meals")
    for name, macros in MEALS.items():
        yield Meal(id=dice.id_at(dice.moment(story.start, 19, 30)), account=account, name=name, **macros)


def store_supplement(account, story, schedule):
    dice = story.dice(schedule.name)
    days = story.days[int(len(story.days) * schedule.begins) :]
    created_at = dice.moment(days[0], 6, 20)
    supplement = Supplement.objects.create(
        id=dice.id_at(created_at),
        account=account,
        name=schedule.name,
        dosage=schedule.dosage,
        time=schedule.time,
        created_at=created_at,
    )
    SupplementLog.objects.bulk_create(ticks(supplement, story, days, schedule, dice), batch_size=500)


def ticks(supplement, story, days, schedule, dice):
    hours, minutes = map(int, schedule.time.split(":"))
    for day in days:
        if dice.chance(0.35 if story.week(day).is_missed else schedule.taken):
            taken_at = dice.moment(day, hours + minutes / 60, 15)
            yield SupplementLog(
                id=dice.id_at(taken_at + DAY / 86_400),
                account=supplement.account,
                supplement=supplement,
                day=day,
                taken_at=taken_at,
            )
