"""What a sequence of changes makes of days of nutrition, in plain Python, and the same sequence in the app.

The rules, by which `Diary` is written and not by the code:

1. Setting totals replaces them. What was logged before stays listed, as included, and the day is complete.
2. What is logged later adds what is known of it; what is taken off subtracts it. A total stays between 0 and
   the most that a PUT may set.
3. A meal is ticked once a day. A day that is deleted takes all that was logged for it along.
4. What was logged keeps its amounts when its food changes, and its name when its food is deleted.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from uuid import UUID

from accounts.models import Account
from nutrition.models import MAX_MACROS, Food, FoodEntry, NutritionDay

Amounts = dict[str, Decimal | None]
MEALS = FoodEntry.Meal.values
PORTIONS = ("1", "4", "8", "80", "250")  # by which tenths of tenths have six decimals at most


@dataclass
class Eaten:
    amounts: Amounts
    food: UUID | None = None
    name: str = ""
    meal: str = ""
    is_tick: bool = False
    is_included: bool = False


@dataclass
class Day:
    totals: dict[str, Decimal] = field(default_factory=lambda: dict.fromkeys(MAX_MACROS, Decimal(0)))
    eaten: dict[int, Eaten] = field(default_factory=dict)  # by the ids that the app gives
    is_complete: bool = False

    def add(self, amounts: Amounts, sign: int = 1) -> None:
        for name, most in MAX_MACROS.items():
            total = self.totals[name] + sign * (amounts[name] or 0)
            self.totals[name] = min(max(total, Decimal(0)), Decimal(most))


@dataclass
class Portion:
    name: str
    amounts: Amounts
    portion: Decimal

    def of(self, amount: Decimal) -> Amounts:
        return {
            name: value if value is None else min(value * amount / self.portion, Decimal(MAX_MACROS[name]))
            for name, value in self.amounts.items()
        }


@dataclass
class Diary:
    """The days of an account and its foods, as the rules have them."""

    days: dict[date, Day] = field(default_factory=dict)
    foods: dict[UUID, Portion] = field(default_factory=dict)

    def put(self, day: date, totals: dict[str, Decimal]) -> None:
        here = self.days.setdefault(day, Day())
        here.totals, here.is_complete = dict(totals), True
        for one in here.eaten.values():
            one.is_included = True

    def log(self, day: date, *eaten: tuple[int, Eaten]) -> None:
        here = self.days.setdefault(day, Day())
        for pk, one in eaten:
            here.eaten[pk] = one
            here.add(one.amounts)

    def day_of(self, pk: int) -> Day:
        return next(day for day in self.days.values() if pk in day.eaten)

    def remove(self, pk: int) -> None:
        day = self.day_of(pk)
        day.add(day.eaten.pop(pk).amounts, -1)

    def edit(self, pk: int, amounts: Amounts) -> None:
        day = self.day_of(pk)
        before, day.eaten[pk].amounts = day.eaten[pk].amounts, dict(amounts)
        day.add({name: (amounts[name] or Decimal(0)) - (before[name] or 0) for name in MAX_MACROS})

    def tick_of(self, food: UUID, day: date) -> int | None:
        eaten = self.days[day].eaten if day in self.days else {}
        return next((pk for pk, one in eaten.items() if one.is_tick and one.food == food), None)

    def copied(self, source: date, most: int, day: date) -> list[Eaten]:
        eaten = sorted(self.days[source].eaten.items()) if source in self.days else []
        return [
            replace(one, is_included=False)
            for _, one in eaten[:most]
            if not (one.is_tick and one.food and self.tick_of(one.food, day))
        ]

    def forget(self, food: UUID) -> None:
        gone = self.foods.pop(food)
        for day in self.days.values():
            for one in day.eaten.values():
                if one.food == food:
                    one.food, one.name, one.is_tick = None, gone.name, False

    def state(self, since: date = date.min) -> dict[date, object]:
        return {
            day: (
                {name: float(total) for name, total in here.totals.items()},
                here.is_complete,
                [
                    (pk, one.food, one.name, one.meal, floats(one.amounts), one.is_tick, one.is_included)
                    for pk, one in sorted(here.eaten.items())
                ],
            )
            for day, here in sorted(self.days.items())
            if day >= since
        }


def floats(amounts: Amounts) -> dict[str, float | None]:
    return {name: None if value is None else float(value) for name, value in amounts.items()}


def stored(account: Account, since: date = date.min) -> dict[date, object]:
    """The same of the app."""
    days = account.nutrition_days.filter(day__gte=since).order_by("day")
    eaten: dict[date, list[object]] = {day.day: [] for day in days}
    entries = account.food_entries.filter(nutrition_day__day__gte=since)
    for one in entries.select_related("nutrition_day").order_by("id"):
        row = (one.pk, one.food_id, one.name, one.meal, one.macros, one.is_tick, one.is_included)
        eaten[one.day].append(row)
    return {day.day: (day.macros, day.is_complete, eaten[day.day]) for day in days}


Change = Callable[[Diary], None]  # what was done, for the diary, which learns the ids of new entries


class Person:
    """Does something at random in the app, and says what the diary has to do for it.

    `put` and `delete` are those of the API where they are given.
    """

    def __init__(self, account: Account, dice: random.Random, monday: date) -> None:
        self.account, self.dice = account, dice
        self.days = [monday + timedelta(days=number) for number in range(7)]
        self.foods: list[UUID] = []

    def tenths(self, most: int) -> Decimal:
        return Decimal(self.dice.randrange(10 * most)) / 10

    def amounts(self) -> Amounts:
        """Some of them unknown, and now and then so much that a total reaches its limit."""
        most = self.dice.choice((1, 100, 100, 900, 9_000))
        amounts: Amounts = {"calories": self.tenths(most)}
        for name in ("protein_g", "carbs_g", "fat_g"):
            amounts[name] = self.tenths(most) if self.dice.random() < 0.6 else None
        return amounts

    def day(self) -> date:
        """Two days of the week are busy, so that much happens to them."""
        return self.dice.choice(self.days + self.days[:2] * 4)

    def new_food(self) -> Change:
        amounts, portion = self.amounts(), Decimal(self.dice.choice(PORTIONS))
        name = f"Food {self.dice.random()}"
        food = self.account.foods.create(name=name, portion=float(portion), **floats(amounts))
        self.foods.append(food.pk)

        def change(diary: Diary) -> None:
            diary.foods[food.pk] = Portion(name, amounts, portion)

        return change

    def food(self) -> Food:
        return self.account.foods.get(pk=self.dice.choice(self.foods))

    def entry(self) -> FoodEntry | None:
        entries = list(self.account.food_entries.filter(nutrition_day__day__gte=self.days[0]))
        return self.dice.choice(entries) if entries else None

    def put(self) -> Change:
        day, most = self.day(), self.dice.choice((50, 3_000))
        totals = {name: self.tenths(most) for name in MAX_MACROS}
        self.set_totals(day, {name: float(total) for name, total in totals.items()})
        return lambda diary: diary.put(day, totals)

    def set_totals(self, day: date, totals: dict[str, float]) -> None:
        NutritionDay.objects.log(self.account, day, totals)

    def eat(self) -> Change:
        day, food, meal = self.day(), self.food(), self.dice.choice(MEALS)
        amount = self.dice.choice((None, self.tenths(300) + 1))
        entry = food.eat(day, None if amount is None else float(amount), meal)

        def change(diary: Diary) -> None:
            known = diary.foods[food.pk]
            diary.log(day, (entry.pk, Eaten(known.of(amount or known.portion), food.pk, meal=meal, name="")))

        return change

    def add_quickly(self) -> Change:
        day, amounts, meal = self.day(), self.amounts(), self.dice.choice(MEALS)
        name = self.dice.choice(("", "Lunch at work"))
        new = FoodEntry(meal=meal, name=name, **floats(amounts))
        [entry] = FoodEntry.objects.add(self.account, day, [new])
        return lambda diary: diary.log(day, (entry.pk, Eaten(amounts, name=name, meal=meal)))

    def tick(self) -> Change:
        day, food = self.day(), self.food()
        tick = food.tick(day)

        def change(diary: Diary) -> None:
            if diary.tick_of(food.pk, day) is None:
                diary.log(day, (tick.pk, Eaten(diary.foods[food.pk].amounts, food.pk, is_tick=True)))

        return change

    def untick(self) -> Change:
        day, food = self.day(), self.food()
        food.untick(day)

        def change(diary: Diary) -> None:
            if (tick := diary.tick_of(food.pk, day)) is not None:
                diary.remove(tick)

        return change

    def remove(self) -> Change | None:
        if (entry := self.entry()) is None:
            return None
        entry.remove()
        return lambda diary: diary.remove(entry.pk)

    def edit(self) -> Change | None:
        if (entry := self.entry()) is None:
            return None
        amounts = self.amounts()
        entry.edit(floats(amounts))
        return lambda diary: diary.edit(entry.pk, amounts)

    def copy(self) -> Change:
        source, most, day = self.day(), self.dice.choice((1, 3)), self.day()
        entries = FoodEntry.objects.copy(self.account, self.account.food_entries.of_day(source)[:most], day)

        def change(diary: Diary) -> None:
            if copied := diary.copied(source, most, day):
                diary.log(day, *zip([entry.pk for entry in entries], copied, strict=True))

        return change

    def change_food(self) -> Change:
        food, amounts = self.food(), self.amounts()
        self.account.foods.filter(pk=food.pk).update(**floats(amounts))

        def change(diary: Diary) -> None:
            diary.foods[food.pk].amounts = amounts

        return change

    def forget_food(self) -> Change | None:
        if len(self.foods) < 2:
            return None
        food = self.food()
        food.delete()
        self.foods.remove(food.pk)
        return lambda diary: diary.forget(food.pk)

    def delete_day(self) -> Change | None:
        day = self.day()
        if not self.account.nutrition_days.filter(day=day).exists():
            return None
        self.clear(day)
        return lambda diary: diary.days.__delitem__(day)

    def clear(self, day: date) -> None:
        self.account.nutrition_days.get(day=day).remove()
