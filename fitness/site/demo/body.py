"""The weights, tape measurements and goals of the demo account."""

import datetime
from collections.abc import Iterator

from accounts.models import Account
from body.models import Goal, Measurement, WeightLog
from fitness.days import ONE_DAY
from fitness.site.demo.dice import Dice
from fitness.site.demo.story import START_KG, Story

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
    for day, phase in story.phases():
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
