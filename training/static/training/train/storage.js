// What this browser keeps: one record for each account, as `newRecord` in main.js makes it, and in a database of its own
// the exercises to choose from, which are larger and seldom change.
//
// The end of a page ends what IndexedDB has not stored by then, so the last change goes into localStorage, which
// stores at once. `load` adds it to the record, and it goes once that is kept or removed.

import { merge } from "./merge.js";

const RECORDS = "records";
const LAST_CHANGE = "train-last-change-";
const lastChangeKey = (account) => LAST_CHANGE + account;

const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const opened = {};

function open(name) {
  opened[name] ??= (() => {
    const request = indexedDB.open(name === RECORDS ? "train" : name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(name, { keyPath: "account" });
    return settled(request);
  })();
  return opened[name];
}

async function records(mode, name = RECORDS) {
  return (await open(name)).transaction(name, mode).objectStore(name);
}

export const hasRecords = async () =>
  Object.keys(localStorage).some((key) => key.startsWith(LAST_CHANGE)) ||
  (await settled((await records("readonly")).count())) > 0;

// A record with what another tab has stored of the same workout since: its changes, and a finish that waits
// to be sent.
function merged(record, stored, cancelsFinish) {
  if (!stored?.document || stored.document.id !== record.document?.id) return record;
  const finish = record.finish ?? (cancelsFinish ? null : stored.finish);
  return {
    ...record,
    document: merge(stored.document, record.document),
    finish,
    unsent: record.unsent || Boolean(finish),
  };
}

let added = null; // the text of a last change, once `load` has added it

export async function load(account) {
  const text = localStorage.getItem(lastChangeKey(account));
  const stored = await settled((await records("readonly")).get(account));
  if (!text) return stored;
  const [record, cancelsFinish] = JSON.parse(text);
  const isSame = stored?.document?.id === record.document?.id;
  if (stored?.unsent && !isSame) return stored; // of a workout that another page has begun since
  added = text;
  const whole = merged(record, stored, cancelsFinish);
  return { ...whole, unsent: whole.unsent || Boolean(stored?.unsent) };
}

let unsettled = null; // what `keep` was last called with, until that is stored

export async function keep(...change) {
  unsettled = change;
  const [record, cancelsFinish = false] = change;
  const store = await records("readwrite");
  const stored = await settled(store.get(record.account));
  await settled(store.put(merged(record, stored, cancelsFinish)));
  const key = lastChangeKey(record.account);
  if (added && localStorage.getItem(key) === added) localStorage.removeItem(key);
  if (unsettled === change) unsettled = null;
}

addEventListener("pagehide", () => {
  if (unsettled) localStorage.setItem(lastChangeKey(unsettled[0].account), JSON.stringify(unsettled));
});

// A page that is shown again stores it after all.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted && unsettled) localStorage.removeItem(lastChangeKey(unsettled[0].account));
});

export async function remove(account) {
  unsettled = null;
  localStorage.removeItem(lastChangeKey(account));
  return settled((await records("readwrite")).delete(account));
}

// What a function asks of the store of those exercises.
export const exercises = async (mode, ask) => settled(ask(await records(mode, "exercises")));
