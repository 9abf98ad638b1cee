// Requests to the server, which answers with JSON. Without a connection they throw NotConnected.

const TIMEOUT = 20_000;
const NO_ID = "00000000-0000-0000-0000-000000000000"; // in the address of a draft

export class NotConnected extends Error {}
export class SignedOut extends Error {}

// Something else than JSON is of a proxy, or of a network that wants a sign-in of its own.
async function exchange(address, options) {
  try {
    const answer = await fetch(address, options);
    const isJson = answer.headers.get("Content-Type")?.includes("json");
    if (!isJson && answer.ok && answer.status !== 204) throw new Error("not JSON");
    return { answer, body: isJson ? await answer.json() : {} };
  } catch (error) {
    throw new NotConnected(`${address}: ${error.message}`);
  }
}

export class Api {
  constructor(addresses) {
    this.addresses = addresses;
    this.token = null;
    this.aheadBy = 0; // milliseconds that the server's clock is ahead of this one
  }

  // {status, body, retryAfter}
  async request(method, address, content) {
    const sent = Date.now();
    const { answer, body } = await exchange(address, {
      method,
      headers: {
        Accept: "application/json",
        "X-CSRFToken": this.token ?? "",
        ...(content && { "Content-Type": "application/json" }),
      },
      body: content && JSON.stringify(content),
      cache: "no-store",
      signal: AbortSignal.timeout(TIMEOUT),
    });
    if (body.now) this.aheadBy = Date.parse(body.now) - (sent + Date.now()) / 2;
    if (body.csrf_token) this.token = body.csrf_token;
    return { status: answer.status, body, retryAfter: Number(answer.headers.get("Retry-After")) || 0 };
  }

  // The server's time, as the document has it.
  now() {
    return new Date(Date.now() + this.aheadBy).toISOString();
  }

  // The workout that is open. Without its document, where `version` is the newest of the workout `id`.
  draft(id, version) {
    const known = version ? `?${new URLSearchParams({ id, version })}` : "";
    return this.request("GET", this.addresses.draft + known);
  }

  save(document, finish, addMissing) {
    const content = { document, finish, ...(addMissing ? { add_missing: true } : {}) };
    return this.request("PUT", this.addresses.drafts.replace(NO_ID, document.id), content);
  }

  // What finishing would do to targets: {next: [{rule_id, exercise, target, reason, is_change}]}.
  nextTime(document, keepUndone) {
    const content = { document, keep_undone: keepUndone };
    return this.request("POST", this.addresses.nextTime.replace(NO_ID, document.id), content);
  }

  discard(document) {
    return this.request("DELETE", this.addresses.drafts.replace(NO_ID, document.id));
  }

  // Rings in so many seconds on a locked phone; 0 takes the alarm back.
  restAlarm(seconds) {
    return seconds
      ? this.request("PUT", this.addresses.restAlarm, { seconds })
      : this.request("DELETE", this.addresses.restAlarm);
  }

  exercise(id) {
    return this.request("GET", this.addresses.context.replace("ID", id));
  }

  // Makes an exercise of the account's own: {status, body: {id, name} or {message, taken}}.
  makeOwn(fields) {
    return this.request("POST", this.addresses.own, fields);
  }

  // What is offered for a text: {found: [{id, name, detail, thumb}], own}. `thumb` is an element, null where no pictures
  // are loaded; `own` one to make an exercise of the account's own, null where something is found.
  async suggestions(text) {
    const answer = await fetch(`${this.addresses.suggestions}?q=${encodeURIComponent(text)}`);
    if (answer.redirected) throw new SignedOut(); // to the page that asks for a password
    if (!answer.ok) throw new NotConnected(`suggestions: ${answer.status}`);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = [...page.querySelectorAll("[data-exercise]")].map((option) => ({
      id: option.dataset.exercise,
      name: option.querySelector("bdi").textContent,
      detail: option.querySelector("small").textContent,
      thumb: option.querySelector(".thumb"),
    }));
    return { found, own: page.querySelector("[data-own]") };
  }
}
