"""Model factories: they fill in the fields that are irrelevant to a test."""

import factory
from django.contrib.auth.hashers import make_password
from django.utils import timezone

from accounts.models import Account

PASSWORD = "correct horse"


class AccountFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Account

    email = factory.Sequence(lambda number: f"lifter{number}@example.org")
    display_name = factory.Sequence(lambda number: f"Lifter {number}")
    email_confirmed_at = factory.LazyFunction(timezone.now)
    password = factory.LazyFunction(lambda: make_password(PASSWORD))
