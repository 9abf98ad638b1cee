"""Alerts from the settings to the rack, in a browser with a stand-in for its push service."""

import datetime

import pytest
from django.utils import timezone

from accounts.models import Alarm
from tests.conftest import freshly_signed_in
from tests.screens.browser import PHONE, expect, in_browser
from tests.screens.conftest import messages_of
from tests.screens.test_train import log_workout, tick
from tests.server import wait_until

pytestmark = in_browser

# Chromium's own push service cannot be reached, and its headless shell asks nobody for permission.
STAND_IN = """
Object.defineProperty(Notification, "permission", { get: () => "granted" });
const bytes = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
const subscription = () => ({
  endpoint: "https://push.example.org/one",
  options: { applicationServerKey: bytes(localStorage.standIn).buffer },
  getKey: (name) => new Uint8Array(name === "auth" ? 16 : 65).buffer,
  unsubscribe: async () => localStorage.removeItem("standIn"),
});
PushManager.prototype.getSubscription = async () => (localStorage.standIn ? subscription() : null);
PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
  localStorage.standIn = btoa(String.fromCharCode(...applicationServerKey));
  return subscription();
};
"""


@pytest.fixture
def phone(chromium, live_server, account, sign_in):
    context = chromium.new_context(base_url=live_server.url, viewport=PHONE, has_touch=True)
    context.add_init_script(STAND_IN)
    page = sign_in(account, context.new_page())
    messages = messages_of(page)
    yield page
    context.close()
    assert messages == []


def turn_on(phone):
    phone.goto("/settings/alerts")
    phone.get_by_role("button", name="Turn on in this browser").click()
    expect(phone.get_by_text("This browser", exact=True)).to_be_visible()


def due_in(seconds):
    """Waits for an alarm that rings in about so many seconds."""
    until = timezone.now() + datetime.timedelta(seconds=seconds)
    tolerance = datetime.timedelta(seconds=10)
    wait_until(lambda: Alarm.objects.filter(due_at__range=(until - tolerance, until + tolerance)).exists())


def test_train_offers_alerts_at_the_first_rest_until_somebody_answers(phone, account):
    freshly_signed_in(account).post("/train/start", {"workout": log_workout(account)["id"]})
    phone.goto("/train")
    tick(phone, 1)
    phone.get_by_role("button", name="Not now").click()
    tick(phone, 2)
    expect(phone.get_by_role("timer")).to_be_visible()
    expect(phone.get_by_role("button", name="Ring on a locked phone")).to_have_count(0)
    phone.evaluate("localStorage.removeItem('alerts-answered')")
    tick(phone, 3)
    assert not Alarm.objects.exists()
    phone.get_by_role("button", name="Ring on a locked phone").click()
    due_in(120)
    assert account.push_subscriptions.get().endpoint == "https://push.example.org/one"
    expect(phone.get_by_role("button", name="Not now")).to_have_count(0)


def test_a_tick_sets_the_alarm_and_skip_and_removal_take_it_back(phone, account):
    turn_on(phone)
    assert account.push_subscriptions.get().endpoint == "https://push.example.org/one"
    repeated = log_workout(account)
    freshly_signed_in(account).post("/train/start", {"workout": repeated["id"]})
    phone.goto("/train")
    tick(phone, 1)
    due_in(120)
    phone.get_by_role("button", name="+15 s").click()
    phone.get_by_role("button", name="+15 s").click()
    due_in(150)
    phone.get_by_role("button", name="Skip").click()
    wait_until(lambda: not Alarm.objects.exists())
    phone.goto("/settings/alerts")
    phone.get_by_role("button", name="Remove").click()
    expect(phone.get_by_role("button", name="Turn on in this browser")).to_be_visible()
    assert not account.push_subscriptions.exists()
    phone.goto("/train")
    tick(phone, 2)
    phone.wait_for_load_state("networkidle")
    assert not Alarm.objects.exists()


def test_signing_out_ends_alerts_in_this_browser(phone):
    turn_on(phone)
    phone.get_by_label("Account menu").click()
    phone.get_by_role("button", name="Sign out").click()
    expect(phone.get_by_role("heading", name="Sign in")).to_be_visible()
    assert phone.evaluate("[localStorage.alerts, localStorage.standIn]") == [None, None]
