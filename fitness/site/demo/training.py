"""The workouts of the demo account, its plans and routines.

Each session does what its plan asks, as far as the strength of the day suffices, and the plan's rules follow
it.
"""

import datetime
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from accounts.models import Account
from fitness.site.demo.programme import (
    DELOAD_EVERY,
    EXERCISE_IDS,
    FULL_BODY,
    ROUTINES,
    UPPER_LOWER,
    Lift,
    Programme,
    TrainingDay,
)
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
from training.progression.asking import lighter_target
from training.progression.plans import Begun, Done, Place, Progression, target_of
from training.progression.rearranging import follow_entries
from training.progression.store import Changes

GAIN_WEEKS = 45  # weeks of training after which 63 % (1 - 1/e) of a lift's gain are made
MODEST = 0.95  # of the usual weight: what a plan asks for first
MOST = 1.04  # of the usual weight: with as much, the last set leaves no repetition in reserve
MORE_REPS = 3  # than asked first, of lifts without weight
WARMUPS = ((0.4, 8), (0.6, 5), (0.8, 3))  # (share of the working weight, repetitions)
HELD_SECONDS, LONGEST_HELD_SECONDS = 40, 120  # at first, and at last
NOTES = (
    "Felt strong.",
    "Slept badly, everything felt heavy.",
    "Gym was packed, swapped the order.",
    "Left shoulder a little stiff, went away while warming up.",
    "Filmed the top set; depth is fine.",
)


class Session(NamedTuple):
    """A day of training that is not missed."""

    day: datetime.date
    week: Week
    plan: Plan
    training: TrainingDay


