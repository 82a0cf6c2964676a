// A GitHub to post to: keeps comments, statuses and check runs of one pull request, lets Prism hold every request, and every answer
// of its own, against GitHub's description, and plays faults on demand, before or after a request took effect.
import http from 'node:http';
import fs from 'node:fs';
import { createRequire } from 'node:module';

const quiet = { info() {}, warn() {}, error() {}, debug() {}, trace() {}, success() {}, child: () => quiet };
const config = {
  mock: { dynamic: false }, validateRequest: true, validateResponse: true, checkSecurity: false, errors: false, isProxy: false,
};

// What the live service enforces and the description does not say: `info.x-observed-limits` of the description.
const LONGEST_BODY = 65536;
const LONGEST_DESCRIPTION = 140;

/** `judge(request, answer)` lists what does not fit; `example(method, path, status)` is the description's own answer, a copy each time. */
export async function loadPrism(modules, description) {
  const require = createRequire(`${modules}/`);
  const { createInstance, getHttpOperationsFromSpec } = require('@stoplight/prism-http');
  const document = JSON.parse(fs.readFileSync(description, 'utf8'));
  const operations = await getHttpOperationsFromSpec(document);
  const none = { statusCode: 200, headers: {}, body: '' };
  const answered = ({ config: { answer } }) => () => ({ _tag: 'Right', right: answer ?? none });
  const prism = createInstance(config, { logger: quiet, mock: answered });
  const judge = async (request, answer) => {
    const judged = await prism.request(request, operations, { ...config, mock: { ...config.mock, answer }, validateResponse: Boolean(answer) })();
    const named = `${request.method} ${request.url.path}`;
    if (judged._tag === 'Left') return [`${named}: ${judged.left.message}`];
    const { input, output } = judged.right.validations;
    // A refusal of which the description says nothing is a warning.
    const wrong = output.filter((v) => v.severity === 0 || v.severity === 'Error');
    if (answer) return wrong.map((v) => `the test's own answer ${answer.statusCode} to ${named}: ${v.path?.join('.') ?? ''} ${v.message}`);
    return input.map((v) => `${named}: ${v.message}`);
  };
  const resolved = (node) => (node.$ref ? node.$ref.slice(2).split('/').reduce((at, key) => at[key], document) : node);
  const example = (method, path, status) => {
    const { examples } = resolved(document.paths[path][method].responses[status]).content['application/json'];
    return structuredClone(resolved(Object.values(examples)[0]).value);
  };
  return { judge, example };
}

const documentation_url = 'https://docs.github.com/rest';
const refusals = {
  '401': [401, { message: 'Bad credentials' }],
  '403-permission': [403, { message: 'Resource not accessible by integration' },
    { 'X-Accepted-GitHub-Permissions': 'issues=write; pull_requests=write' }],
  '403-status': [403, { message: 'Resource not accessible by integration' }, { 'X-Accepted-GitHub-Permissions': 'statuses=write' }],
  '403-locked': [403, { message: 'Unable to create comment because issue is locked.' }],
  '403-secondary': [403, { message: 'You have exceeded a secondary rate limit. Please wait.' }, { 'Retry-After': '0' }],
  '403-secondary-long': [403, { message: 'You have exceeded a secondary rate limit. Please wait.' }],
  '404': [404, { message: 'Not Found' }],
  '409': [409, { message: 'Conflict' }],
  '410': [410, { message: 'Issues are disabled for this repo' }],
  '422': [422, { message: 'Validation Failed', documentation_url,
    errors: [{ resource: 'IssueComment', code: 'invalid', field: 'data' }] }],
  '429': [429, { message: 'API rate limit exceeded' }, { 'Retry-After': '0' }],
  '429-long': [429, { message: 'API rate limit exceeded' }, { 'Retry-After': '3600' }],
  '500-before': [500, { message: 'Server Error' }],
  '503-html': [503, '<html><body>Unicorn!</body></html>'],
  '200-html': [200, '<html><body>Sign in to the network</body></html>'],
};
const tooLong = { message: 'Validation Failed', documentation_url, errors: [{ resource: 'IssueComment', code: 'unprocessable', field: 'data',
  message: 'Body is too long (maximum is 65536 characters)' }] };

/** Faults that pass: whoever asks again, or looks before that, is served in the end. */
export const PASSING = ['403-secondary', '409', '429', '500-before', '503-html', '200-html', '502-after', 'cut-before', 'cut-after',
  'cut-body', 'slow', 'redirect'];

