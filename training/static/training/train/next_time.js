// What finishing does to the targets of a plan or routine: asked of the server while the summary is open, and
// again when a set of the workout has changed.

import { NotConnected } from "./api.js";
import { h } from "./dom.js";

const AFTER_CHANGE = 500;
const BETWEEN_TRIES = 5000; // without a connection

// Without a rule or a lighter week the server has nothing to say.
const hasTargets = ({ targets }) => Object.values(targets).some((target) => !target.is_fixed);

export class NextTime {
  constructor(train) {
    this.train = train;
    this.question = null; // the newest one, as a text
    this.rows = "waiting"; // the answer to it, or "unknown"
    addEventListener("online", () => this.rows === "unknown" && this.plan(0));
  }

  // After each drawing of the page.
  look() {
    const { record, ui } = this.train;
    if (!ui.isFinishing || !record?.document || !hasTargets(record)) return;
    const { id, exercises } = record.document;
    const question = JSON.stringify([id, exercises, ui.keepsUndone]);
    if (question === this.question) return;
    const pause = this.question ? AFTER_CHANGE : 0;
    this.question = question;
    this.plan(pause);
  }

  plan(pause) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(this.question), pause);
  }

  async ask(question) {
    const { api, record, ui } = this.train;
    if (!ui.isFinishing || !record?.document) {
      this.question = null; // asked when the summary is open again
      return;
    }
    let rows = "unknown";
    try {
      const { status, body } = await api.nextTime(record.document, ui.keepsUndone);
      if (status === 200) rows = body.next;
    } catch (error) {
      if (!(error instanceof NotConnected)) throw error;
      if (question === this.question) this.plan(BETWEEN_TRIES);
    }
    if (question !== this.question) return; // something has changed meanwhile
    this.rows = rows;
    this.train.draw();
  }
}

// Where there is a question, the target stays until that one is answered.
function row({ rule_id: rule, exercise, target, reason, is_change: isChange, question }, answers) {
  const isHeld = isChange && (answers[rule] === null || (question && answers[rule] !== question));
  const text = h(
    "span",
    { class: "train-next-text" },
    h("strong", {}, exercise),
    h("span", { class: isHeld && "train-next-held" }, target),
    isHeld && question
      ? h("small", { class: "train-next-question" }, question)
      : h("small", {}, isHeld ? gettext("Left as it is") : reason),
  );
  const box = () =>
    h("input", {
      type: "checkbox",
      "data-field": "next-time",
      "data-rule": rule,
      "data-question": question,
      checked: !isHeld,
    });
  return h("li", { "data-key": rule }, isChange ? h("label", { class: "switch" }, box(), text) : text);
}

const LINES = {
  waiting: () => gettext("Asking what to do next time…"),
  unknown: () => gettext("Your targets move when the workout is stored."),
};

// What becomes of the targets, before it is stored. `rows` as of NextTime.
export function nextTimeList(rows, record) {
  if (!hasTargets(record) || rows.length === 0) return null;
  return h(
    "section",
    { class: "train-next-time", "aria-label": gettext("Next time"), "data-key": "next-time" },
    h("h2", {}, gettext("Next time")),
    LINES[rows]
      ? h("p", {}, LINES[rows]())
      : h(
          "ul",
          {},
          rows.map((one) => row(one, record.answers ?? {})),
        ),
  );
}
