// Keeps the page's document and the server's the same: at most one request at a time, a PUT one second after
// the last input, and a look at the server every few seconds while the page is visible.

import { NotConnected } from "./api.js";

const AFTER_INPUT = 1000;
const BETWEEN_LOOKS = 4000;
const PAUSES = [2000, 4000, 8000, 16_000, 30_000];

export class Sync {
  // `page` has the record and is called with what the server answers; see main.js. `opening` is a look at the server
  // that was sent before.
  constructor(api, page, opening = null) {
    this.api = api;
    this.page = page;
    this.opening = opening;
    this.isBusy = false;
    this.isStopped = false;
    this.failures = 0;
    this.hasRenewed = false; // the token, since the last answer that was not about it
    this.dueAt = 0;
    this.state = "connecting"; // "saved", "saving", "offline", "unanswered", "signed-out" or "refused"
    addEventListener("online", () => this.run());
    document.addEventListener("visibilitychange", () => this.run());
    addEventListener("pageshow", (event) => event.persisted && this.run());
  }

  // After each input.
  changed() {
    if (["saved", "refused"].includes(this.state)) this.setState("saving");
    const isFinish = Boolean(this.page.record.finish);
    this.dueAt = Date.now() + (isFinish ? 0 : AFTER_INPUT);
    const isPaused = this.failures || this.state === "signed-out";
    if (isFinish || !isPaused) this.plan(this.dueAt - Date.now());
  }

  async run() {
    clearTimeout(this.timer);
    if (this.isBusy) return; // what comes next is planned when the request has ended
    this.isBusy = true;
    let pause;
    try {
      pause = await this.exchange();
    } catch (error) {
      if (!(error instanceof NotConnected)) throw error;
      pause = this.failed("offline");
    } finally {
      this.isBusy = this.isStopped;
    }
    if (pause !== null && !this.isStopped) this.plan(pause);
  }

  // Another page is about to take this one's place.
  stop() {
    this.isStopped = true;
    this.isBusy = true;
    clearTimeout(this.timer);
  }

  plan(milliseconds) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.run(), Math.max(0, milliseconds));
  }

  setState(state, message = "") {
    this.state = state;
    this.message = message;
    this.page.draw();
  }

  failed(state, seconds = 0) {
    const pause = seconds * 1000 || PAUSES[Math.min(this.failures, PAUSES.length - 1)];
    this.failures++;
    this.setState(state);
    this.page.openKept();
    return pause;
  }

  // Sends one request, or two where the first one gets the token. Returns the pause until the next, null for
  // none.
  async exchange() {
    if (this.opening || !this.api.token || !this.page.record?.unsent) {
      const answer = await this.look();
      if (answer.status !== 200) return this.problem(answer);
    }
    if (this.page.record?.unsent) {
      const answer = await this.put();
      if (answer.status === 403 || answer.status === 404) return this.renew(answer);
      if (answer.status !== 200) return this.problem(answer);
    }
    return this.succeeded();
  }

  async look() {
    const { opening } = this;
    this.opening = null;
    const { record } = this.page;
    const answer = await (opening ?? this.api.draft(record?.document?.id, this.api.token && record?.version));
    if (answer.status === 200) await this.page.received(answer.body);
    return answer;
  }

  async put() {
    const { document, finish } = this.page.record;
    const answer = await this.api.save(document, finish, this.page.addsMissing);
    if (answer.status === 200) await this.page.saved(answer.body, document, finish);
    return answer;
  }

  // The token or the account of the browser is another one by now.
  async renew(refused) {
    const { account } = this.page.record;
    this.api.token = null;
    if (this.hasRenewed || refused.status === 404) {
      const answer = await this.look();
      if (answer.status !== 200) return this.problem(answer);
      return this.page.record.account === account ? this.problem(refused) : this.succeeded();
    }
    this.hasRenewed = true;
    return 0;
  }

  // A page that was opened offline has no token, and one from before a sign-in elsewhere is refused.
  async discard(hasRenewed = false) {
    const { account, document } = this.page.record;
    if (!this.api.token) {
      const answer = await this.look();
      if (answer.status !== 200 || this.page.record.account !== account) return answer;
    }
    const answer = await this.api.discard(document);
    if (answer.status !== 403 || hasRenewed) return answer;
    this.api.token = null;
    return this.discard(true);
  }

  succeeded() {
    this.failures = 0;
    this.hasRenewed = false;
    const { record } = this.page;
    this.setState(record?.unsent ? "saving" : "saved");
    if (record?.unsent) return this.dueAt - Date.now();
    return record?.document && document.visibilityState === "visible" ? BETWEEN_LOOKS : null;
  }

  async problem({ status, body, retryAfter }) {
    this.hasRenewed = false;
    if (status === 401) {
      this.page.signedOut();
      this.setState("signed-out");
      return null;
    }
    if (status === 429 || status >= 500) return this.failed("unanswered", retryAfter);
    this.failures = 0;
    if (status === 409) {
      this.setState("saved");
      return (await this.page.ended(body)) ? 0 : null;
    }
    this.setState("refused", body.message ?? gettext("The server did not accept this workout."));
    this.page.refused();
    return null;
  }
}
