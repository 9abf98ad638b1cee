"""Helpers for tests in a real browser. Without Chromium or Playwright these tests are skipped."""

import functools
import shutil

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
expect = sync_api.expect
expect.set_options(timeout=30_000)  # on a slow machine a page takes longer, but must not fail
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# Where it is installed as well: the same engine without windows, in 0.6 of the time.
HEADLESS_SHELL = shutil.which("chromium-headless-shell") or CHROMIUM

in_browser = [
    pytest.mark.skipif(not CHROMIUM, reason="Chromium is not installed (Debian: apt install chromium)"),
]

OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
SMALL_PHONE = {"width": 360, "height": 740}


def patient(action):
    """The action of a Locator, once the page of its element has loaded: until then its scripts do nothing."""

    @functools.wraps(action)
    def act(locator, *arguments, **options):
        locator.wait_for(state="attached")
        locator.page.wait_for_load_state()
        return action(locator, *arguments, **options)

    return act


for name in (
    *("check", "click", "dblclick", "fill", "focus", "press", "press_sequentially", "select_option"),
    *("set_input_files", "tap", "uncheck"),
):
    setattr(sync_api.Locator, name, patient(getattr(sync_api.Locator, name)))


# The rules of axe whose outcome depends on the theme.
COLOURS = ["color-contrast", "link-in-text-block"]
# Without what is right: to send that here took a third of the time. To wait for transitions took as long.
RUN = """async ([part, rules, left]) => {
    const still = new CSSStyleSheet();
    still.replaceSync("*, *::before, *::after { transition: none !important; animation: none !important }");
    document.adoptedStyleSheets = [still];
    // What listens for the theme has changed the page then: Chromium may tell it only after one frame.
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    const leftOut = Object.fromEntries(left.map((rule) => [rule, { enabled: false }]));
    const options = { resultTypes: ["violations"], rules: leftOut, ...(rules && { runOnly: rules }) };
    return (await axe.run(part ?? document, options)).violations;
}"""
# Of texts that look alike, on what is painted alike, axe tries one, if that can be read: it spent half of its
# time on the others. What is weak, or on a picture, it tries wherever it is.
EACH_LOOK_ONCE = """(readable) => {
    axe.readable = new Set(readable);
    const contrast = axe._audit.checks["color-contrast"];
    const { evaluate } = contrast;
    const LETTERS = ["color", "fontSize", "fontWeight", "textShadow", "webkitTextStroke"];
    const PAINTS = ["backgroundColor", "backgroundImage", "filter", "mixBlendMode", "opacity"];
    const SIDES = ["top", "right", "bottom", "left"];
    const mayLieUponOthers = (style) =>
        ["absolute", "fixed", "sticky"].includes(style.position) || style.transform !== "none" ||
        SIDES.some((side) => style.position === "relative" && parseFloat(style[side])) ||
        SIDES.some((side) => parseFloat(style[`margin-${side}`]) < 0);
    // What an element and those around it paint, or null where it may lie upon others.
    const paintOf = (element) => {
        if (!element) return "";
        const style = getComputedStyle(element);
        if (mayLieUponOthers(style)) return null;
        const around = paintOf(element.parentElement);
        const own = PAINTS.map((name) => style[name]).join();
        return around === null || own === "rgba(0, 0, 0, 0),none,none,normal,1" ? around : `${own} ${around}`;
    };
    contrast.evaluate = function (node, ...others) {
        const paint = paintOf(node);
        const style = getComputedStyle(node);
        const look = paint !== null && [...LETTERS.map((name) => style[name]), paint].join();
        if (axe.readable.has(look)) return true;
        const isReadable = evaluate.call(this, node, ...others);
        if (look && isReadable && axe.commons.dom.isVisibleOnScreen(node)) axe.readable.add(look);
        return isReadable;
    };
}"""
readable = set()  # by what this process has tried


def violations(screen, part=None, *, themes=("light", "dark")):
    """What axe finds on a page, or in the part that a selector matches; of colours, in these themes."""
    screen.wait_for_load_state()  # a script that still comes may change what is tried
    if not screen.evaluate("'axe' in window"):
        screen.evaluate(axe.Axe().axe_script)
        screen.evaluate(EACH_LOOK_ONCE, list(readable))
    if part:
        screen.locator(part).first.wait_for()
    found = screen.evaluate(RUN, [part, None, [] if "light" in themes else COLOURS])
    if "dark" in themes:
        screen.emulate_media(color_scheme="dark")
        found += screen.evaluate(RUN, [part, COLOURS, []])
        screen.emulate_media(color_scheme="light")
    readable.update(screen.evaluate("[...axe.readable]"))
    return found


def overflow(screen):
    """By how many pixels the page is wider than the screen. Right after a click there may be no page yet."""
    screen.wait_for_load_state("load")
    return screen.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


class Touches:
    """Touches a screen as a finger or a mouse does, and counts. A choice from a native list takes two."""

    def __init__(self, screen):
        self.screen = screen
        self.count = 0

    def on(self, target):
        target.click()
        self.count += 1

    def choose(self, target, label):
        target.select_option(label=label)
        self.count += 2
