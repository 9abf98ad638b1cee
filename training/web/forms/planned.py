from collections.abc import Iterable
from typing import Self, TypeVar, cast

import orjson
from django.db import transaction
from django.http import QueryDict
from django.utils.translation import gettext as _

from accounts.models import Account
from fitness.web.forms import read_form_id
from fitness.web.shortcuts import uuid_or_none
from fitness.web.stale_saves import digest
from training.api.serializers.plan import WEEKDAYS, OneDaySerializer, PlanSerializer
from training.api.serializers.routine import RoutineSerializer
from training.models import Exercise, Plan, Routine, Workout
from training.models.planned import ExerciseTarget, PlanDay, targets_of
from training.models.timed import with_times_of
from training.models.workout_document import WorkoutDocument
from training.plans.rearranging import Rearrangement
from training.plans.starters import rest_label
from training.web.forms.base import Body, EntriesForm, PlannedRow, new_token, number, texts
from training.web.names import exercise_name, weekday_name

# The names of the texts in a row.
ENTRY = ("exercise_id", "sets", "reps", "weight", "weight_kg", "note")

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

    def exercise_bodies(self) -> list[Body]:
        """The exercises of the body; keeps the path of each row for its errors."""
        bodies = []
        for at, row in enumerate(self.entries):
            self.rows[f"exercises[{at}]"] = row
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
        return {**self.texts, "exercises": self.exercise_bodies()}

    def create(self) -> Routine:
        return self.account.routines.create(id=self.id, **self.values)


class PlanForm(EntriesForm[Plan, PlannedRow]):
    """What a plan is called, and what it is for. A new one rests on all days."""

    serializer = PlanSerializer
    model = Plan
    fields = ("name", "summary", "progression")

    @classmethod
    def blank(cls, account: Account) -> Self:
        return cls(account, dict.fromkeys(cls.fields, ""))

    @classmethod
    def of(cls, account: Account, plan: Plan) -> Self:
        return cls(account, {name: getattr(plan, name) for name in cls.fields})

    @classmethod
    def posted(cls, account: Account, post: QueryDict) -> Self:
        return cls(account, texts(post, cls.fields), form_id=read_form_id(account, post.get("form", "")))

    @property
    def body(self) -> Body:
        days = [{"weekday": weekday, "label": rest_label(), "rest": True} for weekday in WEEKDAYS]
        return {**self.texts, "days": days}

    def create(self) -> Plan:
        return Plan.objects.create_for(self.account, self.values | {"id": self.id})

    def replace(self, instance: Plan) -> None:
        instance.replace_texts(**{name: self.values[name] for name in self.fields})


class DayForm(PlannedForm[Plan]):
    """One day of a plan, which is saved without the others.

    `rest` is "yes" or empty. `to` is the weekday with which it changes places, and `source` what to fill it
    from: "routine" and an id, or "day" and the number of a weekday. `opened` is a digest of the day that was
    shown: where another day is stored by now, that is said before it is replaced.
    """

    serializer = OneDaySerializer
    model = Plan
    fields = ("label", "focus", "rest", "to", "source", "opened")

    def __init__(
        self, plan: Plan, weekday: int, texts: dict[str, str], entries: Iterable[PlannedRow] = ()
    ) -> None:
        super().__init__(plan.account, texts, entries)
        self.plan, self.weekday = plan, weekday

    @classmethod
    def stored(cls, plan: Plan, weekday: int) -> Self:
        day = plan.days[weekday - 1]
        form = cls(plan, weekday, {"to": str(weekday), "source": "", "opened": digest(day)})
        form.fill(day)
        return form

    @classmethod
    def sent(cls, plan: Plan, weekday: int, post: QueryDict) -> Self:
        return cls(plan, weekday, texts(post, cls.fields), cls.posted_entries(post, "exercises"))

    @property
    def to(self) -> int:
        return int(self.texts["to"]) if self.texts["to"] in map(str, WEEKDAYS) else self.weekday

    @property
    def name(self) -> str:
        return weekday_name(self.weekday)

    @property
    def weekdays(self) -> list[tuple[int, str, str]]:
        """Each day of the plan: (number, name, label), where this one may move."""
        return [(day["weekday"], weekday_name(day["weekday"]), day["label"]) for day in self.plan.days]

    def fill(self, day: PlanDay) -> None:
        """Makes it like a day. A rest day leaves the label empty, which is asked for once the day trains."""
        self.texts |= {"label": "" if day["rest"] else day["label"], "focus": day["focus"], "source": ""}
        self.texts["rest"] = "yes" if day["rest"] else ""
        self.entries = self.stored_entries(day["exercises"], new_token())

    def fill_from_source(self, _value: str) -> None:
        kind, _separator, source = self.texts["source"].partition(" ")
        if kind == "day" and source in map(str, WEEKDAYS):
            self.fill(self.plan.days[int(source) - 1])
        if kind == "routine" and (routine_id := uuid_or_none(source)):
            routine = self.account.routines.filter(pk=routine_id).first()
            if routine:
                (day,) = routine.schedule
                self.fill({**day, "label": routine.name, "focus": routine.focus})

    ACTIONS = {**EntriesForm.ACTIONS, "fill": fill_from_source}

    @property
    def body(self) -> Body:
        if self.texts["rest"]:
            day = self.plan.days[self.weekday - 1]
            kept = {"label": day["label"], "focus": day["focus"]} if day["rest"] else {"label": rest_label()}
            return {"weekday": self.weekday, **kept, "rest": True}
        return {
            "weekday": self.weekday,
            "label": self.texts["label"],
            "focus": self.texts["focus"],
            "exercises": self.exercise_bodies(),
        }

    def message_for(self, path: str, message: str) -> str:
        if path == "label":
            return _("Name the day, in at most 200 characters, or make it a rest day.")
        return super().message_for(path, message)

    def save(self, instance: Plan | None = None) -> Plan | None:
        with transaction.atomic():
            at = self.plan.begin_change()
            stored = self.plan.days[self.weekday - 1]
            if digest(stored) != self.texts["opened"] and stored != self.values:
                self.texts["opened"] = digest(stored)  # to save it again is a decision
                self.refusal = _("This day has changed since you opened it. Save again to replace it.")
                return None
            self.rules = self.plan.replace_day(self.values, self.to, at)
        return self.plan
