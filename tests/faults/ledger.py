"""Writers that remember what they were told is stored, and the reading that compares it with what is.

A workout's body follows from its title, a nutrition day's totals from one number: whatever is stored can
be compared with what was sent, whole.
"""

import itertools
import random
import threading
from collections import Counter
from dataclasses import dataclass, field

from tests.conftest import a_set, a_workout
from tests.faults.traffic import Caller

EXERCISES = ["barbell-bench-press", "plank", "pull-up", "band-dead-bug"]
MACROS = ("calories", "protein_g", "carbs_g", "fat_g")


def workout_of(title):
    dice = random.Random(title)
    exercises = [
        {
            "exercise_id": exercise_id,
            "sets": [a_set(dice.randint(1, 200), dice.randint(1, 10)) for _ in range(dice.randint(1, 4))],
        }
        for exercise_id in dice.sample(EXERCISES, dice.randint(1, len(EXERCISES)))
    ]
    return a_workout(title=title) | {"exercises": exercises}


def totals_of(number):
    return dict.fromkeys(MACROS, number)


@dataclass
class Record:
    """One record's state as its only writer knows it; None is a record that is not there."""

    acknowledged: object = None
    unanswered: list = field(default_factory=list)

    def may_be(self, state):
        return state == self.acknowledged or state in self.unanswered


@dataclass
class Ledger:
    """What one writer knows. Records are named (kind, id); `titles` are of every workout it ever sent."""

    records: dict = field(default_factory=dict)
    titles: set = field(default_factory=set)
    acknowledged: int = 0

    def note(self, name, state, answer):
        """Takes in the answer to a write that was to give a record a state."""
        record = self.records.setdefault(name, Record())
        if answer.succeeded:
            self.records[name] = Record(state)
            self.acknowledged += 1
        else:
            record.unanswered.append(state)

    def note_new(self, kind, state, answer, made):
        """The same for a record that the service names: without an answer its id is not known."""
        if answer.succeeded:
            self.note((kind, made(answer)["id"]), state, answer)

    def ids(self, kind):
        """The records of a kind that are certainly there."""
        return [
            record_id
            for (its_kind, record_id), record in self.records.items()
            if its_kind == kind and record.acknowledged is not None and not record.unanswered
        ]


class Writer:
    """Writes as one of several clients of a person. Only the first of them activates plans."""

    def __init__(self, service, person, number, plans):
        self.caller = Caller(service, person)
        self.person, self.number, self.plans = person, number, plans
        self.ledger = Ledger()
        self.dice = random.Random(number)
        self.fresh = itertools.count()

    def write(self):
        acts = [self.log_workout, self.log_by_tool, self.replace_workout, self.remove_workout]
        acts += [self.set_nutrition, self.tick, self.log_weight, *[self.activate_plan] * bool(self.plans)]
        return self.dice.choices(acts, weights=[5, 3, 5, 1, 4, 2, 2, *[1] * bool(self.plans)])[0]()

    def title(self):
        title = f"{self.number}-{next(self.fresh)}"
        self.ledger.titles.add(title)
        return title

    def log_workout(self):
        title = self.title()
        answer = self.caller.api("POST", "/workouts", workout_of(title))
        self.ledger.note_new("workout", title, answer, lambda answer: answer.json)
        return answer

    def log_by_tool(self):
        title = self.title()
        answer = self.caller.tool("log_workout", workout_of(title))
        self.ledger.note_new("workout", title, answer, lambda answer: answer.tool_result)
        return answer

    def replace_workout(self):
        ids = self.ledger.ids("workout")
        if not ids:
            return self.log_workout()
        workout_id, title = self.dice.choice(ids), self.title()
        answer = self.caller.api("PUT", f"/workouts/{workout_id}", workout_of(title))
        self.ledger.note(("workout", workout_id), title, answer)
        return answer

    def remove_workout(self):
        ids = self.ledger.ids("workout")
        if not ids:
            return self.log_workout()
        workout_id = self.dice.choice(ids)
        answer = self.caller.api("DELETE", f"/workouts/{workout_id}")
        self.ledger.note(("workout", workout_id), None, answer)
        return answer

    def own_day(self, days):
        return f"{2000 + self.number}-{self.dice.randint(1, 12):02}-{self.dice.randint(1, days):02}"

    def set_nutrition(self):
        day, number = self.own_day(3), self.dice.randint(1, 9000)
        answer = self.caller.api("PUT", f"/nutrition/{day}", totals_of(number))
        self.ledger.note(("nutrition", day), number, answer)
        return answer

    def tick(self):
        day = self.own_day(28)
        answer = self.caller.api("POST", f"/supplements/{self.person.supplement_id}/logs", {"day": day})
        self.ledger.note(("tick", day), True, answer)
        return answer

    def log_weight(self):
        weight_kg = self.dice.randint(40, 200)
        answer = self.caller.api("POST", "/body/weight", {"weight_kg": weight_kg, "notes": "whole"})
        self.ledger.note_new("weight", (weight_kg, "whole"), answer, lambda answer: answer.json)
        return answer

    def activate_plan(self):
        plan_id = self.dice.choice(self.plans)
        answer = self.caller.api("POST", f"/plans/{plan_id}/activate")
        self.ledger.note(("active plan", ""), plan_id, answer)
        return answer


