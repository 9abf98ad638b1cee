// The parts of the page that its first drawing does not need. They are loaded after it; until then a sentence is in
// their place.

import { h } from "./dom.js";

let parts = null;
let isMissing = false;

// Returns all of them, null without a connection. Another try is made whenever it is called again.
export async function loadPanels() {
  try {
    parts = await import("./later.js");
  } catch {
    isMissing = true;
  }
  return parts;
}

const sentence = () =>
  isMissing
    ? gettext("This part of the page is not loaded. It opens when there is a connection. Your sets are kept.")
    : gettext("Opening…");

const inPlace = (...children) =>
  h("div", { class: "train-empty", "data-key": "unloaded" }, h("p", { role: "status" }, sentence()), ...children);

const keepTraining = () => h("button", { class: "button", "data-do": "keep-training" }, gettext("Keep training"));

export const finder = (...values) => parts?.finder(...values) ?? inPlace();
export const finishPanel = (values) => parts?.finishPanel(values) ?? inPlace(keepTraining());
export const platesPanel = (...values) => parts?.platesPanel(...values) ?? inPlace();
export const question = (action) => parts?.question(action) ?? inPlace();
