// What pages ask before they open the database of this browser: whose record is shown before the server
// answers, and whether a finish waits to be sent.

export const ACCOUNT = "train-account";
const FINISH = "train-finish";

export const currentAccount = () => localStorage.getItem(ACCOUNT);
export const setCurrentAccount = (account) => localStorage.setItem(ACCOUNT, account);
export const forgetCurrentAccount = () => localStorage.removeItem(ACCOUNT);

export const hasFinish = (account) => localStorage.getItem(FINISH) === account;
export const noteFinish = (account) => localStorage.setItem(FINISH, account);
export const forgetFinish = () => localStorage.removeItem(FINISH);
