"""Scales, tape and goals of the demo's lifter."""

from body.models import Goal, Measurement, WeightLog
from fitness.site.demo.story import DAY, START_KG

TAPE_EVERY_DAYS = 21
FAT_AT_START = 17.0  # percent

# Each site in cm at the start, and how it grows with a kilogram of body weight and a year of training.
SITES = {
    "chest_cm": (101, 0.35, 1.6),
    "waist_cm": (85, 0.75, -0.8),
    "hips_cm": (98, 0.4, 0.3),
    "arms_cm": (35.5, 0.2, 0.9),
    "thighs_cm": (57.5, 0.3, 1.1),
    "neck_cm": (38, 0.12, 0.2),
}


def store_body(account, story):
    WeightLog.objects.bulk_create(weight_logs(account, story), batch_size=500)
    Measurement.objects.bulk_create(measurements(account, story), batch_size=500)
    Goal.objects.bulk_create(goals(account, story))


def weight_logs(account, story):
    """The scales on most mornings: a little up at the weekend, never quite the same."""
    dice = story.dice("scales")
    for day in story.days:
        if dice.chance(0.1 if story.week(day).kind == "holiday" else 0.75):
            logged_at = dice.moment(day, 6.6, 15)
            true_kg = story.weights_kg[day] + 0.3 * (day.isoweekday() in (1, 7))
            yield WeightLog(
                id=dice.id_at(logged_at),
                account=account,
                weight_kg=dice.near(true_kg, 0.35, 0.1),
                body_fat_percent=body_fat_percent(story, day, dice) if dice.chance(0.2) else None,
                notes="After a late dinner." if dice.chance(0.02) else "",
                logged_at=logged_at,
            )


def body_fat_percent(story, day, dice):
    """Two thirds of what is gained or lost is fat; training takes off a percent a year."""
    years = (day - story.start).days / 365
    fat = FAT_AT_START + (story.weights_kg[day] - START_KG) * 0.8 - years
    return max(dice.near(fat, 0.4, 0.1), 6.0)


def measurements(account, story):
    dice = story.dice("tape")
    for day in story.days[::TAPE_EVERY_DAYS]:
        logged_at = dice.moment(day, 7, 15)
        yield Measurement(
            id=dice.id_at(logged_at),
            account=account,
            logged_at=logged_at,
            **{site: girth_cm(story, day, dice, *numbers) for site, numbers in SITES.items()},
        )


def girth_cm(story, day, dice, start, per_kg, per_year):
    """A girth in cm, or None where the tape was not put on."""
    if dice.chance(0.1):
        return None
    years = (day - story.start).days / 365
    return dice.near(start + per_kg * (story.weights_kg[day] - START_KG) + per_year * years, 0.4, 0.5)


def goals(account, story):
    """A goal at the beginning of each phase."""
    dice = story.dice("goals")
    for day, phase in story.phases():
        created_at = dice.moment(day, 7.5, 15)
        start_kg = round(story.weights_kg[day], 1)
        yield Goal(
            id=dice.id_at(created_at),
            account=account,
            target_weight_kg=round(start_kg + phase.kg_per_week * phase.days / 7, 1),
            target_body_fat_percent=12.0 if phase.goal == "cut" else None,
            deadline=day + DAY * phase.days,
            start_weight_kg=start_kg,
            created_at=created_at,
        )
