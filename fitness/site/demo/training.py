"""The workouts of the demo account, with progressive overload and deload weeks, its plans and routines."""

import datetime
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from accounts.models import Account
from fitness.days import ONE_DAY
from fitness.site.demo.following import MODEST, WEEKS, FollowingDemo
from fitness.site.demo.programme import FULL_BODY, LIFTS, ROUTINES, UPPER_LOWER, Lift, Programme, TrainingDay
from fitness.site.demo.story import Story, Week, monday_of
from training.models import Exercise, Plan, ProgressionStep, Routine, Workout
from training.models.plan import retirement_detail
from training.models.planned import PlanDay, PlannedExercise, planned
from training.models.planned import Target as PlannedTarget
from training.models.sets import WorkoutSet, done_sets
from training.models.timed import TimedSet, timed_lines
from training.models.workout_exercise import ExerciseRow, WorkoutEntry, insert_exercises
from training.models.workout_values import WorkoutValues
from training.progression import Target, loading_of

GAIN_WEEKS = 45  # weeks of training after which 63 % (1 - 1/e) of a lift's gain are made
DELOAD = 0.85  # of the usual weight
WARMUPS = ((0.4, 8), (0.6, 5), (0.8, 3))  # (share of the working weight, repetitions)
HELD_SECONDS, LONGEST_HELD_SECONDS = 40, 120  # at first, and at last
NOTES = (
    "Felt strong.",
    "Slept badly, everything felt heavy.",
    "Gym was packed, swapped the order.",
    "Left shoulder a little stiff, went away while warming up.",
    "Filmed the top set; depth is fine.",
)


class DemoPlan(NamedTuple):
    """A plan and the programme that it was made from, followed from `first_day` on."""

    first_day: datetime.date
    plan: Plan
    programme: Programme


class Session(NamedTuple):
    """A day of training that is not missed."""

    day: datetime.date
    week: Week
    plan: Plan
    training: TrainingDay


