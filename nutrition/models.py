from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models, transaction
from django.utils import timezone
from uuid_utils.compat import uuid7

from fitness.api.pagination import Keyset
from fitness.api.windows import days

LIMITS = {"calories": 100_000, "protein_g": 10_000, "carbs_g": 10_000, "fat_g": 10_000}


def amount_field(name):
    return models.FloatField(validators=[MinValueValidator(0), MaxValueValidator(LIMITS[name])])


class Macros(models.Model):
    """Energy in kcal and macronutrients in grams."""

    calories = amount_field("calories")
    protein_g = amount_field("protein_g")
    carbs_g = amount_field("carbs_g")
    fat_g = amount_field("fat_g")

    class Meta:
        abstract = True

    @property
    def macros(self):
        return {name: getattr(self, name) for name in LIMITS}


class NutritionDayQuerySet(models.QuerySet):
    newest_first = Keyset("nutrition", "day")

    def between(self, since=None, until=None):
        """Days from `since` to `until`, both inclusive."""
        return days(self, "day", since, until)

    def log(self, account, day, totals):
        """Sets the totals of a day and keeps its ticks. Returns (the record, whether it is new)."""
        with transaction.atomic():
            account.lock()
            totals = {**totals, "logged_at": timezone.now()}
            return self.update_or_create(account=account, day=day, defaults=totals)


class NutritionDay(Macros):
    """What an account ate on one day, in total."""

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="nutrition_days", db_index=False
    )
    day = models.DateField()
    logged_at = models.DateTimeField()

    objects = NutritionDayQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "day"], name="one_nutrition_day")]

    def __str__(self):
        return str(self.day)

    def remove(self):
        """Deletes the day with its ticks. The stamp keeps a concurrent tick from being left behind.

        Raises DoesNotExist if it is gone.
        """
        with transaction.atomic():
            self.account.lock()
            deleted, _ = self.delete()
            if not deleted:
                raise NutritionDay.DoesNotExist()

    def add(self, macros, sign=1):
        """Adds macros to the stored totals, or with a sign of -1 takes them off again.

        A total stays within its limits: a tick may have been followed by smaller totals. Six
        decimals are kept, so that a meal that comes and goes leaves no rounding error behind.
        """
        for name, amount in macros.items():
            total = round(getattr(self, name) + sign * amount, 6)
            setattr(self, name, min(max(total, 0.0), LIMITS[name]))
        self.logged_at = timezone.now()
        self.save()


class Meal(Macros):
    """A meal that is eaten often: ticked for a day in the app, it adds to the day's totals."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="meals")
    name = models.CharField(max_length=200)

    def __str__(self):
        return self.name

    def tick(self, day):
        """Adds the meal to a day's totals, unless it is there already. Returns its tick."""
        with transaction.atomic():
            self.account.lock()
            nothing = {**dict.fromkeys(LIMITS, 0.0), "logged_at": timezone.now()}
            nutrition_day, _ = self.account.nutrition_days.get_or_create(day=day, defaults=nothing)
            tick, created = self.ticks.get_or_create(nutrition_day=nutrition_day, defaults=self.macros)
            if created:
                nutrition_day.add(tick.macros)
        return tick

    def untick(self, day):
        """Takes off a day's totals what its tick had added; without a tick it changes nothing."""
        with transaction.atomic():
            self.account.lock()
            tick = self.ticks.select_related("nutrition_day").filter(nutrition_day__day=day).first()
            if tick:
                tick.nutrition_day.add(tick.macros, sign=-1)
                tick.delete()


class MealTick(Macros):
    """A meal eaten on a day, with the macros that it added: the meal may change later.

    Deleting a meal deletes its ticks and leaves the totals of past days as they are.
    """

    nutrition_day = models.ForeignKey(
        NutritionDay, on_delete=models.CASCADE, related_name="ticks", db_index=False
    )
    meal = models.ForeignKey(Meal, on_delete=models.CASCADE, related_name="ticks")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["nutrition_day", "meal"], name="one_meal_tick")]

    def __str__(self):
        return f"{self.meal} on {self.nutrition_day}"
