// Draws a line chart by uPlot. The page loads uPlot itself (charts/scripts.html), as it is a script and no module.

import { STEPS, labels, ticks } from "./time_axis.js";

const { uPlot } = globalThis;
const DAY = 86_400;

const styles = getComputedStyle(document.documentElement);
const colour = (name) => styles.getPropertyValue(name).trim();

export function plot(drawing, box) {
  return new uPlot(options(drawing, box), [drawing.times, ...drawing.series.map((one) => one.values)], box);
}

export function size(box) {
  return { width: box.clientWidth, height: box.clientHeight };
}

function options(drawing, box) {
  const font = `11px ${getComputedStyle(box).fontFamily}`;
  return {
    ...size(box),
    legend: { show: false },
    padding: [8, 12, 0, 0],
    tzDate: (time) => uPlot.tzDate(new Date(time * 1000), "Etc/UTC"),
    cursor: { y: false, drag: { x: true, y: false, setScale: true }, points: { size: 9 } },
    scales: { x: { range: (_, low, high) => timeRange(drawing, low, high) }, y: { range: [drawing.low, drawing.high] } },
    axes: [timeAxis(font), valueAxis(drawing.ticks, font)],
    series: [{}, ...drawing.series.map((one) => line(one, drawing.times))],
    hooks: { drawAxes: [(chart) => drawGoal(chart, drawing)], draw: [(chart) => drawRings(chart, drawing)] },
  };
}

// All of the times means the whole axis, which may be wider.
function timeRange({ times, since, until }, low, high) {
  if (low !== times[0] || high !== times.at(-1)) return [low, high];
  return since < until ? [since, until] : [since - DAY, until + DAY];
}

function timeAxis(font) {
  return {
    font,
    stroke: () => colour("--muted"),
    grid: { show: false },
    ticks: { show: false },
    size: 28,
    space: 56,
    incrs: STEPS,
    splits: (_, axis, low, high, step) => ticks(low, high, step),
    values: (_, times, axis, space, step) => labels(times, step),
  };
}

function valueAxis(marks, font) {
  return {
    font,
    stroke: () => colour("--muted"),
    grid: { stroke: () => colour("--line"), width: 1 },
    ticks: { show: false },
    gap: 8,
    size: 48,
    splits: () => marks.map(([value]) => value),
    values: () => marks.map(([, label]) => label),
  };
}

function line({ name, look, number, values, joined }, times) {
  const token = `--chart-${number}`;
  const isLine = look !== "dots";
  return {
    label: name,
    spanGaps: true,
    width: 2,
    stroke: () => colour(token),
    alpha: isLine ? 1 : Number(colour("--dot-opacity")),
    points: { show: !isLine || joined !== null, size: 6, width: 0, fill: () => colour(token) },
    ...(isLine ? {} : { paths: () => null }),
    ...(isLine && joined ? { paths: (chart) => ({ stroke: through(chart, joined, times, values, look) }) } : {}),
  };
}

// The line or the steps through some of the points of a series, which are all dots.
function through(chart, joined, times, values, look) {
  const path = new Path2D();
  let height;
  for (const time of joined) {
    const left = chart.valToPos(time, "x", true);
    if (look === "steps" && height) path.lineTo(left, height);
    height = chart.valToPos(values[times.indexOf(time)], "y", true);
    path.lineTo(left, height);
  }
  return path;
}

function drawGoal(chart, { goal }) {
  if (goal === null) return;
  const { ctx, bbox } = chart;
  const height = Math.round(chart.valToPos(goal, "y", true));
  ctx.save();
  ctx.strokeStyle = colour("--chart-3");
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, height);
  ctx.lineTo(bbox.left + bbox.width, height);
  ctx.stroke();
  ctx.restore();
}

function drawRings(chart, { times, series }) {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.fillStyle = colour("--surface");
  ctx.strokeStyle = colour("--chart-3");
  ctx.lineWidth = 2 * devicePixelRatio;
  for (const { marked, values } of series) {
    for (const time of marked) {
      const left = chart.valToPos(time, "x", true);
      if (left < bbox.left || left > bbox.left + bbox.width) continue;
      ctx.beginPath();
      ctx.arc(left, chart.valToPos(values[times.indexOf(time)], "y", true), 4.5 * devicePixelRatio, 0, 2 * Math.PI);
      ctx.fill();
      ctx.stroke();
    }
  }
  ctx.restore();
}
