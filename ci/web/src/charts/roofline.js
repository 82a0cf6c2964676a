// The roofline, log-log: what memory and arithmetic allow at each intensity, and what the step reached.
import { dot, line, link, text, tip, pointer } from "@observablehq/plot";
import { framed, isNarrow, MUTED, TEXT } from "./frame.js";

const DASHES = ["none", "6,4", "2,3"];

/** A ceiling as a line with a knee; without a known rate it only rises. */
function roof({ bandwidth, rate, source }, index, [low, high]) {
  const knee = bandwidth && rate ? rate / bandwidth : undefined;
  const at = (x) => Math.min(bandwidth ? bandwidth * x : Infinity, rate ?? Infinity);
  const xs = knee > low && knee < high ? [low, knee, high] : [low, high];
  return xs.map((x) => ({ x, y: at(x), source, index }));
}

export function drawRoofline({ intensity, achieved, against, summary }, { width }) {
  const narrow = isNarrow(width);
  const knees = against.filter((a) => a.bandwidth && a.rate).map((a) => a.rate / a.bandwidth);
  const domain = [Math.min(intensity, ...knees) / 8, Math.max(intensity, ...knees) * 8];
  const roofs = against.map((ceiling, i) => roof(ceiling, i, domain));
  const floors = against
    .map((a, i) => ({
      ...a,
      index: i,
      x: intensity,
      y: Math.min(a.bandwidth ? a.bandwidth * intensity : Infinity, a.rate ?? Infinity),
    }))
    .filter((a) => Number.isFinite(a.y));
  const point = { x: intensity, ...achieved };
  const ends = roofs.map((r) => r.at(-1));
  const onTheRight = intensity > Math.sqrt(domain[0] * domain[1]);
  const lowest = Math.min(achieved.y, ...roofs.flat().map((r) => r.y));
  const highest = Math.max(achieved.y, ...roofs.flat().map((r) => r.y));
  return framed("Roofline", summary, {
    width,
    height: narrow ? 280 : 320,
    marginLeft: 56,
    marginRight: 16,
    marginBottom: 42,
    x: {
      type: "log",
      label: "FLOP per byte",
      domain,
      grid: true,
      ticks: narrow ? 3 : 6,
      tickFormat: "~s",
    },
    y: {
      type: "log",
      label: "FLOP/s",
      domain: [lowest / 2, highest * 2.5],
      grid: true,
      ticks: 4,
      tickFormat: "~s",
    },
    marks: [
      roofs.map((r, i) =>
        line(r, { x: "x", y: "y", stroke: TEXT, strokeWidth: 1.5, strokeDasharray: DASHES[i % 3] }),
      ),
      // Ceilings lie close together: the first is named above its line, the last below.
      text(ends.slice(0, 1), {
        x: "x",
        y: "y",
        text: "source",
        textAnchor: "end",
        lineAnchor: "bottom",
        dy: -5,
        dx: -2,
        fill: MUTED,
      }),
      text(ends.slice(1).slice(-1), {
        x: "x",
        y: "y",
        text: "source",
        textAnchor: "end",
        lineAnchor: "top",
        dy: 5,
        dx: -2,
        fill: MUTED,
      }),
      link([{ ...point, top: floors[0]?.y }], {
        x1: "x",
        x2: "x",
        y1: "y",
        y2: "top",
        stroke: "var(--f0)",
        strokeDasharray: "2,2",
        filter: (d) => d.top > 0,
      }),
      dot(floors, {
        x: "x",
        y: "y",
        r: 4.5,
        stroke: "var(--f0)",
        strokeWidth: 2,
        fill: "var(--card)",
      }),
      dot([point], { x: "x", y: "y", r: 6, fill: "var(--f0)" }),
      text([point], {
        x: "x",
        y: "y",
        text: "text",
        fill: TEXT,
        fontWeight: 600,
        textAnchor: onTheRight ? "end" : "start",
        dx: onTheRight ? -10 : 10,
        dy: onTheRight ? -8 : 6,
        stroke: "var(--card)",
        strokeWidth: 4,
      }),
      tip(
        [...floors.map((f) => ({ ...f, tip: f.text })), { ...point, tip: point.text }],
        pointer({ x: "x", y: "y", title: "tip" }),
      ),
    ],
  });
}
