// Sends the finish that waits in this browser, and says so on the page.

import { forgetFinish } from "./account.js";
import { Api, NotConnected } from "./api.js";
import * as storage from "./storage.js";

export async function send(account, addresses) {
  try {
    const api = new Api(addresses);
    const { body } = await api.draft();
    const record = body.account === account ? await storage.load(account) : null;
    if (!record?.finish) return;
    await settle(account, addresses, await api.save(record.document, record.finish));
  } catch (error) {
    if (!(error instanceof NotConnected)) throw error;
  }
}

// What the server refuses is shown on /train. After any other answer the finish waits for the next page.
async function settle(account, addresses, { status, body: { finished, missing = [] } }) {
  if (finished && !missing.length) {
    await storage.remove(account);
    forgetFinish(account);
    show(finished.url);
  } else if (status === 400 || status === 409) {
    location.assign(addresses.train);
  }
}

function show(address) {
  const line = document.createElement("p");
  line.className = "notice notice-success";
  line.setAttribute("role", "status");
  const link = document.createElement("a");
  link.href = address;
  link.textContent = gettext("Show it");
  line.append(gettext("Your workout is saved."), " ", link);
  document.getElementById("main").prepend(line);
}
