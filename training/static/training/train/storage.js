// What this browser keeps: one record for each account, as `newRecord` in main.js makes it.
//
// The end of a page ends what IndexedDB has not stored by then, so the last change goes into localStorage, which
// stores at once, and from there to the others when a page asks for the record.

import { merge } from "./merge.js";

const RECORDS = "records";
const lastChangeKey = (account) => `train-last-change-${account}`;

const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

let opened;

function open() {
  opened ??= (() => {
    const request = indexedDB.open("train", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(RECORDS, { keyPath: "account" });
    return settled(request);
  })();
  return opened;
}

async function records(mode) {
  return (await open()).transaction(RECORDS, mode).objectStore(RECORDS);
}

export async function load(account) {
  const lastChange = localStorage.getItem(lastChangeKey(account));
  if (lastChange) {
    await keep(...JSON.parse(lastChange));
    localStorage.removeItem(lastChangeKey(account));
  }
  return settled((await records("readonly")).get(account));
}

export const hasRecords = async () => (await settled((await records("readonly")).count())) > 0;

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

let unsettled = null; // what `keep` was last called with, until that is stored

export async function keep(...change) {
  unsettled = change;
  const [record, cancelsFinish = false] = change;
  const store = await records("readwrite");
  const stored = await settled(store.get(record.account));
  await settled(store.put(merged(record, stored, cancelsFinish)));
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
