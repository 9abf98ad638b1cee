// One exercise: its name and how far it is, and while it is open its sets and everything else that can be
// done to it.

import { fieldOf, fieldsOf, isTimed } from "./fields.js";
import { finder } from "./finder.js";
import { h, ifPossible } from "./dom.js";
import { BAR, platesPerSide } from "./plates.js";
import { setRow } from "./set_view.js";
import { doneSets, isDone, knownContext, measuresOf, setNames, shown, supersetName } from "./state.js";
import { liftText, timedText, toUnit, weightText } from "./units.js";

const WITHOUT_CONTEXT = {
  muscle_group: "",
  equipment: "",
  measures: ["reps"],
  url: null,
  target: null,
  sessions: [],
  best: null,
};

// What is known about an exercise; one of another device, added while this one is offline, has no more than
// its id.
export const contextOf = (record, exercise) =>
  knownContext(record, exercise.exercise_id) ?? {
    ...WITHOUT_CONTEXT,
    name: exercise.exercise_id.replaceAll("-", " "),
  };

// What a rule asks for here, else what the routine or plan asks for of the exercise.
const targetOf = ({ targets }, { uid }, context) => targets?.[uid] ?? context.target;

const DAY = { day: "numeric", month: "short", year: "numeric" };

// In the account's time zone; in the browser's where it has no zone of that name.
export function dayText(text, timeZone) {
  try {
    return new Date(text).toLocaleDateString("en-GB", { ...DAY, timeZone });
  } catch {
    return new Date(text).toLocaleDateString("en-GB", DAY);
  }
}

// The set of last time at the same place among the sets of its type, in all entries of the exercise.
function lastOf({ document }, exercise, set, { sessions: [last] }) {
  const place = shown(document.exercises)
    .filter((one) => one.exercise_id === exercise.exercise_id)
    .flatMap((one) => shown(one.sets))
    .filter((one) => one.type === set.type)
    .indexOf(set);
  if (isTimed(exercise)) return last?.timed?.[place];
  return last?.sets.filter((one) => one.completed && one.type === set.type)[place];
}

// "5+": five, and as many more as possible in the last set.
const repsText = ({ reps, open }) => `${reps}${open ? "+" : ""}`;

function targetText({ document, units }, exercise, target, { best }) {
  const superset = supersetName(document, exercise);
  const parts = superset ? [`Superset ${superset}`] : [];
  if (target) {
    const weight = target.weight_kg ? ` at ${weightText(target.weight_kg, units)}` : "";
    const reps = isTimed(exercise) ? ` set${target.sets === 1 ? "" : "s"}` : ` × ${repsText(target)}`;
    parts.push(`Target ${target.sets}${reps}${weight}`);
  }
  if (best && !isTimed(exercise)) parts.push(`Best ${liftText(best, units)}`);
  return parts.join(" · ");
}

function platesText(set, units) {
  if (!set) return "No set is left to do.";
  if (set.weight_kg === null) return "Enter the weight of the next set first.";
  const weight = toUnit(set.weight_kg, units);
  const found = platesPerSide(weight, units);
  const bar = `${BAR[units]} ${units} bar`;
  if (!found) return `The ${bar} alone weighs more than ${weight} ${units}.`;
  const missing = found.missing ? ` ${found.missing} ${units} less than ${weight} ${units}.` : "";
  if (!found.plates.length) return `The ${bar} without plates.${missing}`;
  return `Each side: ${found.plates.join(" + ")}, on a ${bar}.${missing}`;
}

const liftOf = (units) => (set) => {
  const rpe = set.rpe === null ? "" : ` @${set.rpe}`;
  return `${set.type === "warmup" ? "W " : ""}${liftText(set, units)}${rpe}`;
};

const sessionText = ({ sets, timed = [] }, units) =>
  [
    ...sets.filter((set) => set.completed).map(liftOf(units)),
    ...timed.map((set) => timedText(set, units)),
  ].join(", ");

function sessions(context, { units, time_zone: timeZone }) {
  if (!context.sessions.length)
    return h("p", { class: "train-panel" }, "You have not done this exercise before.");
  return h(
    "dl",
    { class: "train-panel train-sessions" },
    context.sessions.map((session) => [
      h("dt", {}, dayText(session.started_at, timeZone)),
      h("dd", {}, sessionText(session, units), session.notes && h("small", {}, session.notes)),
    ]),
  );
}

const note = (exercise) =>
  h("textarea", {
    class: "input train-panel",
    "data-field": "exercise-notes",
    "aria-label": "Note",
    rows: 3,
    maxlength: 5000,
    value: exercise.notes,
  });

