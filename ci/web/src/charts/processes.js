// The median step of each fresh process, in the order in which they ran: the samples of the verdict.
import { dot, rectX, ruleX, text, tip, pointer } from "@observablehq/plot";
import { framed, isNarrow, MUTED, plainNumber } from "./frame.js";

const INK = { head: "var(--f0)", base: "var(--i0)" };

export function drawProcesses({ points, baseline, summary }, { width }) {
  const values = points.map((point) => point.ms);
  const seen = baseline ? [...values, baseline.low, baseline.high] : values;
  const low = Math.min(...seen);
  const high = Math.max(...seen);
  const room = (high - low || high * 0.001) * 0.08;
  const marks = [];
  if (baseline) {
    marks.push(rectX([baseline], { x1: "low", x2: "high", fill: "var(--band)" }));
    marks.push(ruleX([baseline], { x: "at", stroke: MUTED, strokeDasharray: "4,3" }));
    marks.push(
      text([baseline], {
        x: "at",
        text: "text",
        frameAnchor: "top",
        dy: -12,
        fill: MUTED,
        textAnchor: baseline.at > (low + high) / 2 ? "end" : "start",
      }),
    );
  }
  const place = { x: "ms", y: "order" };
  marks.push(
    dot(points, {
      ...place,
      r: 5,
      fill: (d) => (d.used ? INK[d.arm] : "none"),
      stroke: (d) => INK[d.arm],
      symbol: (d) => (d.arm === "base" ? "diamond2" : "circle"),
    }),
    tip(points, pointer({ ...place, title: "text" })),
  );
  return framed("Median step of each process", summary, {
    width,
    height: 80 + Math.min(points.length * 20, 400),
    marginTop: 24,
    marginBottom: 42,
    marginLeft: 44,
    marginRight: 16,
    x: {
      label: "median step, ms",
      domain: [low - room, high + room],
      ticks: isNarrow(width) ? 3 : 7,
      grid: true,
      tickFormat: plainNumber,
    },
    y: { label: "process", type: "point", domain: points.map((d) => d.order), tickSize: 0 },
    symbol: { type: "identity" },
    marks,
  });
}
