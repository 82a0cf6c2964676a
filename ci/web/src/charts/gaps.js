// How long gaps are against how many there are. A circle is a cause at the median of its gaps, a
// square a pair of kernels at the mean of theirs: single lengths are not kept in a result.
import { dot, text, tip, pointer } from "@observablehq/plot";
import { framed, inkOf, isNarrow, MUTED, plainNumber, TEXT } from "./frame.js";

/** Powers of ten around the values, so that few points do not fill the whole chart. */
function decades(values) {
  const low = 10 ** Math.floor(Math.log10(Math.min(...values)) - 0.15);
  const high = 10 ** Math.ceil(Math.log10(Math.max(...values)) + 0.15);
  return [low, high];
}

export function drawGaps({ points, summary }, { width }) {
  const narrow = isNarrow(width);
  const causes = points.filter((point) => point.kind === "cause");
  const sites = points.filter((point) => point.kind === "site");
  const place = { x: "us", y: "count" };
  return framed("Gaps: how long and how many", summary, {
    width,
    height: narrow ? 260 : 300,
    marginLeft: 48,
    marginRight: 16,
    marginBottom: 42,
    x: {
      type: "log",
      label: "length of a gap, us",
      domain: decades(points.map((d) => d.us)),
      grid: true,
      ticks: narrow ? 3 : 6,
      tickFormat: plainNumber,
    },
    y: {
      type: "log",
      label: "gaps a step",
      domain: decades(points.map((d) => d.count)),
      grid: true,
      ticks: 4,
      tickFormat: plainNumber,
    },
    r: { range: [3, narrow ? 14 : 20], domain: [0, Math.max(...points.map((d) => d.ms))] },
    marks: [
      dot(sites, { ...place, r: "ms", symbol: "square", stroke: inkOf, strokeWidth: 1.5 }),
      dot(causes, { ...place, r: "ms", fill: inkOf, fillOpacity: 0.75, stroke: inkOf }),
      text(causes, {
        ...place,
        text: "name",
        dy: narrow ? -18 : -24,
        fill: TEXT,
        stroke: "var(--card)",
        strokeWidth: 4,
        fontWeight: 600,
      }),
      text(causes, {
        ...place,
        text: "total",
        dy: narrow ? 20 : 26,
        fill: MUTED,
        stroke: "var(--card)",
        strokeWidth: 4,
      }),
      tip(points, pointer({ ...place, title: (d) => `${d.name}\n${d.text}` })),
    ],
  });
}
