import pytest
from django.conf import settings
from django.core.cache import caches
from django.test import Client
from django.urls import reverse

from accounts import factors
from accounts.factors.models import RecoveryCode
from fitness.api import rate_limits
from fitness.api.counters import CounterCache
from tests.conftest import ApiClient, client_of
from tests.factories import PASSWORD

HOME = {"REMOTE_ADDR": "203.0.113.7"}


@pytest.fixture(autouse=True)
def frozen(time_machine):
    time_machine.move_to("2026-03-02T10:00:00Z", tick=False)


@pytest.fixture
def limits(monkeypatch):
    monkeypatch.setattr(rate_limits, "LIMITS", {"key": "3/m", "address": "6/m"})


def statuses(client, times):
    return [client.get("/workouts/count").status_code for _ in range(times)]


def test_a_key_has_120_requests_a_minute(api):
    assert statuses(api, 121) == [200] * 120 + [429]


def test_an_address_has_300_requests_a_minute_whatever_the_key(nobody):
    assert statuses(nobody, 301) == [401] * 300 + [429]


def test_429_has_the_seconds_to_wait(api, limits):
    response = [api.get("/workouts") for _ in range(4)][-1]
    assert response.json()["error"]["code"] == "rate_limited"
    assert response["Retry-After"] == "60"


def test_each_key_counts_for_itself(account, api, limits):
    assert statuses(api, 4)[-1] == 429
    assert client_of(account).get("/workouts").status_code == 200


def test_rejected_requests_do_not_lengthen_the_wait(api, limits, time_machine):
    statuses(api, 4)
    waited = 0
    while api.get("/workouts").status_code == 429:
        time_machine.shift(5)
        waited += 5
    assert waited <= 60


def test_the_address_limit_comes_before_everything_else(api, limits, django_assert_num_queries):
    statuses(api, 6)
    with django_assert_num_queries(0):
        assert api.get("/nothing").status_code == 429


def test_a_response_has_the_requests_that_are_left(api, limits):
    response = api.get("/workouts")
    assert response["RateLimit-Policy"] == '"key";q=120;w=60, "address";q=300;w=60'
    assert '"key";r=2;t=' in response["RateLimit"]
    assert '"address";r=5;t=' in response["RateLimit"]


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, "198.51.100.1", "203.0.113.7"),
        (1, "198.51.100.1", "198.51.100.1"),
        (1, "6.6.6.6, 198.51.100.1", "198.51.100.1"),
        (2, "6.6.6.6, 198.51.100.1, 10.0.0.1", "198.51.100.1"),
        (1, None, "203.0.113.7"),
        (1, "junk", "203.0.113.7"),
        (2, "198.51.100.1", "203.0.113.7"),
        (1, "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        (1, "::ffff:198.51.100.1", "198.51.100.1"),
    ],
)
def test_the_address_is_the_one_that_trusted_proxies_name(rf, settings, proxies, forwarded, address):
    settings.TRUSTED_PROXIES = proxies
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    assert rate_limits.client_address(rf.get("/", headers=headers, **HOME)) == address


@pytest.fixture
def redis_down(settings):
    settings.CACHES = {
        **settings.CACHES,
        "counters": {
            "BACKEND": "fitness.api.counters.CounterCache",
            "LOCATION": "redis://127.0.0.1:1/0",
            "OPTIONS": {"socket_connect_timeout": 0.2},
        },
    }


def test_while_redis_is_down_requests_are_counted_here(redis_down, api, limits, caplog):
    assert statuses(api, 4) == [200, 200, 200, 429]
    assert [record.name for record in caplog.records].count("fitness.ratelimit") == 1
    assert ApiClient().client.get("/readyz").json()["status"] == "degraded"


def test_while_redis_is_down_people_sign_in_with_two_factors(redis_down, account):
    factors.add_authenticator(account, b"a secret of twenty bytes"[:20], 1, session=None)
    codes = RecoveryCode.objects.replace(account)
    browser = Client()
    browser.post(reverse("sign-in"), {"username": account.email, "password": PASSWORD})
    browser.post(reverse("recovery-code"), {"code": codes[0]})
    assert "_auth_user_id" in browser.session


def test_a_redis_that_goes_down_in_the_middle_of_a_count_fails_no_request(redis_down, api, monkeypatch):
    monkeypatch.setattr(CounterCache, "add", lambda *args, **kwargs: False)
    assert statuses(api, 2) == [200, 200]


@pytest.mark.skipif(not settings.REDIS_URL, reason="needs REDIS_URL")
def test_a_counter_in_redis_ends_with_its_own_window(client, db):
    client.post(reverse("sign-in"), {"username": "lifter@example.org", "password": "wrong"})
    ApiClient().get("/me")
    redis = caches["counters"].redis
    prefix = caches["counters"].key_prefix
    assert sorted(round(redis.ttl(name) / 60) for name in redis.keys(f"{prefix}:*")) == [1, 1, 15, 15, 15, 15]
