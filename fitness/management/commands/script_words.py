"""Writes the words of scripts, `fitness/web/static/words/<language>.js`, from the catalogues in `locale/`."""

import gettext
import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

FOLDER = settings.BASE_DIR / "fitness" / "web" / "static" / "words"
# The functions of Django's JavaScript catalogue, but that placeholders are always named. Browsers and the
# service worker keep a static file, which Django's view of the catalogue would not be.
SCRIPT = """\
// The words of scripts in %(name)s. `make messages` writes this file.
{
  const WORDS = {%(words)s
  };
  const plural = new Intl.PluralRules("%(language)s");
  const form = (count) => (plural.select(count) === "one" ? 0 : 1);
  globalThis.gettext = (text) => WORDS[text]?.[0] ?? text;
  globalThis.ngettext = (one, many, count) => (WORDS[one] ?? [one, many])[form(count)];
  globalThis.pgettext = (context, text) => WORDS[`${context}\\u0004${text}`]?.[0] ?? text;
  globalThis.interpolate = (text, values) => text.replace(/%%\\((\\w+)\\)s/g, (whole, name) => values[name]);
}
"""


def words(language: str) -> dict[str, list[str]]:
    """The translations of each text, by its number of forms one or two; of a text with a context by both."""
    folder = settings.LOCALE_PATHS[0]
    found = gettext.translation("djangojs", folder, [language], fallback=True)
    catalogue: dict[Any, str] = getattr(found, "_catalog", {})
    forms: dict[str, list[str]] = {}
    for key, text in catalogue.items():
        source = key if isinstance(key, str) else key[0]
        if source:
            forms.setdefault(source, []).append(text)
    return dict(sorted(forms.items()))


def script(language: str, name: str) -> str:
    lines = (f"\n    {in_json(source)}: {in_json(forms)}," for source, forms in words(language).items())
    return SCRIPT % {"name": name, "language": language, "words": "".join(lines)}


def in_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).replace("</", "<\\/")


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: object, **options: object) -> None:
        Path(FOLDER).mkdir(exist_ok=True)
        for language, name in settings.LANGUAGES:
            (FOLDER / f"{language}.js").write_text(script(language, name))
