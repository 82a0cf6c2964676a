// Where a step goes: one bar a side, a piece a family or idle cause, all of them together the step.
import { barX, ruleX, text, tip, pointer } from "@observablehq/plot";
import { framed, inkOf, isNarrow, MUTED, TEXT } from "./frame.js";

const LABEL_PX = 7; // of a character, about

/** Pieces laid end to end, with where each begins. */
function stacked(bars) {
  return bars.flatMap(({ side, parts }) => {
    let from = 0;
    return parts.map((part) => {
      const piece = { ...part, side, from, to: from + part.ms };
      from = piece.to;
      return piece;
    });
  });
}

export function drawBudget({ bars, untraced }, { width }) {
  const pieces = stacked(bars);
  const end = Math.max(...pieces.map((piece) => piece.to), untraced?.ms ?? 0);
  const marginLeft = bars.length > 1 ? 44 : 8;
  const pxPerMs = (width - marginLeft - 16) / end;
  const fits = (piece) => piece.name.length * LABEL_PX + 8 < piece.ms * pxPerMs;
  const labels = pieces.filter(fits);
  const marks = [
    barX(pieces, {
      y: "side",
      x1: "from",
      x2: "to",
      fill: inkOf,
      stroke: "var(--card)",
      strokeWidth: 1,
      inset: 0,
    }),
    text(labels, { y: "side", x: (d) => (d.from + d.to) / 2, text: "name", fill: "var(--on-ink)" }),
  ];
  if (untraced) {
    marks.push(ruleX([untraced], { x: "ms", stroke: TEXT, strokeDasharray: "3,3" }));
    marks.push(
      text([untraced], {
        x: "ms",
        text: "text",
        frameAnchor: "top",
        textAnchor: "end",
        dx: -4,
        dy: -14,
        fill: MUTED,
      }),
    );
  }
  marks.push(
    tip(
      pieces,
      pointer({
        y: "side",
        x: (d) => (d.from + d.to) / 2,
        title: (d) => `${d.name}\n${d.text}`,
        maxRadius: 400,
      }),
    ),
  );
  return framed("Step budget", `${bars.map((bar) => bar.summary).join("; ")}`, {
    width,
    height: 70 + 44 * bars.length,
    marginTop: 22,
    marginBottom: 38,
    marginLeft,
    marginRight: 8,
    x: {
      label: "ms a step",
      domain: [0, end * 1.005],
      nice: false,
      ticks: isNarrow(width) ? 4 : 8,
    },
    y: {
      label: null,
      domain: bars.map((bar) => bar.side),
      axis: bars.length > 1 ? "left" : null,
      tickSize: 0,
    },
    marks,
  });
}
