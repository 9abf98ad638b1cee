"""Alerts on a locked phone: what is stored, when alarms ring, what they say, and whom the service asks."""

import base64
import datetime
import json
import os
import threading
import time
from urllib.parse import urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlsafe_base64_encode

from accounts.models import Account, Alarm, PushSubscription
from accounts.push import sending, vapid
from accounts.push.sending import Outcome
from fitness import outbound
from fitness.site import account_data
from fitness.site.work import alarms
from fitness.site.work.alarms import Bell
from tests.accounts.hosts import HOST, Handler, serving
from tests.conftest import a_set, a_workout, client_of, freshly_signed_in, statements
from tests.server import wait_until
from tests.training.test_plans import a_day, a_plan, an_exercise

BENCH, SQUAT = "barbell-bench-press", "barbell-back-squat"
ENDPOINT = f"https://{HOST}/push/one?token=x"
P256 = ec.SECP256R1()


class Browser:
    """What a browser gives out when it subscribes."""

    def __init__(self, endpoint=ENDPOINT):
        self.endpoint, self.key, self.secret = (
            endpoint,
            ec.generate_private_key(P256),
            os.urandom(16),
        )

    @property
    def form(self):
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        p256dh, auth = map(urlsafe_base64_encode, (point, self.secret))
        return {"endpoint": self.endpoint, "p256dh": p256dh, "auth": auth}

    def read(self, body):
        """The message in a body of one record (RFC 8188, RFC 8291)."""
        salt, point, record = body[:16], body[21:86], body[86:]
        assert (int.from_bytes(body[16:20]), body[20]) == (4096, len(point))
        shared = self.key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(P256, point))
        both = b"WebPush: info\0" + decoded(self.form["p256dh"]) + point
        secret = derived(self.secret, shared, both, 32)
        key = derived(salt, secret, b"Content-Encoding: aes128gcm\0", 16)
        nonce = derived(salt, secret, b"Content-Encoding: nonce\0", 12)
        text = AESGCM(key).decrypt(nonce, record, None).rstrip(b"\0")
        assert text.endswith(b"\x02")  # of the last record
        return json.loads(text[:-1])


def derived(salt, secret, info, length):
    return HKDF(SHA256(), length, salt, info).derive(secret)


def subscribe(page, browser):
    answer = page.post(reverse("subscribe"), browser.form)
    assert answer.status_code == 204
    return browser


def rest(page, seconds=90):
    answer = page.put(reverse("rest-alarm"), {"seconds": seconds}, content_type="application/json")
    assert answer.status_code == 204


def begin(page, *exercises):
    """Begins the workout of today's plan day, and returns its document."""
    account = Account.objects.get(email="lifter@example.org")
    routine = {"name": "Push", "exercises": [an_exercise(one, sets=2) for one in exercises]}
    pk = client_of(account).post("/routines", routine).json()["id"]
    page.post(reverse("start-training"), {"routine": pk})
    return account.training_drafts.open().get()


def tick(draft, exercise=0, number=0):
    exercises = sorted(draft.document["exercises"], key=lambda one: one["order"])
    sets = sorted(exercises[exercise]["sets"], key=lambda one: one["order"])
    sets[number]["done_at"] = f"2026-11-18T12:00:{exercise}{number}.000Z"
    draft.save()


@pytest.fixture
def sent(monkeypatch):
    """(endpoint, body) of what is sent, without a push service."""
    messages = []

    def send(subscription, message, ttl_seconds):
        messages.append((subscription.endpoint, message["body"]))
        return Outcome.SENT

    monkeypatch.setattr(sending, "send", send)
    return messages


def ring(*bells):
    """Rings what is due, until all is sent."""
    for bell in bells or [Bell()]:
        bell.ring_some()
        while bell.under_way or bell.waiting:
            bell.wait()
            bell.ring_some()


@pytest.fixture
def clock(time_machine):
    time_machine.move_to("2026-11-18T12:00:00Z", tick=False)
    return time_machine


