// Warm-up sets that lead up to the weight of the first working set.

import { isTimed } from "./fields.js";
import { loadable } from "./plates.js";
import { exerciseOf, putSets, shown } from "./state.js";
import { editedKg, toUnit } from "./units.js";

const STEPS = [
  { percent: 40, reps: 8 },
  { percent: 60, reps: 5 },
  { percent: 80, reps: 3 },
];

// The sets, from the lightest on: {uid, weight, reps}, the weight in the unit. None where a set is done, where
// there are some already, and where nothing lighter can be loaded. Uids are the same on each device, so that
// two devices that add them at once do not add them twice.
export function warmUpsFor(exercise, context, record) {
  const sets = shown(exercise.sets);
  const isPossible = sets.length && !isTimed(exercise) && !context.is_assisted;
  if (!isPossible || sets.some((set) => set.done_at || set.type === "warmup")) return [];
  const working = toUnit(sets[0].weight_kg ?? 0, record.units);
  const rows = STEPS.map(({ percent, reps }) => ({
    uid: `warm-up-${percent}`,
    weight: loadable((working * percent) / 100, working, context.equipment, record),
    reps,
  }));
  const isNew = ({ weight }, place) => rows[place - 1]?.weight !== weight;
  return rows.filter((row, place) => row.weight > 0 && row.weight < working && isNew(row, place));
}

export function addWarmUps(document, uid, context, record, now) {
  const rows = warmUpsFor(exerciseOf(document, uid), context, record);
  const first = shown(exerciseOf(document, uid).sets)[0];
  const sets = rows.map((row, place) => ({
    uid: row.uid,
    type: "warmup",
    weight_kg: editedKg(row.weight, record.units, null),
    reps: row.reps,
    order: first.order - rows.length + place,
  }));
  return putSets(document, uid, sets, now);
}
