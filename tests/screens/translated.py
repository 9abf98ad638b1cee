"""Screens in the languages of the service: how their things are called, and which of their texts are cut."""

import gettext
from functools import cache

from django.conf import settings
from django.utils import translation

SEPARATORS = {"en": ".", "de": ",", "es": ",", "fr": ","}


@cache
def words_of_scripts(language):
    (folder,) = settings.LOCALE_PATHS
    return gettext.translation("djangojs", folder, [language], fallback=language == "en")


class Words:
    """What English texts are in one language, by the catalogue of pages and by that of scripts."""

    def __init__(self, language):
        self.language = language

    def __call__(self, text, context=None, **values):
        with translation.override(self.language):
            known = translation.pgettext(context, text) if context else translation.gettext(text)
        return known % values if values else known

    def of_script(self, text, context=None, **values):
        words = words_of_scripts(self.language)
        known = words.pgettext(context, text) if context else words.gettext(text)
        return known % values if values else known

    def number(self, digits):
        """What somebody types for a number, with the decimal separator of the language."""
        return digits.replace(".", SEPARATORS[self.language])


# A text that is wider than its control or cell lies upon others, and is cut where it ends outside of its box.
CUT = """() => {
  const style = (element) => getComputedStyle(element);
  const controls = `button, .button, .nav a, .badge, .choice, summary, label, dt, dd, th:not(.strip *), td,
    .set-head > *, .train-set-head > *`;
  const isClipped = (element) =>
    element && (style(element).clipPath !== "none" || isClipped(element.parentElement));
  const isHidden = (element) =>
    !element.checkVisibility() || isClipped(element) || element.closest(".skip-link, svg, option");
  const clips = (element) => ["hidden", "clip"].includes(style(element).overflowX);
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const parent = text.parentElement;
    if (!text.data.trim() || isHidden(parent)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const inner = range.getBoundingClientRect();
    if (inner.width < 2) continue;
    if (parent.closest("h1")) continue; // a name, which may be of any length
    for (let box = parent; box; box = box.parentElement) {
      if (style(box).overflowX === "auto") break;
      if (!box.matches(controls) && !clips(box) && box !== document.body) continue;
      const outer = box.getBoundingClientRect();
      if (outer.width < 2) break;
      const isOfBody = box === document.body && parent.matches(controls);
      const shown = isOfBody ? parent.getBoundingClientRect() : inner;
      if (shown.left < outer.left - 1 || shown.right > outer.right + 1)
        found.push(`${box.tagName}.${box.className}: ${text.data.trim()}`);
    }
  }
  return found;
}"""


def cut_texts(screen):
    return screen.evaluate(CUT)
