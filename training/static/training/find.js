// Lists that are found while somebody types. `data-find` of a form names the part of the page that shows what is
// found; the same page with the form's fields in its address has the new one. Without this file the button sends
// the form.

const PAUSE = 200; // milliseconds without another letter
const form = document.querySelector("[data-find]");
let waiting;
let asked = 0;

function address(fieldsOf = form) {
  const fields = [...new FormData(fieldsOf)].filter(([, value]) => value.trim());
  const query = new URLSearchParams(fields).toString();
  return query ? `${location.pathname}?${query}` : location.pathname;
}

async function find() {
  const turn = ++asked;
  const target = address();
  const answer = await fetch(target);
  if (!answer.ok || answer.redirected) return; // the button then shows why
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const found = page.getElementById(form.dataset.find);
  if (turn !== asked || !found) return;
  document.getElementById(form.dataset.find).replaceWith(found);
  history.replaceState(null, "", target);
  document.getElementById("status").textContent = found.querySelector("[data-count]")?.textContent ?? "";
}

function findSoon() {
  clearTimeout(waiting);
  // Without a connection the list stays as it is.
  waiting = setTimeout(() => find().catch(() => {}), PAUSE);
}

form.addEventListener("input", findSoon);
// Somebody was quicker than this file.
const served = form.cloneNode(true);
served.reset();
if (address() !== address(served)) findSoon();
