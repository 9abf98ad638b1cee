import datetime
from typing import Self

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models, transaction
from django.utils import timezone
from uuid_utils.compat import uuid7

from accounts.models import Account
from fitness.db.keysets import Keyset
from fitness.db.owned import Owned, OwnedForeignKey
from fitness.db.windows import days

# Of a meal and of a day: energy in kcal, the others in grams.
MAX_MACROS = {"calories": 100_000, "protein_g": 10_000, "carbs_g": 10_000, "fat_g": 10_000}
MAX_MEALS = 100  # of an account: one page shows all of them
Amounts = dict[str, float]  # by the names of MAX_MACROS, in the same units


def amount_field(name: str) -> "models.FloatField[float, float]":
    return models.FloatField(validators=[MinValueValidator(0), MaxValueValidator(MAX_MACROS[name])])


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


class NutritionDayQuerySet(models.QuerySet["NutritionDay"]):
    newest_first = Keyset("nutrition", "day")

    def between(self, since: datetime.date | None = None, until: datetime.date | None = None) -> Self:
        """Days from `since` to `until`, both inclusive."""
        return days(self, "day", since, until)

    def log(self, account: Account, day: datetime.date, totals: Amounts) -> tuple["NutritionDay", bool]:
        """Sets the totals of a day, whose ticks stay. Returns (the nutrition day, whether it is new).

        Raises Account.DoesNotExist if the account was deleted in the meantime.
        """
        with transaction.atomic():
            account.lock()
            values = {**totals, "logged_at": timezone.now()}
            return self.update_or_create(account=account, day=day, defaults=values)


class NutritionDay(Macros, Owned):
    """What a person ate on one day, in total."""

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="nutrition_days", db_index=False
    )
    day = models.DateField()
    logged_at = models.DateTimeField()

    objects = NutritionDayQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "day"], name="one_nutrition_day")]

    def __str__(self) -> str:
        return str(self.day)

    def remove(self) -> None:
        """Deletes the day with its ticks. The lock makes a concurrent tick wait, so that none is left over.

        Raises DoesNotExist if the day was deleted in the meantime.
        """
        with transaction.atomic():
            self.account.lock()
            deleted, _ = self.delete()
            if not deleted:
                raise NutritionDay.DoesNotExist()

    def add(self, amounts: Amounts, sign: int = 1) -> None:
        """Adds amounts to the stored totals, or subtracts them with a `sign` of -1.

        A total stays between 0 and its maximum: after a tick, smaller totals may have been set, from which
        the tick cannot be subtracted. Totals are rounded to six decimals, so that ticking and unticking a
        meal leaves no rounding error.
        """
        for name, amount in amounts.items():
            total = round(getattr(self, name) + sign * amount, 6)
            setattr(self, name, min(max(total, 0.0), MAX_MACROS[name]))
        self.logged_at = timezone.now()
        self.save()


class Meal(Macros, Owned):
    """A meal that is eaten often. Ticking it for a day in the app adds it to the day's totals."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="meals")
    name = models.CharField(max_length=200)

    def __str__(self) -> str:
        return self.name

    def tick(self, day: datetime.date) -> "MealTick":
        """Adds the meal to the totals of a day, once a day. Returns the day's tick."""
        with transaction.atomic():
            self.account.lock()
            empty = {**dict.fromkeys(MAX_MACROS, 0.0), "logged_at": timezone.now()}
            nutrition_day, _ = self.account.nutrition_days.get_or_create(day=day, defaults=empty)
            tick, created = self.account.meal_ticks.get_or_create(
                nutrition_day=nutrition_day, meal=self, defaults=self.macros
            )
            if created:
                nutrition_day.add(tick.macros)
        return tick

    def untick(self, day: datetime.date) -> None:
        """Subtracts from the totals of a day what the tick of the meal added. No-op without a tick."""
        with transaction.atomic():
            self.account.lock()
            ticks = self.account.meal_ticks.filter(meal=self, nutrition_day__day=day)
            tick = ticks.select_related("nutrition_day").first()
            if tick:
                tick.nutrition_day.add(tick.macros, sign=-1)
                tick.delete()


class MealTick(Macros, Owned):
    """A meal that was eaten on a day, with the macros that it added then, as the meal may change later.

    Deleting a meal deletes its ticks. The totals of past days stay.
    """

    account = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="meal_ticks")
    nutrition_day = OwnedForeignKey(NutritionDay, on_delete=models.CASCADE, db_index=False)
    meal = OwnedForeignKey(Meal, on_delete=models.CASCADE)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["nutrition_day", "meal"], name="one_meal_tick")]

    def __str__(self) -> str:
        return f"{self.meal} on {self.nutrition_day}"

    @property
    def day(self) -> datetime.date:
        return self.nutrition_day.day


class NutritionTargetsQuerySet(models.QuerySet["NutritionTargets"]):
    def set_for(self, account: Account, targets: dict[str, float | None]) -> None:
        """Replaces the targets. Without any there is no row.

        Raises Account.DoesNotExist if the account was deleted in the meantime.
        """
        with transaction.atomic():
            account.lock()
            if any(target is not None for target in targets.values()):
                self.update_or_create(account=account, defaults=targets)
            else:
                self.filter(account=account).delete()


class NutritionTargets(Owned):
    """What a person wants to eat a day, each part of it or not at all: at most one row of an account."""

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="nutrition_targets", db_index=False
    )
    calories = models.FloatField(null=True)
    protein_g = models.FloatField(null=True)
    carbs_g = models.FloatField(null=True)
    fat_g = models.FloatField(null=True)

    objects = NutritionTargetsQuerySet.as_manager()

    class Meta:
        verbose_name = verbose_name_plural = "nutrition targets"
        constraints = [models.UniqueConstraint(fields=["account"], name="one_row_of_nutrition_targets")]

    def __str__(self) -> str:
        return f"Targets of {self.account_id}"