class TrainingDemo:
    """Stores the training of a story."""

    def __init__(self, account: Account, story: Story) -> None:
        self.account, self.story = account, story
        self.dice = story.dice("training")
        self.exercises = Exercise.objects.find_all(EXERCISE_IDS)
        self.steps: list[dict[str, Any]] = []

    def store(self) -> None:
        plans, routines = self.plans(), list(self.routines())
        logged = [self.workout(session) for session in self.sessions(plans)]
        Plan.objects.bulk_create(plan for _, plan, _ in plans)
        Routine.objects.bulk_create(routines)
        Workout.objects.bulk_create([workout for workout, _ in logged], batch_size=200)
        insert_exercises(row for _, rows in logged for row in rows)
        ProgressionStep.objects.bulk_create((ProgressionStep(**step) for step in self.steps), batch_size=500)

    # --- Plans and routines -----------------------------------------------------------------------------

    def plans(self) -> list[tuple[datetime.date, Plan, Programme]]:
        """Three days a week for the first third of the story, then four."""
        start, end = self.story.start, self.story.days[-1]
        later = monday_of(start + (end - start) / 3)
        plans = [(start, self.plan(FULL_BODY, start), FULL_BODY)]
        if later > start:
            plans.append((later, self.plan(UPPER_LOWER, later), UPPER_LOWER))
            plans[0][1].add_history("retired", plans[1][1].created_at, retirement_detail(plans[1][1]))
        plans[-1][1].active = True
        return plans

    def plan(self, programme: Programme, day: datetime.date) -> Plan:
        created_at, week = self.dice.time_on(day, 5, 20), self.story.week(day)
        plan = Plan(
            id=self.dice.uuid7_at(created_at),
            account=self.account,
            name=programme.name,
            summary=programme.summary,
            progression=programme.progression,
            days=[self.plan_day(weekday, programme.days.get(weekday), week) for weekday in range(1, 8)],
            created_at=created_at,
        )
        rules = {
            Place(weekday, position): rule
            for weekday, training in programme.days.items()
            for position, lift in enumerate(training.lifts)
            if (rule := programme.rule_of(lift))
        }
        followed = follow_entries(plan.week, rules, Progression(), created_at, {})
        with_ids = tuple(replace(one, id=str(self.dice.uuid7_at(created_at))) for one in followed)
        plan.rules = Progression(with_ids, DELOAD_EVERY, counted_from=created_at.date()).to_json()
        return plan

    def plan_day(self, weekday: int, training: TrainingDay | None, week: Week) -> PlanDay:
        lifts = training.lifts if training else ()
        return {
            "weekday": weekday,
            "label": training.label if training else "Rest",
            "focus": training.focus if training else "",
            "rest": training is None,
            "exercises": [self.planned(replace(one, start_kg=self.modest_kg(one, week))) for one in lifts],
        }

    def planned(self, lift: Lift) -> PlannedExercise:
        target: PlannedTarget
        target = {"sets": lift.sets, "reps": lift.reps, "weight_kg": float(lift.start_kg), "note": lift.note}
        return planned(self.exercises[lift.exercise_id], target)

    def routines(self) -> Iterator[Routine]:
        for routine in ROUTINES:
            created_at = self.dice.time_on(self.dice.choice(self.story.days), 20, 30)
            yield Routine(
                id=self.dice.uuid7_at(created_at),
                account=self.account,
                name=routine.label,
                focus=routine.focus,
                exercises=[self.planned(lift) for lift in routine.lifts],
                created_at=created_at,
            )

    # --- Workouts ---------------------------------------------------------------------------------------

    def sessions(self, plans: list[tuple[datetime.date, Plan, Programme]]) -> Iterator[Session]:
        """The sessions of the plans, without those of missed weeks and some others."""
        for day in self.story.days:
            week = self.story.week(day)
            _, plan, programme = [one for one in plans if one[0] <= day][-1]
            training = programme.days.get(day.isoweekday())
            if training and not week.is_missed and not self.dice.chance(0.07):
                yield Session(day, week, plan, training)

    def workout(self, session: Session) -> tuple[Workout, list[ExerciseRow]]:
        """The Workout of a session and the rows of its exercises, unsaved."""
        day, week, plan, training = session
        targets = [target_on(plan, day, position) for position in range(len(training.lifts))]
        lifts = zip(training.lifts, targets, strict=True)
        exercises = [self.entry(lift, target, week) for lift, target in lifts]
        sets = sum(sum(done_sets(entry["sets"], entry["notes"])) for entry in exercises)
        started_at = self.dice.time_on(day, 17.5, 35)
        duration_seconds = int(sets * self.dice.near(165, 15))
        ended_at = started_at + datetime.timedelta(seconds=duration_seconds)
        workout = Workout(id=self.dice.uuid7_at(ended_at), account=self.account, created_at=ended_at)
        values: WorkoutValues = {
            "title": training.label,
            "notes": self.notes(is_deload=plan.progressions.is_deload(day)),
            "started_at": started_at,
            "duration_seconds": duration_seconds,
            "plan_id": plan.id,
            "plan_name": plan.name,
            "exercises": exercises,
        }
        rows = workout.fill(values)
        workout.render(exercises, ended_at)
        self.follow(plan, workout.done(values), ended_at)
        return workout, rows

    def notes(self, *, is_deload: bool) -> str:
        if is_deload:
            return "Deload."
        return self.dice.choice(NOTES) if self.dice.chance(0.15) else ""

    def entry(self, lift: Lift, target: Target, week: Week) -> WorkoutEntry:
        """An exercise that is held has its times as notes, as Train stores them."""
        exercise = self.exercises[lift.exercise_id]
        entry: WorkoutEntry = {"exercise": exercise, "notes": "", "superset_id": None, "sets": []}
        if lift.is_timed:
            return {**entry, "notes": held(target.sets, week.weeks_trained)}
        shares = WARMUPS if lift.is_main else ()
        warmups = [
            logged_set(round(target.weight_kg * one / 2.5) * 2.5, reps, "warmup") for one, reps in shares
        ]
        return {**entry, "sets": [*warmups, *self.working_sets(lift, target, week)]}

    def working_sets(self, lift: Lift, target: Target, week: Week) -> Iterator[WorkoutSet]:
        """Each set leaves half a repetition less in reserve than the one before."""
        possible = self.possible_reps(lift, target, week)
        for index in range(target.sets):
            left = possible + (target.sets - 1 - index) / 2 - target.reps
            reps = target.reps + min(int(left // 1), 0)
            rpe = min(max(round((10 - left) * 2) / 2, 6.0), 10.0)
            yield logged_set(target.weight_kg, max(reps, 1), rpe=rpe if lift.is_main else None)

    def possible_reps(self, lift: Lift, target: Target, week: Week) -> float:
        """How many repetitions the last set can have, by Epley's formula (1985)."""
        if target.is_weightless:
            return lift.reps + self.dice.near(MORE_REPS, 0.7)
        most_kg = usual_kg(lift, week) * MOST * self.dice.near(1, 0.012)
        return 30 * (most_kg * (1 + lift.reps / 30) / target.weight_kg - 1)

    def modest_kg(self, lift: Lift, week: Week) -> float:
        loading = loading_of(self.exercises[lift.exercise_id].equipment, "kg", lift.increment_kg)
        return loading.round_down(usual_kg(lift, week) * MODEST)

    def follow(self, plan: Plan, done: Done, at: datetime.datetime) -> None:
        """Lets the rules follow a session, as a workout that is logged does, but without the database."""
        changes = Changes(plan, self.account)
        changes.move(done, Begun())
        days = changes.week.with_targets(changes.taken)
        if days != plan.days:
            plan.days = days
            plan.add_history(*changes.moved(at))
        plan.rules = changes.progression.to_json()
        self.steps += [{**row, "id": self.dice.uuid7_at(at)} for row in changes.rows]


def target_on(plan: Plan, day: datetime.date, position: int) -> Target:
    """What a plan asks of an exercise on a day."""
    week, progression, place = plan.week, plan.progressions, Place(day.isoweekday(), position)
    if progression.is_deload(day):
        return lighter_target(week, progression, place)
    return target_of(week.by_place[place])


def usual_kg(lift: Lift, week: Week) -> float:
    """What is lifted on an ordinary day: gains slow down exponentially."""
    return lift.start_kg + lift.gain_kg * (1 - math.exp(-week.weeks_trained / GAIN_WEEKS))


def held(sets: int, weeks_trained: int) -> str:
    """The lines of the notes: five seconds more every six weeks, and the last set shorter."""
    seconds = min(HELD_SECONDS + 5 * (weeks_trained // 6), LONGEST_HELD_SECONDS)
    times = [seconds] * (sets - 1) + [seconds - 5]
    rows: list[TimedSet] = [{"seconds": one, "distance_km": None, "weight_kg": None} for one in times]
    return "\n".join(timed_lines(rows, "kg"))


def logged_set(weight_kg: float, reps: int, kind: str = "working", rpe: float | None = None) -> WorkoutSet:
    return {"type": kind, "weight_kg": weight_kg, "reps": reps, "completed": True, "rpe": rpe}
