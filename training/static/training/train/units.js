// Weights in the unit of the account, rounded as fitness/web/units.py rounds them. The document holds kg alone.

const KG_PER_POUND = 0.45359237;
const DECIMALS = 2;

export const STEP = { kg: 2.5, lb: 5 };

export const toUnit = (kg, unit) => Number((unit === "lb" ? kg / KG_PER_POUND : kg).toFixed(DECIMALS));

const toKg = (value, unit) => (unit === "lb" ? value * KG_PER_POUND : value);

// A weight that a field shows rounded keeps its stored value while its text stays the same.
export function editedKg(value, unit, storedKg) {
  return storedKg !== null && value === toUnit(storedKg, unit) ? storedKg : toKg(value, unit);
}

// A number as somebody types it, with a point or a comma; null for nothing, undefined for what is none.
export function parsed(text) {
  const plain = text.trim().replace(",", ".");
  if (!plain) return null;
  return /^\d+(\.\d*)?$|^\.\d+$/.test(plain) ? Number(plain) : undefined;
}

export const grouped = (number) => number.toLocaleString("en-US", { maximumFractionDigits: DECIMALS });

export const weightText = (kg, unit) => `${grouped(toUnit(kg, unit))} ${unit}`;

// "102.5 × 5", and "8 reps" for body weight alone.
export function liftText({ weight_kg: kg, reps }, unit) {
  if (!kg) return reps === null ? "" : `${reps} rep${reps === 1 ? "" : "s"}`;
  return `${grouped(toUnit(kg, unit))} × ${reps ?? "–"}`;
}

// Seconds as "1:30", and as "1:02:05" from an hour on.
export function clockText(seconds) {
  const parts = [Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60].map((part) => String(part).padStart(2, "0"));
  const hours = Math.floor(seconds / 3600);
  return hours ? `${hours}:${parts.join(":")}` : parts.join(":");
}
