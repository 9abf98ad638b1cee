"""Ten weeks of a method on the page /train, on a phone: what is asked, what is lifted, and what follows.

It is the one with several entries of a lift, open sets, lighter weeks and pounds. All methods are played
through REST, the tool log_workout and Train's requests in tests/training/test_played_courses.py.
"""

import datetime
import re

from fitness.web.units import to_unit
from tests.screens.browser import expect, in_browser
from tests.screens.conftest import looks
from tests.screens.test_train import FINISHED, connections_stay_open, phones  # noqa: F401  # fixtures
from tests.screens.test_train_progression import picture
from tests.training.progression.courses import FIVE_THREE_ONE_OF_A_SQUAT_IN_POUNDS
from tests.training.test_played_courses import FIRST_DAY, Player, without_plus

pytestmark = [*in_browser, looks]


class OnAPhone(Player):
    """Starts the day of the plan, types what was lifted where it is not what is asked, and finishes."""

    phone = None
    before = ()  # the sets of each entry the last time

    def __init__(self, course):
        super().__init__(course)
        self.coach.api.post(f"{self.coach.path}/activate", {})

    def log(self, week, name):
        phone = self.phone
        phone.goto("/train/start")
        picture(phone, f"{name}-start")
        phone.get_by_role("button", name="Start").first.click()
        entries = self.course.sets(week)
        for number, (asked, lifted) in enumerate(zip(without_plus(week.asked), entries, strict=True)):
            if number:
                phone.get_by_role("button", name="Next:").click()
            shown = self.shown(len(lifted))
            assert shown == asked or not week.kind
            assert self.last_time == self.lifted_before(number, len(lifted))
            picture(phone, f"{name}-train-{number}")
            self.lift(lifted)
        phone.get_by_role("button", name="Finish").click()
        expect(phone.get_by_role("row", name=re.compile(r"\d+ \d"))).to_have_count(1)  # a row for the lift
        if week.kind:
            change = phone.get_by_role("region", name="Next time").get_by_role("listitem")
            expect(change).to_be_visible()
        picture(phone, f"{name}-finish")
        phone.get_by_role("button", name="Finish").click()
        phone.wait_for_url(FINISHED)
        picture(phone, f"{name}-finished")
        self.before = entries

    @property
    def last_time(self):
        """What the open card shows beside each set."""
        texts = self.phone.locator(".train-last").all_inner_texts()
        return [text.removeprefix("Last time").strip() for text in texts]

    def lifted_before(self, number, count):
        """The same of the table."""
        sets = self.before[number][:count] if self.before else []
        lifted = [f"{to_unit(one['weight_kg'], self.course.unit):g} × {one['reps']}" for one in sets]
        return lifted + ["no set" if self.before else "never"] * (count - len(sets))

    def fields(self, number):
        return [self.phone.get_by_label(f"{name}, set {number}", exact=True) for name in ("Weight", "Reps")]

    def shown(self, sets):
        """What the open card asks, as a target; its sets are equal."""
        expect(self.phone.get_by_label(f"Done, set {sets}", exact=True)).to_be_visible()
        expect(self.phone.get_by_label(f"Done, set {sets + 1}", exact=True)).to_have_count(0)
        ((weight, reps),) = {
            tuple(field.input_value() for field in self.fields(number)) for number in range(1, sets + 1)
        }
        return f"{sets}×{reps} {weight}"

    def lift(self, sets):
        for number, one in enumerate(sets, 1):
            lifted = (f"{to_unit(one['weight_kg'], self.course.unit):g}", str(one["reps"]))
            for field, value in zip(self.fields(number), lifted, strict=True):
                if field.input_value() != value:
                    field.fill(value)
            self.phone.get_by_label(f"Done, set {number}", exact=True).check()


def test_ten_weeks_in_a_browser_make_the_steps_of_the_table(phones, sign_in, time_machine):  # noqa: F811
    course = FIVE_THREE_ONE_OF_A_SQUAT_IN_POUNDS
    time_machine.move_to(FIRST_DAY)
    player = OnAPhone(course)
    player.phone = phones(player.account)
    for number, week in enumerate(course.weeks):
        time_machine.move_to(FIRST_DAY + datetime.timedelta(weeks=number))
        sign_in(player.account, player.phone)
        assert player.targets == without_plus(week.asked)
        player.log(week, f"week-{number}")
    assert player.targets == without_plus(course.then)
    assert player.shown_steps == course.steps
