"""Concurrent writers that remember every acknowledged write, and the comparison with what is stored.

A workout's body is derived from its title, and a nutrition day's totals from one number. So the title or
the number is enough to compare all fields of a stored item with the request that made it.
"""

import itertools
import random
from collections import Counter
from dataclasses import dataclass, field

from tests.conftest import a_set, a_workout
from tests.faults.traffic import Caller, Clients

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
class ItemState:
    """The state of one item (a workout, a day, a tick ...) according to its only writer; None: no such item.

    `acknowledged` is the state after the last successful write. `unconfirmed` holds the states of the writes
    since then whose outcome is unknown, because they failed or the connection broke.
    """

    acknowledged: object = None
    unconfirmed: list = field(default_factory=list)

    def allows(self, state):
        return state == self.acknowledged or state in self.unconfirmed


@dataclass
class Ledger:
    """The writes of one writer. `states` maps (kind, id) to states; `titles` are of all workouts it sent."""

    states: dict = field(default_factory=dict)
    titles: set = field(default_factory=set)
    acknowledged: int = 0

    def add(self, name, state, response):
        """Enters the response to a write that should have brought an item into a state."""
        item = self.states.setdefault(name, ItemState())
        if response.succeeded:
            self.states[name] = ItemState(state)
            self.acknowledged += 1
        else:
            item.unconfirmed.append(state)

    def add_new(self, kind, state, response, item_of):
        """Like `add`, for an item whose id the service chooses. Skips failed requests: they have no id."""
        if response.succeeded:
            self.add((kind, item_of(response)["id"]), state, response)

    def ids(self, kind):
        """The ids of the items of a kind that certainly exist."""
        return [
            item_id
            for (item_kind, item_id), item in self.states.items()
            if item_kind == kind and item.acknowledged is not None and not item.unconfirmed
        ]


class Writer:
    """Writes as one of two clients of a person. Only the first one gets plans to activate."""

    def __init__(self, caller, number, plans):
        self.caller, self.person = caller, caller.person
        self.number, self.plans = number, plans
        self.ledger = Ledger()
        self.dice = random.Random(number)
        self.title_numbers = itertools.count()
        self.unanswered = None  # the title of the workout with an Idempotency-Key whose outcome is unknown

    def write(self):
        if self.unanswered:
            return self.send_with_key(self.unanswered)
        acts = [self.log_workout, self.log_by_tool, self.replace_workout, self.delete_workout]
        acts += [self.set_nutrition, self.tick, self.log_weight, self.log_workout_once]
        acts += [self.activate_plan] * bool(self.plans)
        return self.dice.choices(acts, weights=[5, 3, 5, 1, 4, 2, 2, 5, *[1] * bool(self.plans)])[0]()

    def title(self):
        title = f"{self.number}-{next(self.title_numbers)}"
        self.ledger.titles.add(title)
        return title

    def log_workout(self):
        title = self.title()
        response = self.caller.api("POST", "/workouts", workout_of(title))
        self.ledger.add_new("workout", title, response, lambda response: response.json)
        return response

    def log_workout_once(self):
        """Logs a workout with an Idempotency-Key. The writer sends it again until it is acknowledged."""
        return self.send_with_key(self.title())

    def send_with_key(self, title):
        response = self.caller.api("POST", "/workouts", workout_of(title), {"Idempotency-Key": title})
        self.ledger.add_new("workout", title, response, lambda response: response.json)
        self.unanswered = None if response.succeeded else title
        return response

    def log_by_tool(self):
        title = self.title()
        response = self.caller.tool("log_workout", workout_of(title))
        self.ledger.add_new("workout", title, response, lambda response: response.tool_result)
        return response

    def replace_workout(self):
        ids = self.ledger.ids("workout")
        if not ids:
            return self.log_workout()
        workout_id, title = self.dice.choice(ids), self.title()
        response = self.caller.api("PUT", f"/workouts/{workout_id}", workout_of(title))
        self.ledger.add(("workout", workout_id), title, response)
        return response

    def delete_workout(self):
        ids = self.ledger.ids("workout")
        if not ids:
            return self.log_workout()
        workout_id = self.dice.choice(ids)
        response = self.caller.api("DELETE", f"/workouts/{workout_id}")
        self.ledger.add(("workout", workout_id), None, response)
        return response

    def own_day(self, days):
        return f"{2000 + self.number}-{self.dice.randint(1, 12):02}-{self.dice.randint(1, days):02}"

    def set_nutrition(self):
        day, number = self.own_day(3), self.dice.randint(1, 9000)
        response = self.caller.api("PUT", f"/nutrition/{day}", totals_of(number))
        self.ledger.add(("nutrition", day), number, response)
        return response

    def tick(self):
        day = self.own_day(28)
        response = self.caller.api("POST", f"/supplements/{self.person.supplement_id}/logs", {"day": day})
        self.ledger.add(("tick", day), True, response)
        return response

    def log_weight(self):
        weight_kg = self.dice.randint(40, 200)
        response = self.caller.api("POST", "/body/weight", {"weight_kg": weight_kg, "notes": "whole"})
        self.ledger.add_new("weight", (weight_kg, "whole"), response, lambda response: response.json)
        return response

    def activate_plan(self):
        plan_id = self.dice.choice(self.plans)
        response = self.caller.api("POST", f"/plans/{plan_id}/activate")
        self.ledger.add(("active plan", ""), plan_id, response)
        return response


