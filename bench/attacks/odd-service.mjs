// The sandbox, as two tenants find it whose side of it is odd: one gets nothing but failures, the other page sizes of 1 and
// answers full of what looks like secrets. Everybody else is passed on. Prints its address.
import { Agent, createServer, request } from 'node:http';

const [sandbox] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const NORMAL_KEY = 'demo-key-fernlight';

const secrets = JSON.stringify(
  Array.from({ length: 12_000 }, (_, id) => ({
    id: id + 1,
    access_token: `EAAB${(id * 2_654_435_761).toString(36)}xQ7${id}`,
    nickname: `A name that says nothing of the token, ${id}`,
  })),
);
const assignments = JSON.stringify([{ id: 1, nickname: 'token='.repeat(1_200_000) }]);

const server = createServer((incoming, response) => {
  const credential = String(incoming.headers['x-api-key'] ?? incoming.headers.authorization ?? '');
  response.setHeader('content-type', 'application/json');
  if (credential.includes('failing')) response.writeHead(500).end('{"error":"out of order"}');
  else if (credential.includes('secrets')) response.end(secrets);
  else if (credential.includes('assignments')) response.end(assignments);
  else pass(incoming, response, credential.includes('narrow'));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));

function pass(incoming, response, isNarrow) {
  const headers = isNarrow ? { ...incoming.headers, 'x-api-key': NORMAL_KEY } : incoming.headers;
  const forwarded = request(
    `${sandbox}${incoming.url}`,
    { agent, method: incoming.method, headers },
    (answer) => {
      if (isNarrow) delete answer.headers['content-length'];
      response.writeHead(answer.statusCode, answer.headers);
      if (isNarrow) narrow(answer, response);
      else answer.pipe(response);
    },
  );
  forwarded.on('error', () => response.destroy());
  incoming.pipe(forwarded);
}

function narrow(answer, response) {
  let text = '';
  answer.setEncoding('utf8').on('data', (data) => (text += data));
  answer.on('end', () => response.end(text.replaceAll(/"pageLimit":\s*\d+/g, '"pageLimit":1')));
}
