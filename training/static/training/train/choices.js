// The exercises to choose from, which this browser keeps for when there is no connection.

import * as storage from "./storage.js";

const MOST_FOUND = 16;
const SWAPS = 3;

let current = null;

// What the server answers for an account, with its rows as objects: those `used`, newest first, then the plainest.
export const listOf = (account) => (current?.account === account ? current : null);

export const expanded = ({ columns, rows, ...list }) => ({
  ...list,
  all: rows.map((row) => Object.fromEntries(row.map((value, place) => [columns[place], value]))),
});

// Shows what is kept, then what the server has.
export async function load(api, account, draw) {
  const kept = await storage.exercises("readonly", (store) => store.get(account)).catch(() => null);
  if (kept) current = expanded(kept);
  draw();
  const address = `${api.addresses.choices}?version=${kept?.version}`;
  const { body } = await api.request("GET", address).catch(() => ({}));
  if (!body?.rows) return; // what is kept is the newest
  const newest = { ...body, account };
  current = expanded(newest);
  draw();
  await storage.exercises("readwrite", (store) => store.put(newest)).catch(() => {});
}

export const choiceOf = ({ all }, id) => all.find((one) => one.id === id);

// As the server's, also of an exercise that was never done.
export function contextOf(list, id) {
  const one = choiceOf(list, id);
  return list.contexts[id] ?? (one && { ...list.never_done, ...one });
}

const asTyped = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase().trim();

// What a text names: exercises by all its words, muscles by their beginning.
export function matching({ all, words }, text) {
  const typed = asTyped(text);
  const muscles = Object.keys(words).filter((key) => words[key].some((word) => word.startsWith(typed)));
  const isNamed = ({ name }) => typed.split(" ").every((part) => asTyped(name).includes(part));
  return all.filter((one) => isNamed(one) || common(one.muscles, muscles)).slice(0, MOST_FOUND);
}

const common = (some, others) => some.filter((one) => others.includes(one)).length;

const likeness = (some, others) => common(some, others) / Math.max(some.length, others.length);

const movement = ({ id, equipment }) => id.split("-").filter((word) => word !== equipment.toLowerCase());

// Muscles first, then words of the name, which say how it is done.
const howLike = (one, other) => 2 * likeness(one.muscles, other.muscles) + likeness(movement(one), movement(other));

// Three that train the same with what was used before or in this workout, or with nothing, where possible each with
// something else: the machine may be taken.
export function alternatives(list, id, inWorkout) {
  const one = choiceOf(list, id);
  if (!one) return [];
  const here = list.all.filter((other, place) => place < list.used || inWorkout.includes(other.id));
  const atHand = ["Bodyweight", ...here.map(({ equipment }) => equipment)];
  const isSame = ({ muscles, measures: [measure] }) =>
    common(one.muscles, muscles) >= Math.min(2, one.muscles.length) && measure === one.measures[0];
  const same = list.all
    .filter((other) => atHand.includes(other.equipment) && isSame(other) && !inWorkout.includes(other.id))
    .sort((some, more) => howLike(one, more) - howLike(one, some));
  const isFirst = (other) =>
    other.equipment !== one.equipment && other === same.find(({ equipment }) => equipment === other.equipment);
  return [...new Set([...same.filter(isFirst), ...same])].slice(0, SWAPS);
}
