from collections.abc import Iterable
from typing import Self, TypeVar, cast
from uuid import UUID

import orjson
from django.http import QueryDict
from django.utils.translation import gettext as _

from accounts.models import Account
from fitness.web.forms import read_form_id
from fitness.web.shortcuts import uuid_or_none
from training.api.serializers.plan import WEEKDAYS, PlanSerializer
from training.api.serializers.routine import RoutineSerializer
from training.models import Exercise, Plan, Routine, Workout
from training.models.planned import ExerciseTarget, PlanDay, targets_of
from training.models.timed import with_times_of
from training.models.workout_document import WorkoutDocument
from training.plans.rearranging import Rearrangement
from training.plans.starters import rest_label
from training.web.forms.base import Body, DayHead, DayRow, EntriesForm, PlannedRow, new_token, number, texts
from training.web.names import exercise_name, weekday_name

# The names of the texts in the rows.
ENTRY = ("exercise_id", "sets", "reps", "weight", "weight_kg", "note")
DAY = ("label", "focus", "rest", "source")

PlannedInstance = TypeVar("PlannedInstance", Routine, Plan)


class PlannedForm(EntriesForm[PlannedInstance, PlannedRow]):
    """What routines and plans share: exercises with a number of sets, repetitions and a weight."""

    rules: Rearrangement | None = None  # what became of them

    def message_for(self, path: str, message: str) -> str:
        if path.endswith(".sets"):
            return _("Enter how many sets, from 1 to 100.")
        return super().message_for(path, message)

    @staticmethod
    def posted_entries(post: QueryDict, name: str) -> list[PlannedRow]:
        rows = [{"token": token, **texts(post, ENTRY, token)} for token in post.getlist(name)]
        return cast(list[PlannedRow], rows)  # the names come from ENTRY

    def stored_entries(self, entries: Iterable[ExerciseTarget], name: str) -> list[PlannedRow]:
        return [
            {
                "token": f"{name}{at}",
                "exercise_id": entry["exercise_id"],
                "sets": str(entry["sets"]),
                "reps": str(entry["reps"]),
                "weight": self.weight_text(entry["weight_kg"]),
                "weight_kg": repr(entry["weight_kg"]),
                "note": entry["note"],
            }
            for at, entry in enumerate(entries)
        ]

    def new_entry(self, exercise: Exercise) -> PlannedRow:
        return {
            "token": new_token(),
            "exercise_id": exercise.id,
            "sets": "3",
            "reps": "8",
            "weight": "0" if exercise.equipment == "Bodyweight" else "",
            "weight_kg": "",
            "note": "",
        }

    def exercise_bodies(self, entries: Iterable[PlannedRow], path: str = "") -> list[Body]:
        """The exercises of the body at `path`; keeps the path of each row for its errors."""
        bodies = []
        for at, row in enumerate(entries):
            self.rows[f"{path}exercises[{at}]"] = row
            bodies.append(self.exercise_body(row))
        return bodies

    def replace(self, instance: PlannedInstance) -> None:
        self.rules = instance.replace(self.values)

    @property
    def saved_text(self) -> str:
        """With what became of the rules."""
        rules = self.rules.text(exercise_name) if self.rules else ""
        return " ".join(filter(None, [super().saved_text, rules]))

    def exercise_body(self, row: PlannedRow) -> Body:
        return {
            "exercise_id": row["exercise_id"],
            "sets": number(row["sets"]),
            "reps": number(row["reps"]),
            "weight_kg": self.weight_kg(row),
            "note": row["note"],
        }


class RoutineForm(PlannedForm[Routine]):
    serializer = RoutineSerializer
    model = Routine
    fields = ("name", "focus")
    lifted_from: Workout | None = None  # whose numbers it shows, still unsaved

    @classmethod
    def blank(cls, account: Account) -> Self:
        return cls(account, dict.fromkeys(cls.fields, ""))

    @classmethod
    def of(cls, account: Account, routine: Routine) -> Self:
        form = cls(account, {name: getattr(routine, name) for name in cls.fields})
        form.entries = form.stored_entries(routine.exercises, "e")
        return form

    @classmethod
    def lifted(cls, account: Account, workout: Workout) -> Self:
        """A new routine of what was done in a workout."""
        form = cls(account, {"name": workout.title, "focus": ""})
        form.take_over(workout)
        return form

    def take_over(self, workout: Workout) -> None:
        """Gives the exercises the numbers of a workout, and adds those that the routine lacks.

        Of an exercise that occurs several times, the first one takes the numbers of the first, and so on.
        """
        document: WorkoutDocument = orjson.loads(workout.document)
        self.lifted_from = workout
        old = list(self.entries)
        for done in self.stored_entries(targets_of(document["exercises"]), "w"):
            same = next((row for row in old if row["exercise_id"] == done["exercise_id"]), None)
            if same is None:
                self.entries.append(done)
            else:
                old.remove(same)
                for name in ("sets", "reps", "weight", "weight_kg"):
                    same[name] = done[name]
                same["note"] = with_times_of(done["note"], same["note"])

    @classmethod
    def posted(cls, account: Account, post: QueryDict) -> Self:
        entries = cls.posted_entries(post, "exercises")
        return cls(account, texts(post, cls.fields), entries, read_form_id(account, post.get("form", "")))

    @property
    def body(self) -> Body:
        return {**self.texts, "exercises": self.exercise_bodies(self.entries)}

    def create(self) -> Routine:
        return self.account.routines.create(id=self.id, **self.values)