export class GitHub {
  constructor({ judge, example }, { login = 'github-actions[bot]', head = 'b'.repeat(40), fault = () => null, longest = LONGEST_BODY } = {}) {
    Object.assign(this, { judge, example, login, head, fault, longest });
    this.comments = [];
    this.statuses = [];
    this.checks = [];
    this.violations = [];
    this.requests = [];
    this.faults = new Map();
    this.nextId = 1000;
    this.servedMs = 0;
  }

  async listen() {
    this.server = http.createServer((request, response) => this.serve(request, response).catch((error) => {
      this.violations.push(`the test's own server failed: ${error.stack}`);
      response.destroy();
    }));
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.origin = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  /** As an Enterprise Server has it; `run` tells the runs of a simulation apart. */
  apiUrl(run = 0) { return `${this.origin}/api/v3/${run}`; }

  close() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }

  addComment(login, body) {
    const id = this.nextId++;
    const made = this.example('post', '/repos/{owner}/{repo}/issues/{issue_number}/comments', 201);
    const comment = { ...made, id, node_id: `IC_${id}`, body, user: { ...made.user, login, id: 1, type: 'Bot' },
      html_url: `https://github.com/me/app/pull/7#${id}` };
    this.comments.push(comment);
    return comment;
  }

  async serve(request, response) {
    const began = performance.now();
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const url = new URL(request.url, this.origin);
    const [, run, path] = /^\/(?:moved\/)?api\/v3\/(\d+)(\/.*)$/.exec(url.pathname) ?? [null, '0', url.pathname];
    const seen = { run: Number(run), method: request.method, path, query: url.searchParams, headers: request.headers, text };
    this.requests.push({ ...seen, ms: performance.now() });
    await this.check(seen);
    const fault = this.fault(seen, this.requests.filter((r) => r.run === seen.run).length);
    if (fault) this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
    await this.play(fault, seen, response, url.pathname.startsWith('/moved/'));
    this.servedMs += performance.now() - began;
  }

  async check({ method, path, query, headers, text }) {
    let body;
    try {
      body = text === '' ? undefined : JSON.parse(text);
    } catch {
      this.violations.push(`${method} ${path}: the body is no JSON`);
    }
    const judged = await this.judge({ method: method.toLowerCase(), url: { path, query: Object.fromEntries(query) }, headers, body });
    this.violations.push(...judged);
    const must = (good, what) => { if (!good) this.violations.push(`${method} ${path}: ${what}`); };
    must(/^perfgate\/\d/.test(headers['user-agent'] ?? ''), 'no User-Agent');
    must(headers.accept === 'application/vnd.github+json', 'Accept');
    must(headers['x-github-api-version'] === '2022-11-28', 'X-GitHub-Api-Version');
    must([...(body?.body ?? '')].length <= LONGEST_BODY, 'a body that is too long');
    must([...(body?.description ?? '')].length <= LONGEST_DESCRIPTION, 'a description that is too long');
    must(body?.status !== 'completed' || body?.conclusion, 'a completed check run without a conclusion');
  }

  /** What is sent has to be what GitHub sends: a client that was tried against something else was not tried. */
  async checkAnswer({ method, path, query, headers, text }, statusCode, body, more = {}) {
    if (typeof body === 'string') return;  // a page of HTML is in no description
    const request = { method: method.toLowerCase(), url: { path, query: Object.fromEntries(query) }, headers,
      body: text === '' ? undefined : JSON.parse(text) };
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    this.violations.push(...await this.judge(request, { statusCode, headers: { ...type, ...more }, body }));
  }

