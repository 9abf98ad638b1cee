// What every page of a signed-in account does for Train. Signing out takes the workout that this browser
// keeps away, and asks first if it was not sent; a finish that waits for a connection is sent by whichever
// page is opened next.

import {
  currentAccount,
  forgetCurrentAccount,
  forgetFinish,
  hasFinish,
  setCurrentAccount,
} from "./account.js";

const question = () => gettext("A workout on this phone was not sent yet. Sign out and lose it?");

const form = document.querySelector("form[data-sign-out]");
const { signOut: account, draft, drafts, theme, train } = form.dataset;

// Without a connection, too, whoever has signed in is shown nobody else's workout.
if (currentAccount() !== account) setCurrentAccount(account);

localStorage.setItem("theme", theme);

async function sendFinish() {
  if (!hasFinish(account)) return;
  const queue = await import("./queue.js");
  queue.send(account, { draft, drafts, train });
}

sendFinish();
addEventListener("online", sendFinish);

// Returns false where somebody wants to keep the workout.
async function removeWorkout() {
  const storage = await import("./storage.js");
  const record = await storage.load(account).catch(() => null);
  if (record?.document && record.unsent && !confirm(question())) return false;
  await Promise.all([storage.remove(account), storage.exercises("readwrite", (store) => store.delete(account))]);
  return true;
}

// Alerts of the account (rest_alarm.js) are not for whoever signs in here next.
async function endAlerts() {
  if (!localStorage.getItem("alerts")) return;
  localStorage.removeItem("alerts");
  const registration = await navigator.serviceWorker?.getRegistration();
  const subscription = await registration?.pushManager?.getSubscription();
  await subscription?.unsubscribe(); // the push service answers 410 to the next message
}

const A_MOMENT = 1000;

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  event.stopPropagation(); // fitness.js marks the form as sent, and the question may be answered with no
  // Without storage, or without its script after an update, there is nothing to ask.
  if (!(await removeWorkout().catch(() => true))) return;
  const moment = new Promise((resolve) => setTimeout(resolve, A_MOMENT));
  await Promise.race([endAlerts().catch(() => {}), moment]);
  forgetCurrentAccount();
  forgetFinish(account);
  localStorage.removeItem("theme");
  form.submit();
});