@pytest.fixture
def lifter(page, sent):
    """A page whose browser takes alerts, of somebody with a workout under way, one set of it done."""
    subscribe(page, Browser())
    tick(begin(page, BENCH, SQUAT))
    return page


SECOND = datetime.timedelta(seconds=1)


# --- The end of a rest ------------------------------------------------------------------------------


def test_it_rings_when_the_rest_is_over_and_not_before(clock, lifter, sent):
    rest(lifter, 90)
    bell = Bell()
    clock.shift(89 * SECOND)
    bell.ring_some()
    assert sent == []
    clock.shift(2 * SECOND)
    ring(bell)
    assert sent == [(ENDPOINT, "Barbell Bench Press, set 2")]
    ring()
    assert len(sent) == 1


def test_a_look_is_one_statement_and_then_none_for_seconds(db):
    bell = Bell()
    counts = []
    for _ in range(3):
        with statements() as executed:
            bell.ring_some()
        counts.append(len(executed))
    assert counts == [1, 0, 0]


def test_a_moved_rest_rings_at_its_new_moment_alone(clock, lifter, sent):
    bell = Bell()
    rest(lifter, 1)
    bell.ring_some()  # has read the alarm
    rest(lifter, 60)
    clock.shift(5 * SECOND)
    bell.ring_some()
    assert sent == []
    clock.shift(56 * SECOND)
    ring()
    assert len(sent) == 1


def test_a_skipped_rest_does_not_ring(clock, lifter, sent):
    bell = Bell()
    rest(lifter, 1)
    bell.ring_some()
    assert lifter.delete(reverse("rest-alarm")).status_code == 204
    clock.shift(5 * SECOND)
    ring(bell)
    assert sent == []


def test_of_two_workers_one_rings(clock, lifter, sent):
    rest(lifter, 1)
    bells = [Bell(), Bell()]
    for bell in bells:
        bell.ring_some()
    clock.shift(5 * SECOND)
    ring(*bells)
    assert len(sent) == 1


def test_what_is_long_over_is_dropped(clock, lifter, sent):
    rest(lifter, 1)
    clock.shift(60 * SECOND)
    ring()
    assert (sent, Alarm.objects.count()) == ([], 0)


@pytest.mark.parametrize("end", ["discard", "deactivate", "all done"])
def test_nobody_is_told_of_a_rest_that_means_nothing_any_more(clock, lifter, account, sent, end):
    rest(lifter, 1)
    if end == "deactivate":
        account.deactivate()
    elif end == "discard":
        lifter.delete(reverse("change-draft", args=[account.training_drafts.get().pk]))
    else:
        draft = account.training_drafts.get()
        for exercise, number in [(0, 1), (1, 0), (1, 1)]:
            tick(draft, exercise, number)
    clock.shift(5 * SECOND)
    ring()
    assert sent == []


@pytest.mark.parametrize(
    ("ticked", "said"),
    [
        ([(0, 0)], "Barbell Bench Press, set 2"),
        ([(0, 0), (0, 1)], "Barbell Back Squat, set 1"),
        ([(1, 0)], "Barbell Back Squat, set 2"),
        ([(0, 0), (1, 0), (1, 1)], "Barbell Bench Press, set 2"),
    ],
)
def test_it_names_the_set_that_comes_next(clock, page, account, sent, ticked, said):
    subscribe(page, Browser())
    draft = begin(page, BENCH, SQUAT)
    for place in ticked:
        tick(draft, *place)
    rest(page, 1)
    clock.shift(2 * SECOND)
    ring()
    assert [body for _, body in sent] == [said]


def test_the_exercises_of_a_superset_take_turns_and_a_warm_up_is_called_one(clock, page, sent):
    subscribe(page, Browser())
    draft = begin(page, BENCH, "lat-pulldown", SQUAT)
    first, _, last = sorted(draft.document["exercises"], key=lambda one: one["order"])
    first["superset_id"] = last["superset_id"] = "a"
    min(last["sets"], key=lambda one: one["order"])["type"] = "warmup"
    tick(draft, 0, 0)
    rest(page, 1)
    clock.shift(2 * SECOND)
    ring()
    assert [body for _, body in sent] == ["Barbell Back Squat, warm-up"]


