"""Train, editors and charts in a language with a decimal comma, whose words are those of this file."""

import datetime
import json
import re

import pytest

from body.models import WeightLog
from tests.conftest import freshly_signed_in
from tests.screens.browser import PHONE, expect, in_browser, overflow
from tests.screens.test_train import FINISHED, log_workout

pytestmark = in_browser

WORDS = {
    "Weight": "Gewicht",
    "set %(number)s": "Satz %(number)s",
    "Done, %(set)s": "%(set)s erledigt",
    "%(step)s more, %(set)s": "%(set)s: %(step)s mehr",
    "Each side: %(plates)s, on a %(bar)s bar.": "Stange mit %(bar)s, je Seite %(plates)s.",
    "Warm-ups: %(weights)s %(unit)s": "Zum Aufwärmen %(weights)s %(unit)s",
    "%(done)s of %(count)s sets": "%(done)s von %(count)s Sätzen",
    "Plates": "Scheiben",
    "Finish": "Fertig",
    "RPE %(rpe)s": "Anstrengung %(rpe)s",
}
SCRIPT = f"""
const words = {json.dumps(WORDS)};
globalThis.gettext = (text) => words[text] ?? text;
globalThis.ngettext = (one, many, count) => gettext(count === 1 ? one : many);
globalThis.pgettext = (context, text) => gettext(text);
globalThis.interpolate = (text, values) => text.replace(/%\\((\\w+)\\)s/g, (whole, name) => values[name]);
"""


@pytest.fixture
def german(account):
    account.language = "de"
    account.save()
    return account


@pytest.fixture
def phone(screen, german, sign_in):
    """A phone whose browser asks for German, with a page of the account."""
    screen.set_viewport_size(PHONE)
    screen.context.set_extra_http_headers({"Accept-Language": "de"})
    script = {"body": SCRIPT, "content_type": "text/javascript"}
    screen.route("**/words/de*.js", lambda route: route.fulfill(**script))
    return sign_in(german, screen)


@pytest.fixture
def started(german):
    freshly_signed_in(german).post("/train/start", {"workout": log_workout(german)["id"]})
    return german


@pytest.mark.parametrize("typed", ["82,5", "82.5"])
def test_weights_are_typed_and_shown_with_a_comma(phone, started, typed):
    phone.goto("/train")
    expect(phone.get_by_text("0 von 3 Sätzen")).to_be_visible()
    phone.get_by_label("Gewicht, Satz 1").fill(typed)
    phone.get_by_label("Gewicht, Satz 1").press("Enter")
    expect(phone.get_by_label("Gewicht, Satz 1")).to_have_value("82,5")
    expect(phone.get_by_role("button", name="Zum Aufwärmen 32,5; 47,5; 65 kg")).to_be_visible()
    phone.get_by_role("button", name="Scheiben").click()
    expect(phone.get_by_text("Stange mit 20 kg, je Seite 25 + 5 + 1,25.")).to_be_visible()
    step = phone.get_by_role("button", name="Satz 1: 2,5 kg mehr")
    expect(step).to_have_text("+2,5")
    step.click()
    step.click()
    expect(phone.get_by_label("Gewicht, Satz 3")).to_have_value("87,5")
    phone.get_by_label("RPE, Satz 1").click()
    phone.get_by_label("Anstrengung 8,5").click()
    phone.get_by_label("Satz 1 erledigt").check()
    expect(phone.get_by_text("@8,5")).to_be_visible()
    assert overflow(phone) == 0
    phone.get_by_role("button", name="Fertig").click()
    row = phone.get_by_role("row", name="87,5 × 5")
    expect(row).to_contain_text("\N{MINUS SIGN}12,5 kg")
    phone.get_by_role("button", name="Fertig").click()
    phone.wait_for_url(FINISHED)
    document = json.loads(started.workouts.order_by("-started_at").first().document)
    (stored,) = document["exercises"][0]["sets"]
    assert (stored["weight_kg"], stored["reps"], stored["rpe"]) == (87.5, 5, 8.5)


def test_a_weight_that_may_be_a_thousand_times_as_much_is_refused(phone, started):
    phone.goto("/train")
    weight = phone.get_by_label("Gewicht, Satz 1")
    weight.fill("1.125")
    weight.press("Enter")
    expect(weight).to_have_attribute("aria-invalid", "true")
    weight.fill("1,125")
    weight.press("Enter")
    expect(weight).not_to_have_attribute("aria-invalid", "true")


def test_an_editor_shows_and_takes_commas(phone, german):
    workout = log_workout(german, sets=1)
    phone.goto(f"/workouts/{workout['id']}/edit")
    weight, rpe = (phone.locator(f"[data-set] [name$=-{name}]").first for name in ("weight", "rpe"))
    weight.fill("82,5")
    rpe.fill("8,5")
    phone.locator("form[data-editor] .button-primary").click()
    phone.wait_for_url(re.compile(r"/workouts/[0-9a-f-]+$"))
    document = json.loads(german.workouts.get().document)
    (stored,) = document["exercises"][0]["sets"]
    assert (stored["weight_kg"], stored["rpe"]) == (82.5, 8.5)
    phone.goto(f"/workouts/{workout['id']}/edit")
    expect(weight).to_have_value("82,5")
    expect(rpe).to_have_value("8,5")
    phone.locator("[data-do=add-set]").click()
    expect(phone.locator("[data-set] [name$=-weight]").nth(1)).to_have_value("82,5")
    expect(phone.locator("[data-set]").nth(1)).to_have_attribute("aria-label", "Set 2")


def test_a_chart_reads_its_days_and_values_in_the_language(phone, german):
    for day, weight in ((2, 82.4), (9, 1234.5 / 10)):
        logged_at = datetime.datetime(2026, 10, day, 12, tzinfo=datetime.UTC)
        WeightLog.objects.create(account=german, logged_at=logged_at, weight_kg=weight)
    phone.goto("/body")
    phone.locator(".chart-live").first.focus()
    phone.keyboard.press("Home")
    expect(phone.locator("output").first).to_have_text(re.compile(r"^2\. Okt\. 2026: .*82,4 kg"))
