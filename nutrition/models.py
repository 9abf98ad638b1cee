import datetime
from collections.abc import Iterable, Sequence
from typing import Any, Self

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from uuid_utils.compat import uuid7

from accounts.models import Account
from fitness.db.keysets import Keyset
from fitness.db.owned import Owned, OwnedForeignKey
from fitness.db.windows import days

# Of a meal and of a day: energy in kcal, the others in grams.
MAX_MACROS = {"calories": 100_000, "protein_g": 10_000, "carbs_g": 10_000, "fat_g": 10_000}
MAX_FOODS = 500  # of an account: one page shows all of them
MAX_ENTRIES = 100  # of a day
MAX_RATE = 2.0  # kg a week
MAX_PORTION, MAX_AMOUNT = 10_000, 100_000  # of a food and of an entry, in the food's unit
DECIMALS = 6  # of totals
Amounts = dict[str, float]  # by the names of MAX_MACROS, in the same units
KnownAmounts = dict[str, float | None]  # None where it is not known


def amount_field(name: str, **options: Any) -> "models.FloatField[Any, Any]":
    return models.FloatField(
        validators=[MinValueValidator(0), MaxValueValidator(MAX_MACROS[name])], **options
    )


class Macros(models.Model):
    """Energy in kcal and macronutrients in grams."""

    calories = amount_field("calories")
    protein_g = amount_field("protein_g")
    carbs_g = amount_field("carbs_g")
    fat_g = amount_field("fat_g")

    class Meta:
        abstract = True

    @property
    def macros(self) -> Amounts:
        return {name: getattr(self, name) for name in MAX_MACROS}


class KnownMacros(models.Model):
    """Energy in kcal, and those macronutrients in grams that are known: what is not known is not zero."""

    calories = amount_field("calories")
    protein_g = amount_field("protein_g", null=True)
    carbs_g = amount_field("carbs_g", null=True)
    fat_g = amount_field("fat_g", null=True)

    class Meta:
        abstract = True

    @property
    def macros(self) -> KnownAmounts:
        return {name: getattr(self, name) for name in MAX_MACROS}

    def times(self, share: float) -> KnownAmounts:
        return {
            name: value if value is None else min(round(share * value, DECIMALS), MAX_MACROS[name])
            for name, value in self.macros.items()
        }


class NutritionDayQuerySet(models.QuerySet["NutritionDay"]):
    newest_first = Keyset("nutrition", "day")

    def between(self, since: datetime.date | None = None, until: datetime.date | None = None) -> Self:
        """Days from `since` to `until`, both inclusive."""
        return days(self, "day", since, until)

    def log(self, account: Account, day: datetime.date, totals: Amounts) -> tuple["NutritionDay", bool]:
        """Sets the totals of a day. Its entries stay, as parts of these totals, and the day is complete.

        Returns (the nutrition day, whether it is new). Raises Account.DoesNotExist if the account was deleted
        in the meantime.
        """
        with transaction.atomic():
            account.lock()
            values = {**totals, "logged_at": timezone.now(), "is_complete": True}
            nutrition_day, created = self.update_or_create(account=account, day=day, defaults=values)
            if not created:
                account.food_entries.filter(nutrition_day=nutrition_day).update(is_included=True)
        return nutrition_day, created


class NutritionDay(Macros, Owned):
    """What a person ate on one day, in total."""

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="nutrition_days", db_index=False
    )
    day = models.DateField()
    logged_at = models.DateTimeField()
    # Whether all that was eaten is in it: its totals were set as a whole, or its owner says so.
    is_complete = models.BooleanField(default=False)

    objects = NutritionDayQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "day"], name="one_nutrition_day")]

    def __str__(self) -> str:
        return str(self.day)

    def remove(self) -> None:
        """Deletes the day with its entries. The lock makes a concurrent one wait, so that none is left over.

        Raises DoesNotExist if the day was deleted in the meantime.
        """
        with transaction.atomic():
            self.account.lock()
            deleted, _ = self.delete()
            if not deleted:
                raise NutritionDay.DoesNotExist()

    def add(self, entries: "Iterable[KnownAmounts]", sign: int = 1) -> None:
        """Adds what is known of entries to the stored totals, or subtracts it with a `sign` of -1.

        A total stays between 0 and its maximum: after an entry, smaller totals may have been set, from which
        the entry cannot be subtracted. Totals are rounded, so that adding and removing an entry leaves no
        rounding error.
        """
        for amounts in entries:
            for name, amount in amounts.items():
                total = round(getattr(self, name) + sign * (amount or 0.0), DECIMALS)
                setattr(self, name, min(max(total, 0.0), MAX_MACROS[name]))
        self.logged_at = timezone.now()
        self.save(update_fields=[*MAX_MACROS, "logged_at"])


