// One set: a row with last time's numbers, weight, repetitions and the tick, and below it what belongs to the
// set that is next.

import { h } from "./dom.js";
import { NOTED, fieldOf, fieldsOf, isTimed, marked, notedOf } from "./fields.js";
import { clockText, secondsSince, setText, weightText, written } from "./units.js";

export const capital = (text) => text[0].toUpperCase() + text.slice(1);

// `wrong` is a text that the field does not take.
function input(name, set, setName, wrong, units, placeholder, isHelp) {
  const { column, label, mode, shown } = fieldOf(name, isHelp);
  const isWrong = wrong !== undefined;
  const value = set[column] ?? null;
  return h("input", {
    class: "input",
    type: "text",
    inputmode: mode,
    autocomplete: "off",
    enterkeyhint: "done",
    placeholder,
    "data-field": "value",
    "data-name": name,
    "aria-label": `${label()}, ${setName}`,
    value: isWrong ? wrong : value === null ? "" : written(shown(value, units)),
    "aria-invalid": isWrong && "true",
    "data-key": name,
  });
}

function stepButton(step, unit, setName) {
  const [sign, label] =
    step < 0 ? ["−", gettext("%(step)s less, %(set)s")] : ["+", gettext("%(step)s more, %(set)s")];
  const size = written(Math.abs(step));
  return h(
    "button",
    {
      class: "button",
      "data-do": "step",
      "data-step": step,
      "aria-label": interpolate(label, { step: `${size} ${unit}`, set: setName }),
    },
    `${sign}${size}`,
  );
}

// What may be noted, by the values that are offered: pressing the one that is chosen takes it back.
function notedPanel({ name, label, offered }, set, setName, wrong, units) {
  const choice = (value) =>
    h(
      "button",
      {
        class: "button",
        "data-do": "note",
        "data-name": name,
        "data-value": value,
        "aria-label": `${label} ${written(value)}`,
        "aria-pressed": String(value === set[name]),
      },
      written(value),
    );
  return h(
    "div",
    { class: "train-noted", role: "group", "aria-label": `${label}, ${setName}` },
    offered.length ? offered.map(choice) : input(name, set, setName, wrong?.[name], units),
  );
}

function notedButton({ name, label }, set, setName, isOpen) {
  const value = set[name] == null ? "" : written(set[name]);
  return h(
    "button",
    {
      class: "button",
      "data-do": "open-noted",
      "data-name": name,
      "aria-expanded": String(isOpen),
      "aria-label": [label, setName, value].filter(Boolean).join(", "),
    },
    [label, value].filter(Boolean).join(" "),
  );
}

// Beside the field of a large row; in its place while it runs.
const watchButton = (watch, setName, isLarge) =>
  h(
    "button",
    {
      class: `button${isLarge ? " train-watch" : ""}${watch ? " button-primary" : ""}`,
      "data-do": "watch",
      "data-key": "watch",
      "aria-label": !watch && `${gettext("Stopwatch")}, ${setName}`,
    },
    watch && [h("span", { "data-watch": true }, clockText(secondsSince(watch.started_at))), " ", gettext("Stop")],
    !watch && !isLarge && gettext("Stopwatch"),
  );

// What is noted and warm-ups are stored of sets with repetitions alone; those have a field for the weight in their row.
// `noted` is the name of what is open.
function tools(set, setName, field, hasReps, isLarge, { noted, wrong, units, watch }) {
  const step = field.step(units);
  const unit = field.stepUnit(units);
  return h(
    "div",
    { class: "train-set-tools", "data-key": "tools" },
    stepButton(-step, unit, setName),
    stepButton(step, unit, setName),
    !hasReps && !isLarge && watchButton(watch, setName),
    !hasReps && input("weight", set, setName, wrong?.weight, units, units),
    hasReps && NOTED.map((one) => notedButton(one, set, setName, one.name === noted)),
    hasReps &&
      h(
        "button",
        { class: "button", "data-do": "toggle-warmup", "aria-pressed": String(set.type === "warmup") },
        pgettext("button", "Warm-up"),
      ),
    h(
      "button",
      {
        class: "button button-danger-quiet",
        "data-do": "remove-set",
        "aria-label": interpolate(gettext("Remove %(name)s"), { name: setName }),
      },
      gettext("Remove"),
    ),
    hasReps &&
      NOTED.filter(({ name }) => name === noted).map((one) => notedPanel(one, set, setName, wrong, units)),
  );
}

