"""Workouts with overload and deloads, the plans that they follow, and routines."""

import math

from fitness.site.demo.programme import FULL_BODY, LIFTS, ROUTINES, UPPER_LOWER
from fitness.site.demo.story import DAY, monday_of
from training.models import Exercise, Plan, Routine, Workout, WorkoutExercise
from training.models.plan import retirement_detail
from training.models.planned import planned

GAIN_WEEKS = 45  # of training, after which about two thirds of a lift's gain are made
DELOAD = 0.85
WARMUPS = ((0.4, 8), (0.6, 5), (0.8, 3))  # (share of the working weight, repetitions)
NOTES = (
    "Felt strong.",
    "Slept badly, everything felt heavy.",
    "Gym was packed, swapped the order.",
    "Left shoulder a little stiff, went away while warming up.",
    "Filmed the top set; depth is fine.",
)


class TrainingDemo:
    """Writes the training of one account's story. Everything comes from `story` and the catalogue."""

    def __init__(self, account, story):
        self.account = account
        self.story = story
        self.dice = story.dice("training")
        self.exercises = Exercise.objects.in_bulk({lift.exercise_id for lift in LIFTS})

    def store(self):
        plans = self.plans()
        Plan.objects.bulk_create(plan for _, plan, _ in plans)
        Routine.objects.bulk_create(self.routines())
        logged = [self.workout(*session) for session in self.sessions(plans)]
        Workout.objects.bulk_create([workout for workout, _ in logged], batch_size=200)
        WorkoutExercise.objects.bulk_create([row for _, rows in logged for row in rows], batch_size=500)

    def plans(self):
        """(its first day, Plan, Programme): three days a week at first, four later on."""
        first = self.plan(FULL_BODY, self.story.start)
        later = monday_of(self.story.start + (self.story.days[-1] - self.story.start) / 3)
        if later <= self.story.start:
            first.active = True
            return [(self.story.start, first, FULL_BODY)]
        second = self.plan(UPPER_LOWER, later)
        second.active = True
        first.add_history("retired", second.created_at, retirement_detail(second))
        return [(self.story.start, first, FULL_BODY), (later, second, UPPER_LOWER)]

    def plan(self, programme, day):
        created_at = self.dice.moment(day, 5, 20)
        return Plan(
            id=self.dice.id_at(created_at),
            account=self.account,
            name=programme.name,
            summary=programme.summary,
            progression=programme.progression,
            days=[self.plan_day(weekday, programme.days.get(weekday)) for weekday in range(1, 8)],
            created_at=created_at,
        )

    def plan_day(self, weekday, training):
        return {
            "weekday": weekday,
            "label": training.label if training else "Rest",
            "focus": training.focus if training else "",
            "rest": training is None,
            "exercises": [self.planned(lift) for lift in training.lifts] if training else [],
        }

    def planned(self, lift):
        target = {
            "sets": lift.sets,
            "reps": lift.reps,
            "weight_kg": float(lift.start_kg),
            "note": lift.note,
        }
        return planned(self.exercises[lift.exercise_id], target)

    def routines(self):
        for name, (focus, lifts) in ROUTINES.items():
            created_at = self.dice.moment(self.dice.choice(self.story.days), 20, 30)
            yield Routine(
                id=self.dice.id_at(created_at),
                account=self.account,
                name=name,
                focus=focus,
                use_count=self.dice.randrange(12),
                exercises=[self.planned(lift) for lift in lifts],
                created_at=created_at,
            )

    def sessions(self, plans):
        """(day, Week, Plan, TrainingDay) of every session that was not missed."""
        for day in self.story.days:
            week = self.story.week(day)
            plan, programme = [(plan, programme) for first, plan, programme in plans if first <= day][-1]
            training = programme.days.get(day.isoweekday())
            if training and not week.is_missed and not self.dice.chance(0.07):
                yield day, week, plan, training

    def workout(self, day, week, plan, training):
        """The Workout of a session and the rows of its exercises, unsaved."""
        exercises = [self.exercise(lift, week) for lift in training.lifts]
        sets = sum(len(entry["sets"]) for entry in exercises)
        started_at = self.dice.moment(day, 17.5, 35)
        duration_seconds = int(sets * self.dice.near(165, 15))
        ended_at = started_at + DAY * duration_seconds / 86_400
        workout = Workout(id=self.dice.id_at(ended_at), account=self.account, created_at=ended_at)
        rows = workout.fill(
            {
                "title": training.label,
                "notes": self.remark(week),
                "started_at": started_at,
                "duration_seconds": duration_seconds,
                "plan_id": plan.id,
                "plan_name": plan.name,
                "exercises": exercises,
            }
        )
        workout.render(exercises, ended_at)
        return workout, rows

    def remark(self, week):
        if week.kind == "deload":
            return "Deload."
        return self.dice.choice(NOTES) if self.dice.chance(0.15) else ""

    def exercise(self, lift, week):
        weight_kg = self.weight_kg(lift, week)
        warmups = [a_set(rounded(weight_kg * share, 2.5), reps, "warmup") for share, reps in WARMUPS]
        return {
            "exercise": self.exercises[lift.exercise_id],
            "notes": "",
            "superset_id": None,
            "sets": [*(warmups if lift.is_main else []), *self.working_sets(lift, week, weight_kg)],
        }

    def weight_kg(self, lift, week):
        """The load of the day: quick gains at first, slower ones later, less in a light week."""
        gained = lift.gain_kg * (1 - math.exp(-week.trained / GAIN_WEEKS))
        form = self.dice.near(1, 0.012)
        share = DELOAD if week.kind == "deload" else 1
        return rounded((lift.start_kg + gained) * form * share, lift.step_kg)

    def working_sets(self, lift, week, weight_kg):
        """Sets that get harder one by one; accessories gain repetitions before they gain weight."""
        light = week.kind == "deload"
        extra = 0 if lift.is_main or lift.reps == 1 else week.trained % 3
        for index in range(lift.sets - light):
            tired = index == lift.sets - 1 and lift.reps > 1 and self.dice.chance(0.3)
            rpe = rounded(min(self.dice.near(6 if light else 7.5 + index * 0.4, 0.4), 10), 0.5)
            yield a_set(weight_kg, lift.reps + extra - tired, rpe=rpe if lift.is_main else None)


def a_set(weight_kg, reps, kind="working", rpe=None):
    return {"type": kind, "weight_kg": weight_kg, "reps": reps, "completed": True, "rpe": rpe}


def rounded(value, step):
    return float(round(value / step) * step)
