// What can be loaded, and the plates for one side of a barbell.

import { STEP } from "./units.js";

// As USUAL_RACKS in accounts/models/account.py.
const RACKS = {
  kg: { bar: 20, plates: [25, 20, 15, 10, 5, 2.5, 1.25] },
  lb: { bar: 45, plates: [45, 35, 25, 10, 5, 2.5] },
};

// Of a record: {bar, plates} in its unit, the plates from the heaviest on.
export const rackOf = ({ units, rack }) => rack ?? RACKS[units];

// As training/progression/loading.py.
const STEP_OF = { Dumbbell: { kg: 2, lb: 5 }, Kettlebell: { kg: 4, lb: 5 } };
const SLACK = 1e-6; // what numbers lose on their way

// The heaviest weight that can be loaded and is at most this. Who works with at least the bar lifts no less.
export function loadable(weight, working, equipment, record) {
  const rack = rackOf(record);
  const isBarbell = equipment === "Barbell";
  const step = isBarbell ? 2 * rack.plates.at(-1) : (STEP_OF[equipment] ?? STEP)[record.units];
  const bar = isBarbell && working >= rack.bar - SLACK ? rack.bar : 0;
  return bar + Math.max(0, Math.floor((weight - bar + SLACK) / step)) * step;
}

// {plates, missing}: the plates from the heaviest on, and what they leave of the weight on both sides
// together. null for less than the bar.
export function platesPerSide(weight, rack) {
  let side = (weight - rack.bar) / 2;
  if (side < 0) return null;
  const plates = [];
  for (const plate of rack.plates) {
    while (side >= plate - 1e-6) {
      // a weight from kg to lb and back is off by less
      plates.push(plate);
      side -= plate;
    }
  }
  return { plates, missing: Number((side * 2).toFixed(2)) };
}
