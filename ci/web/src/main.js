// Turns the page's data island into charts, and makes its long tables sortable. Without this script
// the page is complete: each chart stands beside a table with the same numbers.
import { drawBudget } from "./charts/budget.js";
import { drawGaps } from "./charts/gaps.js";
import { drawLedger } from "./charts/ledger.js";
import { drawProcesses } from "./charts/processes.js";
import { drawRoofline } from "./charts/roofline.js";
import { makeSortable } from "./table.js";
import { addThemeButton } from "./theme.js";

const CHARTS = {
  budget: drawBudget,
  gaps: drawGaps,
  ledger: drawLedger,
  processes: drawProcesses,
  roofline: drawRoofline,
};

/** Draws one figure at its width; a chart of too little data stays hidden. */
function drawInto(figure, data) {
  const draw = CHARTS[figure.dataset.chart];
  if (!draw || !data) return;
  figure.hidden = false;
  const frame = figure.querySelector(".frame");
  const svg = draw(data, { width: Math.floor(frame.clientWidth) });
  // The page's policy admits no style but its own sheet, which has these rules too.
  svg.querySelectorAll("style").forEach((style) => style.remove());
  // The chart as a whole has a name; its groups are no elements of their own.
  svg.querySelectorAll("[aria-label]").forEach((group) => group.removeAttribute("aria-label"));
  svg.setAttribute("role", "img");
  frame.replaceChildren(svg);
}

function start() {
  const island = document.getElementById("perfgate-data");
  const data = island ? JSON.parse(island.textContent) : {};
  const figures = [...document.querySelectorAll("figure[data-chart]")];
  const widths = new WeakMap();
  const draw = (figure) => drawInto(figure, data[figure.dataset.chart]);
  figures.forEach(draw);
  const observer = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      const width = Math.floor(contentRect.width);
      if (width > 0 && width !== widths.get(target)) {
        widths.set(target, width);
        draw(target.closest("figure"));
      }
    }
  });
  for (const figure of figures) {
    const frame = figure.querySelector(".frame");
    if (figure.hidden) continue;
    widths.set(frame, Math.floor(frame.clientWidth));
    observer.observe(frame);
  }
  document.querySelectorAll("table[data-sortable]").forEach(makeSortable);
  addThemeButton(document.querySelector(".theme"));
}

start();
