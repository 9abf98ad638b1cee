// What is said below the numbers of a set: that it is a record, or that a digit may be too many.

import { isTimed } from "./fields.js";
import { bestSet, counts, doneSets, shown } from "./state.js";
import { liftText, weightText } from "./units.js";

const LIFT = ["weight_kg", "reps"];
const OUTLIER = 1.5; // times the best so far: more is asked about

// As estimated_1rm_kg in training/models/sets.py.
const estimateKg = ({ weight_kg: kg, reps }) => Math.round(kg * (1 + reps / 30) * 10) / 10;

// Of all cards of the exercise, in their order.
const setsOf = ({ document }, { exercise_id: id }) =>
  shown(document.exercises)
    .filter((one) => one.exercise_id === id && !isTimed(one))
    .flatMap(doneSets)
    .filter(counts);

function remark(set, before, { best: former, is_assisted: isAssisted }, units) {
  const isBest = (of) => bestSet([...of, set], LIFT, isAssisted && "weight_kg") === set;
  if (!former || !isBest(before)) return "";
  const estimate = !isAssisted && estimateKg(set) > former.strongest_kg && weightText(estimateKg(set), units);
  const lift = liftText(former, units, isAssisted);
  const record = isBest([former]) && interpolate(gettext("New record, %(lift)s before"), { lift });
  return [record, estimate && interpolate(gettext("best estimate %(weight)s"), { weight: estimate })]
    .filter(Boolean)
    .join(" · ");
}

// [uid, text] of each done set that was better than all before it, today's included. The best of a first time is none.
export function remarks(record, exercise, context) {
  const sets = isTimed(exercise) ? [] : setsOf(record, exercise);
  return sets
    .map((set, place) => [set.uid, remark(set, sets.slice(0, place), context, record.units)])
    .filter(([, text]) => text);
}

// What a weight is compared with that may be a slip: the most that was lifted so far, null where it is none.
export function doubtedKg(record, exercise, { best, is_assisted: isAssisted }, { weight_kg: kg }) {
  if (!best || isAssisted || isTimed(exercise)) return null;
  const most = Math.max(best.weight_kg, ...setsOf(record, exercise).map((set) => set.weight_kg ?? 0));
  return most > 0 && kg > most * OUTLIER ? most : null;
}
