// Makes elements, and changes a page into what a fresh drawing of it looks like. Elements that stay the same
// stay in place, and so do focus and text of the field in which somebody types.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (tag === "textarea" && name === "value") element.defaultValue = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

// A sentence with a link, as in "<a>Sign in</a> to train.": `link` makes the element of its label.
export function withLink(sentence, link) {
  const [before, label, after] = sentence.split(/<\/?a>/);
  return [before, link(label), after].filter(Boolean);
}

const broken = () =>
  gettext("This part of the page cannot be shown. Your sets are kept: reload the page to go on.");

// What `render` returns; where it throws, a sentence in its place, so that the rest of the page goes on. `wrap` puts the
// sentence into what may be in that place.
export function ifPossible(render, wrap = (sentence) => sentence) {
  try {
    return render();
  } catch (error) {
    console.error(error);
    return wrap(h("p", { class: "notice notice-error", role: "alert" }, broken()));
  }
}

const keyOf = (node) => node.dataset?.key;

const isSame = (one, other) => one.nodeName === other.nodeName && keyOf(one) === keyOf(other);

export function morphChildren(old, fresh) {
  const keyed = new Map([...old.childNodes].filter(keyOf).map((node) => [keyOf(node), node]));
  let next = old.firstChild;
  for (const node of [...fresh.childNodes]) {
    const match = keyOf(node) ? keyed.get(keyOf(node)) : next;
    if (!match || !isSame(match, node)) {
      old.insertBefore(node, next);
    } else {
      if (match === next) next = next.nextSibling;
      else old.insertBefore(match, next);
      morph(match, node);
    }
  }
  while (next) {
    const leaving = next;
    next = next.nextSibling;
    leaving.remove();
  }
}

function morph(old, fresh) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  if (old.nodeName !== "TEXTAREA") morphChildren(old, fresh);
  if ("value" in old && "value" in fresh && old !== document.activeElement && old.value !== fresh.value)
    old.value = fresh.value;
  if ("checked" in old) old.checked = fresh.checked;
}

function ancestorsOf(element) {
  return element ? [element, ...ancestorsOf(element.parentElement)] : [];
}

// Where the element in focus has gone: the tick that is next around its place, so that a keyboard goes on from there.
function focusNear(ancestors) {
  const place = ancestors.find((one) => one.isConnected);
  const find = (selector) => place.querySelector(selector);
  const near = find(".train-set-selected .train-tick") ?? find(".train-tick") ?? find("a, button:enabled");
  near?.focus({ preventScroll: true });
}

export function draw(root, ...nodes) {
  const active = document.activeElement;
  const ancestors = ancestorsOf(active);
  const fresh = document.createElement("div");
  fresh.append(...nodes.flat(Infinity).filter(Boolean));
  morphChildren(root, fresh);
  if (!active?.isConnected) focusNear(ancestors);
  else if (document.activeElement !== active) active.focus({ preventScroll: true });
}
