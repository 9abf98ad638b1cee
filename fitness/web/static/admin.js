// What the admin needs beside Django's own scripts.

"use strict";

// The box from which something is chosen has no name for screen readers while nothing is chosen. Django's
// script makes it when jQuery is ready; what is registered later runs after that.
window.django?.jQuery(() => {
  for (const box of document.querySelectorAll(".select2-selection__rendered")) {
    const select = document.getElementById(box.id.replace(/^select2-(.+)-container$/, "$1"));
    const [label] = select.labels;
    label.id = `${select.id}_label`;
    box.setAttribute("aria-labelledby", label.id);
    box.closest(".select2-selection").setAttribute("aria-labelledby", `${label.id} ${box.id}`);
  }
});
