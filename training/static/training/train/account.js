// What pages ask before they open the database of this browser: whose record is shown before the server
// answers, and whether a finish waits to be sent.

export const ACCOUNT = "train-account";
const finishKey = (account) => `train-finish-${account}`;

export const currentAccount = () => localStorage.getItem(ACCOUNT);
export const setCurrentAccount = (account) => localStorage.setItem(ACCOUNT, account);
export const forgetCurrentAccount = () => localStorage.removeItem(ACCOUNT);

export const hasFinish = (account) => localStorage.getItem(finishKey(account)) !== null;
export const markFinish = (account) => localStorage.setItem(finishKey(account), "waiting");
export const forgetFinish = (account) => localStorage.removeItem(finishKey(account));
