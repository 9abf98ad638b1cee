// What this browser keeps: one record for each account, as `newRecord` in main.js makes it.

import { merge } from "./merge.js";

const RECORDS = "records";

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

export const load = async (account) => settled((await records("readonly")).get(account));

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

export async function keep(record, cancelsFinish = false) {
  const store = await records("readwrite");
  const stored = await settled(store.get(record.account));
  await settled(store.put(merged(record, stored, cancelsFinish)));
}

export const remove = async (account) => settled((await records("readwrite")).delete(account));
