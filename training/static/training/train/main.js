// The page /train: has the record of the account, changes it as somebody trains, keeps it in this browser and
// leaves the rest to `Sync`.

import { ACCOUNT, currentAccount, forgetFinish, markFinish, setCurrentAccount } from "./account.js";
import { Actions, newSearch } from "./actions.js";
import { draw } from "./dom.js";
import { merge } from "./merge.js";
import { api, opening, root } from "./opening.js";
import { loadPanels } from "./panels.js";
import { arranged, knownContext, shown } from "./state.js";
import * as storage from "./storage.js";
import { nextOf } from "./supersets.js";
import { Sync } from "./sync.js";
import { keepScreenOn, restSeconds, ring } from "./timer.js";
import { clockText, secondsSince } from "./units.js";
import { elapsedText, page, restText } from "./view.js";

const SLOW = 3000; // milliseconds until the page opens as it does without a connection

const newUi = () => ({
  open: null,
  set: null,
  noted: null, // what is open to be noted: {set, name}, the set as "exercise/set"
  doubted: null, // the set, written so, whose weight is asked about
  panel: null,
  hasMore: false, // whether the card shows all of its buttons
  search: newSearch(),
  wrong: {},
  notice: null,
  isFinishing: false,
  minutes: "",
  keepsUndone: false,
  asksDiscard: false,
  missing: null,
  isBlocked: false,
});

const newRecord = (account, units) => ({
  account,
  units,
  time_zone: undefined, // the browser's
  document: null,
  version: 0,
  exercises: {},
  targets: {}, // what is asked of one exercise alone, by its uid
  answers: {}, // by the id of a rule: null where its target shall stay, else the question that was answered
  unsent: false,
  finish: null,
  rest: null,
  watch: null, // the stopwatch that runs: {set, started_at}, the set as "exercise/set"
  aheadBy: 0,
});

class Train {
  constructor() {
    this.root = root;
    this.addresses = api.addresses;
    this.record = null;
    this.ui = newUi();
    this.addsMissing = false;
    this.hasKept = false;
    this.isConfirmed = false; // the server has named the record's account, or somebody has changed the record
    this.api = api;
    this.sync = new Sync(api, this, opening);
    this.actions = new Actions(this);
    this.nextTime = null; // this and the next until panels.js has loaded them
    this.restAlarm = null;
    this.choices = null;
  }

  async start() {
    this.hasKept = await storage.hasRecords().catch(() => false);
    this.show();
    this.actions.listen(this.root);
    document.addEventListener("visibilitychange", () => this.stayOn());
    // Another tab signed out, or signed another account in.
    addEventListener("storage", (event) => event.key === ACCOUNT && location.reload());
    setInterval(() => this.count(), 250);
    setTimeout(() => this.openKept(), SLOW);
    await this.sync.run();
  }

  // Without an answer of the server: the workout of the account that was here last. With one, whoever is
  // signed in by now sees nothing of another account.
  async openKept() {
    const account = currentAccount();
    const record = account && (await storage.load(account).catch(() => null));
    const isUnanswered = ["connecting", "offline", "unanswered"].includes(this.sync.state);
    if (!record || this.record || !isUnanswered) return;
    this.record = record;
    this.api.aheadBy = record.aheadBy;
    this.show();
  }

  now() {
    return this.api.now();
  }

  // --- What changes ---------------------------------------------------------------------------------

  // After each input: `document` is the new one.
  change(document, more = {}) {
    this.isConfirmed = true;
    this.record = { ...this.record, ...more, document, unsent: true };
    this.keep();
    this.sync.changed();
    this.draw();
  }

  // What belongs to this browser alone.
  keepLocally(values) {
    this.record = { ...this.record, ...values };
    this.keep();
    this.draw();
  }

  // Also of another tab.
  cancelFinish() {
    forgetFinish(this.record.account);
    this.record = { ...this.record, finish: null };
    this.keep(true);
    this.draw();
  }

  // A browser without storage (some private windows) trains with the page and the server alone.
  keep(cancelsFinish = false) {
    this.hasKept = true;
    this.restAlarm?.follow(this.record.account, this.record.rest);
    if (this.record.finish) markFinish(this.record.account);
    this.record.aheadBy = this.api.aheadBy;
    this.kept = storage.keep(this.record, cancelsFinish).catch(() => {});
    return this.kept;
  }

  // --- What the server answers ----------------------------------------------------------------------

  async received({ account, units, rack, time_zone, draft, exercises, targets }) {
    if (this.record?.account !== account) {
      this.ui = newUi();
      this.record = (await storage.load(account).catch(() => null)) ?? newRecord(account, units);
    }
    this.isConfirmed = true;
    setCurrentAccount(account);
    const { document } = this.record;
    if (!draft && document)
      this.record = { ...this.record, unsent: true }; // the answer to the PUT has the reason
    else if (draft?.document) this.takeOver(draft, document, exercises, targets);
    this.record = { ...this.record, units, rack, time_zone };
    if (draft?.document) await this.keep();
    this.show();
  }

