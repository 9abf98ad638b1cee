"""Train in a language with a decimal comma, whose words are those of this file."""

import json

import pytest

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


def test_weights_are_typed_and_shown_with_a_comma(phone, started):
    phone.goto("/train")
    expect(phone.get_by_text("0 von 3 Sätzen")).to_be_visible()
    phone.get_by_label("Gewicht, Satz 1").fill("82,5")
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
    phone.get_by_role("button", name="RPE, Satz 1").click()
    phone.get_by_role("button", name="RPE 8,5").click()
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
