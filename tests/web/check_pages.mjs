// node check_pages.mjs --pages DIR --modules DIR --shots DIR [--browser PROGRAM] [--only NAME]
//
// Opens every page of `web_pages` in Chromium, some at 390 and 1440 px, light and dark, and asks:
//   - does it log an error, or ask for anything but itself?
//   - does axe-core find anything (WCAG A, AA and its best practices)?
//   - does it fit, without scrolling sideways?
//   - do the charts stand where there is data for them, and do tables sort and filter?
// Pictures go to --shots; pages with every problem named, and exit code 1.
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({
  options: {
    pages: { type: "string" },
    modules: { type: "string" },
    shots: { type: "string" },
    browser: { type: "string" },
    only: { type: "string" },
  },
});
const require = createRequire(join(resolve(options.modules), "any.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const WIDTHS = [390, 1440];
const SCHEMES = ["light", "dark"];
// Of the rest one look is enough: their parts are those of these.
const THOROUGH = ["pass", "ledger", "invalid_crash", "empty"];
const PICTURED = [...THOROUGH, "session", "ledger_hostile"];
const CHARTS = {
  pass: ["budget", "gaps", "roofline", "processes"],
  ledger: ["ledger", "budget", "gaps", "roofline", "processes"],
  session: ["ledger", "budget", "gaps", "roofline", "processes"],
  empty: [],
  without_charts: [],
};

function browserProgram() {
  const known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  const found = options.browser ?? known.find(existsSync);
  if (!found) throw new Error(`no Chromium: ${known.join(", ")} (--browser PROGRAM)`);
  return found;
}

/** What axe-core finds, as lines. It is injected past the page's policy, which lets nothing else in. */
async function axeFindings(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(document, { resultTypes: ["violations"] }),
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) =>
        `axe ${id}: ${help} at ${target.join(" ")}: ${failureSummary.replaceAll("\n", " ")}`,
    ),
  );
}

async function fits(page) {
  const [wide, room] = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return [scrollWidth, clientWidth];
  });
  return wide > room ? [`the page is ${wide} px wide in ${room} px`] : [];
}

async function chartsStand(page, name) {
  const drawn = await page.$$eval("figure[data-chart]:not([hidden])", (figures) =>
    figures
      .filter((figure) => figure.querySelector("svg[role=img][aria-label]"))
      .map((figure) => figure.dataset.chart),
  );
  const hidden = await page.$$eval("figure[data-chart]:not([hidden])", (figures) =>
    figures.filter((figure) => !figure.querySelector("svg")).map((figure) => figure.dataset.chart),
  );
  const problems = hidden.map((chart) => `the frame of ${chart} is shown and empty`);
  const wanted = CHARTS[name];
  if (wanted && wanted.toString() !== drawn.toString()) {
    problems.push(`charts are [${drawn}], not [${wanted}]`);
  }
  return problems;
}

/** The kernel table: by keyboard, large numbers first; a filter that leaves what holds its words. */
async function tableWorks(page) {
  const problems = [];
  const table = page.locator("table[data-sortable]").first();
  const numbers = (column) =>
    table
      .locator("tbody tr")
      .evaluateAll((rows, at) => rows.map((row) => Number(row.cells[at].dataset.value)), column);
  await table.locator("thead button", { hasText: "Median" }).focus();
  await page.keyboard.press("Enter");
  const falling = await numbers(5);
  if (falling.some((value, i) => i > 0 && value > falling[i - 1]))
    problems.push("sorting by median does not fall");
  await page.keyboard.press("Enter");
  const rising = await numbers(5);
  if (rising.some((value, i) => i > 0 && value < rising[i - 1]))
    problems.push("sorting twice does not rise");
  await page.locator(".filter input").first().fill("attention decode");
  const shown = await table.locator("tbody tr:visible").count();
  if (shown !== 1) problems.push(`the filter leaves ${shown} rows, not 1`);
  await page.locator(".filter input").first().fill("");
  return problems;
}

async function themeWorks(page) {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await paper();
  await page.locator(".theme").click();
  await page.locator(".theme").click();
  const light = await paper();
  await page.locator(".theme").click();
  return light !== "rgb(244, 246, 248)" || (await paper()) !== before
    ? ["the theme button does not switch"]
    : [];
}

async function check(browser, file, width, colorScheme) {
  const name = file.replace(/\.html$/, "");
  const url = pathToFileURL(resolve(options.pages, file)).href;
  const problems = [];
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`script: ${error.message}`));
  page.on("request", (request) => {
    if (request.url() !== url) problems.push(`asks for ${request.url()}`);
  });
  await page.goto(url);
  if (await page.evaluate(() => globalThis.broken)) problems.push("a name was run as a script");
  problems.push(...(await fits(page)), ...(await chartsStand(page, name)));
  if (PICTURED.includes(name)) {
    await page.screenshot({
      path: join(options.shots, `${name}-${width}-${colorScheme}.png`),
      fullPage: true,
    });
  }
  problems.push(...(await axeFindings(page)));
  if (name === "pass") problems.push(...(await tableWorks(page)), ...(await themeWorks(page)));
  await context.close();
  return problems.map((problem) => `${name} at ${width} px, ${colorScheme}: ${problem}`);
}

/** With scripts switched off: no empty frames, no button that does nothing. */
async function readsWithoutScripts(browser) {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(pathToFileURL(resolve(options.pages, "ledger.html")).href);
  const idle = await page.locator("figure:visible, button:visible").count();
  const tables = await page.locator("table:visible").count();
  await context.close();
  const problems = idle > 0 ? [`${idle} frames and buttons that do nothing`] : [];
  if (tables < 8) problems.push(`only ${tables} tables`);
  return problems.map((problem) => `ledger without scripts: ${problem}`);
}

mkdirSync(options.shots, { recursive: true });
const browser = await chromium.launch({ executablePath: browserProgram(), args: ["--no-sandbox"] });
const files = readdirSync(options.pages).filter((file) => file.endsWith(".html"));
const problems = [];
let looks = 0;
for (const file of files) {
  const name = file.replace(/\.html$/, "");
  if (options.only && name !== options.only) continue;
  const views = WIDTHS.flatMap((width) => SCHEMES.map((scheme) => [width, scheme]));
  for (const view of THOROUGH.includes(name) ? views : views.slice(0, 1)) {
    problems.push(...(await check(browser, file, ...view)));
    ++looks;
  }
}
if (files.includes("ledger.html")) problems.push(...(await readsWithoutScripts(browser)));
await browser.close();
for (const problem of problems) console.log(problem);
console.log(
  `${looks} looks at ${files.length} pages: ${problems.length} problems; pictures in ${options.shots}`,
);
process.exit(problems.length > 0 ? 1 : 0);
