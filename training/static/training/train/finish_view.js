// The panel that ends a workout: what was done, what was not, and the question before it is discarded.

import { h, ifPossible } from "./dom.js";
import { isTimed } from "./fields.js";
import { nextTimeList } from "./next_time.js";
import { bestSet, contextOf, counted, doneSets, shown, totals, undoneSets } from "./state.js";
import {
  countedReps,
  distanceText,
  doneText,
  grouped,
  liftText,
  timedText,
  toDistance,
  toUnit,
  weightText,
} from "./units.js";

const LIFT = ["weight_kg", "reps"];
const TIME = ["seconds", "distance_km"];

const signed = (number) => (number > 0 ? `+${grouped(number)}` : `−${grouped(-number)}`);

const firstTime = () => gettext("first time");
const asLastTime = () => gettext("as last time");

function helpText(kg, weight) {
  const text = kg < 0 ? gettext("%(weight)s less help") : gettext("%(weight)s more help");
  return interpolate(text, { weight });
}

// 0 where one of the two has nothing to compare.
const difference = (best, last, name) => (best[name] == null || last[name] == null ? 0 : best[name] - last[name]);

function changeText(best, last, units, isAssisted) {
  if (!last) return firstTime();
  const kg = difference(best, last, "weight_kg");
  const reps = difference(best, last, "reps");
  const weight = kg && toUnit(best.weight_kg, units) - toUnit(last.weight_kg, units);
  if (kg && isAssisted) return helpText(kg, `${grouped(Math.abs(weight))} ${units}`);
  if (kg) return `${signed(weight)} ${units}`;
  if (reps) return countedReps(reps, signed(reps));
  return asLastTime();
}

function timeChangeText(best, last, units) {
  if (!last) return firstTime();
  const seconds = difference(best, last, "seconds");
  const distance = toDistance(best.distance_km ?? 0, units) - toDistance(last.distance_km ?? 0, units);
  if (distance) return `${distance > 0 ? "+" : "−"}${distanceText(Math.abs(distance), units)}`;
  if (seconds) return `${seconds > 0 ? "+" : "−"}${timedText({ seconds: Math.abs(seconds) })}`;
  return asLastTime();
}

function bestAndLast(exercise, { sessions: [session], is_assisted: isAssisted }) {
  const names = isTimed(exercise) ? TIME : LIFT;
  const before = isTimed(exercise) ? session?.timed : session?.sets.filter((set) => set.completed);
  const least = isAssisted && "weight_kg";
  return [bestSet(doneSets(exercise), names, least), bestSet(before ?? [], names, least)];
}

// All entries of an exercise as one, as last time's sets are; those by time apart.
function byExercise(exercises) {
  const groups = new Map();
  for (const exercise of exercises) {
    const key = `${exercise.exercise_id} ${isTimed(exercise)}`;
    groups.set(key, [...(groups.get(key) ?? []), exercise]);
  }
  return [...groups.values()].map((group) => ({ ...group[0], sets: group.flatMap((one) => one.sets) }));
}

function exerciseRow(exercise, record) {
  const context = contextOf(record, exercise);
  const done = doneSets(exercise);
  const [best, last] = bestAndLast(exercise, context);
  const [text, change] = isTimed(exercise) ? [timedText, timeChangeText] : [liftText, changeText];
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, context.name),
    h("td", { class: "table-number" }, counted(exercise, done).sets),
    h("td", { class: "table-number" }, (best && text(best, record.units, context.is_assisted)) || "–"),
    h("td", { class: "table-number" }, best ? change(best, last, record.units, context.is_assisted) : "–"),
  );
}

const brokenRow = (sentence) => h("tr", {}, h("td", { colspan: 4 }, sentence));