@pytest.mark.parametrize(
    "body", [{}, {"seconds": 0}, {"seconds": 3601}, {"seconds": "90"}, {"minutes": 1}, []]
)
def test_a_rest_has_between_a_second_and_an_hour(page, body):
    answer = page.put(reverse("rest-alarm"), body, content_type="application/json")
    assert answer.status_code == 400
    assert not Alarm.objects.exists()


def test_a_stranger_hears_nothing(clock, lifter, stranger, sent):
    theirs = freshly_signed_in(stranger)
    subscribe(theirs, Browser(f"https://{HOST}/push/theirs"))
    assert theirs.delete(reverse("rest-alarm")).status_code == 204
    rest(lifter, 1)
    clock.shift(5 * SECOND)
    ring()
    assert [endpoint for endpoint, _ in sent] == [ENDPOINT]


# --- The reminder -----------------------------------------------------------------------------------


@pytest.fixture
def reminded(page, account, api, sent):
    """Somebody in Tokyo whose plan trains on Thursdays, reminded at 18:00. It is Wednesday, 21:00 there."""
    Account.objects.filter(pk=account.pk).update(time_zone="Asia/Tokyo")
    days = [a_day(one, rest=one != 4, label=f"Day {one}") for one in range(1, 8)]
    api.post("/plans", a_plan(days=days, active=True))
    subscribe(page, Browser())
    page.post(reverse("set-reminder"), {"hour": "18"})
    return page


def test_it_comes_at_the_hour_of_the_account_on_a_day_that_trains(reminded, sent, time_machine):
    assert Alarm.objects.get().due_at.isoformat() == "2026-11-19T09:00:00+00:00"
    time_machine.move_to("2026-11-19T09:00:01Z", tick=False)
    ring()
    assert sent == [(ENDPOINT, "Day 4")]
    assert Alarm.objects.get().due_at.isoformat() == "2026-11-20T09:00:00+00:00"


@pytest.mark.parametrize("days", [1, 2])
def test_it_does_not_come_on_a_day_of_rest(reminded, sent, time_machine, days):
    time_machine.move_to("2026-11-19T09:00:01Z", tick=False)
    ring()
    for _ in range(days):
        time_machine.shift(datetime.timedelta(days=1))
        ring()
    assert len(sent) == 1


def test_it_does_not_come_hours_late(reminded, sent, time_machine):
    time_machine.move_to("2026-11-19T11:00:00Z", tick=False)
    ring()
    assert (sent, Alarm.objects.get().due_at.isoformat()) == ([], "2026-11-20T09:00:00+00:00")


@pytest.mark.parametrize("act", ["begun", "done", "none", "no plan"])
def test_it_does_not_come_once_it_is_not_needed(reminded, account, api, sent, time_machine, act):
    time_machine.move_to("2026-11-19T08:00:00Z", tick=False)
    plan = account.plans.get()
    if act == "begun":
        begin(reminded, BENCH)
    elif act == "done":
        body = a_workout(a_set(), started_at="2026-11-19T07:00:00Z", plan_id=str(plan.pk))
        assert api.post("/workouts", body).status_code == 201
    elif act == "none":
        reminded.post(reverse("set-reminder"), {"hour": ""})
    else:
        api.delete(f"/plans/{plan.pk}")
    time_machine.move_to("2026-11-19T09:00:01Z", tick=False)
    ring()
    assert sent == []


def test_after_a_move_to_another_zone_the_next_one_is_at_the_hour_there(
    reminded, account, sent, time_machine
):
    Account.objects.filter(pk=account.pk).update(time_zone="Europe/Berlin")
    time_machine.move_to("2026-11-19T09:00:01Z", tick=False)  # 18:00 in Tokyo, 10:00 in Berlin
    ring()
    assert (sent, Alarm.objects.get().due_at.isoformat()) == ([], "2026-11-19T17:00:00+00:00")
    time_machine.move_to("2026-11-19T17:00:01Z", tick=False)
    ring()
    assert len(sent) == 1


