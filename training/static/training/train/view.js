// The page: a line that stays at the top, the exercises or the panel that ends the workout, and the rest
// timer.

import { h, ifPossible, withLink } from "./dom.js";
import { exerciseCard } from "./exercise_view.js";
import { finder, finishPanel, question } from "./panels.js";
import { arranged, contextOf, isDone, shown, supersetName } from "./state.js";
import { STEP_SECONDS, restSeconds } from "./timer.js";
import { clockText, setText } from "./units.js";

function statusText({ addresses, sync, hasKept, nextTime }) {
  const signIn = (label) =>
    h("a", { class: "train-sign-in", href: addresses.signIn, "data-do": "sign-in" }, label);
  // Who reads "Saved" may leave the connection, and finish without it.
  if (sync.state === "saved") return nextTime ? gettext("Saved") : gettext("Connecting…");
  if (sync.state === "saving") return gettext("Saving…");
  if (sync.state === "connecting") return gettext("Connecting…");
  if (sync.state === "offline") return gettext("Not connected: kept on this phone");
  if (sync.state === "unanswered") return gettext("The server does not answer: kept on this device.");
  if (sync.state === "signed-out") {
    const sentence = hasKept
      ? gettext("Your workout is kept on this phone. <a>Sign in</a> to save it.")
      : gettext("<a>Sign in</a> to train.");
    return withLink(sentence, signIn);
  }
  return sync.message;
}

export const elapsedText = (document, now) =>
  clockText(Math.max(0, (Date.parse(now) - Date.parse(document.started_at)) / 1000));

export const restText = (rest) => clockText(restSeconds(rest, Date.now()));

function top(app) {
  const { record, ui, sync } = app;
  const isQuiet = ["saved", "saving", "connecting"].includes(sync.state);
  const isOpen = record?.document && !ui.isFinishing;
  return h(
    "header",
    { class: "train-top", "data-key": "top" },
    h(
      "div",
      { class: "train-top-line" },
      h("a", { class: "button button-quiet train-home", href: app.addresses.home }, gettext("Home")),
      h("h1", {}, record?.document?.title || (ui.isFinishing ? gettext("Summary") : gettext("Workout"))),
      record?.document &&
        h("span", { class: "train-clock", "data-elapsed": true }, elapsedText(record.document, app.now())),
      isOpen &&
        h(
          "button",
          {
            class: `button${shown(record.document.exercises).every(isDone) ? " button-primary" : ""}`,
            "data-do": "open-finish",
            "data-key": "open-finish",
          },
          gettext("Finish"),
        ),
    ),
    h(
      "p",
      { class: `train-status${isQuiet ? "" : " train-status-warning"}`, role: !isQuiet && "status" },
      statusText(app),
    ),
  );
}

const offer = () =>
  h(
    "div",
    { class: "train-offer", "data-key": "offer" },
    h("button", { class: "button", "data-do": "turn-on-alerts" }, gettext("Ring on a locked phone")),
    h("button", { class: "button button-quiet", "data-do": "no-alerts" }, gettext("Not now")),
  );

function restBar({ record: { account, rest }, restAlarm }) {
  return h(
    "div",
    { class: "train-rest", "data-key": "rest" },
    restAlarm?.isAsked(account) && offer(),
    h("button", { class: "button", "data-do": "rest", "data-step": -STEP_SECONDS }, `−${STEP_SECONDS} s`),
    h(
      "div",
      { role: "timer", "aria-label": pgettext("between sets", "Rest"), class: "train-rest-time", "data-rest": true },
      restText(rest),
    ),
    h("button", { class: "button", "data-do": "rest", "data-step": STEP_SECONDS }, `+${STEP_SECONDS} s`),
    h("button", { class: "button", "data-do": "skip-rest" }, gettext("Skip")),
  );
}

function notice({ text, link, undo }) {
  return h(
    "div",
    { class: "notice train-notice", role: "status", "data-key": "notice" },
    h("span", {}, text),
    " ",
    link && h("a", { class: "button", href: link }, gettext("Show it")),
    undo && h("button", { class: "button", "data-do": "undo" }, gettext("Undo")),
  );
}

