"""Ten weeks of three methods through REST, the tool log_workout and Train: the same steps three times."""

import copy
import datetime
from collections import Counter
from itertools import chain

import pytest
from django.utils import timezone

from fitness.web.units import to_unit
from tests.conftest import a_workout, client_of, freshly_signed_in
from tests.factories import AccountFactory
from tests.mcp_endpoint.conftest import ToolClient
from tests.training.plans.courses import COURSES
from tests.training.test_drafts import finish, read, start
from tests.training.test_plan_progression import Coach
from tests.training.test_plans import an_exercise
from training.models.draft import moment

FIRST_DAY = datetime.datetime(2026, 11, 23, 17, 30, tzinfo=datetime.UTC)  # a Monday
SESSION = datetime.timedelta(minutes=40)


class Player:
    """Somebody who follows a course on Mondays; subclasses say how they log it."""

    def __init__(self, course):
        self.course = course
        self.account = AccountFactory.create(units=course.unit)
        self.coach = Coach(client_of(self.account))
        target, entries = course.target, range(len(course.rules))
        entry = an_exercise(
            course.exercise_id, sets=target.sets, reps=target.reps, weight_kg=target.weight_kg
        )
        self.coach.plan(monday=[entry for _ in entries])
        place = {"weekday": 1, "exercise_id": course.exercise_id}
        rules = ({**place, "position": position, **course.rules[position]} for position in entries)
        self.coach.rules(*rules, **course.deload)

    @property
    def plan_id(self):
        return self.coach.path.rpartition("/")[2]

    def workout(self, exercises):
        """A workout of now; `exercises` have the sets of each."""
        started_at = timezone.now().isoformat()
        entries = [{"exercise_id": self.course.exercise_id, "sets": sets} for sets in exercises]
        return a_workout(started_at=started_at, exercises=entries, plan_id=self.plan_id)

    def log(self, week, time_machine):
        raise NotImplementedError

    @property
    def targets(self):
        """What each entry of the plan asks: ["1×5 65", "1×5 75"]."""
        return [
            f"{one['sets']}×{one['reps']} {to_unit(one['weight_kg'], self.course.unit):g}"
            for one in self.coach.stored["days"][0]["exercises"]
        ]

    @property
    def steps(self):
        """The steps as REST lists them, oldest first, without their ids."""
        return [
            {name: value for name, value in step.items() if name not in ("id", "workout_id")}
            for step in reversed(self.coach.steps)
        ]

    @property
    def shown_steps(self):
        """The steps as a course has them."""
        targets = ("before", "after")
        return [
            (one["kind"], *(shown(one[name], self.course.unit) for name in targets)) for one in self.steps
        ]


class OverRest(Player):
    """With all sets of the lift in one exercise."""

    def log(self, week, time_machine):
        self.coach.log(self.workout([list(chain.from_iterable(self.course.sets(week)))]))


class ByTool(Player):
    """With an exercise for each entry."""

    def log(self, week, time_machine):
        tools = ToolClient(self.coach.api.key)
        tools.get("log_workout", **self.workout(self.course.sets(week)))


class InTrain(Player):
    """Begun from the day of the plan, with its numbers changed to what was lifted, and finished."""

    def log(self, week, time_machine):
        page = freshly_signed_in(self.account)
        start(page, plan=self.plan_id, day="1")
        document = read(page)["draft"]["document"]
        if week.kind:  # deload weeks begin with less
            numbers = [line for entry in document["exercises"] for line in self.numbers(entry["sets"])]
            assert numbers == without_plus(week.asked)
        time_machine.move_to(timezone.now() + SESSION, tick=False)
        done = self.done(document, self.course.sets(week))
        assert finish(page, done, seconds=2400).status_code == 200

    def numbers(self, sets):
        """The sets to begin with as targets, those that are equal as one."""
        lines = Counter((one["weight_kg"], one["reps"]) for one in sets)
        return [
            f"{count}×{reps} {to_unit(weight_kg, self.course.unit):g}"
            for (weight_kg, reps), count in lines.items()
        ]

    def done(self, document, exercises):
        at = {"done_at": moment(timezone.now()), "changed_at": moment(timezone.now())}
        document = copy.deepcopy(document)
        sets = (one for entry in document["exercises"] for one in entry["sets"])
        for one, lifted in zip(sets, chain.from_iterable(exercises), strict=True):
            one |= {"weight_kg": lifted["weight_kg"], "reps": lifted["reps"], **at}
        return document


def shown(target, unit):
    plus = "+" * target["open"]
    return f"{target['sets']}×{target['reps']}{plus} {to_unit(target['weight_kg'], unit):g}"


def without_plus(asked):
    """What the entries ask, without the plus of an open set, for which plans have no field."""
    return asked.replace("+", "").split(", ")


@pytest.fixture
def play(time_machine):
    """Plays a course in one way; returns the steps of it."""

    def play(way, course):
        time_machine.move_to(FIRST_DAY, tick=False)
        player = way(course)
        for number, week in enumerate(course.weeks):
            time_machine.move_to(FIRST_DAY + datetime.timedelta(weeks=number), tick=False)
            assert player.targets == without_plus(week.asked), way
            player.log(week, time_machine)
        assert player.targets == without_plus(course.then), way
        assert player.shown_steps == course.steps, way
        return player.steps

    return play


@pytest.mark.parametrize("course", COURSES.values(), ids=COURSES)
def test_ten_weeks_make_the_same_steps_in_each_way(db, play, course):
    over_rest, *others = [play(way, course) for way in (OverRest, ByTool, InTrain)]
    assert others == [over_rest, over_rest]