def test_the_hour_stays_when_clocks_change(account, time_machine):
    Account.objects.filter(pk=account.pk).update(time_zone="Europe/Berlin")
    time_machine.move_to("2027-03-27T17:00:00Z", tick=False)  # 18:00, in the night clocks go forward
    freshly_signed_in(account).post(reverse("set-reminder"), {"hour": "18"})
    assert Alarm.objects.get().due_at.isoformat() == "2027-03-28T16:00:00+00:00"


@pytest.mark.parametrize("hour", ["24", "-1", "x", "7.5"])
def test_an_hour_that_clocks_do_not_have_is_refused(page, hour):
    page.post(reverse("set-reminder"), {"hour": hour})
    assert not Alarm.objects.exists()


# --- Subscriptions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"endpoint": ""},
        {"endpoint": f"http://{HOST}/push"},
        {"endpoint": "https://127.0.0.1/push"},
        {"endpoint": "https://[::1]/push"},
        {"endpoint": f"https://{HOST}:8443/push"},
        {"endpoint": f"https://a@{HOST}/push"},
        {"endpoint": f"https://{HOST}/a b"},
        {"endpoint": f"https://{HOST}/\r\nHost:x"},
        {"endpoint": f"https://{HOST}/{'x' * 1000}"},
        {"endpoint": "https://[x/"},
        {"p256dh": "AAAA"},
        {"p256dh": "*" * 87},
        {"auth": ""},
        {"auth": "é" * 22},
    ],
)
def test_what_no_push_service_gives_out_is_refused(page, change):
    assert page.post(reverse("subscribe"), {**Browser().form, **change}).status_code == 400
    assert not PushSubscription.objects.exists()


def test_an_account_has_ten_of_which_the_oldest_goes(page, account):
    for number in range(12):
        subscribe(page, Browser(f"https://{HOST}/{number}"))
    kept = account.push_subscriptions.order_by("created_at").values_list("endpoint", flat=True)
    assert list(kept) == [f"https://{HOST}/{number}" for number in range(2, 12)]


def test_a_browser_that_subscribes_again_is_one(page, account):
    subscribe(page, Browser())
    browser = subscribe(page, Browser())
    assert account.push_subscriptions.get().auth == browser.form["auth"]


def test_a_browser_is_listed_and_removed_by_its_owner_alone(page, account, stranger):
    subscribe(page, Browser())
    address = reverse("remove-subscription", args=[account.push_subscriptions.get().pk])
    assert address in page.get(reverse("alerts")).content.decode()
    assert freshly_signed_in(stranger).post(address).status_code == 404
    assert account.push_subscriptions.exists()
    page.post(address)
    assert not account.push_subscriptions.exists()


def test_a_deleted_account_takes_all_of_it_along(lifter, account):
    rest(lifter)
    account_data.delete(account)
    assert not PushSubscription.objects.exists()
    assert not Alarm.objects.exists()


def test_an_export_holds_none_of_it(lifter):
    assert HOST not in lifter.get(reverse("export")).content.decode()


# --- A push service ---------------------------------------------------------------------------------


