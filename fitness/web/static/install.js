// Registers the service worker (fitness/site/service-worker.js). Pages work without it: where there is no https, and in
// private windows.

// A browser replaces a worker that has nothing to do. After its load event a page still fetches its icon.
const SETTLED_MS = 1000;

async function register() {
  try {
    const worker = `/service-worker.js?language=${document.documentElement.lang}`;
    const registration = await navigator.serviceWorker.register(worker);
    setTimeout(() => registration.waiting?.postMessage("loaded"), SETTLED_MS);
  } catch { // nothing to do: the page needs a connection then, as any other
  }
}

if ("serviceWorker" in navigator) window.addEventListener("load", register);
