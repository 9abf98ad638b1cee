// Passkeys: a form with data-passkey asks the browser for one when it is sent, and carries its answer. Where the
// browser has none, the form stays hidden.

const toBytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
const toText = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

document.querySelectorAll("form[data-passkey]").forEach((form) => {
  if (!window.PublicKeyCredential) return;
  form.hidden = false;
  document.querySelectorAll("[data-without-passkeys]").forEach((note) => { note.hidden = true; });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    event.stopPropagation(); // fitness.js would take it for sent
    const note = form.querySelector("[data-passkey-note]");
    note.hidden = true;
    try {
      form.elements.credential.value = JSON.stringify(await ask(form));
      form.submit();
    } catch (error) {
      note.textContent = reason(error);
      note.hidden = false;
    }
  });
});

async function ask(form) {
  const answer = await fetch(form.dataset.options, { method: "POST", body: new FormData(form) });
  if (!answer.ok || answer.redirected) throw new Error("options");
  const options = await answer.json();
  options.challenge = toBytes(options.challenge);
  for (const known of [...(options.allowCredentials ?? []), ...(options.excludeCredentials ?? [])]) {
    known.id = toBytes(known.id);
  }
  if (form.dataset.passkey === "get") return readable(await navigator.credentials.get({ publicKey: options }));
  options.user.id = toBytes(options.user.id);
  return readable(await navigator.credentials.create({ publicKey: options }));
}

// The JSON of WebAuthn Level 3. Browsers before 2025 cannot write it themselves.
function readable({ id, rawId, type, response }) {
  const fields = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
  const texts = fields.filter((name) => response[name]).map((name) => [name, toText(response[name])]);
  return {
    id, type, rawId: toText(rawId),
    response: { ...Object.fromEntries(texts), transports: response.getTransports?.() },
  };
}

function reason(error) {
  if (error.name === "InvalidStateError") return gettext("This device has a passkey of your account already.");
  if (error.name === "NotAllowedError") return gettext("No passkey was chosen. Try again when you are ready.");
  return gettext("That did not work. Reload the page and try again.");
}
