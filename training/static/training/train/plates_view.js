// The plates of the next set, drawn and in words.

import { h } from "./dom.js";
import { platesPerSide, rackOf } from "./plates.js";
import { toUnit, written } from "./units.js";

const HEIGHT = 96;
const WIDTH = 32; // of a plate
const COLLAR = 34; // from the left end of the picture, where the bar comes in
const LEAST = 0.34; // of the height, for the lightest plate

function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const rod = (x, width, thickness) =>
  svg("rect", { class: "train-bar", x, y: (HEIGHT - thickness) / 2, width, height: thickness, rx: 2 });

// Of the two heaviest kinds all are of full height, as on a rack.
function plate(weight, place, unit) {
  const full = unit === "lb" ? 45 : 20;
  const height = HEIGHT * (LEAST + (1 - LEAST) * Math.min(1, weight / full) ** 0.6);
  const x = COLLAR + 6 + place * (WIDTH + 2);
  return [
    svg("rect", { class: "train-plate", x, y: (HEIGHT - height) / 2, width: WIDTH, height, rx: 4 }),
    svg("text", { x: x + WIDTH / 2, y: HEIGHT / 2 + 4 }, written(weight)),
  ];
}

// One side of the bar, seen from the front; the words beside it say the same.
function picture(plates, unit) {
  const width = COLLAR + 6 + plates.length * (WIDTH + 2) + 24;
  return svg(
    "svg",
    {
      class: "train-plates",
      viewBox: `0 0 ${width} ${HEIGHT}`,
      width,
      height: HEIGHT,
      "aria-hidden": "true",
    },
    rod(0, COLLAR, 8),
    rod(COLLAR, width - COLLAR, 12),
    rod(COLLAR - 4, 8, 26),
    ...plates.flatMap((weight, place) => plate(weight, place, unit)),
  );
}

function words({ plates, missing }, weight, bar, units) {
  const values = {
    bar,
    plates: plates.map(written).join(" + "),
    missing: `${written(missing)} ${units}`,
    weight: `${written(weight)} ${units}`,
  };
  const sentences = [
    plates.length
      ? gettext("Each side: %(plates)s, on a %(bar)s bar.")
      : gettext("The %(bar)s bar without plates."),
    missing && gettext("%(missing)s less than %(weight)s."),
  ];
  return interpolate(sentences.filter(Boolean).join(" "), values);
}

function content(set, record) {
  const { units } = record;
  if (!set) return [gettext("No set is left to do.")];
  if (set.weight_kg == null) return [gettext("Enter the weight of the next set first.")];
  const weight = toUnit(set.weight_kg, units);
  const rack = rackOf(record);
  const bar = `${written(rack.bar)} ${units}`;
  const found = platesPerSide(weight, rack);
  if (!found) {
    const sentence = gettext("The %(bar)s bar alone weighs more than %(weight)s.");
    return [interpolate(sentence, { bar, weight: `${written(weight)} ${units}` })];
  }
  return [h("span", {}, words(found, weight, bar, units)), picture(found.plates, units)];
}

// `set` is the next one, or null.
export const platesPanel = (set, record) =>
  h("p", { class: "train-panel", "data-key": "plates" }, content(set, record));
