from urllib.parse import parse_qsl, urlsplit

import pytest
from django import conf
from django.test import Client
from django.urls import reverse, set_urlconf

import fitness.urls  # noqa: F401  (before a test sets OIDC_ISSUER, which adds addresses to it)
from accounts.audit import AuditEvent
from accounts.models import ProviderTie
from tests.accounts.oidc import fake as fakes

ADDRESSES = "tests.accounts.oidc.urls"


@pytest.fixture
def provider(settings, its_addresses):
    """The household's provider, "Authentik", which the service is set up for."""
    with fakes.running() as fake:
        set_up(settings, fake)
        yield fake


@pytest.fixture
def its_addresses(monkeypatch):
    """Set past the fixture `settings`, with which Django reads all addresses anew before and after a test."""
    monkeypatch.setattr(conf.settings, "ROOT_URLCONF", ADDRESSES)
    set_urlconf(None)  # what the last request has left
    yield
    set_urlconf(None)


@pytest.fixture
def tied(account, provider):
    """The account, which the provider opens."""
    ProviderTie.objects.tie(account, provider.issuer, provider.person["sub"])
    return account


def set_up(settings, fake):
    settings.PUBLIC_URL = "http://localhost:8000"
    settings.OIDC_ISSUER = fake.issuer
    settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = fakes.CLIENT_ID, fakes.CLIENT_SECRET
    settings.OIDC_NAME = "Authentik"
    settings.OIDC_SIGN_UP = "invite"
    settings.SIGN_UP = "open"


class Visitor:
    """A browser on its way to the provider and back."""

    def __init__(self, fake, client=None):
        self.fake = fake
        self.client = client or Client()

    def begin(self, address=None, **query):
        """The address at the provider to which the browser is sent."""
        response = self.client.get(address or reverse("provider"), query)
        assert response.status_code == 302, response.content
        return response.headers["Location"]

    def come_back(self, **answer):
        return self.client.get(reverse("provider-return"), answer)

    def sign_in(self, address=None, **query):
        return self.come_back(**self.fake.let_in(self.begin(address, **query)))

    @property
    def account(self):
        """Who is signed in, or None."""
        user = self.client.get(reverse("docs")).context["user"]
        return user if user.is_authenticated else None


@pytest.fixture
def visitor(provider, db):
    return Visitor(provider)


@pytest.fixture
def events(db):
    """The audit trail, oldest first: (event, email, detail)."""
    return lambda: list(AuditEvent.objects.order_by("at", "id").values_list("event", "email", "detail"))


def query_of(address):
    return dict(parse_qsl(urlsplit(address).query))