// Of a card; the panel that adds an exercise is below the cards.
const PANELS = {
  sessions: ({ context, record }) => sessions(context, record),
  plates: ({ selected, record }) => h("p", { class: "train-panel" }, platesText(selected, record.units)),
  note: ({ exercise }) => note(exercise),
  swap: ({ ui }) => finder(ui.search, "Swap for"),
};

const otherMeasures = (exercise, context) =>
  measuresOf(context).filter((measure) => measure !== (exercise.measure ?? "reps"));

function tools(exercise, context, ui, isFirst, isLast) {
  const panel = (name, label) =>
    h(
      "button",
      {
        class: "button",
        "data-do": "panel",
        "data-panel": name,
        "aria-expanded": String(ui.panel === name),
      },
      label,
    );
  const others = doneSets(exercise).length ? [] : otherMeasures(exercise, context);
  const act = (name, label, attributes = {}) =>
    h("button", { class: "button", "data-do": name, ...attributes }, label);
  return h(
    "div",
    { class: "train-tools" },
    act("add-set", "Add a set"),
    panel("sessions", "Last sessions"),
    panel("note", "Note"),
    context.equipment === "Barbell" && panel("plates", "Plates"),
    context.url &&
      h("a", { class: "button", href: context.url, target: "_blank", rel: "noopener" }, "How to"),
    panel("swap", "Swap"),
    others.map((other) => act("measure", `Log ${other}`, { "data-measure": other })),
    act("move", "Move up", { "data-step": -1, disabled: isFirst }),
    act("move", "Move down", { "data-step": 1, disabled: isLast }),
    act("remove-exercise", "Remove", { "aria-label": `Remove ${context.name}` }),
  );
}

function body({ exercise, context, ui, record, next, isFirst }) {
  const { units } = record;
  const sets = shown(exercise.sets);
  const selected = sets.find((set) => set.uid === ui.set) ?? sets.find((set) => !set.done_at);
  const asked = targetOf(record, exercise, context);
  const target = targetText(record, exercise, asked, context);
  const working = sets.filter((set) => set.type !== "warmup");
  const openSet = asked?.open && !isTimed(exercise) ? working[asked.sets - 1] : null;
  const names = setNames(sets);
  const isOne = fieldsOf(exercise).length === 1;
  return h(
    "div",
    { class: "train-body", "data-key": "body" },
    target && h("p", { class: "train-target" }, target),
    asked?.reason && h("p", { class: "train-target" }, asked.reason),
    exercise.notes && ui.panel !== "note" && h("p", { class: "train-target" }, exercise.notes),
    sets.length > 0 &&
      h(
        "div",
        { class: `train-set train-set-head${isOne ? " train-set-one" : ""}`, "aria-hidden": "true" },
        h("span", {}, "Set"),
        h("span", {}, "Last time"),
        fieldsOf(exercise).map((name) => h("span", {}, fieldOf(name).heading(units))),
        h("span", {}, "Done"),
      ),
    h(
      "ol",
      { class: "train-sets" },
      sets.map((set, index) =>
        setRow({
          exercise,
          set,
          name: names[index],
          last: lastOf(record, exercise, set, context),
          open: set === openSet && repsText(asked),
          isSelected: set === selected,
          wrong: ui.wrong[`${exercise.uid}/${set.uid}`],
          units,
        }),
      ),
    ),
    next &&
      isDone(exercise) &&
      h(
        "button",
        {
          class: "button button-primary train-next",
          "data-do": "open",
          "data-uid": next.uid,
          "data-key": "next",
        },
        `Next: ${next.name}`,
      ),
    tools(exercise, context, ui, isFirst, !next),
    PANELS[ui.panel]?.({ exercise, context, selected, record, ui }),
  );
}

// `next` is the exercise below, {uid, name}.
export function exerciseCard({ exercise, record, ui, next, isFirst }) {
  const context = contextOf(record, exercise);
  const isOpen = ui.open === exercise.uid;
  const sets = shown(exercise.sets);
  return h(
    "section",
    {
      class: "card train-exercise",
      "aria-label": context.name,
      "data-exercise": exercise.uid,
      "data-key": exercise.uid,
    },
    h(
      "h2",
      {},
      h(
        "button",
        {
          class: "train-name",
          "data-do": "open",
          "data-uid": exercise.uid,
          "aria-expanded": String(isOpen),
        },
        h("span", {}, context.name),
        h("small", {}, `${doneSets(exercise).length} of ${sets.length} set${sets.length === 1 ? "" : "s"}`),
      ),
    ),
    isOpen && ifPossible(() => body({ exercise, context, ui, record, next, isFirst })),
  );
}
