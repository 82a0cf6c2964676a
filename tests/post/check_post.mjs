// check_post.mjs --program PERFGATE --modules NODE_MODULES [--only WORD]: perfgate posts to a GitHub that fails in every way.
//
// Every request and every answer is held against GitHub's own description by Prism. Whatever fails: the verdict's exit code stays, there is never
// a second comment, and the token is in no output. Then 200 simulated runs with random faults must leave one comment, of the
// newest head. Runs from the source folder; prints figures, and exits with 1 where something is not as it must be.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { GitHub, PASSING, loadPrism } from './github.mjs';
import { Step, TOKEN, outputOf } from './perfgate.mjs';
import { simulate } from './simulate.mjs';

const { values: options } = parseArgs({
  options: { program: { type: 'string' }, modules: { type: 'string' }, only: { type: 'string', default: '' } },
});
const HEAD = 'b'.repeat(40);
const FAST = ['--pause', '0.01', '--patience', '20'];

const prism = await loadPrism(path.resolve(options.modules), 'tests/data/github/github-openapi-subset.json');
const step = new Step(path.resolve(options.program), 'tests/data/github/github-event-fixtures.json');
// Recorded runs, judged again: a fail, a pass, and two without a baseline: of a store with runs of other workloads, and of none.
const RESULT = step.replayed('fail', 'graphs_off');
const PASS = step.replayed('pass', 'candidate');
step.imported('workloads/recordings/tiny/baseline.jsonl', 'others.db');
const NEW = step.replayed('new', 'candidate', ['--store', 'others.db']);
const LOST = step.replayed('lost', 'candidate', ['--store', 'none.db']);
const problems = [];
let checks = 0;

function must(name, good, what) {
  checks += 1;
  if (!good) problems.push(`${name}: ${what}`);
}

const isComment = (request) => /\/comments/.test(request.path);
const isStatus = (request) => /\/statuses\//.test(request.path);
/** The fault for the first request that `matches`, and never again. */
function once(fault, matches = () => true) {
  let spent = false;
  return (request) => (!spent && matches(request) ? ((spent = true), fault) : null);
}
const always = (fault, matches = () => true) => (request) => (matches(request) ? fault : null);
const ours = (github) => github.comments.filter((c) => c.body.includes('<!-- perfgate:comment') && c.user.login === github.login);

/** One posting, with what holds for all of them. */
async function scenario(name, { github: how = {}, before = () => {}, comments = 1, statuses = 1, code = 1, warns = null, says = null,
  words = ['post', RESULT, ...FAST], more = () => {}, ...call } = {}) {
  if (!name.includes(options.only)) return;
  const github = await new GitHub(prism, how).listen();
  before(github);
  const said = await step.run({ arguments: words, github, ...call });
  const seen = `\n${said.out}${said.err}`;
  must(name, said.code === code, `exit code ${said.code}, not ${code}${seen}`);
  must(name, !said.leaked, 'the token is in an output');
  must(name, !github.requests.some((r) => r.text.includes(TOKEN) || String(r.query).includes(TOKEN)), 'the token is in a request');
  must(name, ours(github).length === comments, `${ours(github).length} comments, not ${comments}${seen}`);
  must(name, (github.statuses.length > 0 ? 1 : 0) === statuses, `${github.statuses.length} statuses${seen}`);
  must(name, github.statuses.every((s) => s.sha === (call.head ?? github.head)), 'a status of another commit');
  must(name, warns ? warns.test(said.err) : said.err === '', `warnings: ${said.err}`);
  must(name, !says || says.test(said.out), `said: ${said.out}`);
  must(name, said.summary.includes('decode_8b'), 'no summary of the step');
  must(name, outputOf(said, 'exit_code') === String(code), `outputs of the step: ${said.output}`);
  for (const violation of github.violations) must(name, false, violation);
  await more({ github, said, name });
  await github.close();
}

