import re

import pytest
from django.test import Client

from accounts.models import Account

KEY = re.compile(r"svc_[A-Za-z0-9]{40}")


@pytest.fixture
def page(account):
    """The account's browser, signed in."""
    client = Client()
    client.force_login(account)
    return client


@pytest.fixture
def admin_page(db):
    client = Client()
    client.force_login(Account.objects.create_superuser("root@example.org", "correct horse"))
    return client
