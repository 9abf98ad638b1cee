"""The weights, tape measurements and goals of the demo account, its nutrition and its supplements."""

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from accounts.models import Account
from body.models import Goal, Measurement, WeightLog
from fitness.days import ONE_DAY
from fitness.site.demo.story import START_KG, Dice, Story
from nutrition.models import Meal, NutritionDay, NutritionTargets
from supplements.models import Supplement, SupplementLog

TAPE_EVERY_DAYS = 21
START_FAT_PERCENT = 17.0

# Each site: cm at the start, cm per kilogram of body weight gained, cm per year of training.
SITES = {
    "chest_cm": (101, 0.35, 1.6),
    "waist_cm": (85, 0.75, -0.8),
    "hips_cm": (98, 0.4, 0.3),
    "arms_cm": (35.5, 0.2, 0.9),
    "thighs_cm": (57.5, 0.3, 1.1),
    "neck_cm": (38, 0.12, 0.2),
}
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


def store_body(account: Account, story: Story) -> None:
    WeightLog.objects.bulk_create(weight_logs(account, story), batch_size=500)
    Measurement.objects.bulk_create(measurements(account, story), batch_size=500)
    Goal.objects.bulk_create(goals(account, story))


def weight_logs(account: Account, story: Story) -> Iterator[WeightLog]:
    """Weights of three mornings in four, 0.3 kg higher on Sundays and Mondays, with a random deviation."""
    dice = story.dice("scales")
    for day in story.days:
        if dice.chance(0.1 if story.week(day).kind == "holiday" else 0.75):
            logged_at = dice.time_on(day, 6.6, 15)
            true_kg = story.weights_kg[day] + 0.3 * (day.isoweekday() in (1, 7))
            yield WeightLog(
                id=dice.uuid7_at(logged_at),
                account=account,
                weight_kg=dice.near(true_kg, 0.35, 0.1),
                body_fat_percent=body_fat_percent(story, day, dice) if dice.chance(0.2) else None,
                notes="After a late dinner." if dice.chance(0.02) else "",
                logged_at=logged_at,
            )


def body_fat_percent(story: Story, day: datetime.date, dice: Dice) -> float:
    """0.8 percent more for each kilogram of body weight gained, a percent less for each year of training."""
    years = (day - story.start).days / 365
    fat = START_FAT_PERCENT + (story.weights_kg[day] - START_KG) * 0.8 - years
    return max(dice.near(fat, 0.4, 0.1), 6.0)


def measurements(account: Account, story: Story) -> Iterator[Measurement]:
    dice = story.dice("tape")
    for day in story.days[::TAPE_EVERY_DAYS]:
        logged_at = dice.time_on(day, 7, 15)
        yield Measurement(
            id=dice.uuid7_at(logged_at),
            account=account,
            logged_at=logged_at,
            **{site: girth_cm(story, day, dice, *numbers) for site, numbers in SITES.items()},
        )


def girth_cm(
    story: Story, day: datetime.date, dice: Dice, start: float, per_kg: float, per_year: float
) -> float | None:
    """A girth in cm; one in ten is None, as if it had not been measured."""
    if dice.chance(0.1):
        return None
    years = (day - story.start).days / 365
    return dice.near(start + per_kg * (story.weights_kg[day] - START_KG) + per_year * years, 0.4, 0.5)


def goals(account: Account, story: Story) -> Iterator[Goal]:
    """A goal at the beginning of each phase."""
    dice = story.dice("goals")
    for day, phase in story.phases:
        created_at = dice.time_on(day, 7.5, 15)
        start_kg = round(story.weights_kg[day], 1)
        yield Goal(
            id=dice.uuid7_at(created_at),
            account=account,
            target_weight_kg=round(start_kg + phase.kg_per_week * phase.days / 7, 1),
            target_body_fat_percent=12.0 if phase.goal == "cut" else None,
            deadline=day + ONE_DAY * phase.days,
            start_weight_kg=start_kg,
            created_at=created_at,
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
