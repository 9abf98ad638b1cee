// The fields of a set: what each of them holds, and how that is shown and read. `units` is "kg" or "lb".

import {
  STEP,
  clockText,
  distanceKm,
  distanceUnit,
  editedKg,
  parsed,
  parsedSeconds,
  toDistance,
  toUnit,
  written,
} from "./units.js";

const MINUTE = 60;
const MAX_SECONDS = 604_800;

// `shown` writes a stored value, `read` reads a text: null for nothing, undefined for what is none. Where a field
// `carries`, the sets below that are not done get its value too. A field that comes first has a `step` for its buttons,
// in the unit of `inUnit`. `asked` says that it is to be filled.
const FIELDS = {
  weight: {
    column: "weight_kg",
    label: () => pgettext("of a set", "Weight"),
    asked: () => gettext("Enter the weight first."),
    heading: (units) => units,
    mode: "decimal",
    most: 2000,
    carries: true,
    shown: toUnit,
    read: (text, units, stored) => converted(parsed(text), (value) => editedKg(value, units, stored)),
    inUnit: toUnit,
    step: (units) => STEP[units],
    stepUnit: (units) => units,
  },
  reps: {
    column: "reps",
    label: () => gettext("Reps"),
    asked: () => gettext("Enter the reps first."),
    heading: () => gettext("Reps"),
    mode: "numeric",
    most: 10_000,
    carries: true,
    shown: (reps) => reps,
    read: (text) => converted(parsed(text), (value) => (Number.isInteger(value) ? value : undefined)),
  },
  seconds: {
    column: "seconds",
    label: () => gettext("Time"),
    asked: () => gettext("Enter the time first."),
    heading: () => gettext("Time"),
    mode: "numeric",
    most: MAX_SECONDS,
    carries: true,
    shown: clockText,
    read: (text) => parsedSeconds(text, 1),
    inUnit: (seconds) => seconds,
    step: () => 5,
    stepUnit: () => "s",
  },
  time: {
    column: "seconds",
    label: () => gettext("Minutes"),
    asked: () => gettext("Enter the minutes first."),
    heading: () => "min",
    mode: "decimal",
    most: MAX_SECONDS,
    carries: true,
    shown: (seconds) => (seconds % MINUTE ? clockText(seconds) : seconds / MINUTE),
    read: (text) => parsedSeconds(text, MINUTE),
    inUnit: (seconds) => seconds / MINUTE,
    step: () => 1,
    stepUnit: () => "min",
  },
  distance: {
    column: "distance_km",
    label: () => gettext("Distance"),
    asked: () => gettext("Enter the distance first."),
    heading: distanceUnit,
    mode: "decimal",
    most: 10_000,
    carries: true,
    shown: toDistance,
    read: (text, units) => converted(parsed(text), (value) => distanceKm(value, units)),
  },
};

// What may be noted of a set besides: {name, label, mark, offered, most, pattern, is_number} of each, in the language of
// the page (NOTED_FIELDS in training/models/sets.py).
export const NOTED = JSON.parse(document.getElementById("train").dataset.noted);

// The weight of an assisted exercise.
FIELDS.help = {
  ...FIELDS.weight,
  label: () => pgettext("of a machine", "Help"),
  asked: () => gettext("Enter the help first."),
  heading: (units) => interpolate(gettext("%(weight)s help"), { weight: units }),
};

for (const { name, label, most, pattern, is_number: isNumber } of NOTED) {
  const whole = new RegExp(`^(?:${pattern})$`);
  const textOf = (text) => (text.length <= most && whole.test(text) ? text : undefined);
  FIELDS[name] = {
    column: name,
    label: () => label,
    mode: isNumber ? "decimal" : "text",
    most: isNumber ? most : Infinity,
    carries: false,
    shown: (value) => value,
    read: (text) => (isNumber ? parsed(text) : text.trim() ? textOf(text.trim()) : null),
  };
}

export const notedOf = (set) => NOTED.filter(({ name }) => set[name] != null);

// As it is written behind a lift: "@8".
export const marked = ({ name, mark }, set) => mark.replace("{}", () => written(set[name]));

const OF_MEASURE = { reps: ["weight", "reps"], time: ["seconds"], distance: ["time", "distance"] };

const converted = (value, convert) => (typeof value === "number" ? convert(value) : value);

// `isHelp` where the weight of the exercise is help.
export const fieldOf = (name, isHelp) => FIELDS[isHelp && name === "weight" ? "help" : name];

// The field that has to be filled before a set is done, by its name; undefined where none has to be.
export function lacking(exercise, set) {
  const names = fieldsOf(exercise);
  const empty = names.filter((name) => (set[FIELDS[name].column] ?? null) === null);
  return isTimed(exercise) && empty.length < names.length ? undefined : empty[0];
}

// The names of the fields of an exercise's sets; the first has a step.
export const fieldsOf = (exercise) => OF_MEASURE[exercise.measure];

export const isTimed = (exercise) => exercise.measure !== "reps";
