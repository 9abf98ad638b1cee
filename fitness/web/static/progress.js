// The page of what the worker does shows how far that is, and is opened again when it is done.

const place = document.querySelector("[data-progress]");
const PAUSE = 700; // milliseconds between two looks

if (place) look();

async function look() {
  const [bar, label, note] = ["progress", "label", "[role=status]"].map((part) => place.querySelector(part));
  let isUnderWay = true;
  while (isUnderWay) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    try {
      const answer = await fetch(location.href, { headers: { Accept: "application/json" } });
      if (!answer.ok) break;
      const progress = await answer.json();
      isUnderWay = progress.under_way;
      show(bar, label, progress);
      note.textContent = progress.says;
    } catch {
      note.textContent = "You are offline. The work goes on without this page.";
    }
    note.hidden = !note.textContent;
  }
  location.reload();
}

function show(bar, label, { done, total, unit }) {
  const [count, all] = [done, total].map((number) => number.toLocaleString("en"));
  if (total) {
    bar.max = total;
    bar.value = done;
  }
  if (total || done) label.textContent = [count, total ? `of ${all}` : "", unit, total ? "" : "so far"].filter(Boolean).join(" ");
}
