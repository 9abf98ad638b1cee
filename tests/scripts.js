// Calls modules of pages for scripts.py: a call a line on standard input, its result a line on standard output. What
// they take from a browser is here only as far as they need it: the document, and what a browser keeps.

import { webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { runInThisContext } from "node:vm";

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

class Element {
  constructor(tag) {
    this.tag = tag;
    this.attributes = new Map();
    this.children = [];
  }

  setAttribute(name, value) {
    this.attributes.set(name, String(value));
  }

  append(...children) {
    this.children.push(...children.map((child) => (child instanceof Element ? child : escaped(String(child)))));
  }

  // Of a textarea.
  set defaultValue(text) {
    this.children = [escaped(String(text))];
  }

  get outerHTML() {
    const attributes = [...this.attributes].map(([name, value]) => ` ${name}="${escaped(value)}"`);
    const children = this.children.map((child) => child.outerHTML ?? child);
    return `<${this.tag}${attributes.join("")}>${children.join("")}</${this.tag}>`;
  }
}

class Storage {
  getItem(key) {
    return Object.hasOwn(this, key) ? this[key] : null;
  }

  setItem(key, value) {
    this[key] = String(value);
  }

  removeItem(key) {
    delete this[key];
  }
}

// A request of IndexedDB, which is answered later.
function request(answer, before = () => {}) {
  const request = {};
  setImmediate(() => {
    request.result = answer();
    before(request);
    request.onsuccess();
  });
  return request;
}

class IDBObjectStore {
  constructor(key) {
    this.key = key;
    this.rows = new Map();
  }

  get(key) {
    return request(() => structuredClone(this.rows.get(key)));
  }

  put(row) {
    return request(() => void this.rows.set(row[this.key], structuredClone(row)));
  }

  delete(key) {
    return request(() => void this.rows.delete(key));
  }
}

const stores = {};
const database = {
  createObjectStore: (name, { keyPath }) => (stores[name] = new IDBObjectStore(keyPath)),
  transaction: () => ({ objectStore: (name) => stores[name] }),
};

const location = new URL("http://localhost/");
location.assign = (address) => (location.href = new URL(address, location));

const [language, noted] = process.argv.slice(2);

Object.assign(globalThis, {
  IDBObjectStore,
  addEventListener() {},
  charts: (module) => import(`./charts/${module}.js`),
  document: {
    addEventListener() {},
    createElement: (tag) => new Element(tag),
    createElementNS: (_, tag) => new Element(tag),
    documentElement: { lang: language },
    getElementById: () => ({ dataset: { noted } }), // of the page's <main>
    visibilityState: "visible",
  },
  indexedDB: { open: () => request(() => database, (opening) => opening.onupgradeneeded()) },
  localStorage: new Storage(),
  location,
  train: (module) => import(`./train/${module}.js`),
  window: globalThis,
});
globalThis.crypto ??= webcrypto; // not yet in Node 18
runInThisContext(readFileSync(new URL(`words/${language}.js`, import.meta.url), "utf8"));

// What the page reports there, and goes on without, fails here.
console.error = (error) => {
  throw error;
};

async function answer(line) {
  const [script, argument] = JSON.parse(line);
  try {
    return { value: await runInThisContext(`(${script})`)(argument) };
  } catch (error) {
    return { error: error.stack };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(line))}\n`);
}
