// github.mjs FOLDER: a GitHub for the action's scripts, on a port of its own. Answers GET with the files of FOLDER (the path with '/'
// and query as '_'), takes every POST and keeps comments, writes what was asked into FOLDER/requests.jsonl and its address into FOLDER/url.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';

const folder = process.argv[2];
const server = http.createServer((request, response) => {
  let body = '';
  request.on('data', (part) => (body += part));
  request.on('end', () => {
    const asked = request.url.replace(/^\/repos\/me\/app\//, '').split('?')[0];
    fs.appendFileSync(path.join(folder, 'requests.jsonl'),
      `${JSON.stringify({ method: request.method, path: asked, token: request.headers.authorization === 'Bearer s3cret', body })}\n`);
    const file = path.join(folder, asked.replaceAll('/', '_'));
    if (request.method !== 'GET') {
      const made = { id: 1, html_url: 'http://127.0.0.1/1', user: { login: 'github-actions[bot]', type: 'Bot' }, body: JSON.parse(body).body ?? '' };
      if (asked.endsWith('/comments')) fs.writeFileSync(file, JSON.stringify([...JSON.parse(fs.readFileSync(file, 'utf8')), made]));
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify(made));
    } else if (fs.existsSync(file)) {
      response.writeHead(200, { 'content-type': asked.endsWith('zip') ? 'application/zip' : 'application/json' });
      response.end(fs.readFileSync(file));
    } else {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"message":"Not Found"}');
    }
  });
});
server.listen(0, '127.0.0.1', () => fs.writeFileSync(path.join(folder, 'url'), `http://127.0.0.1:${server.address().port}`));
