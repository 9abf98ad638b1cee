import datetime
import json
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Self, cast

from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Account
from fitness.api.exceptions import StorageFull
from fitness.json import timestamp
from fitness.web.forms import read_form_id
from fitness.web.local_time import moment_typed
from fitness.web.shortcuts import uuid_or_none
from training import stats
from training.api.serializers.workout import WorkoutSerializer
from training.models import Exercise, Workout
from training.models.exercise import Equipment
from training.models.planned import PlannedExercise
from training.models.sets import NOTED_FIELDS, NOTHING_NOTED, LastSets, SetField, SetType, WorkoutSet
from training.models.timed import Measure, remarks, timed_measure, timed_sets, with_times_of
from training.models.workout_document import EntryOfWorkout, WorkoutDocument
from training.models.workout_exercise import first_sets
from training.plans.workouts import Origin
from training.web.forms.base import (
    MAX_ROWS,
    Body,
    EntriesForm,
    LoggedRow,
    SetRow,
    new_token,
    number,
    number_text,
    stored_number,
    texts,
)
from training.web.forms.times import (
    MINUTE,
    is_just_ticked,
    is_timed,
    minutes_text,
    notes_with_times,
    problems_of,
    time_texts,
    time_texts_of,
    typed_seconds,
)
from training.web.names import superset_letters

HOUR = 3600  # in seconds
MAX_FILLED = 30  # sets of the last session that a new exercise gets
SUPERSETS = ("A", "B", "C", "D", "E", "F")

# The names of the texts in the row of an exercise.
ENTRY = ("exercise_id", "notes", "notes_was", "planned_note", "superset_id")
NOTED = tuple(one.name for one in NOTED_FIELDS)
EMPTY_SET: SetRow = {
    "token": "",
    "weight": "",
    "weight_kg": "",
    "measure": Measure.REPS.value,
    "reps": "",
    "time": "",
    "distance": "",
    "noted": dict.fromkeys(NOTED, ""),
    "warmup": "",
    "completed": "yes",
    "suggested_kg": "",
    "suggested_reps": "",
    "suggested_time": "",
    "suggested_distance": "",
    "typed_is_done": "",
}
SET = tuple(name for name in EMPTY_SET if name not in ("token", "noted"))


