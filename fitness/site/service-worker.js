// Opens Train without a connection, and says so for every other page. fitness/site/installed.py puts SHELL in front of
// this text: {version, language, train, trains, offline, static, icon, files}. `trains` are the addresses that open Train.
//
// A cache holds what is the same for everybody: two pages, fetched without cookies, and the files that these name.
// Screens of an account, JSON and everything else never enter it.
//
// Old scripts never meet a new page. A page that can be reached comes from the network, with the files that it names.
// A page from the cache comes with the files of that cache: one cache for each version, whose pages name its own files
// alone (`fill`), and a worker reads none but the cache of its version.

const UNTOUCHED = /^\/(admin|api|authorize|docs|mcp|settings\/data\/export)(\/|$)/;
const HASHED = /\.[0-9a-f]{12}\.\w+$/;
const PATIENCE_MS = 5000; // at the rack a weak signal is as common as none, and it fails only after minutes

self.addEventListener("install", (event) => event.waitUntil(fill()));

self.addEventListener("activate", (event) => event.waitUntil(deleteOtherVersions()));

// A new worker waits, because open pages of the old version may still need the files of their cache. To wait until all
// are closed could take weeks on a phone, where the page of an installed app stays open. So each page reports itself
// once it has loaded all its files (install.js), and where it is the only one, nobody needs the old cache.
self.addEventListener("message", (event) => event.waitUntil(replaceOlderWorker()));

// Messages of the worker's alarms: {title, body, tag, path} (fitness/site/work/alarms.py). A later one of the same tag
// takes the place of the earlier, and rings again.
self.addEventListener("push", (event) => {
  const { title, body, tag, path } = event.data.json();
  const options = { body, tag, renotify: true, icon: SHELL.icon, data: { path }, vibrate: [200, 100, 200] };
  event.waitUntil(self.registration.showNotification(title, options));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.path));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (SHELL.files.includes(pathname)) {
    event.respondWith(file(request));
  } else if (request.mode === "navigate" && !UNTOUCHED.test(pathname)) {
    event.respondWith(SHELL.trains.includes(pathname) ? train(request) : page(request));
  }
});

// Puts everything into the cache, or nothing. While an update runs on several machines, one of them may answer with a
// page of another version: its files are not in the list, this worker is not installed, and a later page tries again.
async function fill() {
  const pages = [SHELL.train, SHELL.offline];
  const responses = await Promise.all([...pages, ...SHELL.files].map(fetched));
  for (const response of responses.slice(0, pages.length)) {
    const parts = (await response.clone().text()).split('"');
    const named = parts.filter((part) => part.startsWith(SHELL.static));
    if (!named.every((path) => SHELL.files.includes(path))) throw new Error("a page of another version");
  }
  const cache = await caches.open(SHELL.version);
  await Promise.all(responses.map((response) => cache.put(response.url, response)));
}

async function fetched(path) {
  const headers = { "Accept-Language": SHELL.language };
  const response = await fetch(path, { cache: "reload", credentials: "omit", redirect: "error", headers });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response;
}

// Not while a newer worker is being installed or waits, as after a change of the language: one of these caches is its
// own already, which it fills once. When it takes over, it deletes the others.
async function deleteOtherVersions() {
  const versions = await caches.keys();
  const { installing, waiting } = self.registration;
  const others = installing || waiting ? [] : versions.filter((version) => version !== SHELL.version);
  await Promise.all(others.map((version) => caches.delete(version)));
  await clients.claim(); // the page that has installed the first worker is served by it at once
}

async function replaceOlderWorker() {
  const tabs = await clients.matchAll({ type: "window", includeUncontrolled: true });
  if (tabs.length === 1) self.skipWaiting();
}

// A workout under way stays in the page that shows it.
async function open(path) {
  const tabs = await clients.matchAll({ type: "window" });
  const there = tabs.find((tab) => new URL(tab.url).pathname === path);
  return there ? there.focus() : clients.openWindow(path);
}

const stored = (path) => caches.match(path, { cacheName: SHELL.version, ignoreVary: true });

const reached = (request) => fetch(request).catch(() => undefined);

async function page(request) {
  return (await reached(request)) ?? (await stored(SHELL.offline)) ?? Response.error();
}

// A proxy whose service is away answers 502 or 503: the workout goes on then as it does without a connection.
async function train(request) {
  const answer = reached(request);
  const first = await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
  if (first && first.status < 500) return first;
  return (await stored(SHELL.train)) ?? (await answer) ?? Response.error();
}

// A name with a hash stands for one content. Files that `manage.py prepare` has not collected keep their names.
async function file(request) {
  const path = new URL(request.url).pathname;
  const found = HASHED.test(path) && (await stored(path));
  return found || (await reached(request)) || (await stored(path)) || Response.error();
}
