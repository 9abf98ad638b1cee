// The forms with exercises and sets: rows come, go and move without a round trip, the catalogue is searched
// while somebody types, and nobody leaves what is not saved unasked. Without this file the same buttons ask the
// server to change the rows.

const editor = document.querySelector("[data-editor]");
let rows = 0;

const token = () => `j${Date.now().toString(36)}${rows++}`;
const tell = (text) => { document.getElementById("status").textContent = text; };

const noAnswer = () =>
  gettext("The server did not answer. What you typed is still here; sign in in another tab, or try again.");

const actions = {
  "add-set": (entry) => addSet(entry),
  "drop-set": (entry, button) => leave(button.closest("[data-set]"), entry.querySelector("[data-do=add-set]")),
  "drop-exercise": (entry) => leave(entry, finderOf(entry).querySelector("input")),
  raise: (entry, button) => move(button, entry.previousElementSibling, entry),
  lower: (entry, button) => move(button, entry, entry.nextElementSibling),
};

editor.addEventListener("click", (event) => {
  const button = event.target.closest("[data-do]");
  if (!button) return;
  event.preventDefault();
  const entry = button.closest("[data-entry]");
  actions[button.dataset.do](entry, button);
  number(entry);
  isUnsaved = true;
});

// What was typed or moved is lost with the page until it is sent.
let isUnsaved = "unsaved" in editor.dataset;
editor.addEventListener("input", (event) => {
  isUnsaved = true;
  if (event.target.name?.endsWith("-warmup")) number(event.target.closest("[data-entry]"));
});
editor.addEventListener("submit", () => { isUnsaved = false; });
window.addEventListener("beforeunload", (event) => { if (isUnsaved) event.preventDefault(); });

// In a set that is a suggestion, numbers tick "Done", where somebody can take the tick back: from here on the
// tick alone says whether the set was done.
editor.querySelectorAll("[name$=-typed_is_done]").forEach((field) => { field.value = ""; });
editor.addEventListener("input", (event) => {
  const set = event.target.closest("[data-set]");
  if (!set?.querySelector("[name$=-suggested_reps]") || event.target.type === "checkbox") return;
  set.querySelector("[name$=-completed]").checked = isTyped(set);
});

const isTyped = (set) => [...set.querySelectorAll("input:not([type=hidden], [type=checkbox])")].some((field) => field.value);

// A touch is enough to type another number in the place of one.
editor.addEventListener("focusin", ({ target }) => { if (target.matches("[data-set] .input")) target.select(); });

// Enter goes on to the next field: a form of this size is sent by its button only.
editor.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.defaultPrevented || !event.target.matches("input")) return;
  event.preventDefault();
  const all = [...editor.querySelectorAll("input:not([type=hidden]), select, textarea")];
  const fields = all.filter((field) => field.checkVisibility());
  fields[fields.indexOf(event.target) + 1]?.focus();
});

async function addSet(entry) {
  const sets = entry.querySelector("[data-sets]");
  const last = [...sets.querySelectorAll("[data-set]")].at(-1);
  const set = last ? likeThe(last) : await firstSet(entry);
  sets.append(set);
  adopt(set, entry);
  set.querySelector("input:not([type=hidden])").select();
}

// A set like the one before it, which most sets are. A mere suggestion stays one, without a tick.
function likeThe(last) {
  const set = last.cloneNode(true);
  const before = last.querySelectorAll("input");
  set.querySelectorAll(".problem").forEach((problem) => problem.remove());
  set.querySelectorAll("input").forEach((field, index) => {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
    field.value = before[index].value;
    field.checked = before[index].checked;
  });
  set.querySelectorAll("[data-noted]").forEach((field) => { field.value = ""; });
  if (set.querySelector("[name$=-suggested_reps]") && !isTyped(last)) set.querySelector("[name$=-completed]").checked = false;
  return set;
}

async function firstSet(entry) {
  const exercise = entry.querySelector("[name$=-exercise_id]").value;
  return (await fetchEntry(finderOf(entry), exercise)).querySelector("[data-set]");
}

