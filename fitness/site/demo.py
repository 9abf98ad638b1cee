"""What an account that demonstrates the service has: believable data, and equal for the same arguments.

1. `Story` makes the days, with phases of eating and weeks away from training.
2. `store_body` follows them with weights, tape measurements, goals, nutrition and supplements.
3. `TrainingDemo` has plans and routines, and workouts that do what the plan asks, as far as the strength of
   the day suffices; the rules of the plan follow them.
"""

import datetime
import itertools
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from accounts.models import Account
from body.models import Goal, Measurement, WeightLog
from fitness.days import ONE_DAY
from fitness.db.owned import Owned
from nutrition.models import Food, FoodEntry, NutritionDay, NutritionTargets
from supplements.models import Supplement, SupplementLog
from training.models import Exercise, Plan, Routine, Workout
from training.models.plan import retirement_detail
from training.models.planned import PlanDay, PlannedExercise, PlannedTarget, planned
from training.models.sets import NOTHING_NOTED, NotedOfSet, WorkoutSet
from training.models.workout_exercise import WorkoutEntry, insert_exercises
from training.models.workout_values import WorkoutValues
from training.plans import Double, Effort, Linear, Rule, Target, loading_of
from training.plans.plan_rules import DayTarget, Place, Progression, day_targets
from training.plans.rearranging import carry_over
from training.plans.updates import TargetChanges
from training.plans.workouts import Origin

START_KG = 79.5  # of body weight
AWAY = 0.09  # of the weeks
M = TypeVar("M", bound=Owned)


class Phase(NamedTuple):
    goal: str  # one of Account.TrainingGoal
    days: int
    kg_per_week: float
    surplus_kcal: int


PHASES = (Phase("bulk", 140, 0.22, 280), Phase("cut", 98, -0.42, -450), Phase("maintain", 63, 0.0, 0))


class Day(NamedTuple):
    date: datetime.date
    phase: Phase
    weight_kg: float  # without the deviations of scales and meals
    weeks_trained: int  # before its week
    is_away: bool  # no training in its week: ill, or on holiday


class Dice(random.Random):
    """A random generator with a seed, so that the demo's data can be repeated."""

    def chance(self, probability: float) -> bool:
        return self.random() < probability

    def time_on(self, day: Day, hour: float, deviation_minutes: float) -> datetime.datetime:
        """A time around an hour of a day (6.5 is half past six), in UTC and to the second."""
        midnight = datetime.datetime.combine(day.date, datetime.time(), datetime.UTC)
        return midnight + datetime.timedelta(seconds=int(60 * self.gauss(60 * hour, deviation_minutes)))

    def uuid7_at(self, time: datetime.datetime) -> UUID:
        """A UUIDv7 (RFC 9562) as an instance gets that is created at this time."""
        milliseconds, random_bits = int(time.timestamp() * 1000), self.getrandbits(74)
        return UUID(
            int=milliseconds << 80 | 7 << 76 | random_bits >> 62 << 64 | 2 << 62 | random_bits % 2**62
        )


