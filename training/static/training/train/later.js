// What panels.js loads after the first drawing, in one module: several imports at once would keep the page from
// answering a touch.

export * as choices from "./choices.js";
export { finder } from "./finder.js";
export { finishPanel, question } from "./finish_view.js";
export { NextTime } from "./next_time.js";
export { platesPanel } from "./plates_view.js";
export { RestAlarm } from "./rest_alarm.js";