async function oneServer(answer) {
  const seen = [];
  const server = http.createServer((request, response) => {
    seen.push(request.headers);
    answer(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { seen, server, url: `http://127.0.0.1:${server.address().port}/elsewhere`, close: () => server.close() };
}

async function plainPosts() {
  await scenario('as it should be', {
    says: /comment created: https:\/\/github\.com\/me\/app\/pull\/7#\d+\nstatus perfgate\/decode_8b is failure/,
    more: ({ github, said, name }) => {
      must(name, outputOf(said, 'comment_url') === github.comments[0].html_url, 'comment_url');
      must(name, outputOf(said, 'verdict') === 'fail', 'verdict');
      must(name, github.statuses[0].target_url === 'https://github.example/me/app/actions/runs/4711', 'target_url');
      must(name, /^FAIL: decode_8b is /.test(github.statuses[0].description), github.statuses[0].description);
      const posted = github.requests.find((r) => r.method === 'POST' && isComment(r));
      figures.push(`from the start of perfgate to the request that writes the comment: ${((posted.ms - said.began) / 1e3).toFixed(2)} s, ` +
        `with reading the result and of which the server took ${(github.servedMs / 1e3).toFixed(2)} s in all`);
    },
  });
  await scenario('with the pauses that GitHub asks for', {
    words: ['post', RESULT],
    more: ({ github, said, name }) => {
      const writes = github.requests.filter((r) => r.method !== 'GET').map((r) => r.ms);
      must(name, writes.length === 2 && writes[1] - writes[0] >= 990, 'less than a second between two writes');
      figures.push(`comment and status with GitHub's second between writes: ${(said.tookMs / 1e3).toFixed(2)} s`);
    },
  });
  await scenario('a pass', { words: ['post', PASS, ...FAST], code: 0,
    more: ({ github, name }) => must(name, github.statuses[0].state === 'success', 'state') });
  await scenario('without a baseline it is new, and passes', { words: ['post', NEW, ...FAST], code: 3,
    more: ({ github, name }) => {
      must(name, github.statuses[0].state === 'success', github.statuses[0].state);
      must(name, github.statuses[0].description.startsWith('NEW'), github.statuses[0].description);
    } });
  await scenario('against a store that is not there nothing is new, and it blocks', { words: ['post', LOST, ...FAST], code: 3,
    more: ({ github, name }) => {
      must(name, github.statuses[0].state === 'failure', github.statuses[0].state);
      must(name, github.statuses[0].description.startsWith('NOT JUDGED (no baseline)'), github.statuses[0].description);
    } });
  await scenario('a policy that passes what has no baseline is named', { words: ['post', NEW, '--on-no-baseline', 'pass', ...FAST], code: 0,
    more: ({ github, name }) => must(name, /^NEW \(--on-no-baseline pass\): /.test(github.statuses[0].description), github.statuses[0].description) });
  await scenario('a policy that fails what has no baseline', { words: ['post', NEW, '--on-no-baseline', 'fail', ...FAST], code: 1,
    more: ({ github, name }) => must(name, github.statuses[0].state === 'failure', github.statuses[0].state) });
  await scenario('several results in one comment', { words: ['post', RESULT, PASS, ...FAST],
    more: ({ github, name }) => must(name, /1 fail, 1 pass/.test(github.statuses[0].description), github.statuses[0].description) });
  await scenario('run --post', { words: ['run', 'workloads/decode_8b.yaml', '--gpu', 'none', '--replay', 'workloads/recordings/decode_8b/graphs_off',
    '--out', path.join(step.root, 'run'), '--post'] });
  await scenario('run --post of what comes to no result', { words: ['run', 'workloads/decode_8b.yaml', '--gpu', 'none', '--replay', 'nothing',
    '--out', path.join(step.root, 'none'), '--post'], code: 4, warns: /nothing/,
    more: ({ github, name }) => must(name, github.statuses[0].state === 'error' && github.statuses[0].context === 'perfgate/decode_8b', 'status') });
  await scenario('gate --post', { words: ['gate', RESULT, '--post'] });
  await scenario('a check run, too', { words: ['post', RESULT, '--check', ...FAST],
    github: { fault: once('502-after', (r) => r.method === 'POST' && /check-runs/.test(r.path)) },
    more: ({ github, name }) => must(name, github.checks.length === 1 && github.checks[0].conclusion === 'failure', 'check runs') });
}

/** The fake is held against the description too: an answer that GitHub would not give is found. */
async function ownAnswers() {
  if (!'own answers'.includes(options.only)) return;
  const request = { method: 'get', url: { path: '/repos/me/app/issues/7/comments', query: {} }, headers: {} };
  const json = { 'content-type': 'application/json' };
  const made = prism.example('post', '/repos/{owner}/{repo}/issues/{issue_number}/comments', 201);
  const wrong = (body, statusCode = 200) => prism.judge(request, { statusCode, headers: json, body });
  must('own answers', (await wrong([made])).length === 0, 'the description refuses its own example');
  must('own answers', (await wrong([{ ...made, id: 'seven' }])).length > 0, 'an id that is no number passes');
  const { html_url: gone, ...less } = made;
  must('own answers', gone && (await wrong([less])).length > 0, 'a comment without its address passes');
  must('own answers', (await wrong([made], 299)).length > 0, 'a status that GitHub does not have passes');
}

/** A checkout of the base branch whose decode_8b is judged more strictly. */
function stricterBase() {
  const tree = path.join(step.root, 'base');
  fs.mkdirSync(path.join(tree, 'workloads'), { recursive: true });
  const text = fs.readFileSync('workloads/decode_8b.yaml', 'utf8');
  const gates = text.slice(0, text.indexOf('\ngates:'));
  fs.writeFileSync(path.join(tree, 'workloads/decode_8b.yaml'), `${gates}\ngates:\n  - {metric: step_time_p50, margin: 0.1%, tolerance: 0.3%}\n`);
  return tree;
}

async function whatTheReaderIsTold() {
  const line = (github, number) => (github.comments[0]?.body ?? '').split('\n')[number] ?? '';
  await scenario('a pull request that changes its own gates', { words: ['post', RESULT, '--base-tree', stricterBase(), ...FAST],
    more: ({ github, name, said }) => {
      must(name, /^\*\*This pull request changes its own gates\*\*: `workloads\/decode_8b\.yaml` .*step_time_p50 margin 0\.1 % -.?> /.test(line(github, 3)), line(github, 3));
      must(name, said.summary.includes('changes its own gates'), 'not in the summary');
    } });
  await scenario('one that leaves them alone', { words: ['post', RESULT, '--base-tree', '.', ...FAST],
    more: ({ github, name }) => must(name, !/its own gates/.test(github.comments[0].body), line(github, 3)) });
  await scenario('the store\'s runs are drawn', {
    more: ({ github, name, said }) => {
      must(name, /^History of `step_time_p50`: [▁▂▃▄▅▆▇█]+: \d+ runs? /m.test(github.comments[0].body), 'not in the comment');
      must(name, said.summary.split('History of `step_time_p50`').length === 3, 'not in the report below it');
    } });
  await scenario('a note', { words: ['post', RESULT, '--note', 'measured on a <b>Tuesday</b>', '--note', 'twice', ...FAST],
    more: ({ github, name }) => {
      must(name, /^- \*\*Note\*\*: measured on a /m.test(github.comments[0].body) && /^- \*\*Note\*\*: twice$/m.test(github.comments[0].body), 'not there');
      must(name, !/<b>Tues/.test(github.comments[0].body), 'not inert');
    } });
}

/** With `run --post` the token is in the environment of perfgate, and of nothing that it starts. */
async function theTokenStaysHere() {
  const file = path.join(step.root, 'decode_8b_env.yaml');
  const seen = path.join(step.root, 'environment');
  const program = `env >>${seen}; for i in $(seq $((PERFGATE_WARMUP + PERFGATE_STEPS))); do echo "step 1.0$i ms"; done`;
  fs.writeFileSync(file, `perfgate: 1\nname: decode_8b_env\nrun:\n  command:\n    argv: [bash, -c, ${JSON.stringify(program)}]\n` +
    "    env: {GH_TOKEN: from_the_file}\n    results: {regex: 'step (\\d+\\.\\d+) ms'}\n" +
    'steps: {warmup: 2, measure: 20}\ntiming: {processes: [2]}\ntrace: {processes: 3}\ngates: [{metric: step_time_p50}]\n');
  await scenario('a program that prints its environment', { code: 3, warns: /.*/, environment: { PERFGATE_TOKEN: TOKEN, GH_TOKEN: TOKEN,
    ACTIONS_RUNTIME_TOKEN: TOKEN, ACTIONS_ID_TOKEN_REQUEST_TOKEN: TOKEN, PERFGATE_LOCK_DIR: step.root },
    words: ['run', file, '--gpu', 'none', '--store', path.join(step.root, 'none.db'), '--out', path.join(step.root, 'env'), '--post'],
    more: ({ name }) => {
      const text = fs.existsSync(seen) ? fs.readFileSync(seen, 'utf8') : '';
      must(name, /^PERFGATE_ROLE=timing$/m.test(text), 'the program did not run');
      must(name, !text.includes(TOKEN), text.split('\n').filter((each) => each.includes(TOKEN)).join(' '));
      must(name, /^GH_TOKEN=from_the_file$/m.test(text), "the workload's own env did not win");
    } });
}

async function otherEvents() {
  const named = (name, change = () => {}) => {
    const payload = step.payload(name);
    change(payload);
    return payload;
  };
  await scenario('workflow_run of a fork', {
    event: ['workflow_run', named('derived:workflow_run.completed-from-fork', (p) => { p.workflow_run.head_sha = HEAD; })] });
  await scenario('merge_group', { comments: 0, says: /no pull request/, head: 'c'.repeat(40),
    event: ['merge_group', named('real:merge_group.checks_requested', (p) => { p.merge_group.head_sha = 'c'.repeat(40); })] });
  await scenario('push of copy-pr-bot', {
    event: ['push', named('derived:push.copy-pr-bot-branch', (p) => { p.ref = 'refs/heads/pull-request/7'; p.after = HEAD; })] });
  await scenario('schedule', { comments: 0, head: 'a'.repeat(40), says: /no pull request/,
    event: ['schedule', named('derived:schedule.minimal')] });
  await scenario('a payload that is none, with flags', { event: ['pull_request', '{"nothing'], warns: /payload cannot be used/,
    words: ['post', RESULT, '--pr', '7', '--sha', HEAD, ...FAST] });
  await scenario('a payload that is none', { event: ['pull_request', '{"nothing'], warns: /--sha SHA/, comments: 0, statuses: 0 });
  const outside = { GITHUB_ACTIONS: '', GITHUB_EVENT_NAME: '', GITHUB_EVENT_PATH: '', GITHUB_SHA: '', GITHUB_RUN_ID: '', GITHUB_TOKEN: '', PERFGATE_TOKEN: TOKEN };
  const flags = ['post', RESULT, '--repo', 'me/app', '--pr', '7', '--sha', HEAD, ...FAST];
  await scenario('outside of Actions', { environment: outside, words: [...flags, '--author', 'github-actions[bot]'],
    more: ({ github, name }) => must(name, github.statuses[0].target_url === github.comments[0].html_url, 'target_url') });
  await scenario('outside of Actions without an author', { environment: outside, words: flags, comments: 0, statuses: 0, warns: /--author LOGIN/ });
  await scenario('another login than that of Actions', { github: { login: 'my-app[bot]' }, says: /--author/,
    before: (github) => github.addComment('my-app[bot]', markedBody('c'.repeat(40), 1)) });
  await scenario('without a token', { token: '', comments: 0, statuses: 0, warns: /GITHUB_TOKEN/ });
  await scenario('a fork that may only read', { comments: 0, statuses: 0, warns: /workflow_run/,
    github: { fault: always('403-permission', (r) => r.method !== 'GET') },
    event: ['pull_request', named('derived:pull_request.synchronize-from-fork', (p) => { p.pull_request.head.sha = HEAD; })] });
}

async function faults() {
  for (const fault of PASSING) {
    for (const [what, matches] of [['any request', () => true], ['the comment', (r) => r.method === 'POST' && isComment(r)],
      ['the status', isStatus]]) {
      await scenario(`${fault} of ${what}`, { github: { fault: once(fault, matches) } });
    }
    await scenario(`${fault} of an update`, { github: { fault: once(fault, (r) => r.method === 'PATCH') },
      before: (github) => github.addComment(github.login, markedBody('c'.repeat(40), 1)) });
  }
  await scenario('no requests left, for a second', { github: { fault: once('403-primary') } });
  await scenario('an answer that never comes', { github: { fault: once('hang', (r) => r.method === 'POST' && isComment(r)) },
    words: ['post', RESULT, '--pause', '0.01'] });
  const refused = { comments: 0, statuses: 0 };
  await scenario('Ctrl-C while GitHub hangs', { ...refused, github: { fault: always('hang', (r) => r.method !== 'GET') }, code: 130,
    warns: /interrupted/, words: ['post', RESULT, '--pause', '0.01'],
    interruptWhen: (github) => github.requests.some((r) => r.method === 'POST') });
  await scenario('401', { ...refused, github: { fault: always('401') }, warns: /Bad credentials[\s\S]*GITHUB_TOKEN/ });
  await scenario('403 without the right to comment', { comments: 0, warns: /permissions: \{pull-requests: write\}/,
    github: { fault: always('403-permission', (r) => r.method === 'POST' && isComment(r)) } });
  await scenario('403 without the right to set a status', { statuses: 0, warns: /permissions: \{statuses: write\}/,
    github: { fault: always('403-status', isStatus) } });
  await scenario('403 of a locked conversation', { comments: 0, warns: /unlock/,
    github: { fault: always('403-locked', (r) => r.method === 'POST' && isComment(r)) } });
  await scenario('403 of a secondary limit that lasts', { ...refused, github: { fault: always('403-secondary-long') }, warns: /limits/ });
  await scenario('429 that lasts', { ...refused, github: { fault: always('429-long') }, warns: /limits/ });
  await scenario('404', { ...refused, github: { fault: always('404') }, warns: /--repo, --pr and --sha/ });
  await scenario('409 that lasts', { ...refused, github: { fault: always('409', (r) => r.method !== 'GET') }, warns: /409/ });
  await scenario('410', { comments: 0, github: { fault: always('410', isComment) }, warns: /switched it off/ });
  await scenario('422', { comments: 0, github: { fault: always('422', (r) => r.method === 'POST' && isComment(r)) }, warns: /422/ });
  await scenario('422 of a body that is too long', { github: { longest: 2500 },
    more: ({ github, name }) => must(name, github.comments[0]?.body.length <= 2500, 'length') });
  for (const fault of ['500-before', '502-after', '503-html', '200-html', 'cut-before', 'cut-body']) {
    await scenario(`${fault} that lasts`, { github: { fault: always(fault, (r) => r.method === 'GET' || fault.endsWith('before')) },
      comments: 0, statuses: fault.endsWith('before') ? 0 : 1, warns: /warning/ });
  }
  await scenario('nobody listens', { ...refused, warns: /gave no answer/, environment: { GITHUB_API_URL: 'http://127.0.0.1:9/api/v3' } });
  await scenario('--require-report of a pass', { words: ['post', PASS, '--require-report', ...FAST], code: 4, ...refused,
    github: { fault: always('401') }, warns: /Bad credentials/,
    more: () => {} });
}

async function redirects() {
  const elsewhere = await oneServer((response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('[]'));
  await scenario('a redirect to another host', { github: { fault: once(`redirect-to:${elsewhere.url}`, (r) => r.method === 'GET' && isComment(r)) },
    more: ({ name }) => {
      must(name, elsewhere.seen.length === 1, 'the other host was not asked');
      must(name, !elsewhere.seen.some((headers) => headers.authorization || JSON.stringify(headers).includes(TOKEN)), 'the token went along');
    } });
  await scenario('a redirect of a write to another host', { comments: 0, warns: /302/,
    github: { fault: always(`redirect-to:${elsewhere.url}`, (r) => r.method === 'POST' && isComment(r)) },
    more: ({ name }) => must(name, elsewhere.seen.length === 1, 'something was written at another host') });
  elsewhere.close();
  const proxy = await oneServer((response) => response.writeHead(500).end());
  const tunnels = [];
  proxy.server.on('connect', (request, socket) => {
    tunnels.push([request.url, JSON.stringify(request.headers)]);
    socket.end('HTTP/1.1 502 No\r\n\r\n');
  });
  await scenario('the proxy of the environment', { comments: 0, statuses: 0, warns: /gave no answer/,
    environment: { https_proxy: proxy.url.replace('/elsewhere', ''), GITHUB_API_URL: 'https://github.invalid/api/v3' },
    more: ({ name }) => {
      must(name, tunnels.length > 0 && tunnels.every(([url]) => url === 'github.invalid:443'), `tunnels: ${tunnels}`);
      must(name, !tunnels.some(([, headers]) => headers.includes(TOKEN)), 'the proxy sees the token');
    } });
  proxy.close();
}

const markedBody = (head, run, text = 'an older report') =>
  `${text}\n\n<!-- perfgate:comment v=1 key=decode_8b head=${head} run=${run} attempt=1 -->`;

async function sticky() {
  await scenario('160 comments of others, ours the last', {
    before: (github) => {
      for (let i = 0; i < 160; i += 1) github.addComment('somebody', 'talk');
      github.addComment(github.login, markedBody('c'.repeat(40), 1));
    },
    more: ({ github, name }) => must(name, github.comments.length === 161 && /an older report/.test(github.comments[160].body) === false, 'not updated') });
  await scenario('a stranger with our marker', { before: (github) => github.addComment('stranger', markedBody('c'.repeat(40), 1)),
    more: ({ github, name }) => must(name, /an older report/.test(github.comments[0].body), 'the stranger was overwritten') });
  await scenario('a newer run of this head', { before: (github) => github.addComment(github.login, markedBody(HEAD, 9999)), says: /newer/,
    more: ({ github, name }) => must(name, /an older report/.test(github.comments[0].body), 'overwritten') });
  await scenario('a head that is none any more', { github: { head: 'd'.repeat(40) }, head: HEAD, comments: 0, says: /by now/ });
  if (!'twice and at once'.includes(options.only)) return;
  const github = await new GitHub(prism).listen();
  const call = { arguments: ['post', RESULT, ...FAST], github };
  await step.run(call);
  const writes = github.requests.filter((r) => r.method !== 'GET' && isComment(r)).length;
  await step.run(call);
  must('the same again', github.requests.filter((r) => r.method !== 'GET' && isComment(r)).length === writes, 'an identical body was written');
  await github.close();
  for (let round = 0; round < 10; round += 1) {
    const race = await new GitHub(prism).listen();
    const said = await Promise.all([1, 2].map((run) => step.run({ arguments: ['post', RESULT, '--pause', '0.1'], github: race, run })));
    must('two posters at once', ours(race).length === 1, `${ours(race).length} comments`);
    must('two posters at once', / run=2 /.test(ours(race)[0]?.body ?? ''), 'not the newest run');
    must('two posters at once', said.every((s) => s.code === 1 && !s.leaked && s.err === ''), said.map((s) => s.err).join());
    problems.push(...race.violations);
    await race.close();
  }
}

const figures = [];
await ownAnswers();
await plainPosts();
await whatTheReaderIsTold();
await theTokenStaysHere();
await otherEvents();
await faults();
await redirects();
await sticky();
if ('simulation'.includes(options.only)) {
  figures.push(await simulate({ prism, step, result: RESULT, must, ours }));
}
step.remove();
for (const line of figures) console.log(line);
for (const problem of problems) console.error(`WRONG ${problem}`);
console.log(`${checks} checks of posting to GitHub, ${problems.length} wrong`);
process.exit(problems.length === 0 ? 0 : 1);