// Gives a row of sets a token of its own, in the list of the exercise that it stands in now.
function adopt(set, entry) {
  const own = token();
  const list = set.querySelector("[name$=-sets]");
  const old = list.value;
  list.name = `${entry.querySelector("input").value}-sets`;
  list.value = own;
  set.querySelectorAll(`[name^="${old}-"]`).forEach((field) => { field.name = field.name.replace(old, own); });
  set.querySelector("[data-do=drop-set]").value = own;
  number(entry);
}

function leave(row, focus) {
  row.remove();
  tell(gettext("Removed"));
  focus.focus();
}

function move(button, first, second) {
  if (!first || !second) return;
  first.before(second);
  button.focus();
  tell(gettext("Moved"));
}

// Working sets count from 1, a warm-up is a W, as on all screens (set_numbers in training/models/sets.py).
function number(entry) {
  let working = 0;
  entry.querySelectorAll("[data-set]").forEach((set) => {
    const isWarmup = set.querySelector("[name$=-warmup]")?.checked;
    const shown = isWarmup ? pgettext("short for warm-up", "W") : ++working;
    const label = isWarmup ? gettext("Warm-up") : interpolate(gettext("Set %(number)s"), { number: shown });
    set.setAttribute("aria-label", label);
    set.querySelector(".set-number").textContent = shown;
  });
}

const finderOf = (entry) => {
  const { entries } = entry.closest("[data-entries]").dataset;
  return editor.querySelector(`[data-finder="${entries}"]`);
};

async function fetchEntry(finder, exercise) {
  const address = finder.dataset.entryAddress.replace("ID", exercise);
  return (await fragment(`${address}?list=${finder.dataset.finder}`)).querySelector("[data-entry]");
}

