// Signing out takes the workout that is kept in this browser away, and asks first if it was not sent.

import { currentAccount, forgetCurrentAccount, setCurrentAccount } from "./account.js";

const QUESTION = "A workout on this phone was not sent yet. Sign out and lose it?";

document.querySelectorAll("form[data-sign-out]").forEach((form) => {
  const account = form.dataset.signOut;
  // Without a connection, too, whoever has signed in is shown nobody else's workout.
  if (currentAccount() !== account) setCurrentAccount(account);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    event.stopPropagation(); // fitness.js would take it for sent
    const storage = await import("./storage.js");
    const record = await storage.load(account).catch(() => null);
    if (record?.document && record.unsent && !confirm(QUESTION)) return;
    await storage.remove(account).catch(() => {});
    forgetCurrentAccount();
    form.submit();
  });
});
