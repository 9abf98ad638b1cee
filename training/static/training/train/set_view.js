// One set: a row with last time's numbers, weight, repetitions and the tick, and below it what belongs to the set
// that is next.

import { h } from "./dom.js";
import { STEP, liftText, toUnit } from "./units.js";

const RPES = [6, 6.5, 7, 7.5, 8, 8.5, 9, 9.5, 10];

function field(name, label, value, text, mode) {
  const isWrong = text !== undefined;
  return h("input", {
    class: "input", type: "text", inputmode: mode, autocomplete: "off", enterkeyhint: "done", "data-field": name,
    "aria-label": label, value: isWrong ? text : value ?? "", "aria-invalid": isWrong && "true", "data-key": name,
  });
}

function tools(set, number, units) {
  const step = STEP[units];
  return h("div", { class: "train-set-tools", "data-key": "tools" },
    h("button", { class: "button", "data-do": "step-weight", "data-step": -step, "aria-label": `${step} ${units} less, set ${number}` }, `−${step}`),
    h("button", { class: "button", "data-do": "step-weight", "data-step": step, "aria-label": `${step} ${units} more, set ${number}` }, `+${step}`),
    h("select", { class: "input", "data-field": "rpe", "aria-label": `RPE, set ${number}` },
      h("option", { value: "", selected: set.rpe === null }, "RPE"),
      [...new Set([...RPES, set.rpe])].filter((rpe) => rpe !== null).map((rpe) => (
        h("option", { value: rpe, selected: rpe === set.rpe }, `RPE ${rpe}`)))),
    h("button", { class: "button", "data-do": "toggle-warmup", "aria-pressed": String(set.type === "warmup") }, "Warm-up"),
    h("button", { class: "button button-danger-quiet", "data-do": "remove-set", "aria-label": `Remove set ${number}` }, "Remove"));
}

// `last` is the same set of the last session, `wrong` what was typed into a field that takes no such text.
export function setRow({ set, number, last, isSelected, wrong, units }) {
  const isWarmup = set.type === "warmup";
  const weight = set.weight_kg === null ? null : toUnit(set.weight_kg, units);
  return h("li", {
    class: `train-set${set.done_at ? " train-set-done" : ""}${isSelected ? " train-set-selected" : ""}`,
    "data-set": set.uid, "data-key": set.uid,
  },
    h("button", {
      class: `train-number${isWarmup ? " train-number-warmup" : ""}`, "data-do": "select-set",
      "aria-expanded": String(isSelected), "aria-label": isWarmup ? `Set ${number}, W, warm-up` : `Set ${number}`,
    }, isWarmup ? "W" : number),
    h("span", { class: "train-last" },
      last ? [h("span", { class: "visually-hidden" }, "Last time "), liftText(last, units)] : "–",
      set.rpe !== null && h("small", {}, ` RPE ${set.rpe}`)),
    field("weight", `Weight, set ${number}`, weight, wrong?.weight, "decimal"),
    field("reps", `Reps, set ${number}`, set.reps, wrong?.reps, "numeric"),
    h("input", {
      class: "train-tick", type: "checkbox", "data-field": "done", "aria-label": `Done, set ${number}`,
      checked: set.done_at !== null,
    }),
    isSelected && tools(set, number, units));
}
