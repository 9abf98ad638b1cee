// One chart: its canvas, and the line of text that says what is under the cursor.

import { plot, size } from "./plot.js";
import { reading } from "./words.js";

const AWAY = { left: -10, top: -10 };
const charts = new Map(); // of the figures that are drawn

const resized = new ResizeObserver((entries) => {
  for (const { target } of entries) charts.get(target.closest("[data-chart]"))?.fit();
});

export function drawChart(figure) {
  charts.set(figure, new Chart(figure));
}

export function removeChart(figure) {
  charts.get(figure)?.remove();
  charts.delete(figure);
}

export function redrawAll() {
  charts.forEach((chart) => chart.plot.redraw(false));
}

class Chart {
  constructor(figure) {
    this.drawing = JSON.parse(figure.querySelector("script").textContent);
    this.output = figure.querySelector("output");
    this.last = this.drawing.times.length - 1;
    this.at = this.last;
    this.box = this.newBox(figure);
    this.reset = this.newReset(figure);
    this.plot = plot(this.drawing, this.box);
    this.plot.hooks.setCursor = [() => this.follow()];
    this.plot.hooks.setScale = [() => this.showReset()];
    this.listen();
    resized.observe(this.box);
  }

  newBox(figure) {
    const box = figure.querySelector(".chart-live");
    box.tabIndex = 0;
    box.setAttribute("role", "application");
    box.setAttribute("aria-roledescription", gettext("chart"));
    const label = gettext("%(title)s. Left and right arrow keys read its values.");
    box.setAttribute("aria-label", interpolate(label, { title: this.drawing.title }));
    return box;
  }

  newReset(figure) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button chart-reset";
    button.textContent = gettext("Reset zoom");
    button.hidden = true;
    figure.append(button);
    return button;
  }

  listen() {
    this.box.addEventListener("keydown", (event) => this.press(event));
    this.box.addEventListener("focus", () => this.box.matches(":focus-visible") && this.go(this.at));
    this.box.addEventListener("blur", () => this.plot.setCursor(AWAY));
    this.reset.addEventListener("click", () => this.showAll());
    // uPlot follows the mouse alone. A finger reads sideways, and scrolls the page up and down.
    for (const type of ["pointerdown", "pointermove"]) {
      this.plot.over.addEventListener(type, (event) => event.pointerType !== "mouse" && this.touch(event));
    }
  }

  press(event) {
    const steps = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: this.first(), End: this.end() };
    if (event.key in steps) this.go(steps[event.key]);
    else if (event.key === "Escape") this.showAll();
    else return;
    event.preventDefault();
  }

  // The first and the last point that the zoom shows.
  first() {
    return this.plot.series[0].idxs[0];
  }

  end() {
    return this.plot.series[0].idxs[1];
  }

  go(index) {
    this.at = Math.min(Math.max(index, this.first()), this.end());
    this.plot.setCursor({ left: this.plot.valToPos(this.drawing.times[this.at], "x"), top: 0 }, false);
    this.read(this.at);
  }

  touch({ clientX, clientY }) {
    const { left, top } = this.plot.over.getBoundingClientRect();
    this.plot.setCursor({ left: clientX - left, top: clientY - top });
  }

  follow() {
    const index = this.plot.cursor.idx;
    this.at = index ?? this.last;
    this.read(this.at);
  }

  read(index) {
    const text = reading(this.drawing, index);
    if (this.output.textContent !== text) this.output.textContent = text;
  }

  showReset() {
    const { min, max } = this.plot.scales.x;
    const [low, high] = this.whole ??= [min, max];
    this.reset.hidden = min === low && max === high;
  }

  showAll() {
    const { times } = this.drawing;
    this.plot.setScale("x", { min: times[0], max: times[this.last] });
    this.box.focus({ preventScroll: true });
  }

  fit() {
    const { width, height } = size(this.box);
    if (width && (width !== this.plot.width || height !== this.plot.height)) this.plot.setSize({ width, height });
  }

  remove() {
    resized.unobserve(this.box);
    this.plot.destroy();
  }
}
