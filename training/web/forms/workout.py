import datetime
import json

from django.utils import timezone

from fitness.api.exceptions import StorageFull
from fitness.api.fields import timestamp
from fitness.web.forms import read_form_id
from training.api.serializers.workout import WorkoutSerializer
from training.models import Workout
from training.web.forms.base import EntriesForm, is_number, new_token, number, plain, texts, uuid_or_none

HOUR = datetime.timedelta(hours=1)
LETTERS = ("A", "B", "C", "D", "E", "F")
EMPTY_SET = {
    "weight": "",
    "weight_kg": "",
    "reps": "",
    "rpe": "",
    "warmup": "",
    "completed": "yes",
}


class WorkoutForm(EntriesForm):
    serializer = WorkoutSerializer
    fields = (
        "title",
        "notes",
        "started_at",
        "started_at_was",
        "duration",
        "duration_was",
        "plan_id",
        "plan_id_was",
        "plan_name",
        "routine",
    )

    def __init__(self, account, texts, entries, form_id=None):
        super().__init__(account, texts, form_id)
        self.entries = entries

    @classmethod
    def blank(cls, account, **known):
        """A new workout that began an hour ago, with what is `known` of it already."""
        hour_ago = timezone.now().replace(second=0, microsecond=0) - HOUR
        empty = dict.fromkeys(cls.fields, "")
        return cls(account, {**empty, "started_at": local(hour_ago), "duration": "60", **known}, [])

    @classmethod
    def planned(cls, account, entries, **known):
        """A new workout with the sets that a routine or a day of a plan asks for."""
        form = cls.blank(account, **known)
        form.entries = [form.planned_entry(index, entry) for index, entry in enumerate(entries)]
        return form

    @classmethod
    def of(cls, account, workout):
        document = json.loads(workout.document)
        started_at = datetime.datetime.fromisoformat(document["started_at"])
        known = {
            "title": document["title"],
            "notes": document["notes"],
            "started_at": local(started_at),
            "started_at_was": document["started_at"],
            "duration": minutes(document["duration_seconds"]),
            "duration_was": str(document["duration_seconds"]),
            "plan_id": document["plan_id"] or "",
            "plan_id_was": document["plan_id"] or "",
            "plan_name": document["plan_name"] or "",
            "routine": "",
        }
        form = cls(account, known, [])
        form.entries = [form.logged_entry(index, entry) for index, entry in enumerate(document["exercises"])]
        return form

    @classmethod
    def posted(cls, account, post):
        entries = [
            {
                "token": token,
                **texts(post, ("exercise_id", "notes", "superset_id"), token),
                "sets": [
                    {"token": one, **texts(post, EMPTY_SET, one)} for one in post.getlist(f"{token}-sets")
                ],
            }
            for token in post.getlist("exercises")
        ]
        return cls(account, texts(post, cls.fields), entries, read_form_id(account, post.get("form", "")))

    @property
    def manager(self):
        return self.account.workouts

    def lists(self):
        return {"exercises": self.entries}

    @property
    def size(self) -> int:
        return sum(max(len(entry["sets"]), 1) for entry in self.entries)

    # --- What the API would be told --------------------------------------------------------------

    @property
    def body(self):
        return {
            "title": self.texts["title"],
            "notes": self.texts["notes"],
            "started_at": self.started_at,
            "duration_seconds": self.duration_seconds,
            "plan_id": self.texts["plan_id"] or None,
            "plan_name": self.plan_name,
            "exercises": [self.exercise(index, entry) for index, entry in enumerate(self.entries)],
        }

    @property
    def started_at(self):
        was, typed = self.texts["started_at_was"], self.texts["started_at"]
        try:
            if was and local(datetime.datetime.fromisoformat(was)) == typed:
                return was
            return timestamp(timezone.make_aware(datetime.datetime.fromisoformat(typed)))
        except (ValueError, OverflowError):
            return typed

    @property
    def duration_seconds(self):
        was, typed = number(self.texts["duration_was"]), number(self.texts["duration"])
        if isinstance(was, int) and minutes(was) == self.texts["duration"]:
            return was
        return round(typed * 60) if is_number(typed) and abs(typed) < 1e9 else typed

    @property
    def plan_name(self):
        """Kept with the plan it belongs to, also where that is deleted; another plan brings its own."""
        kept = self.texts["plan_id"] == self.texts["plan_id_was"]
        return self.texts["plan_name"] or None if kept else None

    def exercise(self, index, entry):
        path = f"exercises[{index}]"
        self.place(path, entry)
        filled = [one for one in entry["sets"] if one["weight"] or one["reps"] or one["rpe"]]
        return {
            "exercise_id": entry["exercise_id"],
            "notes": entry["notes"],
            "superset_id": entry["superset_id"] or None,
            "sets": [self.set(self.place(f"{path}.sets[{at}]", one)) for at, one in enumerate(filled)],
        }

    def set(self, row):
        return {
            "type": "warmup" if row["warmup"] else "working",
            "weight_kg": self.weight_kg(row),
            "reps": number(row["reps"]),
            "completed": bool(row["completed"]),
            "rpe": number(row["rpe"]) if row["rpe"] else None,
        }

    def save(self, workout: Workout | None = None) -> Workout | None:
        """The stored workout; None, and why in `refusal`, where the account has no room for it."""
        try:
            return self.save_changes(workout) if workout else self.save_new()
        except StorageFull as error:
            (self.refusal,) = error.detail["body"]
            return None

    def create(self):
        workout = Workout.objects.log(self.account, self.values, self.id)
        if routine := self.routine:
            routine.count_use()
        return workout

    @property
    def routine(self):
        return self.account.routines.filter(pk=uuid_or_none(self.texts["routine"])).first()

    # --- Rows ------------------------------------------------------------------------------------

    def new_entry(self, exercise):
        entry = {"token": new_token(), "exercise_id": exercise.id, "notes": "", "superset_id": "", "sets": []}
        self.append_set(entry)
        if exercise.equipment == "Bodyweight":
            entry["sets"][0]["weight"] = "0"
        return entry

    def planned_entry(self, index, entry):
        token = f"e{index}"
        one = {**EMPTY_SET, **self.weight_texts(entry["weight_kg"]), "reps": str(entry["reps"])}
        return {
            "token": token,
            "exercise_id": entry["exercise_id"],
            "notes": entry["note"],
            "superset_id": "",
            "sets": [{**one, "token": f"{token}s{at}"} for at in range(entry["sets"])],
        }

    def logged_entry(self, index, entry):
        token = f"e{index}"
        return {
            "token": token,
            "exercise_id": entry["exercise_id"],
            "notes": entry["notes"],
            "superset_id": entry["superset_id"] or "",
            "sets": [
                {
                    "token": f"{token}s{at}",
                    **self.weight_texts(one["weight_kg"]),
                    "reps": str(one["reps"]),
                    "rpe": plain(one["rpe"]),
                    "warmup": "yes" if one["type"] == "warmup" else "",
                    "completed": "yes" if one["completed"] else "",
                }
                for at, one in enumerate(entry["sets"])
            ],
        }

    def add_set(self, token):
        for entry in self.entries:
            if entry["token"] == token:
                self.append_set(entry)

    def append_set(self, entry):
        """A set like the one before it, which most sets are."""
        before = {**entry["sets"][-1], "rpe": "", "errors": {}} if entry["sets"] else EMPTY_SET
        entry["sets"].append({**before, "token": new_token()})

    def drop_set(self, token):
        for entry in self.entries:
            entry["sets"] = [one for one in entry["sets"] if one["token"] != token]

    ACTIONS = {**EntriesForm.ACTIONS, "add-set": add_set, "drop-set": drop_set}

    @property
    def superset_ids(self):
        """The names that a superset can get here: letters, and those that are in use."""
        used = {entry["superset_id"] for entry in self.entries if entry["superset_id"]}
        return sorted(used | set(LETTERS))


def local(moment):
    """A moment as the browser's field for it takes it."""
    return f"{timezone.localtime(moment):%Y-%m-%dT%H:%M}"


def minutes(seconds):
    return plain(round(seconds / 60, 2))
