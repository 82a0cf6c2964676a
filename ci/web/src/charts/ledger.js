// Base to head as a waterfall: each bar starts where the one above it ended.
import { barX, link, ruleX, text, tip, pointer } from "@observablehq/plot";
import { FASTER, framed, isNarrow, MUTED, shortened, SLOWER, TEXT } from "./frame.js";

/** The bars from base to head; the change of each row moves the level. */
function steps({ base, head, rows }) {
  let level = base.ms;
  const bars = rows.map((row) => {
    const bar = { ...row, from: level, to: level + row.change };
    level = bar.to;
    return bar;
  });
  return {
    bars,
    ends: [
      { name: "base", at: base.ms, text: base.text },
      { name: "head", at: head.ms, text: head.text },
    ],
  };
}

function colourOf(bar) {
  if (bar.noise || bar.part === "tracing" || bar.part === "unattributed") return MUTED;
  return bar.change > 0 ? SLOWER : FASTER;
}

export function drawLedger(ledger, { width }) {
  const { bars, ends } = steps(ledger);
  const [base, head] = ends;
  const narrow = isNarrow(width);
  const marginLeft = narrow ? 112 : 172;
  const order = [base.name, ...bars.map((bar) => bar.key), head.name];
  const names = new Map(bars.map((bar) => [bar.key, bar.name]));
  const levels = [base.at, head.at, ...bars.flatMap((bar) => [bar.from, bar.to])];
  const low = Math.min(...levels);
  const high = Math.max(...levels);
  const room = (high - low || high * 0.01 || 1) * (narrow ? 0.3 : 0.16);
  const joints = bars.map((bar, i) => ({
    at: bar.to,
    from: bar.key,
    to: bars[i + 1]?.key ?? head.name,
  }));
  if (bars.length > 0) joints.unshift({ at: base.at, from: base.name, to: bars[0].key });
  const rightOf = (bar) => Math.max(bar.from, bar.to);
  return framed("Ledger of the step time, base to head", ledger.summary, {
    width,
    height: 50 + 26 * order.length,
    marginTop: 6,
    marginBottom: 38,
    marginLeft,
    marginRight: 12,
    x: {
      label: "ms a step",
      domain: [low - room * 0.3, high + room],
      ticks: narrow ? 4 : 8,
      grid: true,
    },
    y: {
      label: null,
      domain: order,
      tickSize: 0,
      tickFormat: (key) => shortened(names.get(key) ?? key, narrow ? 14 : 22),
    },
    marks: [
      link(joints, {
        y1: "from",
        y2: "to",
        x1: "at",
        x2: "at",
        stroke: MUTED,
        strokeDasharray: "2,2",
      }),
      barX(bars, { y: "key", x1: "from", x2: "to", fill: colourOf, insetTop: 4, insetBottom: 4 }),
      ruleX(bars, { y1: "key", y2: "key", x: "to", stroke: colourOf }),
      text(bars, {
        y: "key",
        x: rightOf,
        text: narrow ? "short" : "text",
        textAnchor: "start",
        dx: 6,
        fill: TEXT,
      }),
      barX(ends, {
        y: "name",
        x1: low - room * 0.3,
        x2: "at",
        fill: "var(--end)",
        insetTop: 4,
        insetBottom: 4,
      }),
      text(ends, {
        y: "name",
        x: "at",
        text: "text",
        textAnchor: "start",
        dx: 6,
        fill: TEXT,
        fontWeight: 600,
      }),
      tip(
        bars,
        pointer({
          y: "key",
          x: "to",
          title: (d) => `${d.name}: ${d.text} ms\n${d.detail}`,
          maxRadius: 300,
        }),
      ),
    ],
  });
}