class Food(KnownMacros, Owned):
    """Something that a person eats, with what one portion of it holds.

    A meal is a food of which the app offers a tick a day (`is_meal`).
    """

    class Unit(models.TextChoices):
        PIECE = "piece", _("portion")
        GRAM = "g", _("g")
        MILLILITRE = "ml", _("ml")

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="foods")
    name = models.CharField(max_length=200)
    portion = models.FloatField(default=1.0)  # in its unit
    unit = models.CharField(max_length=5, choices=Unit, default=Unit.PIECE)
    is_meal = models.BooleanField(default=False)
    is_favorite = models.BooleanField(default=False)
    used_at = models.DateTimeField(null=True)  # when it was eaten last, as far as that was logged by its name

    def __str__(self) -> str:
        return self.name

    def of(self, amount: float) -> KnownAmounts:
        """What an amount in the food's unit holds; no more than a day may have."""
        return self.times(amount / self.portion)

    def eat(self, day: datetime.date, amount: float | None = None, meal: str = "") -> "FoodEntry":
        """Logs an amount in the food's unit for a day, a portion where none is given.

        Raises TooMany where the day has MAX_ENTRIES.
        """
        amount = self.portion if amount is None else amount
        return FoodEntry.objects.add(
            self.account,
            day,
            [FoodEntry(food=self, amount=amount, unit=self.unit, meal=meal, **self.of(amount))],
        )[0]

    def tick(self, day: datetime.date) -> "FoodEntry":
        """Logs a portion for a day, once a day. Returns the entry that is the day's tick."""
        with transaction.atomic():
            self.account.lock()
            if tick := self.ticks(day).first():
                return tick
            tick = FoodEntry(food=self, amount=self.portion, unit=self.unit, is_tick=True, **self.macros)
            return FoodEntry.objects.add(self.account, day, [tick])[0]

    def untick(self, day: datetime.date) -> None:
        """Takes back the tick of a day. No-op without one."""
        with transaction.atomic():
            self.account.lock()
            if tick := self.ticks(day).first():
                tick.remove()

    def ticks(self, day: datetime.date) -> "models.QuerySet[FoodEntry]":
        return self.account.food_entries.filter(food=self, nutrition_day__day=day, is_tick=True)

    def delete(self, using: str | None = None, keep_parents: bool = False) -> tuple[int, dict[str, int]]:
        """Deletes the food. What was eaten of it stays, by its name."""
        with transaction.atomic():
            self.account.lock()
            self.account.food_entries.filter(food=self).update(food=None, name=self.name, is_tick=False)
            return super().delete(using, keep_parents)


class TooMany(Exception):
    """A day has MAX_ENTRIES already."""


class FoodEntryQuerySet(models.QuerySet["FoodEntry"]):
    def of_day(self, day: datetime.date) -> Self:
        """The entries of a day with it and their foods, as they were logged."""
        return self.filter(nutrition_day__day=day).select_related("nutrition_day", "food").order_by("id")

    def add(self, account: Account, day: datetime.date, entries: "Sequence[FoodEntry]") -> "list[FoodEntry]":
        """Stores entries, and adds what they hold to the totals of their day, all or none.

        Raises TooMany, and Account.DoesNotExist if the account was deleted in the meantime.
        """
        with transaction.atomic():
            account.lock()
            empty = {**dict.fromkeys(MAX_MACROS, 0.0), "logged_at": timezone.now()}
            nutrition_day = account.nutrition_days.get_or_create(day=day, defaults=empty)[0]
            if account.food_entries.filter(nutrition_day=nutrition_day).count() + len(entries) > MAX_ENTRIES:
                raise TooMany()
            for entry in entries:
                entry.account, entry.nutrition_day = account, nutrition_day
            stored = self.bulk_create(entries)
            nutrition_day.add([entry.macros for entry in entries])
            foods = {entry.food_id for entry in entries} - {None}
            account.foods.filter(pk__in=foods).update(used_at=timezone.now())
        return stored

    def copy(self, account: Account, entries: "Iterable[FoodEntry]", day: datetime.date) -> "list[FoodEntry]":
        """Logs again what was eaten another day. A meal that is ticked for the day is left out.

        Raises as `add`.
        """
        with transaction.atomic():
            account.lock()
            ticked = set(
                self.of_day(day).filter(account=account, is_tick=True).values_list("food_id", flat=True)
            )
            copied = [entry.copied() for entry in entries if not (entry.is_tick and entry.food_id in ticked)]
            return self.add(account, day, copied) if copied else []


