// Whose record this browser shows before the server answers.

export const ACCOUNT = "train-account";

export const currentAccount = () => localStorage.getItem(ACCOUNT);
export const setCurrentAccount = (account) => localStorage.setItem(ACCOUNT, account);
export const forgetCurrentAccount = () => localStorage.removeItem(ACCOUNT);
