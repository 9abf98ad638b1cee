// Plates for one side of a barbell.

const PLATES = { kg: [25, 20, 15, 10, 5, 2.5, 1.25], lb: [45, 35, 25, 10, 5, 2.5] };
export const BAR = { kg: 20, lb: 45 };

// {plates, missing}: the plates from the heaviest on, and what they leave of the weight on both sides together.
// null for less than the bar.
export function platesPerSide(weight, unit) {
  let side = (weight - BAR[unit]) / 2;
  if (side < 0) return null;
  const plates = [];
  for (const plate of PLATES[unit]) {
    while (side >= plate - 1e-6) { // a weight from kg to lb and back is off by less
      plates.push(plate);
      side -= plate;
    }
  }
  return { plates, missing: Number((side * 2).toFixed(2)) };
}
