// What this browser keeps: one record for each account, as `newRecord` in main.js makes it.

import { merge } from "./merge.js";

const RECORDS = "records";

const settled = (request) => new Promise((resolve, reject) => {
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

export const load = async (account) => settled((await records("readonly")).get(account));

export const hasRecords = async () => (await settled((await records("readonly")).count())) > 0;

// Stores a record. What another tab has stored of the same workout since is merged into its document.
export async function keep(record) {
  const store = await records("readwrite");
  const stored = await settled(store.get(record.account));
  const isSame = stored?.document && stored.document.id === record.document?.id;
  await settled(store.put(isSame ? { ...record, document: merge(stored.document, record.document) } : record));
}

export const remove = async (account) => settled((await records("readwrite")).delete(account));
