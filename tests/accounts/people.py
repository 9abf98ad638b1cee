"""What people type into the forms of pages."""

from django.test import Client
from django.urls import reverse

from tests.factories import PASSWORD

NEW_PASSWORD = "blue horse 77"
NEW = {"new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}
NEWCOMER = {"email": "new@example.org", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
SET_BY_STAFF = {"usable_password": "true", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
KEY_WISH = {"name": "phone", "scope": "read", "expires": "90d", "newest_key": 0}


def sign_in(client, password=PASSWORD, email="lifter@example.org", **more):
    return client.post(reverse("sign-in"), {"username": email, "password": password, **more})


def may_sign_in(email, password=PASSWORD):
    return sign_in(Client(), password, email).status_code == 302


def sign_up(client, address=None, **change):
    return client.post(address or reverse("sign-up"), {**NEWCOMER, **change})


def create_key(page, **wish):
    return page.post(reverse("developer"), {**KEY_WISH, **wish})
