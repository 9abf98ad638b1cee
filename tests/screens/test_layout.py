"""Each screen once, in one load: widths, large text, promises of layout, what axe finds in both themes."""

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from accounts.models import Account
from fitness.management.commands import seed_demo
from tests.conftest import path_of
from tests.screens.all_screens import (
    FOR_VISITORS,
    screens_of,
    somebody_with_everything,
    states_of,
)
from tests.screens.browser import DESKTOP, PHONE, SMALL_PHONE, expect, in_browser, overflow, violations

pytestmark = in_browser

# Where nothing is stored yet, these say so; forms are the same as for everybody.
EMPTY = [
    *("home", "progress", "lifts", "records", "workouts", "routines", "plans", "exercises", "own-exercises"),
    *("start-training", "body", "measurements", "goals", "nutrition", "supplements"),
    *("alerts", "calendar", "developer", "data", "factors"),
]
WIDTHS = {"desktop": DESKTOP, "phone": PHONE, "small phone": SMALL_PHONE}
PARTS = 3  # which processes share
ROW = 37  # pixels
THUMB = 44


def heights(screen, selector):
    return [box["height"] for box in boxes(screen, selector)]


def boxes(screen, selector):
    """Where the visible elements are that a selector matches; there must be one."""
    found = [one.bounding_box() for one in screen.locator(selector).all() if one.is_visible()]
    assert found, selector
    return found


# --- What the layout of one screen promises ------------------------------------------------------------


def rows_of_tables_are_low(screen):
    """On every screen."""
    rows = screen.locator(".table-dense:not(.table-labelled) tbody tr:not(:has(.table-note))")
    tall = rows.evaluate_all("(rows, most) => rows.filter((row) => row.offsetHeight > most).length", ROW)
    assert tall == 0


def the_form_for_the_day_comes_first(screen):
    form = screen.get_by_role("form", name="Log your body weight")
    trend = screen.get_by_role("heading", name="Body weight", exact=True)
    assert form.bounding_box()["y"] < trend.bounding_box()["y"]


def the_bar_leads_to_each_section(screen):
    links = [link.inner_text() for link in screen.locator(".nav a").all() if link.is_visible()]
    assert links == ["Home", "Train", "Progress", "Body", "More"]


def paper_shows_the_chart(screen):
    screen.emulate_media(media="print")
    expect(screen.get_by_role("application", name="Body weight").locator("canvas")).to_be_visible()
    screen.emulate_media(media="screen")


def the_last_column_keeps_its_distance(screen):
    cell = screen.locator(".table-dense tbody tr").first.locator("td:visible").last
    assert cell.evaluate("cell => getComputedStyle(cell).paddingRight") == "16px"


def filters_are_one_line(screen):
    select, button = screen.get_by_label("Period"), screen.get_by_role("button", name="Show")
    assert abs(select.bounding_box()["y"] - button.bounding_box()["y"]) < 8


def links_are_large_enough_for_a_thumb(screen):
    for links in (".lead", ".ranges a", ".calendar-months a", ".calendar-months summary", ".nav a"):
        assert min(heights(screen, links)) >= THUMB, links


def a_workout_is_low(screen):
    assert screen.locator(".logbook > li").first.bounding_box()["height"] <= 112
    button = screen.locator(".logbook > li").first.get_by_role("button", name="Repeat")
    title, facts = (screen.locator(f".logbook {one}").first for one in (".rows-title", ".rows-facts"))
    assert title.bounding_box()["y"] < button.bounding_box()["y"] + THUMB <= facts.bounding_box()["y"] + 4


def the_best_set_does_not_touch_its_date(screen):
    best, last = screen.locator(".figures dd").evaluate_all("""all => all.slice(0, 2).map((one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        const { left, right } = range.getBoundingClientRect();
        return { left, right };
    })""")
    assert best["right"] + 8 < last["left"]


def a_set_is_written_on_one_line(screen):
    for place in (".table-sets span", ".tiles dd"):
        first = screen.locator(place).first
        assert "kg" in first.inner_text()
        height, line = first.evaluate(
            "one => [one.getBoundingClientRect().height, parseFloat(getComputedStyle(one).lineHeight)]"
        )
        assert height < 1.5 * line, place


def a_session_is_one_line(screen):
    assert max(heights(screen, ".sessions tbody tr")) <= ROW


def lists_are_in_one_grid(screen):
    """Their rows have two lines at most, and the numbers of all groups end below each other."""
    assert max(heights(screen, ".lifts tbody tr")) <= THUMB + 2
    ends = screen.locator(".lifts tbody tr").evaluate_all(
        "rows => rows.map(({ cells }) => [...cells].map((cell) => cell.getBoundingClientRect().right).join())"
    )
    assert len(set(ends)) == 1


