"""What charts draw can be seen: 3:1 against its background in both themes (WCAG 2.2, 1.4.11)."""

import re

import pytest

from tests.server import ROOT

STATIC = ROOT / "fitness" / "web" / "static"
CSS, DARK = ((STATIC / name).read_text() for name in ("fitness.css", "dark.css"))
LIGHT = re.search(r":root \{(.*?)\}", CSS, re.DOTALL)[1]


def tokens(*blocks):
    """{name: value} of the custom properties of these blocks; a later one wins."""
    return {name: value for block in blocks for name, value in re.findall(r"--([\w-]+): ([^;]+);", block)}


THEMES = {"light": tokens(LIGHT), "dark": tokens(LIGHT, DARK)}

# The rule that draws a mark, the property that colours it, and what it lies on.
MARKS = {
    "line 1": (".chart-colour-1", "color", "surface"),
    "line 2": (".chart-colour-2", "color", "surface"),
    "line 3": (".chart-colour-3", "color", "surface"),
    "goal": (".chart-goal", "stroke", "surface"),
    "ring": (".chart-key-goal", "color", "surface"),
    "bar": (".chart-bar", "fill", "surface"),
    "share": (".chart-bar", "fill", "sunken"),
    "calendar 1": (".chart-level-1", "fill", "surface"),
    "calendar 2": (".chart-level-2", "fill", "surface"),
    "calendar 3": (".chart-level-3", "fill", "surface"),
    "calendar 1 beside a blank day": (".chart-level-1", "fill", "sunken"),
    "days of a supplement": (".dots-taken", "fill", "surface"),
}


def colour(selector, name, theme):
    """The token that a property of a rule has, as red, green and blue from 0 to 1."""
    rule = re.search(rf"^{re.escape(selector)} \{{([^}}]*)\}}", CSS, re.MULTILINE)[1]
    token = re.search(rf"(?:^|[ ;]){name}: var\(--([\w-]+)\)", rule)[1]
    return rgb(THEMES[theme][token])


def rgb(value):
    assert re.fullmatch("#[0-9a-f]{6}", value), f"{value} is no colour that this test reads"
    return [int(value[index : index + 2], 16) / 255 for index in (1, 3, 5)]


def luminance(parts):
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_that_of_the_standard():
    assert contrast(rgb("#000000"), rgb("#ffffff")) == pytest.approx(21)
    assert contrast(rgb("#777777"), rgb("#ffffff")) == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("mark", MARKS)
def test_marks_have_contrast_with_their_background(mark, theme):
    selector, name, background = MARKS[mark]
    assert contrast(colour(selector, name, theme), rgb(THEMES[theme][background])) >= 3


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_dots_have_contrast_though_one_can_see_through_them(number, theme):
    opacity, surface = float(THEMES[theme]["dot-opacity"]), rgb(THEMES[theme]["surface"])
    full = colour(f".chart-colour-{number}", "color", theme)
    drawn = [part * opacity + behind * (1 - opacity) for part, behind in zip(full, surface, strict=True)]
    assert contrast(drawn, surface) >= 3


@pytest.mark.parametrize("theme", THEMES)
def test_the_levels_of_the_calendar_differ(theme):
    levels = [rgb(THEMES[theme][f"level-{level}"]) for level in (1, 2, 3)]
    assert min(contrast(levels[0], levels[1]), contrast(levels[1], levels[2])) > 1.4
