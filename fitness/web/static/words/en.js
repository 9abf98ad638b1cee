// The words of scripts in English. `make messages` writes this file.
{
  const WORDS = {
  };
  const plural = new Intl.PluralRules("en");
  const form = (count) => (plural.select(count) === "one" ? 0 : 1);
  globalThis.gettext = (text) => WORDS[text]?.[0] ?? text;
  globalThis.ngettext = (one, many, count) => (WORDS[one] ?? [one, many])[form(count)];
  globalThis.pgettext = (context, text) => WORDS[`${context}\u0004${text}`]?.[0] ?? text;
  globalThis.interpolate = (text, values) => text.replace(/%\((\w+)\)s/g, (whole, name) => values[name]);
}
