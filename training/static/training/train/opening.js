// The first look at the server, sent while the other modules load.

import { Api } from "./api.js";

export const root = document.getElementById("train");
export const api = new Api({ ...root.dataset });
export const opening = api.draft();

opening.catch(() => {}); // Sync awaits it later, and handles a missing connection
