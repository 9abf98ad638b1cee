// Tells the server when a rest ends, which then wakes a locked phone, and takes it back when the rest is moved or ends
// early. Only where this browser takes alerts of the account (the settings page "Alerts").

const MARK = "alerts";
const ANSWERED = "alerts-answered"; // in localStorage: the account that has said whether it wants them here

const isPossible = () => Boolean(navigator.serviceWorker && window.PushManager && window.Notification);

const takesAlerts = (account) =>
  window.Notification?.permission === "granted" && localStorage.getItem(MARK) === account;

export class RestAlarm {
  constructor(api) {
    this.api = api;
    this.endsAt = undefined; // of the rest that the server knows; null for none
  }

  // Whether to ask for alerts: where they are possible, until somebody has answered.
  isAsked(account) {
    const isOpen = isPossible() && Notification.permission !== "denied" && localStorage.getItem(ANSWERED) !== account;
    return isOpen && !takesAlerts(account);
  }

  answer(account) {
    localStorage.setItem(ANSWERED, account);
  }

  // Throws where the browser or the server refuses.
  async turnOn(account) {
    this.answer(account);
    const { subscribe } = await import("../../push.js");
    const { pushKey: key, subscribe: address } = this.api.addresses;
    await subscribe({ account, key, address, token: this.api.token });
  }

  // `rest` is the one of timer.js, or null. Called whenever it may have changed.
  follow(account, rest) {
    const endsAt = rest?.ends_at ?? null;
    if (endsAt === this.endsAt || !takesAlerts(account)) return;
    const hasRung = endsAt === null && this.endsAt <= Date.now(); // or is about to, and shall
    this.endsAt = endsAt;
    const seconds = endsAt === null ? 0 : Math.round((endsAt - Date.now()) / 1000);
    // Without a connection the page's own alarm is all there is.
    if (!hasRung && seconds >= 0) this.api.restAlarm(seconds).catch(() => {});
  }
}
