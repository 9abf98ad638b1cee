// A line over time. Values are read by pointer and by arrow keys, and stand in a table below.

const HEIGHT = 180;
let drawn = null; // the one chart of the page

const axisDay = (time) =>
  new Date(time * 1000).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
// Read whenever it draws: the host may change its theme.
const colour = (name) => () => getComputedStyle(document.getElementById(name)).color;

function axes() {
  const common = { stroke: colour("ink"), font: "12px system-ui", grid: { stroke: colour("rule"), width: 1 } };
  return [
    { ...common, grid: { show: false }, ticks: { show: false }, values: (_, times) => times.map(axisDay) },
    { ...common, size: 44, ticks: { show: false } },
  ];
}

// `points` are [{time, values, text}], oldest first; `lines` name the values: [{label, dots}].
function chart(title, points, lines) {
  const box = h("div", {
    class: "chart",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "chart",
    "aria-label": `${title}. Left and right arrow keys read its values.`,
  });
  const output = h("output", { "aria-live": "polite" }, points.at(-1).text);
  const inks = ["ink", "rule", "line", "dots"].map((id) => h("i", { id, "aria-hidden": "true" }));
  fill(
    h("h1", {}, title),
    output,
    box,
    inks,
    h("details", {}, h("summary", {}, "Values"), h("ul", {}, points.toReversed().map(({ text }) => h("li", {}, text)))),
  );
  drawn?.destroy();
  drawn = new uPlot(
    {
      width: box.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { x: false } },
      scales: { x: { time: true } },
      tzDate: (time) => uPlot.tzDate(new Date(time * 1000), "UTC"), // as the days of the service
      axes: axes(),
      series: [{}, ...lines.map((line) => series(line))],
      hooks: { setCursor: [({ cursor }) => (output.textContent = points[cursor.idx ?? points.length - 1].text)] },
    },
    [points.map(({ time }) => time), ...lines.map((_, index) => points.map(({ values }) => values[index]))],
    box,
  );
  listen(box, points);
}

const series = ({ label, dots }) =>
  dots
    ? { label, stroke: colour("dots"), paths: () => null, points: { show: true, size: 5, fill: colour("dots") } }
    : { label, stroke: colour("line"), width: 2, spanGaps: true, points: { show: false } };

function listen(box, points) {
  const last = points.length - 1;
  let at = last;
  const go = (index) => {
    at = Math.min(Math.max(index, 0), last);
    drawn.setCursor({ left: drawn.valToPos(points[at].time, "x"), top: 0 });
  };
  box.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
    if (!(event.key in steps)) return;
    event.preventDefault();
    go(steps[event.key]);
  });
  box.addEventListener("focus", () => box.matches(":focus-visible") && go(at));
}

const redraw = () => drawn?.redraw(false);
addEventListener("dress", redraw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
addEventListener("resize", () =>
  drawn?.setSize({ width: drawn.root.parentElement.clientWidth, height: HEIGHT }),
);