class TrainingDemo:
    """Stores the training of a story."""

    def __init__(self, account: Account, story: Story) -> None:
        self.account = account
        self.story = story
        self.dice = story.dice("training")
        self.exercises = Exercise.objects.find_all({lift.exercise_id for lift in LIFTS})

    def store(self) -> None:
        plans = self.plans()
        routines = list(self.routines())
        following = self.following(plans[-1])
        logged = [self.workout(session, following) for session in self.sessions(plans)]
        Plan.objects.bulk_create(plan for _, plan, _ in plans)
        Routine.objects.bulk_create(routines)
        Workout.objects.bulk_create([workout for workout, _ in logged], batch_size=200)
        insert_exercises(row for _, rows in logged for row in rows)
        ProgressionStep.objects.bulk_create(ProgressionStep(**step) for step in following.steps)

    def plans(self) -> list[DemoPlan]:
        """Three days a week for the first third of the story, then four."""
        first = self.plan(FULL_BODY, self.story.start)
        later = monday_of(self.story.start + (self.story.days[-1] - self.story.start) / 3)
        if later <= self.story.start:
            first.active = True
            return [DemoPlan(self.story.start, first, FULL_BODY)]
        second = self.plan(UPPER_LOWER, later)
        second.active = True
        first.add_history("retired", second.created_at, retirement_detail(second))
        return [DemoPlan(self.story.start, first, FULL_BODY), DemoPlan(later, second, UPPER_LOWER)]

    def plan(self, programme: Programme, day: datetime.date) -> Plan:
        created_at = self.dice.time_on(day, 5, 20)
        return Plan(
            id=self.dice.uuid7_at(created_at),
            account=self.account,
            name=programme.name,
            summary=programme.summary,
            progression=programme.progression,
            days=[self.plan_day(weekday, programme.days.get(weekday)) for weekday in range(1, 8)],
            created_at=created_at,
        )

    def following(self, demo_plan: DemoPlan) -> FollowingDemo:
        """The last plan, which has rules in its last weeks. What it asks for then is less than is lifted."""
        first_day, plan, programme = demo_plan
        begin, at = monday_of(self.story.days[-1] - ONE_DAY * 7 * (WEEKS - 1)), plan.created_at
        dice = self.story.dice("rules")
        if begin > first_day:
            first_day, at = begin, dice.time_on(begin, 6, 20)
            plan.add_history("replaced", at, "Changed: days.")
        week = self.story.week(first_day)
        for weekday, training in programme.days.items():
            plan.days[weekday - 1]["exercises"] = [
                self.planned(replace(lift, start_kg=self.modest_kg(lift, week))) for lift in training.lifts
            ]
        return FollowingDemo(self.account, plan, programme, first_day, at, dice)

    def modest_kg(self, lift: Lift, week: Week) -> float:
        loading = loading_of(self.exercises[lift.exercise_id].equipment, "kg", lift.increment_kg)
        return loading.round_down(self.usual_kg(lift, week) * MODEST)

    def plan_day(self, weekday: int, training: TrainingDay | None) -> PlanDay:
        return {
            "weekday": weekday,
            "label": training.label if training else "Rest",
            "focus": training.focus if training else "",
            "rest": training is None,
            "exercises": [self.planned(lift) for lift in training.lifts] if training else [],
        }

    def planned(self, lift: Lift) -> PlannedExercise:
        target: PlannedTarget = {
            "sets": lift.sets,
            "reps": lift.reps,
            "weight_kg": float(lift.start_kg),
            "note": lift.note,
        }
        return planned(self.exercises[lift.exercise_id], target)

    def routines(self) -> Iterator[Routine]:
        for name, (focus, lifts) in ROUTINES.items():
            created_at = self.dice.time_on(self.dice.choice(self.story.days), 20, 30)
            yield Routine(
                id=self.dice.uuid7_at(created_at),
                account=self.account,
                name=name,
                focus=focus,
                exercises=[self.planned(lift) for lift in lifts],
                created_at=created_at,
            )

    def sessions(self, plans: list[DemoPlan]) -> Iterator[Session]:
        """The sessions of the plans, without those of missed weeks and some others."""
        for day in self.story.days:
            week = self.story.week(day)
            current = [plan for plan in plans if plan.first_day <= day][-1]
            training = current.programme.days.get(day.isoweekday())
            if training and not week.is_missed and not self.dice.chance(0.07):
                yield Session(day, week, current.plan, training)

    def workout(self, session: Session, following: FollowingDemo) -> tuple[Workout, list[ExerciseRow]]:
        """The Workout of a session and the rows of its exercises, unsaved."""
        day, week, plan, training = session
        is_followed = day >= following.first_day
        is_deload = following.is_deload(day) if is_followed else week.kind == "deload"
        exercises = [
            self.followed(lift, session, following.target(day, position), following)
            if is_followed
            else self.exercise(lift, week)
            for position, lift in enumerate(training.lifts)
        ]
        sets = sum(sum(done_sets(entry["sets"], entry["notes"])) for entry in exercises)
        started_at = self.dice.time_on(day, 17.5, 35)
        duration_seconds = int(sets * self.dice.near(165, 15))
        ended_at = started_at + datetime.timedelta(seconds=duration_seconds)
        workout = Workout(id=self.dice.uuid7_at(ended_at), account=self.account, created_at=ended_at)
        values: WorkoutValues = {
            "title": training.label,
            "notes": self.notes(is_deload=is_deload),
            "started_at": started_at,
            "duration_seconds": duration_seconds,
            "plan_id": plan.id,
            "plan_name": plan.name,
            "exercises": exercises,
        }
        rows = workout.fill(values)
        workout.render(exercises, ended_at)
        if is_followed:
            following.follow(workout.done(values), ended_at)
        return workout, rows

    def notes(self, *, is_deload: bool) -> str:
        if is_deload:
            return "Deload."
        return self.dice.choice(NOTES) if self.dice.chance(0.15) else ""

    def exercise(self, lift: Lift, week: Week) -> WorkoutEntry:
        weight_kg = self.weight_kg(lift, week)
        return self.entry(lift, week, weight_kg, self.working_sets(lift, week, weight_kg))

    def followed(
        self, lift: Lift, session: Session, target: Target, following: FollowingDemo
    ) -> WorkoutEntry:
        """An exercise as the plan asks for it."""
        usual_kg = self.usual_kg(lift, session.week)
        sets = following.working_sets(lift, target, usual_kg)
        return self.entry(lift, session.week, target.weight_kg, sets)

    def entry(self, lift: Lift, week: Week, weight_kg: float, sets: Iterator[WorkoutSet]) -> WorkoutEntry:
        """An exercise that is held has its times as notes, as Train stores them."""
        if lift.is_timed:
            return {**self.entry_of(lift), "notes": held(len(list(sets)), week.weeks_trained)}
        warmups = [logged_set(round_to(weight_kg * share, 2.5), reps, "warmup") for share, reps in WARMUPS]
        return {**self.entry_of(lift), "sets": [*(warmups if lift.is_main else []), *sets]}

    def entry_of(self, lift: Lift) -> WorkoutEntry:
        return {"exercise": self.exercises[lift.exercise_id], "notes": "", "superset_id": None, "sets": []}

    def weight_kg(self, lift: Lift, week: Week) -> float:
        """The working weight before the plan has rules: a deload week is lighter."""
        form = self.dice.near(1, 0.012)
        share = DELOAD if week.kind == "deload" else 1
        return round_to(self.usual_kg(lift, week) * form * share, lift.step_kg)

    def usual_kg(self, lift: Lift, week: Week) -> float:
        """What is lifted on an ordinary day: gains slow down exponentially."""
        return lift.start_kg + lift.gain_kg * (1 - math.exp(-week.weeks_trained / GAIN_WEEKS))

    def working_sets(self, lift: Lift, week: Week, weight_kg: float) -> Iterator[WorkoutSet]:
        """Sets of rising RPE. Lifts that are not main lifts gain repetitions before they gain weight."""
        light = week.kind == "deload"
        extra = 0 if lift.is_main or lift.reps == 1 else week.weeks_trained % 3
        for index in range(lift.sets - light):
            tired = index == lift.sets - 1 and lift.reps > 1 and self.dice.chance(0.3)
            rpe = round_to(min(self.dice.near(6 if light else 7.5 + index * 0.4, 0.4), 10), 0.5)
            yield logged_set(weight_kg, lift.reps + extra - tired, rpe=rpe if lift.is_main else None)


def held(sets: int, weeks_trained: int) -> str:
    """The lines of the notes: five seconds more every six weeks, and the last set shorter."""
    seconds = min(HELD_SECONDS + 5 * (weeks_trained // 6), LONGEST_HELD_SECONDS)
    times = [seconds] * (sets - 1) + [seconds - 5]
    rows: list[TimedSet] = [{"seconds": one, "distance_km": None, "weight_kg": None} for one in times]
    return "\n".join(timed_lines(rows, "kg"))


def logged_set(weight_kg: float, reps: int, kind: str = "working", rpe: float | None = None) -> WorkoutSet:
    return {"type": kind, "weight_kg": weight_kg, "reps": reps, "completed": True, "rpe": rpe}


def round_to(value: float, step: float) -> float:
    return float(round(value / step) * step)
