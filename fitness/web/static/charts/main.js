// Line charts that answer: value and day by mouse, finger and arrow keys, zoom, other ranges without a new page.

import { drawChart, redrawAll, removeChart } from "./chart.js";
import { watchRanges } from "./ranges.js";

function drawCharts(part) {
  part.querySelectorAll("[data-chart]").forEach(drawChart);
}

drawCharts(document);
watchRanges({ before: (part) => part.querySelectorAll("[data-chart]").forEach(removeChart), after: drawCharts });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