PROMISES = {
    ("home", "small phone"): [the_bar_leads_to_each_section],
    ("body", "desktop"): [paper_shows_the_chart],
    ("body", "phone"): [the_form_for_the_day_comes_first],
    ("body", "small phone"): [the_last_column_keeps_its_distance],
    ("records", "desktop"): [filters_are_one_line],
    ("records", "phone"): [lists_are_in_one_grid],
    ("lifts", "phone"): [lists_are_in_one_grid],
    ("progress", "phone"): [links_are_large_enough_for_a_thumb],
    ("workouts", "phone"): [a_workout_is_low],
    ("exercises", "desktop"): [the_best_set_does_not_touch_its_date],
    ("exercise", "phone"): [a_set_is_written_on_one_line, a_session_is_one_line],
    ("exercise", "small phone"): [a_set_is_written_on_one_line],
}
# Their tables and charts have more on a desktop.
RICHER_ON_A_DESKTOP = {
    *("home", "body", "measurements", "goals", "nutrition", "progress", "lifts", "records"),
    "home, for visitors",
}


# --- Every screen ---------------------------------------------------------------------------------------


def try_widths(screen, name, address):
    for width, viewport in WIDTHS.items():
        screen.set_viewport_size(viewport)
        assert overflow(screen) == 0, (address, width)
        for keeps in (rows_of_tables_are_low, *PROMISES.get((name, width), ())):
            keeps(screen)


# Controls that a page cuts or has over its side: those that a finger cannot bring into sight.
CONTROLS = "a, button, input, select, textarea, summary"
OUT_OF_SIGHT = """(controls) => [...document.querySelectorAll(controls)].filter((one) => {
    const { left, right, width } = one.getBoundingClientRect();
    const isShown = width > 1 && one.checkVisibility({ visibilityProperty: true });
    return isShown && !one.closest("[role=region]") && (left < -1 || right > innerWidth + 1);
}).map((one) => one.outerHTML)"""


def try_large_text(screen, address):
    """At twice the size, of which WCAG 2.2 says in 1.4.4 that nothing is lost."""
    screen.set_viewport_size(PHONE)
    screen.evaluate("document.documentElement.style.fontSize = '200%'")
    assert overflow(screen) == 0, (address, "in large text")
    assert screen.evaluate(OUT_OF_SIGHT, CONTROLS) == [], (address, "in large text")
    screen.evaluate("document.documentElement.style.fontSize = ''")


def try_layout(screen, name, address):
    screen.goto(address)
    try_widths(screen, name, address)
    try_large_text(screen, address)
    screen.locator("main details").evaluate_all("all => all.forEach((one) => { one.open = true })")
    assert overflow(screen) == 0, (address, "with all that unfolds")
    assert violations(screen) == [], address
    if name in RICHER_ON_A_DESKTOP:
        screen.set_viewport_size(DESKTOP)
        assert violations(screen) == [], address


@pytest.mark.parametrize("part", range(PARTS))
def test_screens_of_somebody_with_everything(screen, live_server, sign_in, monkeypatch, part):
    somebody = somebody_with_everything(monkeypatch)
    sign_in(somebody)
    for name, address in [*screens_of(somebody), *states_of(somebody)][part::PARTS]:
        try_layout(screen, name, address)


def test_screens_of_a_new_account(screen, live_server, account, sign_in):
    sign_in(account)
    for name in EMPTY:
        screen.goto(reverse(name))
        try_widths(screen, "", name)
    for address in ("/?days=4", "/progress", reverse("start-program", args=["upper-lower-double"])):
        try_layout(screen, "", address)


def test_screens_of_visitors(screen, live_server, account, capsys):
    call_command("sign_in_link", account.email)
    link = path_of(capsys.readouterr().out.strip())
    for name in FOR_VISITORS:
        address = link if name == "open-sign-in-link" else reverse(name)
        try_layout(screen, f"{name}, for visitors", address)
    for phone in (PHONE, SMALL_PHONE):
        screen.set_viewport_size(phone)
        screen.goto("/")
        name = screen.get_by_role("link", name="Fitness").first.bounding_box()
        button = screen.get_by_role("banner").get_by_role("link", name="Sign up").bounding_box()
        assert button["y"] < name["y"] + name["height"]


def test_pounds_and_reps_fit_a_small_phone(screen, live_server, sign_in):
    lifter = seed_demo.seed("demo@example.org", timezone.localdate(), 200, "blue horse 77")
    Account.objects.filter(pk=lifter.pk).update(units="lb")
    sign_in(lifter)
    screen.set_viewport_size(SMALL_PHONE)
    for measure in ("e1rm", "heaviest", "volume", "reps"):
        for by in ("sets", "volume"):
            screen.goto(f"/progress?measure={measure}&by={by}")
            assert overflow(screen) == 0, (measure, by)
        screen.goto(f"/progress/lifts?measure={measure}")
        assert overflow(screen) == 0, measure
    screen.goto("/progress/records")
    assert overflow(screen) == 0