// What was done at this place last time. In a large row it has no heading, so it says what it is.
function lastTime(last, isLarge, units, isHelp) {
  const before = h("span", { class: isLarge ? null : "visually-hidden" }, gettext("Last time"), " ");
  return h("span", { class: "train-last" }, before, last ? setText(last, units, isLarge && isHelp) : "–");
}

function doubt(set, mostKg, units) {
  const values = { weight: weightText(set.weight_kg, units), most: weightText(mostKg, units) };
  return h(
    "div",
    { class: "notice train-doubt", role: "alert", "data-key": "doubt" },
    h("span", {}, interpolate(gettext("%(weight)s? Your most so far is %(most)s."), values)),
    " ",
    h("button", { class: "button", "data-do": "confirm-set" }, interpolate(gettext("Yes, %(weight)s"), values)),
  );
}

// Whether the set that is next is written large: there is no room for a time and a distance.
export const hasLargeNext = (exercise) => !isTimed(exercise) || fieldsOf(exercise).length === 1;

// Of a large row, whose numbers are below no head of columns.
const heads = (fields, units, isHelp) =>
  h(
    "div",
    { class: "train-heads", "aria-hidden": "true", "data-key": "heads" },
    fields.map((name) => h("span", {}, fieldOf(name, isHelp).heading(units))),
  );

const times = () => h("span", { "aria-hidden": "true", "data-key": "times" }, "×");

// `name` is "set 1" or "warm-up 1", `number` its 1, `last` the same set of the last session, `wrong` what was typed into
// fields that do not take it, by their names. `open` is "5+" where as many repetitions as possible are asked for.
// `plates` is what the bar needs for it, `remark` what the set is beside those before it, `mostKg` the most so far
// where the weight is asked about. `isHelp` where it is help. `watch` is the
// stopwatch that runs for the set.
export function setRow(row) {
  const { exercise, set, name, number, last, open, isSelected, wrong, units, plates } = row;
  const { remark, mostKg, isHelp, watch } = row;
  const isWarmup = set.type === "warmup";
  const letter = pgettext("short for warm-up", "W");
  const marks = notedOf(set).map((one) => marked(one, set));
  const fields = fieldsOf(exercise);
  const isLarge = isSelected && hasLargeNext(exercise);
  const hasReps = !isTimed(exercise);
  const hasWatch = isLarge && !hasReps;
  return h(
    "li",
    {
      class: [
        "train-set",
        fields.length === 1 && "train-set-one",
        set.done_at && "train-set-done",
        isSelected && "train-set-selected",
        isLarge && "train-set-large",
      ]
        .filter(Boolean)
        .join(" "),
      "data-set": set.uid,
      "data-key": set.uid,
    },
    isLarge && hasReps && heads(fields, units, isHelp),
    h(
      "button",
      {
        class: `train-number${isWarmup ? " train-number-warmup" : ""}`,
        "data-do": "select-set",
        "aria-expanded": String(isSelected),
        "aria-label": [
          capital(name),
          isWarmup && letter,
          open && interpolate(gettext("%(reps)s, as many repetitions as possible"), { reps: open }),
          ...notedOf(set).map((one) => `${marked(one, set)}, ${one.label}`),
        ]
          .filter(Boolean)
          .join(", "),
      },
      isWarmup ? letter : number,
      (open || marks[0]) && h("small", { class: !marks[0] && "train-open" }, marks[0] ?? open),
    ),
    lastTime(last, isLarge, units, isHelp),
    !(hasWatch && watch) &&
      fields.map((field, place) => [
        place > 0 && isLarge && times(),
        input(field, set, name, wrong?.[field], units, field === "reps" && open, isHelp),
      ]),
    hasWatch && watchButton(watch, name, true),
    h("input", {
      class: "train-tick",
      type: "checkbox",
      "data-field": "done",
      "aria-label": interpolate(gettext("Done, %(set)s"), { set: name }),
      checked: Boolean(set.done_at),
      "data-key": "tick",
    }),
    isSelected && tools(set, name, fieldOf(fields[0]), hasReps, isLarge, row),
    plates,
    mostKg && doubt(set, mostKg, units),
    remark && h("p", { class: "train-remark", role: "status", "data-key": "remark" }, `★ ${remark}`),
  );
}
