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
      note.textContent = gettext("You are offline. The work goes on without this page.");
    }
    note.hidden = !note.textContent;
  }
  location.reload();
}

function show(bar, label, { done, total, unit }) {
  if (total) {
    bar.max = total;
    bar.value = done;
  }
  if (total || done) label.textContent = text(done, total, unit);
}

// Such as "3 of 12", "1.5 of 12 MB" and, where nobody knows how much there is, "1.5 MB so far".
function text(done, total, unit) {
  const written = (number) => number.toLocaleString(document.documentElement.lang);
  const withUnit = (number) => [written(number), unit].filter(Boolean).join(" ");
  return total
    ? interpolate(gettext("%(done)s of %(total)s"), { done: written(done), total: withUnit(total) })
    : interpolate(gettext("%(done)s so far"), { done: withUnit(done) });
}
