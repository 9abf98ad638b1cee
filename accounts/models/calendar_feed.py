"""The secret address at which calendar programs read an account's calendar (fitness/site/calendar.py)."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from accounts import keys


class AlreadyMade(Exception):
    """The account has a calendar address. Of it nothing is known that could be shown again."""


class CalendarFeedQuerySet(models.QuerySet["CalendarFeed"]):
    def look_up(self, token: str) -> "CalendarFeed | None":
        """The feed with the token of an address, with its account; None where the account rests."""
        if not keys.is_well_formed(token, keys.CALENDAR_PREFIX):
            return None
        works = self.filter(account__is_active=True, account__deleted_at=None)
        return works.select_related("account").filter(digest=keys.digest(token)).first()


class CalendarFeed(models.Model):
    """That an account has a calendar address. Of the token in it only the hash is stored.

    It is found by the token alone, as tokens of OAuth are: a cluster has these on the coordinator.
    """

    account = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="calendar_feed"
    )
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects = CalendarFeedQuerySet.as_manager()

    def __str__(self) -> str:
        return f"calendar since {self.created_at:%Y-%m-%d}"