class WorkoutForm(EntriesForm[Workout, LoggedRow]):
    """A workout after it was done: a new one, one from a template, or a stored one.

    The sets of a template are suggestions, of which the form saves what somebody confirms:

    - A set with nothing typed and no tick is not saved; nor is an exercise without a saved set or a note.
    - A ticked set is completed. Numbers that are missing in it are those of the suggestion.
    - A set with something typed is completed as well, unless a script ticks what is typed: then a set whose
      tick was taken back is saved as not completed.

    Other sets have a tick from the start: they are what it says, and a row without numbers is not saved.
    So have those of an earlier workout that somebody copies, and of an exercise that somebody adds.
    """

    copied_from: datetime.datetime | None = None  # when the workout was whose sets these are

    serializer = WorkoutSerializer
    model = Workout
    fields = (
        "title",
        "notes",
        "started_at",
        "started_at_was",
        "duration",
        "plan_id",
        "plan_id_was",
        "plan_name",
        "routine",
    )

    @classmethod
    def blank(cls, account: Account, seconds: int = HOUR) -> Self:
        """A new workout that took so many seconds and has just ended."""
        began = timezone.now().replace(second=0, microsecond=0) - datetime.timedelta(seconds=seconds)
        times = {
            "started_at": local(began),
            "started_at_was": timestamp(began),
            "duration": minutes_text(seconds),
        }
        return cls(account, {**dict.fromkeys(cls.fields, ""), **times})

    @classmethod
    def planned(cls, account: Account, entries: Iterable[PlannedExercise], **given: str) -> Self:
        """A new workout that suggests what a routine or a day of a plan asks for. `given` are texts."""
        form = cls.blank(account)
        form.texts |= given
        form.entries = [form.planned_entry(index, entry) for index, entry in enumerate(entries)]
        return form

    @classmethod
    def again(cls, account: Account, workout: Workout) -> Self:
        """A new workout with what was done in an earlier one.

        Without its plan: what is copied would move the plan's targets unseen.
        """
        document: WorkoutDocument = json.loads(workout.document)
        minutes = round(document["duration_seconds"] / MINUTE)
        form = cls.blank(account, minutes * MINUTE)
        form.texts["title"] = document["title"]
        form.entries = form.logged_entries([as_done(entry) for entry in document["exercises"]])
        form.copied_from = datetime.datetime.fromisoformat(document["started_at"])
        return form

    @classmethod
    def of(cls, account: Account, workout: Workout) -> Self:
        document: WorkoutDocument = json.loads(workout.document)
        started_at = datetime.datetime.fromisoformat(document["started_at"])
        stored = {
            "title": document["title"],
            "notes": document["notes"],
            "started_at": local(started_at),
            "started_at_was": document["started_at"],
            "duration": minutes_text(document["duration_seconds"]),
            "plan_id": document["plan_id"] or "",
            "plan_id_was": document["plan_id"] or "",
            "plan_name": document["plan_name"] or "",
            "routine": "",
        }
        form = cls(account, stored)
        form.entries = form.logged_entries(document["exercises"])
        return form

    @classmethod
    def posted(cls, account: Account, post: QueryDict) -> Self:
        entries = [
            {
                "token": token,
                **texts(post, ENTRY, token),
                "sets": [
                    {"token": one, **texts(post, SET, one), "noted": texts(post, NOTED, one)}
                    for one in post.getlist(f"{token}-sets")
                ],
            }
            for token in post.getlist("exercises")
        ]
        rows = cast(list[LoggedRow], entries)  # the names come from ENTRY, SET and NOTED
        for row in chain.from_iterable(entry["sets"] for entry in rows):
            if not is_timed(row):
                row["measure"] = Measure.REPS.value
        return cls(account, texts(post, cls.fields), rows, read_form_id(account, post.get("form", "")))

    @property
    def size(self) -> int:
        return sum(max(len(entry["sets"]), 1) for entry in self.entries)

    @property
    def body(self) -> Body:
        return {
            "title": self.texts["title"],
            "notes": self.texts["notes"],
            "started_at": self.started_at,
            "duration_seconds": self.duration_seconds,
            "plan_id": self.texts["plan_id"] or None,
            "plan_name": self.plan_name,
            "exercises": [self.exercise_body(index, entry) for index, entry in enumerate(self.saved_entries)],
        }

    @property
    def started_at(self) -> str:
        was, typed = self.texts["started_at_was"], self.texts["started_at"]
        try:
            if was and local(datetime.datetime.fromisoformat(was)) == typed:
                return was
            return timestamp(moment_typed(typed))
        except (ValueError, OverflowError):
            return typed

    @property
    def duration_seconds(self) -> float | str:
        seconds = typed_seconds(self.texts["duration"], MINUTE)
        return self.texts["duration"] if seconds is None else seconds

    @property
    def plan_name(self) -> str | None:
        """Kept with its plan, also where that is deleted; with another plan None, which that plan fills."""
        kept = self.texts["plan_id"] == self.texts["plan_id_was"]
        return self.texts["plan_name"] or None if kept else None

    @property
    def saved_entries(self) -> list[LoggedRow]:
        return [entry for entry in self.entries if not is_untouched(entry)]

    @property
    def has_suggestions(self) -> bool:
        return any(map(is_suggested, chain.from_iterable(entry["sets"] for entry in self.entries)))

    def is_valid(self) -> bool:
        if self.entries and not self.saved_entries:
            self.refusal = _("Tick the sets that you did, or type their numbers.")
            return False
        for row in filter(has_time, chain.from_iterable(entry["sets"] for entry in self.entries)):
            if found := problems_of(row, self.account):
                row["errors"] = found
                self.error_count += 1
        return super().is_valid() and not self.error_count

    def exercise_body(self, index: int, entry: LoggedRow) -> Body:
        path = f"exercises[{index}]"
        self.rows[path] = entry
        filled = [one for one in entry["sets"] if is_saved(one) and not has_time(one)]
        self.rows |= {f"{path}.sets[{at}]": one for at, one in enumerate(filled)}
        return {
            "exercise_id": entry["exercise_id"],
            "notes": self.notes_of(entry),
            "superset_id": entry["superset_id"] or None,
            "sets": [self.set_body(one) for one in filled],
        }

    def notes_of(self, entry: LoggedRow) -> str:
        """With the times and distances of its sets; as stored where nobody has changed them."""
        timed, was = [one for one in entry["sets"] if has_time(one)], entry["notes_was"]
        measure = timed[0]["measure"] if timed else Measure.TIME.value
        shown = [time_texts(one, measure, self.account) for one in timed_sets(was)]
        is_as_shown = shown == [time_texts_of(row) for row in timed]
        if is_as_shown and all(row["completed"] for row in timed) and entry["notes"] == remarks(was):
            return was
        return notes_with_times(entry["notes"], timed, self.account)

    def set_body(self, row: SetRow) -> Body:
        return {
            "type": "warmup" if row["warmup"] else "working",
            "weight_kg": self.weight_kg(row) if row["weight"] else stored_number(row["suggested_kg"]),
            "reps": number(row["reps"] or row["suggested_reps"]),
            "completed": bool(row["completed"] or row["typed_is_done"]),
            **{one.name: typed_note(one, row["noted"][one.name]) for one in NOTED_FIELDS},
        }

    def save(self, workout: Workout | None = None) -> Workout | None:
        """The stored workout; None, with a `refusal`, where the account has no room for it."""
        try:
            return super().save(workout)
        except StorageFull as error:
            detail = cast(dict[str, list[str]], error.detail)  # see StorageFull
            (self.refusal,) = detail["body"]
            return None

    def create(self) -> Workout:
        return Workout.objects.log(self.account, self.values, self.id, self.origin())

    def origin(self) -> Origin:
        """The routine with whose sets the form began. Counts its use."""
        routine_id = uuid_or_none(self.texts["routine"])
        is_there = routine_id and self.account.routines.filter(pk=routine_id).count_use()
        return Origin(routine_id if is_there else None, forgives_untried=True)

    def new_entry(self, exercise: Exercise) -> LoggedRow:
        """With the sets of the last time, which are what most sets are again."""
        last = stats.last_sessions(self.account, [exercise.pk]).get(exercise.pk)
        sets, _ = first_sets(last.session_sets or last.sets, MAX_FILLED) if last else ([], False)
        notes = last.notes if last else ""
        done = as_done({"exercise_id": exercise.pk, "notes": notes, "superset_id": None, "sets": sets})
        entry = self.logged_entry(new_token(), done, exercise)
        entry["exercise"], entry["last"], entry["is_filled"] = exercise, last, bool(entry["sets"])
        entry["sets"] = entry["sets"] or [first_set(exercise)]
        return entry

    def planned_entry(self, index: int, entry: PlannedExercise) -> LoggedRow:
        token = f"e{index}"
        has_weight = entry["weight_kg"] or entry["equipment"] == Equipment.BODYWEIGHT
        one: SetRow = {
            **EMPTY_SET,
            "completed": "",
            "suggested_kg": repr(entry["weight_kg"]) if has_weight else "",
            "suggested_reps": str(entry["reps"]),
            "typed_is_done": "yes",
        }
        return {
            "token": token,
            "exercise_id": entry["exercise_id"],
            "notes": "",
            "notes_was": "",
            "planned_note": entry["note"],
            "superset_id": "",
            "sets": [{**one, "token": f"{token}s{at}"} for at in range(entry["sets"])],
        }

    def suggest_last_time(self) -> None:
        """Suggests, instead of the target, the working sets of the `last` session, or its times."""
        last: dict[str, LastSets] = {}
        for entry in self.entries:
            exercise, session = entry.get("exercise"), entry.get("last")
            if exercise and exercise.is_timed:
                self.suggest_times(entry, exercise, session.notes if session else "")
            if session is None:
                continue
            sets, _ = first_sets(session.session_sets or session.sets, MAX_ROWS)
            of_exercise = last.setdefault(session.exercise_id, LastSets(sets))
            for row in entry["sets"]:
                if same := of_exercise.take(SetType.WORKING):
                    row["suggested_kg"], row["suggested_reps"] = repr(same["weight_kg"]), str(same["reps"])

    def suggest_times(self, entry: LoggedRow, exercise: Exercise, notes: str) -> None:
        times = timed_sets(notes)
        for at, row in enumerate(entry["sets"]):
            row["measure"] = exercise.measures[0].value
            if times:
                texts = time_texts(times[min(at, len(times) - 1)], row["measure"], self.account)
                row["suggested_time"], row["suggested_distance"] = texts["time"], texts["distance"]

    def logged_entries(self, entries: Iterable[EntryOfWorkout]) -> list[LoggedRow]:
        entries = list(entries)
        timed = {entry["exercise_id"] for entry in entries if timed_sets(entry["notes"])}
        exercises = Exercise.objects.seen_by(self.account).find_all(timed) if timed else {}
        return [
            self.logged_entry(f"e{index}", entry, exercises.get(entry["exercise_id"]))
            for index, entry in enumerate(entries)
        ]

    def logged_entry(self, token: str, entry: EntryOfWorkout, exercise: Exercise | None) -> LoggedRow:
        """`exercise` says how its times and distances are measured."""
        timed = timed_sets(entry["notes"])
        measure = timed_measure(timed, exercise.measures if exercise else ())
        times = (time_texts(one, measure, self.account) for one in timed)
        lifted: list[SetRow] = [
            {
                **EMPTY_SET,
                "token": f"{token}s{at}",
                "weight": self.weight_text(one["weight_kg"]),
                "weight_kg": repr(one["weight_kg"]),
                "reps": str(one["reps"]),
                "noted": noted_texts(one),
                "warmup": "yes" if one["type"] == "warmup" else "",
                "completed": "yes" if one["completed"] else "",
            }
            for at, one in enumerate(entry["sets"])
        ]
        held: list[SetRow] = [{**EMPTY_SET, **one, "token": f"{token}t{at}"} for at, one in enumerate(times)]
        return {
            "token": token,
            "exercise_id": entry["exercise_id"],
            "notes": remarks(entry["notes"]),
            "notes_was": entry["notes"],
            "planned_note": "",
            "superset_id": entry["superset_id"] or "",
            "sets": lifted + held,
        }

    def add_set(self, token: str) -> None:
        for entry in self.entries:
            if entry["token"] == token:
                self.append_set(entry)

    def append_set(self, entry: LoggedRow) -> None:
        """Adds a set like the one before it, which most sets are. A mere suggestion stays one: no tick."""
        if not entry["sets"]:
            exercises = Exercise.objects.seen_by(self.account).find_all([entry["exercise_id"]])
            entry["sets"].append(first_set(exercises.get(entry["exercise_id"])))
            return
        before = entry["sets"][-1]
        completed = "" if is_suggested(before) and not is_typed(before) else before["completed"]
        entry["sets"].append(
            {
                **before,
                "token": new_token(),
                "noted": EMPTY_SET["noted"],
                "completed": completed,
                "errors": {},
            }
        )

    def drop_set(self, token: str) -> None:
        for entry in self.entries:
            entry["sets"] = [one for one in entry["sets"] if one["token"] != token]

    ACTIONS = {**EntriesForm.ACTIONS, "add-set": add_set, "drop-set": drop_set}

    @property
    def supersets(self) -> Mapping[str, str]:
        """The letters of supersets by their ids: of those in use, and of new ones."""
        return superset_letters([*(entry["superset_id"] for entry in self.entries), *SUPERSETS])