class PushService(Handler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append((self.path, dict(self.headers), body))
        if self.server.status == "hangs":
            self.server.ended.wait(30)
            return
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()


@pytest.fixture
def push_service(certificate, monkeypatch):
    """Its name leads to this machine, as if that were public."""
    with serving(certificate, PushService) as server:
        server.status, server.ended = 201, threading.Event()
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        monkeypatch.setattr(outbound, "PORT", server.server_port)
        monkeypatch.setattr(outbound, "public_address_of", lambda host: "127.0.0.1")
        yield server
        server.ended.set()


@pytest.mark.machine_clock  # by which TLS judges certificates
def test_the_message_is_enciphered_for_the_browser_and_signed_by_the_service(page, push_service):
    browser = subscribe(page, Browser())
    tick(begin(page, BENCH))
    rest(page, 1)
    due_at = Alarm.objects.get().due_at
    bell = Bell()
    while not bell.under_way:
        bell.ring_some()
        time.sleep(0.01)
    assert timezone.now() >= due_at
    ring(bell)
    ((path, headers, body),) = push_service.asked
    assert path == urlsplit(ENDPOINT).path + "?token=x"
    assert (headers["Content-Encoding"], headers["TTL"]) == ("aes128gcm", "30")
    message = {"title": "Rest is over", "body": "Barbell Bench Press, set 2", "tag": "rest", "path": "/train"}
    assert browser.read(body) == message
    assert b"Bench" not in body
    assert_signed(headers["Authorization"], page)


def test_the_example_of_the_standard_is_enciphered_as_there():
    """RFC 8291, section 5 and appendix A."""
    own = ec.derive_private_key(int.from_bytes(decoded("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")), P256)
    browser = decoded(
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    )
    body = sending.enciphered(
        b"When I grow up, I want to be a watermelon",
        browser=browser,
        secret=decoded("BTBZMqHH6r4Tts7J_aSIgg"),
        own=own,
        salt=decoded("DGv6ra1nlYgDCS1FRnbzlw"),
    )
    assert urlsafe_base64_encode(body) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w"
        "EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )


@pytest.mark.parametrize(
    ("address", "contact"),
    [
        ("Fitness <fit@example.org>", "mailto:fit@example.org"),
        ("fit@example.org", "mailto:fit@example.org"),
        ("", "https://fit.example.org"),
    ],
)
def test_push_services_are_told_whom_to_write_to(settings, address, contact):
    """Apple refuses addresses that nobody can reach, such as that of a service without PUBLIC_URL."""
    settings.EMAIL_FROM, settings.PUBLIC_URL = address, "https://fit.example.org"
    token = vapid.authorization(ENDPOINT).removeprefix("vapid t=").partition(",")[0]
    assert json.loads(decoded(token.split(".")[1]))["sub"] == contact


def assert_signed(header, page):
    """As a push service checks it (RFC 8292), by the key that the page gives to browsers."""
    scheme, token, key = header.replace(",", "").split()
    assert scheme == "vapid"
    point = key.removeprefix("k=")
    assert f'data-key="{point}"' in page.get(reverse("alerts")).content.decode()
    head, claims, signature = token.removeprefix("t=").split(".")
    numbers = decoded(signature)
    both = (int.from_bytes(numbers[:32]), int.from_bytes(numbers[32:]))
    public = ec.EllipticCurvePublicKey.from_encoded_point(P256, decoded(point))
    public.verify(encode_dss_signature(*both), f"{head}.{claims}".encode(), ec.ECDSA(SHA256()))
    stated = json.loads(decoded(claims))
    assert stated["aud"] == f"https://{HOST}"
    assert 0 < stated["exp"] - time.time() < 24 * 3600


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def ring_with(push_service, status):
    """Rings the alarm of a rest, to which the push service answers with this status."""
    push_service.status = status
    account = PushSubscription.objects.get().account
    Alarm.objects.put(account, Alarm.Kind.REST, timezone.now())
    asked = len(push_service.asked)
    ring()
    assert len(push_service.asked) == asked + 1


@pytest.fixture
def resting(page, push_service):
    subscribe(page, Browser())
    tick(begin(page, BENCH))
    return page


@pytest.mark.machine_clock
@pytest.mark.parametrize(
    ("status", "is_kept"),
    [(201, True), (404, False), (410, False), (401, True), (403, True), (429, True), (500, True)],
)
def test_a_subscription_that_is_over_is_deleted(resting, account, push_service, status, is_kept):
    ring_with(push_service, status)
    assert account.push_subscriptions.exists() == is_kept


REFUSED = "Refused since 18 November 2026"


@pytest.mark.machine_clock
@pytest.mark.parametrize("refusal", [401, 403])
def test_the_owner_sees_what_a_push_service_refuses_and_the_log_has_it(
    resting, account, push_service, caplog, refusal
):
    assert "Refused since" not in resting.get(reverse("alerts")).content.decode()
    ring_with(push_service, refusal)
    (record,) = [one for one in caplog.records if one.name == "fitness.push"]
    assert (record.levelname, record.answer, record.host) == ("WARNING", str(refusal), HOST)
    account.push_subscriptions.update(refused_at=datetime.datetime(2026, 11, 18, 12, tzinfo=datetime.UTC))
    for status in (refusal, 500):  # which changes nothing
        ring_with(push_service, status)
        assert REFUSED in resting.get(reverse("alerts")).content.decode()


@pytest.mark.machine_clock
def test_what_is_taken_again_is_refused_no_more(resting, account, push_service):
    ring_with(push_service, 403)
    assert account.push_subscriptions.get().refused_at
    ring_with(push_service, 201)
    assert account.push_subscriptions.get().refused_at is None


def test_a_browser_that_subscribes_again_is_refused_no_more(page, account):
    browser = subscribe(page, Browser())
    account.push_subscriptions.update(refused_at=timezone.now())
    subscribe(page, browser)
    assert account.push_subscriptions.get().refused_at is None


class Hanging:
    """Push services: those of `hosts` never answer until `end`."""

    def __init__(self, monkeypatch, *hosts):
        self.hosts, self.ended, self.asked = hosts, threading.Event(), []
        monkeypatch.setattr(sending, "send", self.send)

    def send(self, subscription, message, ttl_seconds):
        self.asked.append(subscription.endpoint)
        if str(subscription) in self.hosts:
            self.ended.wait()
            return Outcome.FAILED
        return Outcome.SENT

    def count(self, host):
        return sum(urlsplit(endpoint).hostname == host for endpoint in self.asked)


@pytest.fixture
def hanging(monkeypatch):
    services = Hanging(monkeypatch, HOST)
    yield services
    services.ended.set()


def put_rests(*accounts):
    for account in accounts:
        Alarm.objects.put(account, Alarm.Kind.REST, timezone.now())


@pytest.fixture
def neighbour(stranger, monkeypatch):
    """Each of the two gets a message, whatever else happens."""
    monkeypatch.setattr(alarms, "message_of", lambda alarm: {"title": "x"})
    subscribe(freshly_signed_in(stranger), Browser("https://other.example.org/push"))
    return stranger


def test_slow_push_services_of_an_account_keep_nobody_waiting(page, account, neighbour, hanging):
    for number in range(10):
        subscribe(page, Browser(f"https://{HOST}/{number}"))
    put_rests(account)
    bell = Bell()
    bell.ring_some()
    put_rests(neighbour)
    bell.looks_at = 0
    bell.ring_some()
    wait_until(lambda: hanging.count("other.example.org") == 1)
    bell.ring_some()
    assert (hanging.count(HOST), len(bell.under_way), len(bell.waiting)) == (1, 1, 9)


def test_the_next_message_of_an_account_comes_after_those_of_others(
    page, account, neighbour, hanging, monkeypatch
):
    monkeypatch.setattr(alarms, "SENDERS", 1)
    for number in range(3):
        subscribe(page, Browser(f"https://{HOST}/{number}"))
    put_rests(account, neighbour)
    bell = Bell()
    bell.ring_some()
    hanging.ended.set()
    ring(bell)
    hosts = [urlsplit(endpoint).hostname for endpoint in hanging.asked]
    assert hosts == [HOST, "other.example.org", HOST, HOST]


def test_what_is_late_when_its_turn_comes_is_dropped(page, account, neighbour, hanging, clock):
    for number in range(3):
        subscribe(page, Browser(f"https://{HOST}/{number}"))
    put_rests(account)
    bell = Bell()
    bell.ring_some()
    clock.shift(31 * SECOND)
    hanging.ended.set()
    ring(bell)
    assert len(hanging.asked) == 1


def test_an_account_rings_once_in_five_seconds(lifter, account, sent, monkeypatch):
    bell = Bell()
    put_rests(account)
    ring(bell)
    put_rests(account)
    bell.looks_at = 0
    ring(bell)
    assert (len(sent), Alarm.objects.count()) == (1, 1)
    assert 0 < bell.seconds_until(bell.coming[0]) <= alarms.APART_SECONDS
    monkeypatch.setattr(alarms, "APART_SECONDS", 0)
    ring(bell)
    assert (len(sent), Alarm.objects.count()) == (2, 0)


def test_no_more_wait_than_there_is_room_for(page, account, neighbour, hanging, monkeypatch):
    """The others stay where they are: they ring once there is room, or are dropped when they are late."""
    monkeypatch.setattr(alarms, "MAX_WAITING", 2)
    for number in range(3):
        subscribe(page, Browser(f"https://{HOST}/{number}"))
    put_rests(account)
    bell = Bell()
    bell.ring_some()
    assert len(bell.waiting) == 2
    put_rests(neighbour)
    bell.looks_at = 0
    bell.ring_some()
    assert Alarm.objects.get().account == neighbour
    hanging.ended.set()
    while Alarm.objects.exists():
        ring(bell)
    ring(bell)
    assert hanging.count("other.example.org") == 1


def test_after_five_failures_in_a_row_a_subscription_ends(page, account):
    subscribe(page, Browser())
    outcomes = [Outcome.FAILED] * 4 + [Outcome.SENT] + [Outcome.FAILED] * 4 + [Outcome.REFUSED]
    for outcome in outcomes:
        account.push_subscriptions.get().learn(outcome)
    account.push_subscriptions.get().learn(Outcome.FAILED)
    assert not account.push_subscriptions.exists()


@pytest.mark.machine_clock
def test_a_push_service_that_hangs_holds_nobody(page, push_service, monkeypatch):
    monkeypatch.setattr(sending, "SECONDS", 0.5)
    push_service.status = "hangs"
    subscribe(page, Browser())
    outcome = sending.send(PushSubscription.objects.get(), {"title": "x"}, 60)
    assert outcome is Outcome.FAILED
    tick(begin(page, BENCH))
    rest(page, 1)
    Alarm.objects.update(due_at=timezone.now())
    bell = Bell()
    bell.ring_some()
    assert [one.done() for one in bell.under_way] == [False]  # the bell goes on
    ring(bell)


def test_a_name_that_leads_to_a_private_address_is_not_asked(page, account, monkeypatch):
    monkeypatch.setattr(outbound, "resolve", lambda host: [(0, 0, 0, "", ("10.0.0.7", 443))])
    monkeypatch.setattr(outbound.socket, "create_connection", lambda *_, **__: pytest.fail("it was asked"))
    subscribe(page, Browser())
    assert sending.send(account.push_subscriptions.get(), {"title": "x"}, 60) is Outcome.GONE


def test_a_key_that_is_no_point_of_the_curve_ends_its_subscription(page, account):
    page.post(reverse("subscribe"), {**Browser().form, "p256dh": "A" * 87})
    assert sending.send(account.push_subscriptions.get(), {"title": "x"}, 60) is Outcome.GONE


def test_the_key_follows_from_the_secret_key(settings):
    first = vapid.public_key()
    settings.SECRET_KEY = "x" * 50
    assert vapid.public_key() != first
    assert vapid.public_key() == vapid.public_key()


def test_the_log_has_neither_address_nor_text(page, account, monkeypatch, caplog):
    caplog.set_level("INFO")
    monkeypatch.setattr(outbound, "resolve", lambda host: [])
    subscribe(page, Browser())
    sending.send(account.push_subscriptions.get(), {"title": "Rest is over"}, 60)
    (record,) = [one for one in caplog.records if one.name == "fitness.push"]
    assert record.host == HOST
    assert "token=x" not in str(record.__dict__)
    assert "Rest" not in str(record.__dict__)


def test_a_visitor_sets_no_alarm(db):
    answer = Client().put(reverse("rest-alarm"), {"seconds": 9}, content_type="application/json")
    assert answer.json()["code"] == "signed_out"
