// The settings page "Alerts": turns push messages on in this browser, marks which one of the list it is, and keeps the
// server's address of it right. Whether alerts are on here, Train reads from the browser (rest_alarm.js).

import { MARK, subscribe, toText } from "./push.js";

const page = document.querySelector("[data-alerts]");
const form = page.querySelector("[data-subscribe]");
const show = (name) => { page.querySelector(`[data-${name}]`).hidden = false; };

async function digest(text) {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return [...bytes].map((one) => one.toString(16).padStart(2, "0")).join("");
}

async function start() {
  if (!("serviceWorker" in navigator && "PushManager" in window && "Notification" in window)) return show("none");
  const registration = await navigator.serviceWorker.ready;
  const subscription = await registration.pushManager.getSubscription();
  const row = subscription && page.querySelector(`[data-browser="${await digest(subscription.endpoint)}"]`);
  const isOfThisKey = subscription && toText(subscription.options.applicationServerKey) === page.dataset.key;
  if (row && isOfThisKey) return showOn(row, subscription);
  localStorage.removeItem(MARK);
  if (Notification.permission === "denied") return show("refused");
  show("off");
}

function showOn(row, subscription) {
  localStorage.setItem(MARK, page.dataset.account);
  row.querySelector("[data-this]").hidden = false;
  row.querySelector("[data-remove]").addEventListener("submit", () => {
    localStorage.removeItem(MARK);
    subscription.unsubscribe();
  });
  show("on");
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  event.stopPropagation(); // fitness.js would take it for sent
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    const token = form.elements.csrfmiddlewaretoken.value;
    await subscribe({ ...page.dataset, address: form.action, token });
    location.reload();
  } catch (error) {
    const problem = page.querySelector("[data-problem]");
    problem.textContent = error.name === "NotAllowedError"
      ? gettext("The browser was not allowed to show notifications.")
      : gettext("That did not work. Reload the page and try again.");
    problem.hidden = false;
    button.disabled = false;
  }
});

start();