  async play(fault, seen, response, moved) {
    if (fault === 'hang') return;
    if (fault === 'cut-before') return void response.destroy();
    if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, 50));
    if (fault === 'redirect' && !moved) {
      const query = seen.query.size > 0 ? `?${seen.query}` : '';
      response.writeHead(307, { Location: `${this.origin}/moved/api/v3/${seen.run}${seen.path}${query}` }).end();
      return;
    }
    if (fault?.startsWith('redirect-to:')) {
      response.writeHead(302, { Location: fault.slice('redirect-to:'.length) }).end();
      return;
    }
    if (fault === '403-primary') {
      return send(response, 403, { message: 'API rate limit exceeded' },
        { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(Math.floor(Date.now() / 1000)) });
    }
    if (refusals[fault]) {
      await this.checkAnswer(seen, ...refusals[fault]);
      return send(response, ...refusals[fault]);
    }
    const [status, body, headers] = this.take(seen);
    await this.checkAnswer(seen, status, body, headers);
    if (fault === 'cut-after') return void response.destroy();
    if (fault === '502-after') return send(response, 502, '<html>Bad Gateway</html>');
    if (fault === 'cut-body') {
      const whole = JSON.stringify(body ?? {});
      response.writeHead(status, { 'Content-Length': whole.length + 10 });
      response.write(whole.slice(0, whole.length / 2));
      await new Promise((resolve) => setTimeout(resolve, 5));
      return void response.destroy();
    }
    return send(response, status, body, headers);
  }

  /** What GitHub does: [status, body, headers]. */
  take({ run, method, path, query, text }) {
    const body = text === '' ? {} : JSON.parse(text);
    const at = (verb, pattern) => (method === verb ? pattern.exec(path) : null);
    let found;
    if (at('GET', /^\/repos\/[^/]+\/[^/]+\/pulls\/\d+$/)) return [200, this.pull(this.example('get', '/repos/{owner}/{repo}/pulls/{pull_number}', 200), 7, 'open')];
    if (at('GET', /\/commits\/[0-9a-f]+\/pulls$/)) {
      const pull = () => this.example('get', '/repos/{owner}/{repo}/commits/{commit_sha}/pulls', 200)[0];
      return [200, [this.pull(pull(), 3, 'closed'), this.pull(pull(), 7, 'open')]];
    }
    if (at('GET', /\/issues\/\d+\/comments$/)) return this.page(run, path, query);
    if (at('POST', /\/issues\/\d+\/comments$/)) {
      if (body.body.length > this.longest) return [422, tooLong];
      return [201, this.addComment(this.login, body.body)];
    }
    if ((found = at('PATCH', /\/issues\/comments\/(\d+)$/) ?? at('DELETE', /\/issues\/comments\/(\d+)$/))) {
      const index = this.comments.findIndex((c) => c.id === Number(found[1]));
      if (index < 0) return [404, { message: 'Not Found' }];
      if (method === 'DELETE') return this.comments.splice(index, 1) && [204];
      if (body.body.length > this.longest) return [422, tooLong];
      this.comments[index].body = body.body;
      return [200, this.comments[index]];
    }
    if ((found = at('POST', /\/statuses\/([0-9a-f]+)$/))) {
      this.statuses.push({ sha: found[1], ...body });
      return [201, { ...this.example('post', '/repos/{owner}/{repo}/statuses/{sha}', 201), id: this.nextId++, ...body }];
    }
    if (at('GET', /\/commits\/[0-9a-f]+\/check-runs$/)) return [200, { total_count: this.checks.length, check_runs: this.checks }];
    if (at('POST', /\/check-runs$/)) {
      const made = this.example('post', '/repos/{owner}/{repo}/check-runs', 201);
      this.checks.push({ ...made, id: this.nextId++, html_url: 'https://github.com/me/app/runs/1', ...body,
        output: { ...made.output, ...body.output } });
      return [201, this.checks.at(-1)];
    }
    if ((found = at('PATCH', /\/check-runs\/(\d+)$/))) {
      const check = this.checks.find((c) => c.id === Number(found[1]));
      return check ? [200, Object.assign(check, body, { output: { ...check.output, ...body.output } })] : [404, { message: 'Not Found' }];
    }
    return [404, { message: 'Not Found' }];
  }

  /** The description's example has teams without the `type` that it asks for. */
  pull(like, number, state) { return { ...like, number, state, requested_teams: [], head: { ...like.head, sha: this.head } }; }

  page(run, path, query) {
    const size = Number(query.get('per_page') ?? 30);
    const page = Number(query.get('page') ?? 1);
    const part = this.comments.slice((page - 1) * size, page * size);
    const next = `${this.apiUrl(run)}${path}?per_page=${size}&page=${page + 1}`;
    return [200, part, page * size < this.comments.length ? { Link: `<${next}>; rel="next"` } : {}];
  }
}

function send(response, status, body, headers = {}) {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'Content-Type': isText ? 'text/html' : 'application/json', ...headers });
  response.end(body === undefined ? '' : isText ? body : JSON.stringify(body));
}
