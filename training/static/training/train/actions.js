// What each button and field does. Buttons have data-do, fields data-field; the elements around them have
// data-exercise and data-set.

import { forgetCurrentAccount } from "./account.js";
import { NotConnected, SignedOut } from "./api.js";
import { NOTED, fieldOf, fieldsOf, isTimed, lacking } from "./fields.js";
import { doubtedKg } from "./remarks.js";
import * as state from "./state.js";
import { toggleSuperset, turnAfter } from "./supersets.js";
import { allowSound, boundedPause, moveRest, startRest } from "./timer.js";
import { parsed, secondsSince } from "./units.js";
import { addWarmUps } from "./warm_ups.js";

const SEARCH_PAUSE = 150;
const notConnected = () =>
  gettext("Not connected: the catalogue can be searched when there is a connection.");
const signedOut = () => gettext("You are signed out: sign in to search the catalogue.");

const ownFields = (own) => [...own.querySelectorAll("[data-own-field]")];

// In the element that each drawing clones: a clone has the options that are marked, not what was chosen since.
function keepChoice(own, name, value) {
  const field = ownFields(own).find((one) => one.dataset.ownField === name);
  for (const option of field.options) option.toggleAttribute("selected", option.value === value);
}

// What is searched and found in the panel that adds or swaps an exercise; `only` is what narrows the list down.
export const newSearch = () => ({ text: "", found: [], message: "", only: {} });

// A keyboard on the screen would cover what there is to choose from.
const hasKeyboard = () => matchMedia("(pointer: fine)").matches;

// Of a set in what is remembered of it: uids of sets are their exercise's own.
const keyOf = ({ exercise, set }) => `${exercise}/${set}`;

export class Actions {
  constructor(train) {
    this.train = train;
  }

  listen(root) {
    root.addEventListener("click", (event) => this.clicked(event));
    root.addEventListener("input", (event) => this.entered(event));
    root.addEventListener("focusin", (event) => this.focused(event));
    root.addEventListener("focusout", () => {
      this.atFocus = null;
      this.train.draw();
    });
    root.addEventListener("keydown", (event) => this.pressed(event));
  }

  // The exercise and the set around an element.
  around(element) {
    return {
      exercise: element.closest("[data-exercise]")?.dataset.exercise,
      set: element.closest("[data-set]")?.dataset.set,
    };
  }

  find({ exercise, set }) {
    return this.exercise({ exercise }).sets.find((one) => one.uid === set);
  }

  exercise({ exercise }) {
    return state.exerciseOf(this.document, exercise);
  }

  target({ exercise }) {
    return state.targetOf(this.train.record, this.exercise({ exercise }));
  }

  get document() {
    return this.train.record.document;
  }

  get ui() {
    return this.train.ui;
  }

  clicked(event) {
    const button = event.target.closest("[data-do]");
    if (button) this.buttons[button.dataset.do](this.around(button), button.dataset);
    else if (event.target === this.justFocused) event.target.select(); // the click has put the cursor into it
    this.justFocused = null;
  }

  // Nothing may move here: the click of the same touch is still to come.
  focused({ target }) {
    if (!target.matches("input[inputmode], input[type=search]")) return;
    target.select();
    this.justFocused = target;
    this.atFocus = this.document;
  }

  entered({ target }) {
    const { field } = target.dataset;
    if (field) this.fields[field](this.around(target), target);
  }

  pressed(event) {
    const { key, target } = event;
    const isSearch = target.matches("[data-field=search]");
    if (isSearch || target.matches(".finder-option, .train-finder")) this.moveInFinder(event);
    if (key !== "Enter" || !target.matches("input")) return;
    if (isSearch && hasKeyboard()) this.chooseFirst(this.around(target), target);
    else target.blur();
  }

