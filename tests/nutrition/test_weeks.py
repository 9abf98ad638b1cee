"""Random weeks of food end as the plain rules of weeks.py say, also where two write at once."""

import json
import random
from datetime import date, timedelta

import pytest
from django.conf import settings

from fitness.api import rate_limits
from nutrition.models import MAX_ENTRIES, FoodEntry, TooMany
from tests.nutrition.weeks import Diary, Person, stored
from tests.pages import items_of
from tests.server import Server, own_database

WEEKS, CHANGES = 50, 16  # of a part
PARTS = 10 if settings.SQLITE else 2  # the arithmetic is the same, and a server takes three times as long
MONDAY = date(2001, 1, 1)


class Caller(Person):
    """Sets totals and deletes days over the API."""

    def __init__(self, api, *arguments):
        super().__init__(*arguments)
        self.api = api

    def set_totals(self, day, totals):
        assert self.api.put(f"/nutrition/{day}", totals).status_code in (200, 201)

    def clear(self, day):
        assert self.api.delete(f"/nutrition/{day}").status_code == 204


def acts_of(person):
    often = (person.put, person.eat, person.add_quickly, person.tick, person.remove, person.copy)
    others = (person.untick, person.edit, person.change_food, person.forget_food, person.delete_day)
    return (*often, *often, *others, person.new_food)


@pytest.mark.parametrize("part", range(PARTS))
def test_random_weeks_end_as_the_rules_say(api, account, part, monkeypatch):
    monkeypatch.setattr(rate_limits, "LIMITS", {"key": "10000/m", "address": "10000/m"})
    dice, diary = random.Random(part), Diary()
    for number in range(WEEKS):
        person = Caller(api, account, dice, MONDAY + timedelta(weeks=number))
        acts = [person.new_food, *dice.choices(acts_of(person), k=CHANGES)]
        for act in acts:
            if change := act():
                change(diary)
        since = person.days[0]
        assert stored(account, since) == diary.state(since), [act.__name__ for act in acts]
    assert stored(account) == diary.state()
    answered = {one["day"]: one["calories"] for one in items_of(api, "/nutrition", "nutrition")}
    assert answered == {str(day): float(here.totals["calories"]) for day, here in diary.days.items()}


def test_a_day_takes_a_hundred_entries_and_no_part_of_more(account):
    new = [FoodEntry(calories=1) for _ in range(MAX_ENTRIES - 1)]
    FoodEntry.objects.add(account, MONDAY, new)
    oats, rice = (account.foods.create(name=name, calories=1) for name in ("Oats", "Rice"))
    with pytest.raises(TooMany):
        FoodEntry.objects.add(account, MONDAY, [FoodEntry(calories=1), FoodEntry(calories=1)])
    oats.tick(MONDAY)
    with pytest.raises(TooMany):
        rice.tick(MONDAY)
    assert oats.tick(MONDAY).is_tick  # no further one
    assert account.nutrition_days.get().calories == account.food_entries.count() == MAX_ENTRIES


# Two threads, each with a connection. Who gets the account's lock first comes first, also in the diary.
AT_ONCE = """
import json
import random
import threading
from datetime import date
from django.core.exceptions import ObjectDoesNotExist
from django.db import connection
from accounts.models import Account
from nutrition.models import NutritionDay, TooMany
from tests.nutrition.weeks import Diary, Person, stored

account = Account.objects.create_user("lifter@example.org", "correct horse")
lock, order, doing = Account.lock, [], threading.local()

def noted(self):
    lock(self)
    if getattr(doing, "number", None) not in (None, *order[-1:]):
        order.append(doing.number)

Account.lock = noted
first = Person(account, random.Random(1), date(2001, 1, 1))
diary, changes = Diary(), {}
for _ in range(3):
    first.new_food()(diary)
account.foods.update(is_meal=True)

def live(thread):
    person = Person(Account.objects.get(pk=account.pk), random.Random(thread), date(2001, 1, 1))
    person.foods, person.days = first.foods, first.days[:2]
    acts = [person.put, person.eat, person.add_quickly, person.remove, person.edit, person.delete_day]
    acts += [person.tick, person.untick] * 2
    for number in range({rounds}):
        doing.number = (thread, number)
        try:
            changes[doing.number] = person.dice.choice(acts)()
        except (ObjectDoesNotExist, TooMany):  # the other one was first
            changes[doing.number] = None
    connection.close()

threads = [threading.Thread(target=live, args=[number]) for number in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for number in dict.fromkeys(order):
    if change := changes[number]:
        change(diary)
alternations = sum(one[0] != other[0] for one, other in zip(order, order[1:]))
print(json.dumps([str(stored(account)), str(diary.state()), len(changes), alternations]))
"""


def test_what_two_write_at_once_ends_as_one_after_the_other(tmp_path, prepared):
    with own_database(tmp_path, prepared) as database:
        server = Server(tmp_path, database)
        if not prepared:
            server.manage("prepare")
        script = AT_ONCE.replace("{rounds}", "150")
        printed = server.manage("shell", "--no-imports", "-c", script).stdout
    found, expected, changes, alternations = json.loads(printed.splitlines()[-1])
    assert found == expected
    assert changes == 300
    assert alternations > 10  # they were at once indeed