class PlanForm(PlannedForm[Plan]):
    """A week: seven days, of which each trains or rests."""

    serializer = PlanSerializer
    model = Plan
    fields = ("name", "summary", "progression")

    def __init__(
        self, account: Account, texts: dict[str, str], days: list[DayRow], form_id: UUID | None = None
    ) -> None:
        super().__init__(account, texts, form_id=form_id)
        self.days = days

    @classmethod
    def blank(cls, account: Account) -> Self:
        days: list[DayRow] = [
            {**day_head(weekday), "label": "", "focus": "", "rest": "yes", "source": "", "entries": []}
            for weekday in WEEKDAYS
        ]
        return cls(account, dict.fromkeys(cls.fields, ""), days)

    @classmethod
    def of(cls, account: Account, plan: Plan) -> Self:
        form = cls(account, {name: getattr(plan, name) for name in cls.fields}, [])
        form.days = [form.stored_day(day) for day in plan.days]
        return form

    @classmethod
    def posted(cls, account: Account, post: QueryDict) -> Self:
        days = [cls.posted_day(post, weekday) for weekday in WEEKDAYS]
        return cls(account, texts(post, cls.fields), days, read_form_id(account, post.get("form", "")))

    @classmethod
    def posted_day(cls, post: QueryDict, weekday: int) -> DayRow:
        day = day_head(weekday)
        entries = cls.posted_entries(post, day["list"])
        # The names come from DAY.
        return cast(DayRow, {**day, **texts(post, DAY, day["token"]), "entries": entries})

    def stored_day(self, stored: PlanDay) -> DayRow:
        day = day_head(stored["weekday"])
        return {
            **day,
            "label": stored["label"],
            "focus": stored["focus"],
            "rest": "yes" if stored["rest"] else "",
            "source": "",
            "entries": self.stored_entries(stored["exercises"], day["token"]),
        }

    def fill_day(self, token: str) -> None:
        """Makes a day like the routine, or the other day of the plan, that is its source."""
        for day in self.days:
            if day["token"] == token:
                kind, _separator, source = day["source"].partition(" ")
                if kind == "routine":
                    self.fill_from_routine(day, uuid_or_none(source))
                if kind == "day":
                    self.copy_day(day, source)

    def fill_from_routine(self, day: DayRow, routine_id: UUID | None) -> None:
        routine = self.account.routines.filter(pk=routine_id).first() if routine_id else None
        if routine:
            day["label"], day["focus"], day["rest"] = routine.name, routine.focus, ""
            day["entries"] = self.stored_entries(routine.exercises, new_token())
            day["source"] = ""

    def copy_day(self, day: DayRow, weekday: str) -> None:
        for other in self.days:
            if str(other["weekday"]) == weekday:
                day["label"], day["focus"], day["rest"] = other["label"], other["focus"], other["rest"]
                day["entries"] = [{**entry, "token": new_token()} for entry in other["entries"]]
                day["source"] = ""

    ACTIONS = {**EntriesForm.ACTIONS, "fill-day": fill_day}

    def lists(self) -> dict[str, list[PlannedRow]]:
        return {day["list"]: day["entries"] for day in self.days}

    @property
    def body(self) -> Body:
        return {**self.texts, "days": [self.day_body(at, day) for at, day in enumerate(self.days)]}

    def day_body(self, at: int, day: DayRow) -> Body:
        self.rows[f"days[{at}]"] = day
        return {
            "weekday": day["weekday"],
            "label": day["label"] or (rest_label() if day["rest"] else ""),
            "focus": day["focus"],
            "rest": bool(day["rest"]),
            "exercises": self.exercise_bodies(day["entries"], f"days[{at}]."),
        }

    def message_for(self, path: str, message: str) -> str:
        if path.endswith(".label"):
            return _("Name the day, in at most 200 characters, or make it a rest day.")
        if path.endswith("].exercises") and message.startswith("a rest day"):
            return _("A rest day has no exercises: remove them, or make it a training day.")
        return super().message_for(path, message)

    def create(self) -> Plan:
        return Plan.objects.create_for(self.account, self.values | {"id": self.id})


def day_head(weekday: int) -> DayHead:
    token = f"day{weekday}"
    return {"weekday": weekday, "name": weekday_name(weekday), "token": token, "list": f"{token}-exercises"}
