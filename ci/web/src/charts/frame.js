// What the charts have in common. Numbers arrive formatted by perfgate; only axis ticks are made here.
import { plot } from "@observablehq/plot";

/** A chart in the page's own style; the class has the rules that Plot would bring along. */
export function framed(label, description, options) {
  return plot({ className: "plot", ariaLabel: label, ariaDescription: description, ...options });
}

/** Room is short: a phone held upright. */
export function isNarrow(width) {
  return width < 520;
}

/** Cut in the middle: the ends of generated names tell them apart. */
export function shortened(text, most) {
  if (text.length <= most) return text;
  const head = Math.ceil((most - 1) / 2);
  return `${text.slice(0, head)}\u2026${text.slice(text.length - (most - 1 - head))}`;
}

/** A tick without prefixes: "0.1", "1,000". */
export function plainNumber(value) {
  return value.toLocaleString("en", { maximumSignificantDigits: 6 });
}

/** The page's colour of a part: "f0" ... families, "i0" ... idle. */
export function inkOf(part) {
  return `var(--${part.ink})`;
}

export const TEXT = "var(--text)";
export const MUTED = "var(--muted)";
export const SLOWER = "var(--slower)";
export const FASTER = "var(--faster)";
