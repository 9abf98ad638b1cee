// Turns push messages on in this browser, for the settings page "Alerts" and for Train.

export const MARK = "alerts"; // in localStorage: the account whose alerts this browser takes

const toBytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
export const toText = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

// `key` is the service's, `address` takes the subscription, `token` is against forged requests.
export async function subscribe({ account, key, address, token }) {
  const { pushManager } = await navigator.serviceWorker.ready;
  await (await pushManager.getSubscription())?.unsubscribe(); // perhaps of another key of the service
  const options = { userVisibleOnly: true, applicationServerKey: toBytes(key) };
  const subscription = await pushManager.subscribe(options);
  const body = new FormData();
  body.set("endpoint", subscription.endpoint);
  for (const name of ["p256dh", "auth"]) body.set(name, toText(subscription.getKey(name)));
  const answer = await fetch(address, { method: "POST", body, headers: { "X-CSRFToken": token } });
  if (!answer.ok || answer.redirected) throw new Error("refused");
  localStorage.setItem(MARK, account);
}
