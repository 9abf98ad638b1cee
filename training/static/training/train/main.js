// The page /train: has the record of the account, changes it as somebody trains, keeps it in this browser and leaves
// the rest to `Sync`.

import { ACCOUNT, currentAccount, setCurrentAccount } from "./account.js";
import { Actions } from "./actions.js";
import { Api } from "./api.js";
import { draw } from "./dom.js";
import { merge } from "./merge.js";
import { shown } from "./state.js";
import * as storage from "./storage.js";
import { Sync } from "./sync.js";
import { keepScreenOn, restSeconds, ring } from "./timer.js";
import { elapsedText, page, restText } from "./view.js";

const newUi = () => ({
  open: null, set: null, panel: null, search: { text: "", found: [], message: "" }, wrong: {}, notice: null,
  isFinishing: false, minutes: "", keepsUndone: false, asksDiscard: false, missing: null, isBlocked: false,
});

const newRecord = (account, units) => ({
  account, units, document: null, version: 0, exercises: {}, unsent: false, finish: null, rest: null,
});

class Train {
  constructor(root) {
    this.root = root;
    this.addresses = { ...root.dataset };
    this.record = null;
    this.ui = newUi();
    this.addsMissing = false;
    this.hasKept = false;
    this.api = new Api(this.addresses);
    this.sync = new Sync(this.api, this);
    this.actions = new Actions(this);
  }

  async start() {
    const account = currentAccount();
    this.record = (account && (await storage.load(account).catch(() => null))) || null;
    this.hasKept = await storage.hasRecords().catch(() => false);
    this.show();
    this.actions.listen(this.root);
    document.addEventListener("visibilitychange", () => this.stayOn());
    // Another tab signed out, or signed another account in.
    addEventListener("storage", (event) => event.key === ACCOUNT && location.reload());
    setInterval(() => this.count(), 250);
    await this.sync.run();
  }

  now() {
    return this.api.now();
  }

  // --- What changes ---------------------------------------------------------------------------------

  // After each input: `document` is the new one.
  change(document, more = {}) {
    this.record = { ...this.record, ...more, document, unsent: true };
    this.keep();
    this.sync.changed();
    this.draw();
  }

  // What belongs to this browser alone.
  note(values) {
    this.record = { ...this.record, ...values };
    this.keep();
    this.draw();
  }

  // A browser without storage (some private windows) trains with the page and the server alone.
  keep() {
    this.hasKept = true;
    this.kept = storage.keep(this.record).catch(() => {});
    return this.kept;
  }

  // --- What the server answers ----------------------------------------------------------------------

  async received({ account, units, draft, exercises }) {
    if (this.record?.account !== account) {
      this.ui = newUi();
      this.record = (await storage.load(account).catch(() => null)) ?? newRecord(account, units);
    }
    setCurrentAccount(account);
    const { document } = this.record;
    if (!draft && document) this.record = { ...this.record, unsent: true }; // the PUT finds out why
    else if (draft?.document) this.take(draft, document, exercises);
    this.record = { ...this.record, units };
    if (draft?.document) await this.keep();
    this.show();
  }

  take(draft, document, exercises) {
    const isOther = document && document.id !== draft.document.id;
    if (isOther && this.record.unsent) return; // the PUT finds out what became of it
    const merged = document && !isOther ? merge(document, draft.document) : draft.document;
    const own = isOther ? newRecord(this.record.account, this.record.units) : this.record;
    this.record = {
      ...own, document: merged, version: draft.version, exercises: { ...own.exercises, ...exercises },
    };
  }

  // `sent` is the document of the PUT, which may have changed since.
  async saved({ finished, document, version }, sent, finish) {
    if (finished) return this.leave(finished.url);
    const isSent = this.record.document === sent && this.record.finish === finish;
    this.record = { ...this.record, document: merge(this.record.document, document), version, unsent: !isSent };
    await this.keep();
    await this.learn();
  }

  // The context of exercises that another device added.
  async learn() {
    const unknown = shown(this.record.document.exercises)
      .map((exercise) => exercise.exercise_id).filter((id) => !this.record.exercises[id]);
    for (const id of new Set(unknown)) {
      const { status, body } = await this.api.exercise(id);
      if (status === 200) this.note({ exercises: { ...this.record.exercises, [id]: body } });
    }
  }

  // A 409: whether to ask the server again at once.
  async ended({ code, message, finished, missing }) {
    if (code === "another_open") {
      this.ui.isBlocked = true;
    } else if (code === "finished" && missing.length) {
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
    if (this.record?.finish) this.note({ finish: null });
  }

  // --- The end of a workout -------------------------------------------------------------------------

  async forget() {
    await this.kept;
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
        const next = all.find((exercise) => shown(exercise.sets).some((set) => !set.done_at)) ?? all[0];
        this.ui.open = next?.uid ?? null;
      }
      if (!all.length && !this.ui.panel) this.ui.panel = "add";
      if (this.record.finish) this.ui.isFinishing = true;
    }
    this.stayOn();
    this.draw();
  }

  draw() {
    if (this.isDrawing) return; // taking the focused field away makes it report its end
    this.isDrawing = true;
    draw(this.root, page(this));
    this.isDrawing = false;
  }

  stayOn() {
    if (this.record?.document) keepScreenOn();
  }

  count() {
    const { document: workout, rest } = this.record ?? {};
    if (!workout) return;
    this.write("[data-elapsed]", elapsedText(workout, this.now()));
    if (!rest) return;
    this.write("[data-rest]", restText(rest));
    if (restSeconds(rest, Date.now()) > 0) return;
    ring();
    this.note({ rest: null });
  }

  write(selector, text) {
    const element = this.root.querySelector(selector);
    if (element && element.textContent !== text) element.textContent = text;
  }
}

new Train(document.getElementById("train")).start();
