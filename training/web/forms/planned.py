from fitness.web.forms import read_form_id
from training.api.serializers.plan import WEEKDAYS, PlanSerializer
from training.api.serializers.routine import RoutineSerializer
from training.models import Plan
from training.web.forms.base import EntriesForm, new_token, number, texts

ENTRY = ("exercise_id", "sets", "reps", "weight", "weight_kg", "note")
DAY = ("label", "focus", "rest")


class PlannedForm(EntriesForm):
    """What routines and plans share: exercises with a number of sets, repetitions and a weight."""

    def worded(self, path, message):
        if path.endswith(".sets"):
            return "Enter how many sets, from 1 to 100."
        return super().worded(path, message)

    @staticmethod
    def posted_entries(post, name):
        return [{"token": token, **texts(post, ENTRY, token)} for token in post.getlist(name)]

    def stored_entries(self, entries, name):
        return [
            {
                "token": f"{name}{at}",
                "exercise_id": entry["exercise_id"],
                "sets": str(entry["sets"]),
                "reps": str(entry["reps"]),
                **self.weight_texts(entry["weight_kg"]),
                "note": entry["note"],
            }
            for at, entry in enumerate(entries)
        ]

    def new_entry(self, exercise):
        weight = "0" if exercise.equipment == "Bodyweight" else ""
        target = {"sets": "3", "reps": "8", "weight": weight, "weight_kg": "", "note": ""}
        return {"token": new_token(), "exercise_id": exercise.id, **target}

    def exercises(self, entries, path=""):
        return [self.exercise(self.place(f"{path}exercises[{at}]", row)) for at, row in enumerate(entries)]

    def exercise(self, row):
        return {
            "exercise_id": row["exercise_id"],
            "sets": number(row["sets"]),
            "reps": number(row["reps"]),
            "weight_kg": self.weight_kg(row),
            "note": row["note"],
        }


class RoutineForm(PlannedForm):
    serializer = RoutineSerializer
    fields = ("name", "focus")

    def __init__(self, account, texts, entries, form_id=None):
        super().__init__(account, texts, form_id)
        self.entries = entries

    @classmethod
    def blank(cls, account):
        return cls(account, dict.fromkeys(cls.fields, ""), [])

    @classmethod
    def of(cls, account, routine):
        form = cls(account, {name: getattr(routine, name) for name in cls.fields}, [])
        form.entries = form.stored_entries(routine.exercises, "e")
        return form

    @classmethod
    def posted(cls, account, post):
        entries = cls.posted_entries(post, "exercises")
        return cls(account, texts(post, cls.fields), entries, read_form_id(account, post.get("form", "")))

    @property
    def manager(self):
        return self.account.routines

    def lists(self):
        return {"exercises": self.entries}

    @property
    def body(self):
        return {**self.texts, "exercises": self.exercises(self.entries)}

    def create(self):
        return self.account.routines.create(id=self.id, **self.values)


class PlanForm(PlannedForm):
    """A week: seven days, of which each trains or rests."""

    serializer = PlanSerializer
    fields = ("name", "summary", "progression")

    def __init__(self, account, texts, days, form_id=None):
        super().__init__(account, texts, form_id)
        self.days = days

    @classmethod
    def blank(cls, account):
        rest = {"label": "", "focus": "", "rest": "yes", "entries": []}
        days = [{**a_day(weekday), **rest, "entries": []} for weekday in range(1, 8)]
        return cls(account, dict.fromkeys(cls.fields, ""), days)

    @classmethod
    def of(cls, account, plan):
        form = cls(account, {name: getattr(plan, name) for name in cls.fields}, [])
        form.days = [form.stored_day(day) for day in plan.days]
        return form

    @classmethod
    def posted(cls, account, post):
        days = [cls.posted_day(post, weekday) for weekday in range(1, 8)]
        return cls(account, texts(post, cls.fields), days, read_form_id(account, post.get("form", "")))

    @classmethod
    def posted_day(cls, post, weekday):
        day = a_day(weekday)
        return {**day, **texts(post, DAY, day["token"]), "entries": cls.posted_entries(post, day["list"])}

    def stored_day(self, stored):
        day = a_day(stored["weekday"])
        return {
            **day,
            "label": stored["label"],
            "focus": stored["focus"],
            "rest": "yes" if stored["rest"] else "",
            "entries": self.stored_entries(stored["exercises"], day["token"]),
        }

    @property
    def manager(self):
        return self.account.plans

    def lists(self):
        return {day["list"]: day["entries"] for day in self.days}

    @property
    def body(self):
        return {**self.texts, "days": [self.day(at, day) for at, day in enumerate(self.days)]}

    def day(self, at, day):
        self.place(f"days[{at}]", day)
        return {
            "weekday": day["weekday"],
            "label": day["label"] or ("Rest" if day["rest"] else ""),
            "focus": day["focus"],
            "rest": bool(day["rest"]),
            "exercises": self.exercises(day["entries"], f"days[{at}]."),
        }

    def worded(self, path, message):
        if path.endswith(".label"):
            return "Name the day, in at most 200 characters, or make it a rest day."
        if path.endswith("].exercises") and message.startswith("a rest day"):
            return "A rest day has no exercises: remove them, or make it a training day."
        return super().worded(path, message)

    def create(self):
        return Plan.objects.create_for(self.account, {"id": self.id, **self.values})


def a_day(weekday):
    token = f"day{weekday}"
    return {"weekday": weekday, "name": WEEKDAYS[weekday], "token": token, "list": f"{token}-exercises"}
