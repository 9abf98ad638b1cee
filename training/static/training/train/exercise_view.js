// One exercise: its name and how far it is, and while it is open its sets and everything else that can be
// done to it.

import { fieldOf, fieldsOf, isTimed, marked, notedOf } from "./fields.js";
import { h, ifPossible } from "./dom.js";
import { finder, platesPanel } from "./panels.js";
import { doubtedKg, remarks } from "./remarks.js";
import { capital, hasLargeNext, setRow } from "./set_view.js";
import {
  arranged,
  askedOf,
  contextOf,
  counted,
  doneSets,
  isDone,
  setNames,
  setNumbers,
  shown,
  targetOf,
} from "./state.js";
import { grouped, liftText, listed, loadText, timedText, weightText } from "./units.js";
import { warmUpsFor } from "./warm_ups.js";

const { lang } = document.documentElement;
const DAY = { day: "numeric", month: "short", year: "numeric" };

// In the account's time zone; in the browser's where it has no zone of that name.
export function dayText(text, timeZone) {
  const locale = lang === "en" ? "en-GB" : lang;
  try {
    return new Date(text).toLocaleDateString(locale, { ...DAY, timeZone });
  } catch {
    return new Date(text).toLocaleDateString(locale, DAY);
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

// "5+": five, and as many more as possible in the set.
const repsText = ({ reps, open }) => `${reps}${open ? "+" : ""}`;

function timedTarget({ sets, weight_kg: kg }) {
  if (kg) return ngettext("Target %(sets)s set at %(weight)s", "Target %(sets)s sets at %(weight)s", sets);
  return ngettext("Target %(sets)s set", "Target %(sets)s sets", sets);
}

function liftedTarget({ weight_kg: kg }) {
  return kg ? gettext("Target %(sets)s × %(reps)s at %(weight)s") : gettext("Target %(sets)s × %(reps)s");
}

// "1 × 5 at 65 kg, 1 × 5 at 75 kg, 1 × 5+ at 85 kg"
function linesTarget({ lines }, units) {
  const text = (line) => {
    const reps = `${line.sets} × ${repsText(line)}`;
    const weight = weightText(line.weight_kg, units);
    return line.weight_kg ? interpolate(gettext("%(reps)s at %(weight)s"), { reps, weight }) : reps;
  };
  return interpolate(gettext("Target %(target)s"), { target: listed(lines.map(text)) });
}

// "3 × 1:05", or "1:30 · 1:05" where they are not alike; as `target` in training/templatetags/training.py.
function timesText({ sets, times }, units) {
  const texts = times.map((one) => timedText(one, units));
  if (new Set(texts).size > 1) return texts.join(" · ");
  return sets > 1 ? `${sets} × ${texts[0]}` : texts[0];
}

function timesTarget(target, units) {
  const times = timesText(target, units);
  const weight = target.weight_kg && weightText(target.weight_kg, units);
  const text = weight ? interpolate(gettext("%(reps)s at %(weight)s"), { reps: times, weight }) : times;
  return interpolate(gettext("Target %(target)s"), { target: text });
}

function askedText(exercise, target, units, isHelp) {
  if (target.lines) return linesTarget(target, units);
  if (target.times && isTimed(exercise)) return timesTarget(target, units);
  const text = isTimed(exercise) ? timedTarget(target) : liftedTarget(target);
  const weight = target.weight_kg && loadText(target.weight_kg, units, isHelp);
  return interpolate(text, { sets: target.sets, reps: repsText(target), weight });
}

function targetText({ units }, exercise, target, { best, is_assisted: isHelp }) {
  const parts = [];
  if (target?.week) parts.push(interpolate(gettext("Week %(week)s of %(weeks)s"), target));
  if (target) parts.push(askedText(exercise, target, units, isHelp));
  if (best && !isTimed(exercise)) {
    parts.push(interpolate(gettext("Best %(lift)s"), { lift: liftText(best, units, isHelp) }));
  }
  return parts.join(" · ");
}

const liftOf = (units, isHelp) => (set) => {
  const warmUp = set.type === "warmup" && pgettext("short for warm-up", "W");
  return [warmUp, liftText(set, units, isHelp), ...notedOf(set).map((one) => marked(one, set))].filter(Boolean).join(" ");
};

const sessionText = ({ sets, timed = [] }, units, isHelp) =>
  listed([
    ...sets.filter((set) => set.completed).map(liftOf(units, isHelp)),
    ...timed.map((set) => timedText(set, units)),
  ]);

function sessions(context, { units, time_zone: timeZone }) {
  if (!context.sessions.length)
    return h("p", { class: "train-panel" }, gettext("You have not done this exercise before."));
  return h(
    "dl",
    { class: "train-panel train-sessions" },
    context.sessions.map((session) => [
      h("dt", {}, dayText(session.started_at, timeZone)),
      h("dd", {}, sessionText(session, units, context.is_assisted) || gettext("Done"), session.notes && h("small", {}, session.notes)),
    ]),
  );
}

// The text, and two or more positions of the movement, which are of the connection.
const howTo = ({ name, instructions, pictures = [] }) =>
  h(
    "div",
    { class: "train-panel train-how-to" },
    (instructions || gettext("The catalogue has no instructions for this exercise."))
      .split("\n")
      .map((step) => h("p", {}, step)),
    h(
      "div",
      { class: "pictures" },
      pictures.map((picture, index) =>
        h("img", {
          ...picture,
          alt: interpolate(gettext("%(name)s, picture %(number)s of %(count)s"), {
            name,
            number: index + 1,
            count: pictures.length,
          }),
        }),
      ),
    ),
  );

function textArea(label, field, value, maxlength, placeholder) {
  const attributes = { class: "input", "data-field": field, rows: 2, value, maxlength, placeholder };
  return h("label", { class: "field-label" }, label, h("textarea", attributes));
}

const notes = ({ exercise }) =>
  h(
    "div",
    { class: "train-panel train-notes" },
    textArea(gettext("Note"), "exercise-notes", exercise.notes, 5000, gettext("About today")),
    textArea(
      gettext("Setup, shown every time"),
      "setup",
      exercise.setup,
      500,
      gettext("E.g. seat 4, narrow grip"),
    ),
  );

// Whom to do in turn with.
function superset({ exercise, members, record }) {
  const others = arranged(record.document)
    .flat()
    .filter((other) => other !== exercise);
  if (!others.length) return h("p", { class: "train-panel" }, gettext("Add another exercise first."));
  const choice = (other) =>
    h(
      "button",
      {
        class: "button",
        "data-do": "toggle-superset",
        "data-uid": other.uid,
        "aria-pressed": String(members.includes(other)),
      },
      contextOf(record, other).name,
    );
  const box = h("input", {
    type: "checkbox",
    "data-field": "rests-in-superset",
    checked: exercise.rests_in_superset,
  });
  return h(
    "div",
    { class: "train-panel train-choices" },
    h("p", {}, gettext("In turn with:")),
    others.map(choice),
    members.length > 1 &&
      h(
        "label",
        { class: "switch" },
        box,
        gettext("Rest after each set of this exercise, not only after the round"),
      ),
  );
}

// Of a card; the panel that adds an exercise is below the cards.
const PANELS = {
  sessions: ({ context, record }) => sessions(context, record),
  plates: ({ context, ui, selected, record }) =>
    !selected && showsPlates(ui, context) && platesPanel(null, record), // else it is beside the set
  note: notes,
  "how-to": ({ context }) => howTo(context),
  superset,
  swap: ({ ui, record, exercise }) => finder(ui.search, gettext("Swap for"), record, exercise),
};

const hasPlates = ({ equipment }) => equipment === "Barbell";

const showsPlates = ({ panel }, context) => panel === "plates" && hasPlates(context);

const otherMeasures = (exercise, context) => context.measures.filter((measure) => measure !== exercise.measure);

const LOG = {
  reps: () => gettext("Log reps"),
  time: () => gettext("Log time"),
  distance: () => gettext("Log distance"),
};

// Four buttons, the last of which shows the others.
function tools({ exercise, members, context, ui, isFirst, isLast }) {
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
  const plates = hasPlates(context) && panel("plates", gettext("Plates"));
  const note = panel("note", gettext("Note"));
  const rest = () => [
    plates && note,
    panel("sessions", gettext("Last workouts")),
    "instructions" in context && panel("how-to", gettext("How to")),
    panel("swap", gettext("Swap")),
    others.map((other) => act("measure", LOG[other](), { "data-measure": other })),
    act("move", gettext("Move up"), { "data-step": -1, disabled: isFirst }),
    act("move", gettext("Move down"), { "data-step": 1, disabled: isLast }),
    act("remove-exercise", gettext("Remove"), {
      "aria-label": interpolate(gettext("Remove %(name)s"), { name: context.name }),
    }),
  ];
  return h(
    "div",
    { class: "train-tools", "data-key": "tools" },
    members.length > 1 && h("p", {}, context.name),
    act("add-set", gettext("Add a set")),
    plates || note,
    panel("superset", gettext("Superset")),
    act("more", gettext("More"), { "aria-expanded": String(ui.hasMore), "data-key": "more" }),
    ui.hasMore && rest(),
  );
}

function warmUpButton(exercise, context, record) {
  const weights = warmUpsFor(exercise, context, record).map(({ weight }) => grouped(weight));
  if (!weights.length) return null;
  const attributes = { class: "button train-warm-up", "data-do": "warm-up", "data-key": "warm-up" };
  const text = gettext("Warm-ups: %(weights)s %(unit)s");
  return h("button", attributes, interpolate(text, { weights: listed(weights), unit: record.units }));
}

function head(exercise, units, isHelp) {
  const fields = fieldsOf(exercise);
  const isOne = fields.length === 1;
  return h(
    "li",
    {
      class: `train-set train-set-head${isOne ? " train-set-one" : ""}`,
      "aria-hidden": "true",
      "data-key": "head",
    },
    h("span", {}, pgettext("of a workout", "Set")),
    h("span", {}, gettext("Last time")),
    fields.map((name) => h("span", {}, fieldOf(name, isHelp).heading(units))),
    h("span", {}, gettext("Done")),
  );
}

// Above the first row of the usual size, if there is one.
function withHead(rows, { exercise, context, record }, selected) {
  const place = hasLargeNext(exercise) && selected === shown(exercise.sets)[0] ? 1 : 0;
  if (rows.length <= place) return rows;
  return [rows.slice(0, place), head(exercise, record.units, context.is_assisted), rows.slice(place)];
}

const nextButton = (next) =>
  h(
    "button",
    {
      class: "button button-primary train-next",
      "data-do": "open",
      "data-uid": next.uid,
      "data-key": "next",
    },
    interpolate(gettext("Next: %(name)s"), { name: next.name }),
  );

function setRows({ exercise, context, ui, record }, target, selected) {
  const sets = shown(exercise.sets);
  const asked = askedOf(exercise, target);
  const names = setNames(sets);
  const numbers = setNumbers(sets);
  const said = new Map(remarks(record, exercise, context));
  return sets.map((set, index) => {
    const key = `${exercise.uid}/${set.uid}`;
    return setRow({
      exercise,
      set,
      name: names[index],
      number: numbers[index],
      last: lastOf(record, exercise, set, context),
      open: asked.get(set.uid)?.open && repsText(asked.get(set.uid)),
      isSelected: set === selected,
      noted: ui.noted?.set === key ? ui.noted.name : null,
      wrong: ui.wrong[key],
      units: record.units,
      plates: set === selected && showsPlates(ui, context) && platesPanel(set, record),
      isHelp: context.is_assisted,
      watch: record.watch?.set === key && record.watch,
      remark: said.get(set.uid),
      mostKg: ui.doubted === key && doubtedKg(record, exercise, context, set),
    });
  });
}

// `isCurrent` is the exercise whose turn it is: of a superset the other ones show their sets alone.
function body(card, isCurrent) {
  const { exercise, members, context, ui, record, next } = card;
  const sets = shown(exercise.sets);
  const chosen = sets.find((set) => set.uid === ui.set) ?? sets.find((set) => !set.done_at);
  const selected = isCurrent ? chosen : null;
  const target = targetOf(record, exercise);
  const { setup } = exercise;
  const times = !isTimed(exercise) && target?.times && timesText(target, record.units);
  const planned = [target?.note, times].filter(Boolean).join("\n");
  const lines = [targetText(record, exercise, target, context), target?.reason && capital(target.reason), exercise.notes];
  return h(
    "div",
    { class: "train-body", "data-key": "body" },
    planned && h("p", { class: "train-target train-planned-note" }, planned),
    lines.filter(Boolean).map((line) => h("p", { class: "train-target" }, line)),
    setup && h("p", { class: "train-target train-setup" }, interpolate(gettext("Setup: %(setup)s"), { setup })),
    isCurrent && warmUpButton(exercise, context, record),
    h("ol", { class: "train-sets", "data-key": "sets" }, withHead(setRows(card, target, selected), card, selected)),
    isCurrent && next && members.every(isDone) && nextButton(next),
    isCurrent && tools(card),
    isCurrent && PANELS[ui.panel]?.({ exercise, members, context, selected, record, ui }),
  );
}

function progressText(done, count) {
  return interpolate(ngettext("%(done)s of %(count)s set", "%(done)s of %(count)s sets", count), { done, count });
}

// `members` are the exercises of its superset, or it alone; `next` is what comes below them, {uid, name}.
export function exerciseCard({ exercise, members, record, ui, ...place }) {
  const context = contextOf(record, exercise);
  const isCurrent = ui.open === exercise.uid;
  const isOpen = members.some(({ uid }) => uid === ui.open);
  const sets = shown(exercise.sets);
  return h(
    "section",
    {
      class: `train-exercise${members.length > 1 ? "" : " card"}`,
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
        h("small", {}, progressText(counted(exercise, doneSets(exercise)).sets, counted(exercise, sets).sets)),
      ),
    ),
    isOpen && ifPossible(() => body({ exercise, members, context, ui, record, ...place }, isCurrent)),
  );
}