async function fragment(address) {
  const answer = await fetch(address);
  if (!answer.ok || answer.redirected) throw new Error(`${address}: ${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), "text/html").body;
}

// --- The search: a combobox with a list of options ------------------------------------------------

editor.querySelectorAll("[data-finder]").forEach(prepare);

function prepare(finder) {
  const input = finder.querySelector("input");
  const groups = finder.querySelector("[data-groups]");
  const list = finder.querySelector("ul") ?? finder.appendChild(document.createElement("ul"));
  let waiting;
  let asked = 0;

  finder.querySelector("[data-search]").hidden = true;
  list.className = "finder-found finder-open";
  list.id = `${input.id}-found`;
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", gettext("Exercises"));
  for (const [name, value] of Object.entries({
    role: "combobox", "aria-expanded": "false", "aria-controls": list.id, "aria-autocomplete": "list",
  })) input.setAttribute(name, value);

  const options = () => [...list.querySelectorAll("[data-exercise]")];
  const current = () => list.querySelector("[aria-selected=true]");

  const isFirst = () => !editor.querySelector("[data-entry]");

  function close() {
    list.hidden = true;
    groups.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function choose(option) {
    current()?.setAttribute("aria-selected", "false");
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", option.id);
  }

  async function suggest() {
    const turn = ++asked;
    const isTyped = Boolean(input.value.trim());
    const found = await fragment(`${editor.dataset.suggestions}?q=${encodeURIComponent(input.value)}`);
    if (turn !== asked) return;
    offerOwn(found.querySelector("[data-own]"));
    list.replaceChildren(...found.children);
    options().forEach((option, index) => { option.id = `${list.id}-${index}`; });
    list.hidden = false;
    groups.hidden = isTyped;
    input.setAttribute("aria-expanded", "true");
    // On a phone it would be below the bars.
    const lowest = (finder.querySelector("[data-own]") ?? list).getBoundingClientRect().bottom;
    const bar = editor.querySelector(".form-end").getBoundingClientRect().top;
    if (input === document.activeElement && lowest > Math.min(bar, innerHeight)) finder.scrollIntoView();
    if (!isTyped) return;
    if (options().length) choose(options()[0]);
    const count = options().length;
    tell(interpolate(ngettext("%(count)s found", "%(count)s found", count), { count }));
  }

  // Below the list: its fields take the focus.
  function offerOwn(own) {
    finder.querySelector("[data-own]")?.remove();
    if (!own) return;
    finder.append(own);
    own.querySelector("[data-own-make]").addEventListener("click", () => makeOwn(own));
  }

  async function makeOwn(own) {
    const { name, address, token: csrf, notConnected, signedOut } = own.dataset;
    const fields = [...own.querySelectorAll("[data-own-field]")].map((field) => [field.dataset.ownField, field.value]);
    const headers = { "Content-Type": "application/json", "X-CSRFToken": csrf };
    let problem = notConnected;
    try {
      const body = JSON.stringify({ name, ...Object.fromEntries(fields) });
      const answer = await fetch(address, { method: "POST", headers, body });
      const made = await answer.json();
      if (answer.ok) return await add({ dataset: { exercise: made.id } });
      problem = answer.status === 401 ? signedOut : made.message;
      if (made.taken) offerTaken(own, made.taken);
    } catch {
      // The sentence says it.
    }
    complain(own, problem);
  }

  function offerTaken(own, { id, name }) {
    const button = own.querySelector("[data-taken]") ?? own.appendChild(document.createElement("button"));
    Object.assign(button, { type: "button", className: "button", textContent: name });
    button.dataset.taken = id;
    button.onclick = () => add({ dataset: { exercise: id } }).catch(apologise);
  }

  function complain(own, text) {
    const line = own.querySelector(".problem") ?? document.createElement("p");
    line.className = "problem";
    line.textContent = text;
    own.querySelector("[data-own-make]").before(line);
    tell(text);
  }

  function apologise() {
    const line = document.createElement("li");
    line.className = "finder-none";
    line.textContent = noAnswer();
    list.replaceChildren(line);
    list.hidden = false;
    tell(line.textContent);
  }

  async function add(option) {
    asked++;
    clearTimeout(waiting);
    close();
    offerOwn(null);
    input.value = "";
    const entry = await fetchEntry(finder, option.dataset.exercise);
    const own = token();
    const old = entry.querySelector("input").value;
    entry.querySelectorAll(`[name^="${old}-"]`).forEach((field) => { field.name = field.name.replace(old, own); });
    entry.querySelectorAll(`[value="${old}"]`).forEach((field) => { field.value = own; });
    editor.querySelector(`[data-entries="${finder.dataset.finder}"]`).append(entry);
    number(entry);
    entry.querySelector("input:not([type=hidden])").select();
    entry.scrollIntoView({ block: "nearest" });
    tell(interpolate(gettext("%(name)s added"), { name: entry.getAttribute("aria-label") }));
  }

  input.addEventListener("input", () => {
    clearTimeout(waiting);
    offerOwn(null);
    waiting = setTimeout(() => suggest().catch(apologise), 120);
  });
  input.addEventListener("focus", () => { if (list.hidden) suggest().catch(apologise); });

  groups.addEventListener("mousedown", (event) => event.preventDefault());
  groups.addEventListener("click", (event) => {
    const group = event.target.closest("button");
    if (!group) return;
    input.value = group.textContent;
    input.focus();
    suggest().catch(apologise);
  });

  input.addEventListener("keydown", (event) => {
    const all = options();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") {
      event.preventDefault();
      if (!list.hidden && current()) add(current()).catch(apologise);
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      close();
    } else if (step && !list.hidden && all.length) {
      event.preventDefault();
      choose(all[(all.indexOf(current()) + step + all.length) % all.length]);
    }
  });

  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[data-exercise]");
    if (option) add(option).catch(apologise);
  });
  // With an offer below, the list stays: if it went, the button would move away under the pointer.
  finder.addEventListener("focusout", ({ relatedTarget }) => {
    if (!finder.contains(relatedTarget) && !finder.querySelector("[data-own]") && !isFirst()) close();
  });
  // A form with nothing in it begins with what there is to choose from.
  if (isFirst()) suggest().catch(() => {});
}
