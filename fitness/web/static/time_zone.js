// The time zone of the browser: for a new account, and offered to an account that has chosen none.

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";

document.querySelectorAll("[data-time-zone]").forEach((field) => { field.value = zone; });

const offer = document.querySelector("[data-time-zone-offer]");
if (offer && !["", "UTC", "Etc/UTC", "GMT"].includes(zone)) {
  offer.querySelector("[data-time-zone-name]").textContent = zone;
  offer.hidden = false;
}