function missing({ sets }, units) {
  return h(
    "div",
    { class: "card train-empty", role: "alert", "data-key": "missing" },
    h("h2", {}, gettext("Sets that the finished workout does not have")),
    h("p", {}, gettext("The workout was finished on another device. These sets were ticked here:")),
    h(
      "ul",
      {},
      sets.map((set) => h("li", {}, `${set.name}${pgettext("behind a name", ":")} ${setText(set, units)}`)),
    ),
    h(
      "div",
      { class: "page-actions" },
      h("button", { class: "button button-primary", "data-do": "add-missing" }, gettext("Add them")),
      h("button", { class: "button", "data-do": "drop-missing" }, gettext("Leave them out")),
    ),
  );
}

function another({ asksDiscard }) {
  return h(
    "div",
    { class: "card train-empty", role: "alert", "data-key": "another" },
    h("h2", {}, gettext("Another workout is open")),
    h("p", {}, gettext("It was started on another device, so this one cannot be saved.")),
    h(
      "div",
      { class: "page-actions" },
      h(
        "button",
        { class: "button button-primary", "data-do": "ask-discard" },
        gettext("Discard this one and open the other"),
      ),
    ),
    asksDiscard && question("open-other"),
  );
}

function nothing(app) {
  if (app.sync.state === "connecting") return h("p", { class: "muted train-empty" }, gettext("Opening your workout…"));
  if (app.sync.state === "signed-out") return null;
  return h(
    "div",
    { class: "card train-empty", "data-key": "nothing" },
    h("h2", {}, gettext("No workout is open")),
    app.api.token
      ? h(
          "form",
          { method: "post", action: app.addresses.start },
          h("input", { type: "hidden", name: "csrfmiddlewaretoken", value: app.api.token }),
          h("button", { class: "button button-primary" }, pgettext("verb", "Start")),
          " ",
          h("a", { class: "button", href: app.addresses.start }, gettext("Choose what to train")),
        )
      : h("p", {}, gettext("A workout can be started when there is a connection.")),
  );
}

// The exercises of a superset on one card, or one exercise on its own.
function group(members, cards, { document }) {
  if (members.length === 1) return cards;
  const name = interpolate(gettext("Superset %(name)s"), { name: supersetName(document, members[0]) });
  return h(
    "div",
    { class: "card train-superset", role: "group", "aria-label": name, "data-key": members[0].superset_id },
    h("p", {}, name),
    cards,
  );
}

function exercises(app) {
  const { record, ui } = app;
  const groups = arranged(record.document);
  const all = groups.flat();
  const neighbour = (exercise, step) => all[all.indexOf(exercise) + step];
  const card = (exercise, members, below) =>
    exerciseCard({
      exercise,
      members,
      record,
      ui,
      next: below && { uid: below.uid, name: contextOf(record, below).name },
      isFirst: !neighbour(exercise, -1),
      isLast: !neighbour(exercise, 1),
    });
  return h(
    "div",
    { class: "train-exercises", "data-key": "exercises" },
    Object.values(record.targets).some((target) => target.is_deload) &&
      h(
        "p",
        { class: "train-deload", "data-key": "deload" },
        gettext("Deload week: the targets are lighter, and none moves."),
      ),
    groups.map((members, place) => {
      const below = groups[place + 1]?.[0];
      const cards = members.map((exercise) => ifPossible(() => card(exercise, members, below)));
      return group(members, cards, record);
    }),
    ui.panel === "add"
      ? h("div", { class: "card", "data-key": "add" }, finder(ui.search, gettext("Add an exercise"), record))
      : h(
          "button",
          { class: "button train-add", "data-do": "panel", "data-panel": "add", "data-key": "add-button" },
          gettext("Add an exercise"),
        ),
  );
}

function content(app) {
  const { record, ui } = app;
  if (ui.missing) return missing(ui.missing, record.units);
  if (ui.isBlocked) return another(ui);
  if (!record?.document) return nothing(app);
  if (ui.isFinishing)
    return finishPanel({
      record,
      ui,
      nextTime: app.nextTime?.rows,
      isWaiting: record.finish && app.sync.state !== "saving",
    });
  return exercises(app);
}

export function page(app) {
  const { record, ui } = app;
  const parts = [
    () => top(app),
    () => ui.notice && notice(ui.notice),
    () => content(app),
    () => record?.document && record.rest && !ui.isFinishing && restBar(app),
  ];
  return parts.map((part) => ifPossible(part));
}