class FoodEntry(KnownMacros, Owned):
    """Something that was eaten on a day, with what it holds, as its food may change later."""

    class Meal(models.TextChoices):
        BREAKFAST = "breakfast", _("Breakfast")
        LUNCH = "lunch", _("Lunch")
        DINNER = "dinner", _("Dinner")
        SNACKS = "snacks", _("Snacks")
        OTHER = "", _("Other")

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="food_entries"
    )
    nutrition_day = OwnedForeignKey(NutritionDay, on_delete=models.CASCADE)
    food = OwnedForeignKey(Food, on_delete=models.SET_NULL, null=True)
    name = models.CharField(max_length=200, default="")  # of an entry that is of no food; it may have none
    meal = models.CharField(max_length=9, choices=Meal, default=Meal.OTHER)
    amount = models.FloatField(null=True)  # in `unit`; an entry that is of no food has none
    unit = models.CharField(max_length=5, choices=Food.Unit, default=Food.Unit.PIECE)
    is_tick = models.BooleanField(default=False)
    is_included = models.BooleanField(default=False)  # in totals that were set after it

    objects = FoodEntryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "food entries"

    def __str__(self) -> str:
        return self.food.name if self.food else self.name

    @property
    def day(self) -> datetime.date:
        return self.nutrition_day.day

    def copied(self) -> "FoodEntry":
        """The same for another day, which is not stored."""
        names = ("food_id", "name", "meal", "amount", "unit", "is_tick")
        return FoodEntry(**{name: getattr(self, name) for name in names}, **self.macros)

    def edit(self, values: dict[str, Any]) -> None:
        """Changes the entry, and the totals of its day by the difference.

        Raises DoesNotExist if it was deleted in the meantime.
        """
        with transaction.atomic():
            self.account.lock()
            entry = self.account.food_entries.select_related("nutrition_day").get(pk=self.pk)
            before = entry.macros
            for name, value in values.items():
                setattr(entry, name, value)
            entry.save()
            changes: KnownAmounts = {
                name: (value or 0.0) - (before[name] or 0.0) for name, value in entry.macros.items()
            }
            entry.nutrition_day.add([changes])

    def remove(self) -> None:
        """Deletes the entry, and subtracts what it holds from the totals of its day.

        Raises DoesNotExist if it was deleted in the meantime.
        """
        with transaction.atomic():
            self.account.lock()
            entry = self.account.food_entries.select_related("nutrition_day").get(pk=self.pk)
            entry.delete()
            entry.nutrition_day.add([entry.macros], sign=-1)


class NutritionTargetsQuerySet(models.QuerySet["NutritionTargets"]):
    def set_for(self, account: Account, targets: dict[str, float | None]) -> None:
        """Changes some of the targets, by the names of their fields. Without any there is no row.

        Raises Account.DoesNotExist if the account was deleted in the meantime.
        """
        with transaction.atomic():
            account.lock()
            stored = self.update_or_create(account=account, defaults=targets)[0]
            if all(getattr(stored, name) is None for name in (*MAX_MACROS, "kg_per_week")):
                stored.delete()


class NutritionTargets(Owned):
    """What a person wants to eat a day, each part of it or not at all: at most one row of an account."""

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="nutrition_targets", db_index=False
    )
    calories = models.FloatField(null=True)
    protein_g = models.FloatField(null=True)
    carbs_g = models.FloatField(null=True)
    fat_g = models.FloatField(null=True)
    kg_per_week = models.FloatField(null=True)  # by how much the body is to change, less than 0 to lose

    objects = NutritionTargetsQuerySet.as_manager()

    class Meta:
        verbose_name = verbose_name_plural = "nutrition targets"
        constraints = [models.UniqueConstraint(fields=["account"], name="one_row_of_nutrition_targets")]

    def __str__(self) -> str:
        return f"Targets of {self.account_id}"
