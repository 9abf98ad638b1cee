// Weights in the unit of the account, rounded as fitness/web/units.py rounds them. The document holds kg
// alone.

const KG_PER_POUND = 0.45359237;
const QUARTER_MARGIN = 0.005;

const KM_PER_MILE = 1.609344;

export const STEP = { kg: 2.5, lb: 5 };

const rounded = (value, parts) => Math.floor(value * parts + 0.5) / parts;

function roundedPounds(value) {
  const quarter = rounded(value, 4);
  return Math.abs(value - quarter) <= QUARTER_MARGIN ? quarter : rounded(value, 10);
}

export const toUnit = (kg, unit) => (unit === "lb" ? roundedPounds(kg / KG_PER_POUND) : rounded(kg, 100));

const toKg = (value, unit) => (unit === "lb" ? value * KG_PER_POUND : value);

// A weight that a field shows rounded keeps its stored value while its text stays the same.
export function editedKg(value, unit, storedKg) {
  return storedKg != null && value === toUnit(storedKg, unit) ? storedKg : toKg(value, unit);
}

const { lang } = document.documentElement;

const point = (0.5).toLocaleString(lang).replace(/\d/g, "");

const THOUSANDS = point === "," ? /\.\d{3}/ : /,\d{3}/;

// A number as somebody types it, with a point or a comma, as typed_number in fitness/web/units.py reads it; null for
// nothing, undefined for what is none, or may be a thousand times as much: "1.800" in German, "1,800" in English.
export function parsed(text) {
  const plain = text.trim().replace(",", ".");
  if (!plain) return null;
  const isNumber = /^\d+(\.\d*)?$|^\.\d+$/.test(plain) && !THOUSANDS.test(text);
  return isNumber ? Number(plain) : undefined;
}

export const grouped = (number, decimals = 2) =>
  number.toLocaleString(lang, { maximumFractionDigits: decimals });

// As somebody types it: all of its digits, and nothing between thousands. Also of a time such as "1:30".
export const written = (value) => String(value).replace(".", point);

// Numbers one after the other, which a decimal comma would run into each other.
export const listed = (texts) => texts.join(point === "," ? "; " : ", ");

export const weightText = (kg, unit) => `${grouped(toUnit(kg, unit))} ${unit}`;

// Distances are in miles where weights are in pounds.
export const distanceUnit = (unit) => (unit === "lb" ? "mi" : "km");

const DISTANCE_DECIMALS = 3; // metres

export const toDistance = (km, unit) =>
  rounded(unit === "lb" ? km / KM_PER_MILE : km, 10 ** DISTANCE_DECIMALS);

export const distanceText = (distance, unit) =>
  `${grouped(distance, DISTANCE_DECIMALS)} ${distanceUnit(unit)}`;

export const distanceKm = (value, unit) => (unit === "lb" ? value * KM_PER_MILE : value);

// A time as somebody types it, "1:30", "1:02:05" or a number of `seconds`; null for nothing, undefined for what is none.
export function parsedSeconds(text, seconds) {
  const clock = text.trim().match(/^(?:(\d{1,3}):(?=[0-5]\d:))?(\d{1,5}):([0-5]\d)$/);
  if (clock) return clock.slice(1).reduce((total, part) => total * 60 + Number(part ?? 0), 0);
  const value = parsed(text);
  return typeof value === "number" ? Math.round(value * seconds) : value;
}

// A set has no field that nothing was entered into, or null in it: a set that was drafted as repetitions has no time.

// "30:00, 5.2 km", "0:45", and "0:45, 10 kg" with a weight.
export function timedText({ seconds, distance_km: km, weight_kg: kg }, unit) {
  const time = seconds == null ? "" : clockText(seconds);
  const distance = km ? distanceText(toDistance(km, unit), unit) : "";
  return [time, distance, kg ? weightText(kg, unit) : ""].filter(Boolean).join(", ");
}

// `text` is the number, for one with a sign.
export const countedReps = (reps, text = reps) =>
  interpolate(ngettext("%(count)s rep", "%(count)s reps", Math.abs(reps)), { count: text });

// "15 sets, 3 warm-ups", as done_in_words in training/templatetags/training.py.
export function doneText({ sets, warmups }) {
  const count = (text, number) => interpolate(text, { count: grouped(number) });
  return [
    (sets || !warmups) && count(ngettext("%(count)s set", "%(count)s sets", sets), sets),
    warmups && count(ngettext("%(count)s warm-up", "%(count)s warm-ups", warmups), warmups),
  ]
    .filter(Boolean)
    .join(", ");
}

// Where the weight is help: "40 kg help".
export const loadText = (kg, unit, isHelp) =>
  isHelp ? interpolate(gettext("%(weight)s help"), { weight: weightText(kg, unit) }) : weightText(kg, unit);

// "102.5 × 5", "40 kg help × 5", and "8 reps" for body weight alone.
export function liftText({ weight_kg: kg, reps }, unit, isHelp) {
  if (!kg) return reps == null ? "" : countedReps(reps);
  return `${isHelp ? loadText(kg, unit, true) : grouped(toUnit(kg, unit))} × ${reps ?? "–"}`;
}

// Of a set that is done, its time where it has no repetitions.
export const setText = (set, unit, isHelp) =>
  set.reps == null && (set.seconds != null || set.distance_km != null)
    ? timedText(set, unit)
    : liftText(set, unit, isHelp);

// Since a moment of this device's clock, in milliseconds.
export const secondsSince = (moment) => Math.max(0, Math.floor((Date.now() - moment) / 1000));

// Seconds as "1:30", and as "1:02:05" from an hour on.
export function clockText(seconds) {
  const two = (part) => String(Math.floor(part) % 60).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  const before = minutes < 60 ? minutes : `${Math.floor(minutes / 60)}:${two(minutes)}`;
  return `${before}:${two(seconds)}`;
}