  // From the search to what is found, and back.
  moveInFinder(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...event.target.closest(".train-finder").querySelectorAll("[data-field=search], .finder-option")];
    all[all.indexOf(event.target) + step]?.focus();
  }

  buttons = {
    open: (place, { uid }) => {
      Object.assign(this.ui, {
        open: this.ui.open === uid ? "none" : uid,
        set: null,
        panel: null,
        hasMore: false,
        notice: null,
      });
      this.train.draw();
    },
    more: () => {
      this.ui.hasMore = !this.ui.hasMore;
      this.train.draw();
    },
    "select-set": (place) => {
      const noted = this.find(place).done_at ? { set: keyOf(place), name: NOTED[0].name } : null;
      Object.assign(this.ui, { open: place.exercise, set: place.set, noted });
      this.train.draw();
    },
    step: (place, { step }) => this.step(place, Number(step)),
    watch: (place) => {
      if (this.stopWatch(place)) return;
      this.train.keepLocally({ watch: { set: keyOf(place), started_at: Date.now() }, rest: null });
    },
    "confirm-set": (place) => this.tick(place, true, true),
    "toggle-warmup": (place) => {
      const type = this.find(place).type === "warmup" ? "working" : "warmup";
      this.editSet(place, { type });
    },
    "warm-up": ({ exercise }) => {
      const { exercise_id: id } = this.exercise({ exercise });
      const { record } = this.train;
      const context = state.knownContext(record, id);
      this.train.change(addWarmUps(this.document, exercise, context, record, this.now()));
    },
    "open-noted": (place, { name }) => {
      const set = keyOf(place);
      const isOpen = this.ui.noted?.set === set && this.ui.noted.name === name;
      this.ui.noted = isOpen ? null : { set, name };
      this.train.draw();
    },
    note: (place, { name, value }) => this.note(place, name, fieldOf(name).read(value)),
    "add-set": ({ exercise }) => this.train.change(state.addSet(this.document, exercise, this.now())),
    "remove-set": (place) => this.removeSet(place),
    panel: (place, { panel }) => this.openPanel(panel),
    "choose-exercise": (place, { id }) => this.chooseExercise(place, id),
    narrow: (place, { by, value }) => {
      const { only } = this.ui.search;
      const chosen = { [by]: only[by] === value ? undefined : value };
      this.ui.search.only = by === "group" ? chosen : { ...only, ...chosen };
      this.train.draw();
      this.showFinder();
    },
    "make-own": (place) => this.makeOwn(place),
    measure: ({ exercise }, { measure }) =>
      this.train.change(state.editExercise(this.document, exercise, { measure }, this.now())),
    "toggle-superset": ({ exercise }, { uid }) =>
      this.train.change(toggleSuperset(this.document, exercise, uid, this.now())),
    "remove-exercise": (place) => this.removeExercise(place),
    move: ({ exercise }, { step }) =>
      this.train.change(state.moveExercise(this.document, exercise, Number(step), this.now())),
    undo: () => {
      const { undo } = this.ui.notice;
      this.ui.notice = null;
      undo();
    },
    rest: (place, { step }) => this.moveRest(Number(step)),
    "turn-on-alerts": () => this.turnOnAlerts(),
    "no-alerts": () => {
      this.train.restAlarm.answer(this.train.record.account);
      this.train.draw();
    },
    "skip-rest": () => this.train.keepLocally({ rest: null }),
    "open-finish": () => {
      const minutes = String(Math.round(state.durationSeconds(this.document, this.now()) / 60));
      Object.assign(this.ui, { isFinishing: true, minutes, notice: null, asksDiscard: false });
      this.train.draw();
      scrollTo(0, 0);
    },
    "keep-training": () => {
      Object.assign(this.ui, { isFinishing: false, asksDiscard: false });
      this.train.cancelFinish();
    },
    finish: () => this.finish(),
    "ask-discard": () => {
      this.ui.asksDiscard = true;
      this.train.draw();
    },
    keep: () => {
      this.ui.asksDiscard = false;
      this.train.draw();
    },
    discard: () => this.discard(),
    "add-missing": () => {
      this.train.addsMissing = true;
      this.train.change(this.document);
      this.train.sync.run();
    },
    "drop-missing": () => this.train.leave(this.ui.missing.url),
    "open-other": async () => {
      await this.train.drop(null);
      this.train.sync.run();
    },
    // The next one to sign in may be somebody else: nothing is shown before the server has answered.
    "sign-in": () => forgetCurrentAccount(),
  };

  fields = {
    value: (place, input) => this.enter(place, input.dataset.name, input.value),
    done: (place, box) => this.tick(place, box.checked),
    "exercise-notes": ({ exercise }, { value }) =>
      this.train.change(state.editExercise(this.document, exercise, { notes: value }, this.now())),
    setup: (place, { value }) => this.editSetup(place, value),
    "rests-in-superset": ({ exercise }, { checked }) =>
      this.train.change(
        state.editExercise(this.document, exercise, { rests_in_superset: checked }, this.now()),
      ),
    search: (place, input) => this.search(input.value),
    own: (place, { dataset, value }) => keepChoice(this.ui.search.own, dataset.ownField, value),
    minutes: (place, input) => {
      this.ui.minutes = input.value;
    },
    title: (place, { value }) =>
      this.train.change(state.editHead(this.document, { title: value }, this.now())),
    notes: (place, { value }) =>
      this.train.change(state.editHead(this.document, { notes: value }, this.now())),
    "next-time": (place, { checked, dataset: { rule, question } }) =>
      this.train.keepLocally({ answers: { ...this.train.record.answers, [rule]: checked ? question : null } }),
    "keep-undone": (place, box) => {
      this.ui.keepsUndone = box.checked;
      this.train.draw();
    },
  };

  now() {
    return this.train.now();
  }

  showNotice(text, undo) {
    this.ui.notice = text && { text, undo };
    this.train.draw();
  }

  // --- Sets -----------------------------------------------------------------------------------------

  editSet(place, values) {
    this.train.change(state.editSet(this.document, place.exercise, place.set, values, this.now()));
  }

  // A set that is done lacks no number.
  isPossible(place, { column, most }, value) {
    if (value === undefined || value > most) return false;
    const set = this.find(place);
    return value !== null || !set.done_at || !lacking(this.exercise(place), { ...set, [column]: null });
  }

  // Remembers a text that is no number beside its set, until it becomes one. Returns whether it is one.
  accept(place, name, text, isPossible) {
    const key = keyOf(place);
    const wrong = { ...this.ui.wrong[key], [name]: isPossible ? undefined : text };
    this.ui.wrong = { ...this.ui.wrong, [key]: wrong };
    if (!isPossible) this.train.draw();
    return isPossible;
  }

  // Of a text that is no number, the beginning may have been one: "1x".
  takeBack({ exercise }, name) {
    if (!this.atFocus) return;
    this.train.change(state.restore(this.document, this.atFocus, exercise, name, this.now()));
  }

  enter(place, name, text) {
    this.ui.doubted = null;
    const field = fieldOf(name);
    const { column } = field;
    const value = field.read(text, this.train.record.units, this.find(place)[column]);
    if (!this.accept(place, name, text, this.isPossible(place, field, value))) this.takeBack(place, column);
    else if (field.carries)
      this.train.change(
        state.carry(this.document, place.exercise, place.set, { [column]: value }, this.now(), this.target(place)),
      );
    else this.editSet(place, { [column]: value });
  }

  step(place, step) {
    const { activeElement: active } = document;
    if (active.matches("input")) active.blur(); // a field that somebody types into keeps its text
    const [name] = fieldsOf(this.exercise(place));
    const { column, inUnit } = fieldOf(name);
    const value = inUnit(this.find(place)[column] ?? 0, this.train.record.units) + step;
    this.enter(place, name, String(Math.max(0, Number(value.toFixed(2)))));
  }

  // Enters the time of the stopwatch. Returns whether it runs for the set.
  stopWatch(place) {
    const { watch } = this.train.record;
    if (watch?.set !== keyOf(place)) return false;
    const seconds = secondsSince(watch.started_at);
    const edited = state.editSet(this.document, place.exercise, place.set, { seconds }, this.now());
    this.train.change(edited, { watch: null });
    return true;
  }

  // A weight far above all before is asked about, unless somebody has said that it `isRight`.
  tick(place, isDone, isRight = false) {
    allowSound();
    if (isDone) this.stopWatch(place);
    const key = keyOf(place);
    const set = this.find(place);
    const isRefused = Object.values(this.ui.wrong[key] ?? {}).some((text) => text !== undefined);
    if (isDone && isRefused) {
      Object.assign(this.ui, { open: place.exercise, set: place.set });
      this.showNotice(gettext("Enter a number first."));
      return;
    }
    const load = isDone && set.weight_kg == null && this.isWithoutLoad(place) ? { weight_kg: 0 } : {};
    const missing = isDone && lacking(this.exercise(place), { ...set, ...load });
    if (missing) {
      Object.assign(this.ui, { open: place.exercise, set: place.set });
      this.showNotice(fieldOf(missing, this.context(place).is_assisted).asked());
      return;
    }
    if (isDone && !isRight && this.isDoubted(place, set)) {
      Object.assign(this.ui, { open: place.exercise, set: place.set, doubted: key });
      this.train.draw();
      return;
    }
    if ("weight_kg" in load) this.editSet(place, load);
    const ticked = state.tick(this.document, place.exercise, place.set, isDone, this.now());
    const { next, isRest } = isDone ? turnAfter(ticked, place.exercise, place.set) : {};
    const { rest_seconds: pause } = this.exercise(place);
    let { rest } = this.train.record;
    if (isRest && pause) rest = startRest(set.type === "warmup" ? pause / 2 : pause, key, Date.now());
    else if (isDone || rest?.set === key) rest = null;
    const wrong = { ...this.ui.wrong, [key]: undefined };
    const closed = { set: null, noted: null, notice: null, doubted: null };
    Object.assign(this.ui, { open: next ?? place.exercise, wrong, ...closed });
    if (next && next !== place.exercise && this.ui.panel !== "plates") this.ui.panel = null;
    this.train.change(ticked, { rest });
    if (isDone) this.train.root.querySelector(".train-set-selected")?.scrollIntoView({ block: "nearest" });
  }

  // The one that is chosen already is taken back.
  note(place, name, value) {
    const set = this.find(place);
    Object.assign(this.ui, { noted: null, ...(set.done_at ? { set: null } : {}) });
    this.editSet(place, { [name]: set[name] === value ? null : value });
  }

  context(place) {
    return state.contextOf(this.train.record, this.exercise(place));
  }

  isDoubted(place, set) {
    return doubtedKg(this.train.record, this.exercise(place), this.context(place), set) !== null;
  }

  isWithoutLoad(place) {
    const exercise = this.exercise(place);
    const context = state.knownContext(this.train.record, exercise.exercise_id);
    return !isTimed(exercise) && Boolean(context?.is_without_load);
  }

  removeSet(place) {
    this.train.change(state.removeSet(this.document, place.exercise, place.set, this.now()));
    this.showNotice(gettext("The set is removed."), () => this.editSet(place, { removed_at: null }));
  }

  // Also of an exercise that is added again.
  editSetup(place, setup) {
    const { exercise_id: id } = this.exercise(place);
    const { exercises } = this.train.record;
    const context = state.knownContext(this.train.record, id);
    this.train.change(state.editSetup(this.document, id, setup, this.now()), {
      exercises: context ? { ...exercises, [id]: { ...context, setup } } : exercises,
    });
  }

  moveRest(step) {
    const { rest } = this.train.record;
    const [uid] = rest.set.split("/");
    const exercise = state.exerciseOf(this.document, uid);
    const pause = boundedPause(exercise.rest_seconds + step);
    this.train.change(state.editExercise(this.document, uid, { rest_seconds: pause }, this.now()), {
      rest: moveRest(rest, step),
    });
  }

  async turnOnAlerts() {
    const { record, restAlarm } = this.train;
    try {
      await restAlarm.turnOn(record.account);
      restAlarm.follow(record.account, this.train.record.rest);
      this.train.draw();
    } catch {
      this.showNotice(gettext("Alerts could not be turned on here. Try it in the settings, under Alerts."));
    }
  }

  // --- Exercises ------------------------------------------------------------------------------------

  openPanel(panel) {
    this.ui.panel = this.ui.panel === panel ? null : panel;
    this.ui.search = newSearch();
    this.train.draw();
    if (["add", "swap"].includes(this.ui.panel)) this.focusFinder();
  }

  // At once where the finder is there, else when it has come.
  async focusFinder() {
    if (!this.train.nextTime) await this.train.loadPanels();
    this.train.loadChoices();
    const finder = this.train.root.querySelector(".train-finder");
    (hasKeyboard() ? finder?.querySelector("[data-field=search]") : finder)?.focus({ preventScroll: true });
    this.showFinder();
  }

  showFinder() {
    this.train.root.querySelector(".train-finder")?.scrollIntoView({ block: "start" });
  }

  search(text) {
    clearTimeout(this.searching);
    this.ui.search.text = text;
    this.searching = setTimeout(() => this.searchCatalogue(text), SEARCH_PAUSE);
  }

  async searchCatalogue(text) {
    let found = [];
    let own = null;
    let message = "";
    try {
      if (text.trim()) ({ found, own } = await this.train.api.suggestions(text));
      if (text.trim() && !found.length) message = gettext("Nothing in the catalogue is called that.");
    } catch (error) {
      found = this.kept("matching", text) ?? [];
      if (error instanceof SignedOut) message = signedOut();
      else if (!found.length) message = notConnected();
    }
    if (this.ui.search.text !== text) return; // more was typed meanwhile
    this.ui.search = { ...newSearch(), text, isAnswered: text.trim(), found, own, message };
    this.train.draw();
  }

  // What a function of choices.js finds in the exercises that this browser keeps; null where it keeps none.
  kept(name, wanted) {
    const { choices, record } = this.train;
    const list = choices?.listOf(record.account);
    return list ? choices[name](list, wanted) : null;
  }

  async chooseFirst(place, { value }) {
    await this.searchCatalogue(value);
    const { text, found } = this.ui.search;
    if (text === value && found[0]) this.chooseExercise(place, found[0].id);
  }

  // Makes what was searched for an exercise of the account's own, and adds it. Where another one has the name, it is
  // offered in the place of those found.
  async makeOwn(place) {
    const { own, text } = this.ui.search;
    const { name, notConnected, signedOut } = own.dataset;
    const fields = Object.fromEntries(ownFields(own).map((field) => [field.dataset.ownField, field.value]));
    let message = notConnected;
    try {
      const { status, body } = await this.train.api.makeOwn({ name, ...fields });
      if (this.ui.search.text !== text) return;
      if (status === 200) return this.chooseExercise(place, body.id);
      message = status === 401 ? signedOut : body.message;
      if (body.taken) this.ui.search = { text, isAnswered: true, found: [{ ...body.taken, detail: "" }] };
    } catch (error) {
      if (!(error instanceof NotConnected)) throw error;
    }
    this.ui.search = { ...this.ui.search, message };
    this.train.draw();
  }

  async chooseExercise({ exercise }, id) {
    const context = await this.contextOf(id);
    if (!context) return;
    const { record } = this.train;
    const document = exercise
      ? state.swapExercise(this.document, exercise, id, context, this.now())
      : state.addExercise(this.document, id, context, this.now());
    const added = document.exercises.at(-1);
    Object.assign(this.ui, { panel: null, hasMore: false, open: added.uid, set: null, notice: null });
    this.train.change(document, { exercises: { ...record.exercises, [id]: context } });
  }

  async contextOf(id) {
    const known = state.knownContext(this.train.record, id) ?? this.kept("contextOf", id);
    if (known) return known;
    let message = notConnected();
    try {
      const { status, body } = await this.train.api.exercise(id);
      if (status === 200) return body;
      if (status === 401) message = signedOut();
    } catch (error) {
      if (!(error instanceof NotConnected)) throw error;
    }
    this.ui.search = { ...this.ui.search, message };
    this.train.draw();
    return null;
  }

  removeExercise({ exercise }) {
    this.ui.panel = null;
    this.train.change(state.removeExercise(this.document, exercise, this.now()));
    this.showNotice(gettext("The exercise is removed."), () => {
      this.ui.open = exercise;
      this.train.change(state.editExercise(this.document, exercise, { removed_at: null }, this.now()));
    });
    this.train.show();
  }

  // --- The end --------------------------------------------------------------------------------------

  finish() {
    const { sets, warmups } = state.totals(this.document);
    if (!sets && !warmups) {
      this.showNotice(gettext("Tick a set first, or discard the workout."));
      return;
    }
    const minutes = parsed(this.ui.minutes);
    if (typeof minutes !== "number" || minutes > 10_080) {
      this.showNotice(gettext("Enter the time in minutes, at most a week."));
      return;
    }
    const measured = state.durationSeconds(this.document, this.now());
    const seconds = Math.round(measured / 60) === minutes ? measured : Math.round(minutes * 60);
    const answers = Object.entries(this.train.record.answers ?? {});
    const rules = (isOne) => answers.filter(([, answer]) => isOne(answer)).map(([rule]) => rule);
    const finish = {
      duration_seconds: seconds,
      keep_undone: this.ui.keepsUndone,
      held: rules((answer) => answer === null),
      confirmed: rules((answer) => answer),
    };
    this.ui.notice = null;
    this.train.change(this.document, { finish });
  }

  async discard() {
    try {
      const { status, body } = await this.train.sync.discard();
      if (status === 204 || status === 404) await this.train.leave(this.train.addresses.home);
      else if (status !== 200)
        this.showNotice(body.message ?? gettext("The server does not answer. Try again later."));
    } catch (error) {
      if (!(error instanceof NotConnected)) throw error;
      this.showNotice(gettext("Not connected: the workout can be discarded when there is a connection."));
    }
  }
}