class Crowd(Clients):
    """Two concurrent writers for each person; they write until the `with` block ends."""

    def __init__(self, service, people, caller_class=Caller):
        self.people = people
        self.responses = []
        self.writers = []
        for person in people:
            plans = [make_plan(Caller(service, person), name) for name in "ABC"]
            for number in (len(self.writers), len(self.writers) + 1):
                caller = caller_class(service, person)
                self.writers.append(Writer(caller, number, plans if number % 2 == 0 else []))
        super().__init__(self.writers)

    def request(self, writer):
        response = writer.write()
        self.responses.append(response)
        if not response.succeeded:
            self.stop.wait(0.05)

    @property
    def acknowledged(self):
        return sum(writer.ledger.acknowledged for writer in self.writers)

    def statuses(self):
        return Counter(response.status for response in self.responses)

    def discrepancies(self, service):
        """Compares what is stored with what was acknowledged. Returns (lost, partial)."""
        lost, partial = [], []
        for person in self.people:
            ledgers = [writer.ledger for writer in self.writers if writer.person is person]
            stored = Stored(Caller(service, person))
            for ledger in ledgers:
                lost += [
                    (name, item, stored.states.get(name))
                    for name, item in ledger.states.items()
                    if not item.allows(stored.states.get(name))
                ]
            partial += stored.partial(set().union(*(ledger.titles for ledger in ledgers)))
        return lost, partial


def make_plan(caller, name):
    days = [{"weekday": day, "label": "Rest", "rest": True} for day in range(1, 8)]
    return caller.api("POST", "/plans", {"name": name, "days": days}).json["id"]


class Stored:
    """Everything that the API returns for one account of what writers write."""

    def __init__(self, caller):
        self.caller = caller
        self.workouts = self.caller.items("/workouts", "workouts")
        self.nutrition = self.caller.items("/nutrition", "nutrition")
        active = [plan["id"] for plan in self.caller.items("/plans", "plans") if plan["active"]]
        self.states = {("workout", workout["id"]): workout["title"] for workout in self.workouts}
        self.states |= {("nutrition", day["day"]): day["calories"] for day in self.nutrition}
        ticks = self.caller.items("/supplements/logs", "logs")
        self.states |= {("tick", tick["day"]): True for tick in ticks}
        self.states |= {
            ("weight", log["id"]): (log["weight_kg"], log["notes"])
            for log in self.caller.items("/body/weight", "weight")
        }
        self.states[("active plan", "")] = active[0] if active else None
        self.active_plans = len(active)

    def partial(self, titles):
        """Items that are stored in part or twice, and statistics that disagree with the items."""
        times = Counter(workout["title"] for workout in self.workouts)
        yield from (f"{title} is stored {count} times" for title, count in times.items() if count > 1)
        yield from (day for day in self.nutrition if len({day[name] for name in MACROS}) > 1)
        yield from (one for one in self.workouts if one["title"] not in titles or not is_whole(one))
        if self.active_plans > 1:
            yield f"{self.active_plans} active plans"
        for exercise_id in EXERCISES:
            history = {
                session["workout_id"]: session["sets"]
                for session in self.caller.items(f"/exercises/{exercise_id}/history", "sessions")
            }
            if history != self.sessions(exercise_id):
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
    exercises = [
        {
            "exercise_id": entry["exercise_id"],
            "sets": [{name: one[name] for name in ("weight_kg", "reps")} for one in entry["sets"]],
        }
        for entry in workout["exercises"]
    ]
    volume_kg = sum(one["weight_kg"] * one["reps"] for entry in sent["exercises"] for one in entry["sets"])
    return exercises == sent["exercises"] and workout["volume_kg"] == volume_kg