  takeOver(draft, document, exercises, targets = {}) {
    const isOther = document && document.id !== draft.document.id;
    if (isOther && this.record.unsent) return; // the answer to the PUT has what happened to it
    const merged = document && !isOther ? merge(document, draft.document) : draft.document;
    const own = isOther ? newRecord(this.record.account, this.record.units) : this.record;
    this.record = {
      ...own,
      document: merged,
      version: draft.version,
      exercises: { ...own.exercises, ...exercises },
      targets,
    };
  }

  // `sent` is the document of the PUT, which may have changed since.
  async saved({ finished, document, version }, sent, finish) {
    if (finished) {
      // Of what was changed meanwhile, the answer to the next PUT has the sets that are missing.
      if (this.record.document === sent) await this.leave(finished.url);
      return;
    }
    const isSent = this.record.document === sent && this.record.finish === finish;
    this.record = {
      ...this.record,
      document: merge(this.record.document, document),
      version,
      unsent: !isSent,
    };
    await this.keep();
    await this.fetchContexts();
  }

  // Of exercises that another device added, or that this one knew in part.
  async fetchContexts() {
    const unknown = shown(this.record.document.exercises)
      .map((exercise) => exercise.exercise_id)
      .filter((id) => knownContext(this.record, id)?.is_in_part ?? true);
    for (const id of new Set(unknown)) {
      const { status, body } = await this.api.exercise(id);
      if (status === 200) this.keepLocally({ exercises: { ...this.record.exercises, [id]: body } });
    }
  }

  // A 409. Returns whether to send a request again at once. Where the page shows a question, a queued finish
  // would be refused again by each page.
  async ended({ code, message, finished, missing }) {
    if (code === "another_open") {
      this.cancelFinish();
      Object.assign(this.ui, { isBlocked: true, asksDiscard: false });
    } else if (code === "finished" && missing.length) {
      this.cancelFinish();
      this.ui.missing = { sets: missing, url: finished.url };
    } else if (code === "finished" && this.record.finish) {
      await this.leave(finished.url);
    } else {
      await this.drop({ text: message, link: finished?.url });
      return true;
    }
    this.draw();
    return false;
  }

  refused() {
    if (this.record?.finish) this.cancelFinish();
  }

  // A session that ends while somebody trains takes nothing away. A page that was opened without one shows
  // no workout, which stays in this browser.
  signedOut() {
    if (this.isConfirmed) return;
    this.record = null;
    this.ui = newUi();
  }

  // --- The end of a workout -------------------------------------------------------------------------

  async forget() {
    await this.kept;
    forgetFinish(this.record.account);
    await storage.remove(this.record.account).catch(() => {});
    this.record = newRecord(this.record.account, this.record.units);
    this.addsMissing = false;
  }

  async drop(notice) {
    this.ui = { ...newUi(), notice };
    await this.forget();
    this.draw();
  }

  async leave(address) {
    this.sync.stop();
    await this.forget();
    location.assign(address);
  }

  // --- What is shown --------------------------------------------------------------------------------

  // One exercise is open: the first with a set to do, unless somebody opened another one.
  show() {
    if (this.record?.document) {
      const all = shown(this.record.document.exercises);
      const isThere = all.some((exercise) => exercise.uid === this.ui.open);
      if (!isThere && this.ui.open !== "none") {
        const left = arranged(this.record.document).map(nextOf);
        this.ui.open = (left.find(Boolean) ?? all[0])?.uid ?? null;
      }
      if (!all.length && !this.ui.panel) this.ui.panel = "add";
      if (this.record.finish && !this.ui.isFinishing) this.showFinish(this.record.finish);
    }
    this.stayOn();
    this.draw();
    if (this.record && !this.nextTime) setTimeout(() => this.loadPanels());
  }

  async loadPanels() {
    const panels = await loadPanels();
    if (panels && !this.nextTime) this.opened(panels);
    this.draw();
  }

  opened({ NextTime, RestAlarm, choices }) {
    this.nextTime = new NextTime(this);
    this.restAlarm = new RestAlarm(this.api);
    this.choices = choices;
    if (this.record?.document) this.restAlarm.follow(this.record.account, this.record.rest);
    this.loadChoices();
  }

  loadChoices() {
    const { account } = this.record ?? {};
    if (account && !this.choices?.listOf(account)) this.choices?.load(this.api, account, () => this.draw());
  }

  showFinish({ duration_seconds: seconds, keep_undone: keepsUndone }) {
    const minutes = String(Math.round(seconds / 60));
    Object.assign(this.ui, { isFinishing: true, minutes, keepsUndone });
  }

  draw() {
    if (this.isDrawing) return; // a focused field that is removed fires focusout
    this.isDrawing = true;
    try {
      draw(this.root, page(this));
    } finally {
      this.isDrawing = false;
    }
    this.nextTime?.look();
  }

  stayOn() {
    if (this.record?.document) keepScreenOn();
  }

  count() {
    const { document: workout, rest, watch } = this.record ?? {};
    if (!workout) return;
    this.write("[data-elapsed]", elapsedText(workout, this.now()));
    if (watch) this.write("[data-watch]", clockText(secondsSince(watch.started_at)));
    if (!rest) return;
    this.write("[data-rest]", restText(rest));
    if (restSeconds(rest, Date.now()) > 0) return;
    ring();
    this.keepLocally({ rest: null });
  }

  write(selector, text) {
    const element = this.root.querySelector(selector);
    if (element && element.textContent !== text) element.textContent = text;
  }
}

new Train().start();
