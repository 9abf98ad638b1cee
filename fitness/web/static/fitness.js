// Comfort on top of pages that work without it: copying, confirming, and no second submission.

const status = document.getElementById("status");

document.querySelectorAll("[data-copy]").forEach((button) => {
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    button.textContent = (await copied(source)) ? gettext("Copied") : gettext("Press Ctrl+C");
    status.textContent = button.textContent;
    setTimeout(() => { button.textContent = label; }, 2000);
  });
});

async function copied(source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch { // a page without TLS has no clipboard, so the old command has to do
    getSelection().selectAllChildren(source);
    return document.execCommand("copy");
  }
}

// A form goes out once; coming back to the page by the Back button frees it again.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "yes";
  event.submitter?.setAttribute("aria-busy", "true");
});

window.addEventListener("pageshow", () => {
  document.querySelectorAll("form[data-sent]").forEach((form) => {
    delete form.dataset.sent;
    form.querySelectorAll("[aria-busy]").forEach((button) => button.removeAttribute("aria-busy"));
  });
});

// A link to a confirmation page opens that page's card in a dialog.
document.querySelectorAll("a[data-dialog]").forEach((link) => {
  link.addEventListener("click", async (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    try {
      const answer = await fetch(link.href);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      ask(page.querySelector("[data-confirmation]"));
    } catch {
      location.assign(link.href);
    }
  });
});

function ask(card) {
  const dialog = document.createElement("dialog");
  dialog.className = "dialog";
  dialog.setAttribute("aria-labelledby", card.querySelector("h2").id);
  dialog.append(card);
  dialog.addEventListener("close", () => dialog.remove());
  card.querySelector("[data-cancel]").addEventListener("click", (event) => {
    event.preventDefault();
    dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}

document.querySelectorAll("details.menu").forEach((menu) => {
  document.addEventListener("click", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
});