function undone(exercises, record, keepsUndone) {
  const left = exercises
    .map((exercise) => [exercise, undoneSets(exercise)])
    .filter(([, sets]) => sets.length);
  const text = ([exercise, sets]) => `${contextOf(record, exercise).name} (${doneText(counted(exercise, sets))})`;
  const sets = left.map(text).join("; ");
  if (!left.length) return null;
  return h(
    "div",
    { class: "train-undone" },
    h("p", {}, interpolate(gettext("Sets not done: %(sets)s."), { sets })),
    h(
      "label",
      { class: "switch" },
      h("input", { type: "checkbox", "data-field": "keep-undone", checked: keepsUndone }),
      gettext("Keep them in the workout, as sets that were not done (times as a note)"),
    ),
  );
}

// `action` is the button that discards the workout.
export const question = (action) =>
  h(
    "div",
    {
      class: "notice notice-error",
      role: "alertdialog",
      "aria-label": gettext("Discard this workout?"),
      "data-key": "discard",
    },
    h("p", {}, gettext("Discard this workout? Its sets are gone then, also those that you ticked.")),
    h(
      "div",
      { class: "page-actions" },
      h("button", { class: "button button-danger", "data-do": action }, gettext("Discard")),
      h("button", { class: "button", "data-do": "keep" }, gettext("Keep it")),
    ),
  );

function summary(record, ui, nextTime) {
  const { document } = record;
  const exercises = shown(document.exercises);
  const done = totals(document);
  const facts = [
    [pgettext("of a workout", "Sets"), doneText(done)],
    [gettext("Volume"), weightText(done.volume_kg, record.units)],
  ];
  return [
    h(
      "dl",
      { class: "stats" },
      facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    ),
    h(
      "label",
      { class: "entry-field" },
      gettext("Time in minutes"),
      h("input", {
        class: "input",
        type: "text",
        inputmode: "numeric",
        "data-field": "minutes",
        value: ui.minutes,
      }),
    ),
    h(
      "label",
      { class: "entry-field" },
      gettext("Title"),
      h("input", {
        class: "input",
        type: "text",
        "data-field": "title",
        maxlength: 200,
        value: document.title,
      }),
    ),
    h(
      "label",
      { class: "entry-field" },
      gettext("Notes"),
      h("textarea", {
        class: "input",
        "data-field": "notes",
        rows: 2,
        maxlength: 5000,
        value: document.notes,
      }),
    ),
    exercises.length > 0 &&
      h(
        "table",
        { class: "table" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            [
              gettext("Exercise"),
              pgettext("of a workout", "Sets"),
              gettext("Best set"),
              gettext("Change"),
            ].map((name, column) => h("th", { scope: "col", class: column > 0 && "table-number" }, name)),
          ),
        ),
        h(
          "tbody",
          {},
          byExercise(exercises).map((one) => ifPossible(() => exerciseRow(one, record), brokenRow)),
        ),
      ),
    nextTimeList(nextTime, record),
    undone(exercises, record, ui.keepsUndone),
  ];
}

// The buttons are there also where the rest cannot be shown: without them nobody could finish.
// `nextTime` as the rows of NextTime.
export function finishPanel({ record, ui, nextTime, isWaiting }) {
  return h(
    "section",
    { class: "card train-finish", "aria-label": gettext("Summary"), "data-key": "finish" },
    ifPossible(() => summary(record, ui, nextTime)),
    isWaiting &&
      h(
        "p",
        { class: "notice", role: "status" },
        gettext("Finish is kept on this phone, and sent as soon as there is a connection."),
      ),
    h(
      "div",
      { class: "train-finish-actions" },
      h(
        "button",
        {
          class: "button button-primary",
          "data-do": "finish",
          "aria-busy": Boolean(record.finish) && "true",
        },
        gettext("Finish"),
      ),
      h("button", { class: "button", "data-do": "keep-training" }, gettext("Keep training")),
      h("button", { class: "button button-danger-quiet", "data-do": "ask-discard" }, gettext("Discard workout")),
    ),
    ui.asksDiscard && question("discard"),
  );
}