class Story:
    """The days of an account up to yesterday, oldest first. The same arguments make the same story."""

    def __init__(self, account: Account, today: datetime.date, days: int) -> None:
        self.account, self.seed = account, f"{account.email} {today} {days}"
        self.days = list(self.make_days([today - ONE_DAY * back for back in range(days, 0, -1)]))

    def dice(self, part: str) -> Dice:
        """The random generator of one part of the data: a change of a part leaves all others as they are."""
        return Dice(f"{self.seed} {part}")

    def make_days(self, dates: list[datetime.date]) -> Iterator[Day]:
        dice, weight_kg, weeks_trained = self.dice("days"), START_KG, 0
        is_away = dice.chance(AWAY)
        phases = itertools.cycle(phase for phase in PHASES for _ in range(phase.days))
        for date, phase in zip(dates, phases, strict=False):
            if date.weekday() == 0 and date != dates[0]:
                weeks_trained += not is_away
                is_away = dice.chance(AWAY)
            weight_kg += dice.gauss(phase.kg_per_week / 7, 0.04)
            yield Day(date, phase, weight_kg, weeks_trained, is_away)

    def record(self, dice: Dice, model: type[M], at: datetime.datetime, field: str, **values: Any) -> M:
        """An unsaved instance of the account whose `field` has the time at which it was created."""
        return model(id=dice.uuid7_at(at), account=self.account, **{field: at}, **values)


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
FOODS: dict[str, dict[str, Any]] = {  # the first three are meals
    "Overnight oats with skyr": {"calories": 520, "protein_g": 38, "carbs_g": 66, "fat_g": 11},
    "Chicken, rice and vegetables": {"calories": 690, "protein_g": 52, "carbs_g": 84, "fat_g": 15},
    "Whey shake with a banana": {"calories": 250, "protein_g": 27, "carbs_g": 31, "fat_g": 2},
    "Banana": {"calories": 107, "protein_g": 1.3, "carbs_g": 27, "fat_g": 0.4, "is_favorite": True},
    "Skyr": {"portion": 150, "unit": "g", "calories": 95, "protein_g": 16.5, "carbs_g": 6, "fat_g": 0.3},
}
EATEN = {  # yesterday
    "Overnight oats with skyr": FoodEntry.Meal.BREAKFAST,
    "Chicken, rice and vegetables": FoodEntry.Meal.LUNCH,
    "Skyr": FoodEntry.Meal.SNACKS,
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
    store_foods(story)
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


def store_foods(story: Story) -> None:
    """The foods, and what yesterday's totals have of them."""
    account, yesterday = story.account, story.days[-1]
    entries = []
    day = account.nutrition_days.filter(day=yesterday.date).first()
    for number, (name, values) in enumerate(FOODS.items()):
        dice = story.dice(name)
        food = Food(id=dice.uuid7_at(account.created_at), account=account, name=name, **values)
        food.is_meal = number < 3
        if day and name in EATEN:
            food.used_at = dice.time_on(yesterday, 12, 0)
            eaten = {"food": food, "amount": food.portion, "unit": food.unit, "meal": EATEN[name]}
            one = FoodEntry(account=account, nutrition_day=day, is_included=True, **eaten, **food.macros)
            entries.append(one)
        food.save(force_insert=True)
    FoodEntry.objects.bulk_create(entries)


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
            yield NutritionDay(account=story.account, day=day.date, logged_at=at, is_complete=True, **macros)


GAIN_WEEKS = 45  # weeks of training after which 63 % (1 - 1/e) of a lift's gain are made
MODEST = 0.95  # of the usual weight: what a plan asks for first
MOST = 1.04  # of the usual weight: with as much, the last set leaves no repetition in reserve
BAR_KG = 20.0
WARMUPS = ((0.4, 8), (0.6, 5), (0.8, 3))  # (share of the working weight, repetitions)
DELOAD_EVERY = 6  # weeks
NOTES = ("Felt strong.", "Slept badly, everything felt heavy.", "Filmed the top set; depth is fine.")


class Lift(NamedTuple):
    exercise_id: str
    sets: int
    reps: int  # 1 where it is held
    start_kg: float = 0
    gain_kg: float = 0  # that years of training add
    step_kg: float = 0
    is_main: bool = False  # with warm-up sets, and followed by its effort
    note: str = ""

    @property
    def rule(self) -> Rule | None:
        if self.is_main:
            return Linear(self.step_kg) if self == DEADLIFT else Effort(self.step_kg)
        return Double(self.reps, self.reps + 3, self.step_kg) if self.reps > 1 else None

    def usual_kg(self, day: Day) -> float:
        """What is lifted on an ordinary day: gains slow down exponentially."""
        return self.start_kg + self.gain_kg * (1 - math.exp(-day.weeks_trained / GAIN_WEEKS))

    def held(self, day: Day) -> str:
        """The times of what is held, as lines of its notes: five seconds more every six weeks."""
        if self.reps > 1:
            return ""
        seconds = min(40 + 5 * (day.weeks_trained // 6), 120)
        return "\n".join(f"Set {number}: {seconds} s" for number in range(1, self.sets + 1))


class TrainingDay(NamedTuple):
    label: str
    focus: str
    lifts: tuple[Lift, ...]


SQUAT = Lift("barbell-back-squat", 4, 5, 80, 60, 2.5, True)
BENCH = Lift("barbell-bench-press", 4, 6, 62.5, 37.5, 2.5, True, "Pause on the chest.")
DEADLIFT = Lift("barbell-deadlift", 3, 5, 100, 80, 2.5, True)
PRESS = Lift("barbell-overhead-press", 4, 6, 37.5, 22.5, 2.5, True)
ROW = Lift("bent-over-barbell-row", 3, 8, 50, 32.5, 2.5)
HINGE = Lift("barbell-romanian-deadlift", 3, 8, 70, 45, 2.5)
INCLINE = Lift("incline-dumbbell-bench-press", 3, 10, 22, 12, 2)
RAISE = Lift("dumbbell-lateral-raise", 3, 12, 7, 6, 1)
CURL = Lift("dumbbell-curl", 3, 10, 10, 6, 1)
LUNGE = Lift("dumbbell-walking-lunge", 3, 10, 14, 10, 2)
PUSHDOWN = Lift("rope-triceps-pushdown", 3, 12, 20, 15, 2.5)
LEG_PRESS = Lift("leg-press", 3, 10, 110, 90, 5)
CALF_RAISE = Lift("machine-standing-calf-raise", 4, 12, 60, 50, 5)
PULL_UP, DIP, LEG_RAISE = Lift("pull-up", 3, 8), Lift("chest-dip", 3, 10), Lift("hanging-leg-raise", 3, 12)
PUSH_UP, AIR_SQUAT, PLANK = Lift("push-up", 4, 15), Lift("bodyweight-squat", 4, 20), Lift("plank", 3, 1)

UPPER_A = TrainingDay("Upper A", "Bench press", (BENCH, ROW, INCLINE, RAISE, PUSHDOWN))
LOWER_A = TrainingDay("Lower A", "Squat", (SQUAT, HINGE, CALF_RAISE, LEG_RAISE))
UPPER_B = TrainingDay("Upper B", "Overhead press", (PRESS, PULL_UP, DIP, CURL))
LOWER_B = TrainingDay("Lower B", "Deadlift", (DEADLIFT, LEG_PRESS, LUNGE, PLANK))
REST = TrainingDay("Rest", "", ())
WEEKS = {  # by the name of a plan: its days by weekday (1 is Monday); the others are rest days
    "Three days a week": {1: LOWER_A, 3: UPPER_A, 5: LOWER_B},
    "Upper and lower, four days": {1: UPPER_A, 2: LOWER_A, 4: UPPER_B, 5: LOWER_B},
}
SUMMARY = "Each lift that matters is heavy once a week, and what supports it follows on the same day."
PROGRESSION = (
    "Squat and presses by the effort of the last set; the deadlift 2.5 kg more each time; the others first "
    "more repetitions, then more weight. Every sixth week at 85 %."
)
ROUTINES = (
    TrainingDay("Hotel room", "No equipment, 25 minutes", (PUSH_UP, AIR_SQUAT, PLANK)),
    TrainingDay("Arms and shoulders", "A short session for a spare day", (CURL, PUSHDOWN, RAISE)),
)
DAYS = (UPPER_A, LOWER_A, UPPER_B, LOWER_B, *ROUTINES)
EXERCISE_IDS = {lift.exercise_id for day in DAYS for lift in day.lifts}


class TrainingDemo:
    """Stores the training of a story."""

    def __init__(self, story: Story) -> None:
        self.story, self.account, self.dice = story, story.account, story.dice("training")
        self.exercises = Exercise.objects.find_all(EXERCISE_IDS)

    def store(self) -> None:
        """Three days a week for the first third of the story, then four."""
        days = self.story.days
        monday = max(len(days) // 3 - days[len(days) // 3].date.weekday(), 0)
        for name, followed in zip(WEEKS, (days[:monday], days[monday:]), strict=True):
            if followed:
                self.follow(name, WEEKS[name], followed)
        for label, focus, lifts in ROUTINES:
            day = self.dice.choice(days)
            values = {"name": label, "focus": focus, "exercises": [self.planned(lift, day) for lift in lifts]}
            at = self.dice.time_on(day, 20, 30)
            self.story.record(self.dice, Routine, at, "created_at", **values).save()

    def follow(self, name: str, week: Mapping[int, TrainingDay], days: Sequence[Day]) -> None:
        """Follows a new plan on most of its days."""
        plan = self.plan(name, week, days[0])
        for day in days:
            training = week.get(day.date.isoweekday())
            if training and not day.is_away and not self.dice.chance(0.07):
                self.log(day, plan, training)

    def plan(self, name: str, week: Mapping[int, TrainingDay], day: Day) -> Plan:
        at, days, rules = self.dice.time_on(day, 5, 20), list[PlanDay](), dict[Place, Rule]()
        for weekday in range(1, 8):
            label, focus, lifts = week.get(weekday, REST)
            asked = [self.planned(lift, day) for lift in lifts]
            days.append(PlanDay(weekday=weekday, label=label, focus=focus, rest=not lifts, exercises=asked))
            rules |= {Place(weekday, number): lift.rule for number, lift in enumerate(lifts) if lift.rule}
        texts = {"name": name, "summary": SUMMARY, "progression": PROGRESSION}
        plan = self.story.record(self.dice, Plan, at, "created_at", days=days, active=True, **texts)
        begun = carry_over(plan.week, rules, Progression(), at)
        with_ids = tuple(replace(one, id=str(self.dice.uuid7_at(at))) for one in begun)
        plan.rules = Progression(with_ids, DELOAD_EVERY, counted_from=day.date).to_json()
        self.account.plans.retire(at, retirement_detail(plan))
        plan.save(force_insert=True)
        return plan

    def planned(self, lift: Lift, day: Day) -> PlannedExercise:
        """What is asked first: a little less than what is lifted on an ordinary day."""
        exercise, note = self.exercises[lift.exercise_id], lift.held(day) or lift.note
        weight_kg = loading_of(exercise.equipment, "kg", lift.step_kg).round_down(lift.usual_kg(day) * MODEST)
        target = PlannedTarget(sets=lift.sets, reps=lift.reps, weight_kg=weight_kg, note=note)
        return planned(exercise, target)

    def log(self, day: Day, plan: Plan, training: TrainingDay) -> None:
        """Stores a workout as the API does, but at its own time, and lets the rules of the plan follow it."""
        asked = day_targets(plan.week, plan.progressions, day.date.isoweekday(), day.date)
        exercises = [self.entry(*one, day) for one in zip(training.lifts, asked, strict=True)]
        started_at, duration_seconds = self.dice.time_on(day, 17.5, 35), int(self.dice.gauss(3900, 500))
        ended_at = started_at + datetime.timedelta(seconds=duration_seconds)
        note = self.dice.choice(NOTES) if self.dice.chance(0.15) else ""
        values: WorkoutValues = {
            "title": training.label,
            "notes": "Deload." if asked[0].is_deload else note,
            "started_at": started_at,
            "duration_seconds": duration_seconds,
            "plan_id": plan.id,
            "plan_name": plan.name,
            "exercises": exercises,
        }
        workout = self.story.record(self.dice, Workout, ended_at, "created_at")
        rows = workout.fill(values)
        workout.render(exercises, ended_at)
        workout.insert()
        insert_exercises(rows)
        changes = TargetChanges(plan)
        changes.apply(workout.logged(values), Origin())
        for step in changes.new_steps.values():
            step.id = self.dice.uuid7_at(ended_at)
        changes.store(ended_at)

    def entry(self, lift: Lift, asked: DayTarget, day: Day) -> WorkoutEntry:
        target, sets, notes = asked.target, list[WorkoutSet](), lift.held(day)
        for share, reps in WARMUPS if lift.is_main else ():
            sets.append(logged_set(max(round(target.weight_kg * share / 2.5) * 2.5, BAR_KG), reps, "warmup"))
        if not notes:
            sets += self.working_sets(lift, target, day)
        exercise = self.exercises[lift.exercise_id]
        return WorkoutEntry(exercise=exercise, notes=notes, superset_id=None, sets=sets)

    def working_sets(self, lift: Lift, target: Target, day: Day) -> Iterator[WorkoutSet]:
        """Each set leaves half a repetition less in reserve than the one before, the last one what Epley's
        formula (1985) has for the strength of the day.
        """
        possible = lift.reps + self.dice.gauss(3, 0.7)
        if target.weight_kg:
            most_kg = lift.usual_kg(day) * MOST * self.dice.gauss(1, 0.012)
            possible = 30 * (most_kg * (1 + lift.reps / 30) / target.weight_kg - 1)
        for index in range(target.sets):
            left = possible + (target.sets - 1 - index) / 2 - target.reps
            reps = target.reps + min(int(left // 1), 0)
            rpe = min(max(round((10 - left) * 2) / 2, 6.0), 10.0)
            yield logged_set(target.weight_kg, max(reps, 1), "working", rpe if lift.is_main else None)


def logged_set(weight_kg: float, reps: int, kind: str, rpe: float | None = None) -> WorkoutSet:
    noted: NotedOfSet = {**NOTHING_NOTED, "rpe": rpe}
    return {"type": kind, "weight_kg": weight_kg, "reps": reps, "completed": True, **noted}