class Crowd:
    """Writers at once, two for each person, until they have so many writes acknowledged."""

    def __init__(self, service, people):
        self.people = people
        self.answers = []
        self.target = 0
        self.stop = threading.Event()
        self.writers = []
        for person in people:
            plans = [make_plan(Caller(service, person), name) for name in "ABC"]
            for number in (len(self.writers), len(self.writers) + 1):
                self.writers.append(Writer(service, person, number, plans if number % 2 == 0 else []))
        self.threads = [threading.Thread(target=self.go, args=[writer]) for writer in self.writers]

    def go(self, writer):
        while not self.stop.is_set():
            answer = writer.write()
            self.answers.append(answer)
            if not answer.status:
                self.stop.wait(0.05)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *error):
        self.stop.set()
        for thread in self.threads:
            thread.join()

    @property
    def acknowledged(self):
        return sum(writer.ledger.acknowledged for writer in self.writers)

    def statuses(self):
        return Counter(answer.status for answer in self.answers)

    def discrepancies(self, service):
        """What is stored, compared with what was acknowledged: (lost, partial), empty if all is well."""
        lost, partial = [], []
        for person in self.people:
            ledgers = [writer.ledger for writer in self.writers if writer.person is person]
            stored = Stored(Caller(service, person))
            for ledger in ledgers:
                lost += [
                    (name, record, stored.states.get(name))
                    for name, record in ledger.records.items()
                    if not record.may_be(stored.states.get(name))
                ]
            partial += stored.partial(set().union(*(ledger.titles for ledger in ledgers)))
        return lost, partial


def make_plan(caller, name):
    days = [{"weekday": day, "label": "Rest", "rest": True} for day in range(1, 8)]
    return caller.api("POST", "/plans", {"name": name, "days": days}).json["id"]


class Stored:
    """Everything that an account can read of what writers write."""

    def __init__(self, caller):
        self.caller = caller
        self.workouts = self.all("/workouts", "workouts")
        self.nutrition = self.all("/nutrition", "nutrition")
        active = [plan["id"] for plan in self.all("/plans", "plans") if plan["active"]]
        self.states = {("workout", workout["id"]): workout["title"] for workout in self.workouts}
        self.states |= {("nutrition", day["day"]): day["calories"] for day in self.nutrition}
        self.states |= {("tick", tick["day"]): True for tick in self.all("/supplements/logs", "logs")}
        self.states |= {
            ("weight", log["id"]): (log["weight_kg"], log["notes"])
            for log in self.all("/body/weight", "weight")
        }
        self.states[("active plan", "")] = active[0] if active else None
        self.active_plans = len(active)

    def all(self, path, name):
        found, cursor = [], ""
        while cursor is not None:
            page = self.caller.api("GET", f"{path}?limit=100{cursor}").json
            found += page[name]
            cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
        return found

    def partial(self, titles):
        """Records of which only a part is stored, and statistics that disagree with the records."""
        yield from (day for day in self.nutrition if len({day[name] for name in MACROS}) > 1)
        yield from (one for one in self.workouts if one["title"] not in titles or not is_whole(one))
        if self.active_plans > 1:
            yield f"{self.active_plans} active plans"
        for exercise_id in EXERCISES:
            told = {
                session["workout_id"]: session["sets"]
                for session in self.all(f"/exercises/{exercise_id}/history", "sessions")
            }
            if told != self.sessions(exercise_id):
                yield f"history of {exercise_id}"
        window = "since=2000-01-01T00:00:00Z&until=2100-01-01T00:00:00Z"
        totals = self.caller.api("GET", f"/stats/training?{window}").json
        volume_kg = sum(workout["volume_kg"] for workout in self.workouts)
        if (totals["sessions"], totals["volume_kg"]) != (len(self.workouts), volume_kg):
            yield f"totals: {totals['sessions']} sessions, {totals['volume_kg']} kg"

    def sessions(self, exercise_id):
        return {
            workout["id"]: entry["sets"]
            for workout in self.workouts
            for entry in workout["exercises"]
            if entry["exercise_id"] == exercise_id
        }


def is_whole(workout):
    sent = workout_of(workout["title"])
    kept = [
        {
            "exercise_id": entry["exercise_id"],
            "sets": [{name: one[name] for name in ("weight_kg", "reps")} for one in entry["sets"]],
        }
        for entry in workout["exercises"]
    ]
    volume_kg = sum(one["weight_kg"] * one["reps"] for entry in sent["exercises"] for one in entry["sets"])
    return kept == sent["exercises"] and workout["volume_kg"] == volume_kg
