// The search of the catalogue, for an exercise that is added or swapped in.

import { h } from "./dom.js";

// `search` is {text, found, own, message}.
export function finder(search, label) {
  return h(
    "div",
    { class: "train-finder train-panel", "data-key": "finder" },
    h(
      "label",
      { class: "field-label" },
      label,
      h("input", {
        class: "input",
        type: "search",
        "data-field": "search",
        autocomplete: "off",
        value: search.text,
        placeholder: gettext("Search the catalogue, e.g. bench press"),
      }),
    ),
    search.message && h("p", { class: "muted", role: "status" }, search.message),
    search.found.length > 0 &&
      h(
        "ul",
        {},
        search.found.map(({ id, name, detail, thumb }) =>
          h(
            "li",
            {},
            h(
              "button",
              { class: "finder-option", "data-do": "choose-exercise", "data-id": id },
              thumb?.cloneNode(),
              h("bdi", {}, name),
              " ",
              h("small", {}, detail),
            ),
          ),
        ),
      ),
    search.own && offer(search.own),
  );
}

// To make an exercise of the account's own, as the server has drawn it for forms.
function offer(own) {
  const drawn = own.cloneNode(true);
  drawn.dataset.key = "own";
  drawn.querySelectorAll("[data-own-field]").forEach((field) => { field.dataset.field = "own"; });
  drawn.querySelector("[data-own-make]").dataset.do = "make-own";
  return drawn;
}
