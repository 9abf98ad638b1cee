// The ticks of a time axis, as on the server: days, Mondays, or the first days of months and years.

import { dayOfMonth, monthOrYear } from "./words.js";

const DAY = 86_400;
const MONTH = 30 * DAY; // about: it measures the room that a step has
const MONDAY = 4 * DAY; // 5 January 1970

export const STEPS = [
  ...[1, 2, 7, 14].map((days) => days * DAY),
  ...[1, 2, 3, 6, 12, 24, 60, 120, 240, 600].map((months) => months * MONTH),
];

// The times from `low` to `high`, in one of the STEPS.
export function ticks(low, high, step) {
  const found = [];
  const [first, timeOf] = step < MONTH ? everyDays(low, step) : everyMonths(low, step / MONTH);
  for (let index = first; timeOf(index) <= high; index += 1) found.push(timeOf(index));
  return found;
}

export function labels(times, step) {
  return times.map(step < MONTH ? dayOfMonth : monthOrYear);
}

// Each returns the number of the first tick, and a function from a number to its time.
function everyDays(low, step) {
  return [Math.ceil((low - MONDAY) / step), (index) => index * step + MONDAY];
}

function everyMonths(low, months) {
  const start = new Date(low * 1000);
  const first = Math.floor((start.getUTCFullYear() * 12 + start.getUTCMonth()) / months);
  const time = (index) => Date.UTC(Math.floor((index * months) / 12), (index * months) % 12) / 1000;
  return [time(first) < low ? first + 1 : first, time];
}
