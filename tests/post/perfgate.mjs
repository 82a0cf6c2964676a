// Runs the built perfgate as a step of GitHub Actions does, and looks for the token wherever it must not be.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const TOKEN = 'ghs_0123456789TokenThatNobodyMaySee';

export class Step {
  constructor(program, fixtures) {
    this.program = program;
    this.payloads = JSON.parse(fs.readFileSync(fixtures, 'utf8')).payloads;
    this.root = fs.mkdtempSync(path.join(os.tmpdir(), 'perfgate-post-'));
    this.count = 0;
  }

  payload(name) { return structuredClone(this.payloads[name]); }

  /** The run folder of a recorded run of decode_8b that is judged again. */
  replayed(name, recording, more = []) {
    const out = path.join(this.root, name);
    const words = ['run', 'workloads/decode_8b.yaml', '--gpu', 'none', '--replay', `workloads/recordings/decode_8b/${recording}`, '--out', out,
      ...more.map((word) => (word.endsWith('.db') ? path.join(this.root, word) : word))];
    try {
      execFileSync(this.program, words, { env: { PATH: process.env.PATH }, stdio: 'pipe' });
    } catch (error) {
      if (error.status !== 1 && error.status !== 3) throw error;  // the verdict
    }
    return out;
  }

  /** A store of our folder with the runs of an export. */
  imported(lines, store) {
    execFileSync(this.program, ['baseline', 'import', lines, '--store', path.join(this.root, store)], { env: { PATH: process.env.PATH }, stdio: 'pipe' });
  }

  remove() { fs.rmSync(this.root, { recursive: true, force: true }); }

  /** `event`: [name, payload or text]; the pull request is number 7 of me/app. `interruptWhen(github)`: Ctrl-C once it is true. */
  async run({ arguments: words, github, run = 0, head = 'b'.repeat(40), event, token = TOKEN, environment = {}, interruptWhen }) {
    const folder = path.join(this.root, String(this.count++));
    fs.mkdirSync(folder);
    const file = (name) => path.join(folder, name);
    let payload = event?.[1];
    if (payload === undefined) {
      payload = this.payload('real:pull_request.synchronize');
      payload.pull_request.number = payload.number = 7;
      payload.pull_request.head.sha = head;
    }
    fs.writeFileSync(file('event.json'), typeof payload === 'string' ? payload : JSON.stringify(payload));
    const variables = {
      PATH: process.env.PATH, GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: event?.[0] ?? 'pull_request', GITHUB_EVENT_PATH: file('event.json'),
      GITHUB_REPOSITORY: 'me/app', GITHUB_SHA: 'a'.repeat(40), GITHUB_RUN_ID: String(run || 4711), GITHUB_RUN_ATTEMPT: '1',
      GITHUB_API_URL: github.apiUrl(run), GITHUB_SERVER_URL: 'https://github.example', GITHUB_STEP_SUMMARY: file('summary.md'),
      GITHUB_OUTPUT: file('output'), ...(token ? { GITHUB_TOKEN: token } : {}), ...environment,
    };
    const began = performance.now();
    const child = spawn(this.program, words, { env: variables, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    child.stdout.on('data', (data) => { out += data; });
    child.stderr.on('data', (data) => { err += data; });
    const watch = interruptWhen && setInterval(() => {
      if (!interruptWhen(github)) return;
      clearInterval(watch);
      child.kill('SIGINT');
    }, 20);
    const code = await new Promise((resolve) => child.on('close', resolve));
    clearInterval(watch);
    const read = (name) => (fs.existsSync(file(name)) ? fs.readFileSync(file(name), 'utf8') : '');
    const said = { code, out, err, summary: read('summary.md'), output: read('output'), began, tookMs: performance.now() - began };
    said.leaked = [out, err, said.summary, said.output].some((text) => text.includes(TOKEN));
    return said;
  }
}

/** The text after `name<<DELIMITER` of GITHUB_OUTPUT. */
export function outputOf(said, name) {
  const found = new RegExp(`^${name}<<(\\S+)\\n([\\s\\S]*?)\\n\\1$`, 'm').exec(said.output);
  return found ? found[2] : null;
}