def as_done(entry: EntryOfWorkout) -> EntryOfWorkout:
    """The sets that were done, alone: remarks are about the day on which they were made."""
    sets: list[WorkoutSet] = [
        {**one, **NOTHING_NOTED} for one in entry["sets"] if one["completed"] and one["reps"]
    ]
    return {
        "exercise_id": entry["exercise_id"],
        "notes": with_times_of(entry["notes"], ""),
        "superset_id": entry["superset_id"],
        "sets": sets,
    }


def first_set(exercise: Exercise | None) -> SetRow:
    """The set with which an exercise begins, with the fields of its usual measure."""
    row: SetRow = {**EMPTY_SET, "token": new_token()}
    if exercise is None:
        return row
    has_no_load = exercise.equipment == Equipment.BODYWEIGHT and not exercise.is_timed
    return {**row, "measure": exercise.measures[0].value, "weight": "0" if has_no_load else ""}


def has_time(row: SetRow) -> bool:
    """Whether it is saved as a time or a distance."""
    return is_timed(row) and is_saved(row) and not is_just_ticked(row)


def is_suggested(row: SetRow) -> bool:
    return bool(row["suggested_reps"])


def is_typed(row: SetRow) -> bool:
    return bool(row["weight"] or row["reps"] or row["time"] or row["distance"] or any(row["noted"].values()))


def is_saved(row: SetRow) -> bool:
    return is_typed(row) or (is_suggested(row) and bool(row["completed"]))


def is_untouched(entry: LoggedRow) -> bool:
    """Whether the exercise is one of a template, and nobody has said that it was done."""
    sets = entry["sets"]
    return any(map(is_suggested, sets)) and not any(map(is_saved, sets)) and not entry["notes"]


def noted_texts(one: WorkoutSet) -> dict[str, str]:
    values: Mapping[str, Any] = one
    return {
        may_be.name: number_text(values[may_be.name]) if may_be.is_number else values[may_be.name] or ""
        for may_be in NOTED_FIELDS
    }


def typed_note(may_be: SetField, typed: str) -> float | str | None:
    return (number(typed) if may_be.is_number else typed) if typed else None


def local(time: datetime.datetime) -> str:
    """A time in the account's time zone, in the format of <input type="datetime-local">."""
    return f"{timezone.localtime(time):%Y-%m-%dT%H:%M}"
