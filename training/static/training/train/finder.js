// What there is to choose from, where an exercise is added or swapped in: before somebody types what was used last and
// each muscle group, then what the text finds.

import { alternatives, listOf } from "./choices.js";
import { h } from "./dom.js";
import { shown } from "./state.js";

const LAST = 6;

// `search` is {text, isAnswered, found, own, message, only}; an exercise that is to be swapped is `swapped`.
export function finder(search, label, record, swapped) {
  const list = listOf(record.account);
  return h(
    "div",
    { class: "train-finder train-panel", "data-key": "finder", tabindex: -1 },
    h(
      "label",
      { class: "field-label", "data-key": "search" },
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
    search.isAnswered ? options(search.found) : list && offered(list, search.only, record.document, swapped),
    search.own && offer(search.own),
  );
}

function offered(list, only, document, swapped) {
  if (only.group) return ofGroup(list, only);
  const inWorkout = shown(document.exercises).map((exercise) => exercise.exercise_id);
  const used = list.all.slice(0, list.used).filter(({ id }) => !inWorkout.includes(id));
  return [
    swapped && titled(gettext("Trains the same"), options(alternatives(list, swapped.exercise_id, inWorkout))),
    titled(gettext("Last used"), options(used.slice(0, LAST))),
    groups(list, only),
    titled(gettext("Done before"), options(used.slice(LAST))),
  ];
}

const titled = (title, content) => content && [h("h3", {}, title), content];

const groups = (list, only) => chips(list, only, "group", gettext("By muscle"), list.all.map((one) => one.muscle_group));

function ofGroup(list, only) {
  const { group, muscle, equipment } = only;
  const all = list.all.filter((one) => one.muscle_group === group);
  const training = all.filter((one) => !muscle || one.muscles.includes(muscle));
  const isWith = (one) => !equipment || one.equipment === equipment;
  const muscles = all.filter(isWith).flatMap((one) => one.muscles.filter((key) => key !== group));
  return [
    groups(list, only),
    chips(list, only, "muscle", gettext("Muscle"), muscles),
    chips(list, only, "equipment", gettext("Equipment"), training.map((one) => one.equipment)),
    options(training.filter(isWith)),
  ];
}

// Buttons for values, in the order in which the server has their labels; once one is chosen, that one alone.
function chips({ labels }, only, by, title, values) {
  const chip = (value) => {
    const isChosen = String(only[by] === value);
    const does = { "data-do": "narrow", "data-by": by, "data-value": value, "data-key": value, "aria-pressed": isChosen };
    return h("button", { class: "button", ...does }, labels[value]);
  };
  const all = Object.keys(labels).filter((one) => values.includes(one) && (only[by] ?? one) === one);
  return titled(title, all.length > 0 && h("div", { class: "train-chips", "data-key": by }, all.map(chip)));
}

const options = (exercises) =>
  exercises.length > 0 &&
  h(
    "ul",
    {},
    exercises.map(({ id, name, detail, thumb }) =>
      h(
        "li",
        { "data-key": id },
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
  );

// To make an exercise of the account's own, as the server has drawn it for forms.
function offer(own) {
  const drawn = own.cloneNode(true);
  drawn.dataset.key = "own";
  drawn.querySelectorAll("[data-own-field]").forEach((field) => { field.dataset.field = "own"; });
  drawn.querySelector("[data-own-make]").dataset.do = "make-own";
  return drawn;
}
