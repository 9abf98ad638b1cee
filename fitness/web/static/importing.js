// An import goes on by itself while its page is open: one step after another, and a bar that shows how far it is.

const form = document.querySelector("[data-steps]");

if (form) {
  const [bar, label, problem, button] = ["progress", "label", "[role=alert]", "button"].map((part) => form.querySelector(part));
  button.hidden = true;
  goOn();

  async function goOn() {
    try {
      let more = true;
      while (more) {
        const answer = await fetch(form.action, {
          method: "POST",
          body: new URLSearchParams(new FormData(form)),
          headers: { Accept: "application/json" },
        });
        if (!answer.ok) throw new Error();
        const progress = await answer.json();
        more = progress.more;
        bar.max = progress.total;
        bar.value = progress.done;
        if (progress.problem) return stop(progress.problem);
        label.textContent = `${progress.done.toLocaleString("en")} of ${progress.total.toLocaleString("en")}`;
      }
      location.reload();
    } catch {
      stop("The import has stopped. Nothing is lost: go on when you are online again.");
    }
  }

  function stop(text) {
    problem.textContent = text;
    problem.hidden = false;
    button.hidden = false;
  }
}
