// 200 runs of a pull request that is pushed to again and again: they end out of order and two at once, and a fifth of all
// requests meets a fault (the seed is fixed). At the end there is one comment, of the newest head and its newest run.
import { GitHub, PASSING } from './github.mjs';

const RUNS = 200;
const RUNS_OF_A_HEAD = 4;
const SHARE = 0.2;
const WITHOUT_RIGHTS = 0.05;
const SEED = 20261130;
const FIRST_RUN = 5000;

function random(seed) {  // mulberry32
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

const headOf = (run) => Math.floor((run - FIRST_RUN) / RUNS_OF_A_HEAD).toString(16).padStart(40, '1');

export async function simulate({ prism, step, result, must, ours }) {
  const name = 'simulation';
  const draw = random(SEED);
  const last = FIRST_RUN + RUNS - 1;
  const runs = Array.from({ length: RUNS }, (_, i) => ({
    id: FIRST_RUN + i, place: i + draw() * 8, mayWrite: draw() >= WITHOUT_RIGHTS || headOf(FIRST_RUN + i) === headOf(last),
  }));
  const allowed = new Map(runs.map((run) => [run.id, run.mayWrite]));
  const fault = ({ run, method }, number) => {
    const drawn = random(SEED ^ (run * 7919) ^ (number * 104729));
    drawn();
    if (drawn() < SHARE) return PASSING[Math.floor(drawn() * PASSING.length)];
    return !allowed.get(run) && method !== 'GET' ? '403-permission' : null;
  };
  const github = await new GitHub(prism, { fault, head: headOf(FIRST_RUN) }).listen();
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  let newest = 0;
  const posted = new Map();
  const post = async (run) => {
    newest = Math.max(newest, run.id);  // it was pushed before it ran
    github.head = headOf(newest);
    const said = await step.run({ arguments: ['post', result, '--pause', '0.1', '--patience', '20'], github, run: run.id, head: headOf(run.id) });
    must(name, said.code === 1, `run ${run.id} exits with ${said.code}\n${said.err}`);
    must(name, !said.leaked, `run ${run.id} shows the token`);
    must(name, run.mayWrite ? said.err === '' : true, `run ${run.id}: ${said.err}`);
    posted.set(run.id, /^comment (created|updated|unchanged|left)/m.test(said.out));
  };
  runs.sort((a, b) => a.place - b.place);
  let most = 0;
  for (let i = 0; i < runs.length; i += 2) {
    const first = post(runs[i]);
    await wait(draw() * 60);
    await Promise.all([first, post(runs[i + 1])]);
    most = Math.max(most, ours(github).length);
  }
  const left = ours(github);
  const wanted = Math.max(...[...posted].filter(([id, done]) => done && headOf(id) === headOf(last)).map(([id]) => id));
  must(name, left.length === 1, `${left.length} comments`);
  must(name, left[0]?.body.includes(` head=${headOf(last)} run=${wanted} `), `the comment is ${left[0]?.body.slice(-140)}, not of run ${wanted}`);
  must(name, most <= 1, `there were ${most} comments after a pair of runs`);
  for (const run of runs) {
    const seen = github.statuses.some((status) => status.sha === headOf(run.id));
    must(name, seen || !run.mayWrite, `no status of ${headOf(run.id)}`);
  }
  for (const violation of github.violations) must(name, false, violation);
  const played = [...github.faults].filter(([kind]) => kind !== '403-permission').reduce((sum, [, count]) => sum + count, 0);
  const text = `${RUNS} runs, ${github.requests.length} requests, ${played} faults ` +
    `(${[...github.faults].map(([kind, count]) => `${kind} ${count}`).sort().join(', ')}): ${left.length} comment, of the newest head`;
  await github.close();
  return text;
}
