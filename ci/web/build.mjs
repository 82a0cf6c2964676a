// Bundles src/main.js into one script for the page: node build.mjs OUTPUT MODULES
// OUTPUT gets the script; MODULES is the node_modules folder that `npm ci` filled.
// The licences of everything inside stand at its top, because each page is a copy of it.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [output, modules] = process.argv.slice(2).map((argument) => resolve(argument));
const here = dirname(fileURLToPath(import.meta.url));
const { build } = createRequire(join(modules, "any.js"))("esbuild");

/** "node_modules/@scope/name/src/x.js" -> "@scope/name"; undefined for our own files. */
function packageOf(input) {
  return input.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1];
}

function licenceOf(name) {
  const folder = join(modules, name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(folder, file), "utf8").trim() : license;
  return { title: `${name} ${version} (${license})`, text };
}

/** Packages under the same words share them; their copyright lines stay apart. */
function notices(names) {
  const byTerms = new Map();
  for (const name of names) {
    const { title, text } = licenceOf(name);
    const lines = text.split(/\r?\n/);
    const owners = lines.filter((line) => /^copyright /i.test(line)).join("; ");
    const terms = lines
      .filter((line) => !/^copyright /i.test(line))
      .join("\n")
      .trim();
    byTerms.set(terms, [...(byTerms.get(terms) ?? []), `${title}: ${owners}`]);
  }
  const blocks = [...byTerms].map(([terms, titles]) => `${titles.join("\n")}\n\n${terms}`);
  return `/*! Contains:\n\n${blocks.join("\n\n---\n\n")}\n*/\n`.replaceAll(/[^\x00-\x7f]/g, "?");
}

const result = await build({
  entryPoints: [join(here, "src/main.js")],
  nodePaths: [modules],
  bundle: true,
  minify: true,
  write: false,
  outfile: output,
  metafile: true,
  format: "iife",
  target: "es2022",
  charset: "ascii",
  legalComments: "none",
});
const [{ inputs }] = Object.values(result.metafile.outputs);
const used = Object.keys(inputs).filter((input) => inputs[input].bytesInOutput > 0);
const names = new Set(used.map(packageOf).filter(Boolean));
const text = notices([...names].sort()) + result.outputFiles[0].text;
// Inside an HTML page these end a script or hide what follows.
for (const word of ["</script", "<!--", "<script"]) {
  if (text.toLowerCase().includes(word)) throw new Error(`the bundle contains ${word}`);
}
writeFileSync(output, text);
