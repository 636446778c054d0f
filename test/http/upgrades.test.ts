import { execFile } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { holdAnswers } from '../support/sandbox.ts';
import { send, statusesIn } from '../support/http.ts';
import { openRawWebSocket, upgradeStatus } from '../support/web-sockets.ts';
import { shareGraph } from '../support/graph.ts';

// Java's HttpClient and `curl --http2` offer HTTP/2 with a request, which is to be answered as an ordinary one.

const graph = shareGraph();

const H2C =
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n';
const START = 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';

/** A body whose answer holds its name. */
const bodyOf = (name: string): string => JSON.stringify({ query: `{ ${name}: surfaces { surface } }` });
const lengthOf = (name: string): string => `content-length: ${bodyOf(name).length}\r\n`;
const post = (name: string, headers = H2C): string =>
  `${START}${headers}${lengthOf(name)}\r\n${bodyOf(name)}`;
const health = (headers = H2C): string => `GET /health HTTP/1.1\r\nhost: x\r\n${headers}\r\n`;

/** A connection of the test's own, and all that has come on it. */
function open(): { readonly socket: Socket; readonly received: () => string } {
  const { hostname, port } = new URL(graph.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  return { socket, received: () => received };
}

/** The names in the answers that came, in order. */
const namesIn = (received: string): (string | undefined)[] =>
  [...received.matchAll(/"data":\{"(\w+)"|"status":"(ok)"/g)].map(([, name, status]) => name ?? status);

/** Writes texts on one connection, and waits for answers of these names. */
async function expectAnswers(writes: readonly string[], names: readonly string[]): Promise<void> {
  const { socket, received } = open();
  for (const text of writes) {
    socket.write(text);
    // What was written is there before what is written next.
    await send(`${graph.url}/health`);
  }
  await expect.poll(() => namesIn(received())).toEqual(names);
  expect(statusesIn(received())).toEqual(names.map(() => 200));
}

const CHUNKED = `${START}${H2C}transfer-encoding: chunked\r\n\r\n`;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

test.each<[string, string[], string[]]>([
  ['GET', [health()], ['ok']],
  ['POST', [post('a')], ['a']],
  ['POST in chunks', [CHUNKED + chunk(bodyOf('a')) + chunk('')], ['a']],
  ['POST whose body comes later', [`${START}${H2C}${lengthOf('a')}\r\n`, bodyOf('a')], ['a']],
  ['POST whose chunks come later', [CHUNKED, chunk(bodyOf('a')), chunk('')], ['a']],
  ['POST whose head comes in parts', [START, H2C, lengthOf('a'), `\r\n${bodyOf('a')}`], ['a']],
])('a %s that offers HTTP/2 is answered as an ordinary request', async (_, writes, names) => {
  await expectAnswers(writes, names);
});

test.each(['h2c', 'H2C', 'TLS/1.0, HTTP/1.1', 'websocket2', 'foo/2', ''])(
  'an upgrade to “%s” is ignored',
  async (protocol) => {
    const headers = `connection: keep-alive, upgrade\r\nupgrade: ${protocol}\r\n`;
    await expectAnswers([post('a', headers), post('b', '')], ['a', 'b']);
  },
);

test('a connection goes on after it, with and without another offer', async () => {
  await expectAnswers(
    [post('a'), post('b'), health(), post('c', ''), post('d'), health('')],
    ['a', 'b', 'ok', 'c', 'd', 'ok'],
  );
});

// What follows an offer in the same packet would be in the offered protocol, if the server took it.
test('requests that come in one packet before an offer are all answered, in order', async () => {
  const writes = [post('a', '') + health('') + post('b'), post('c', '') + CHUNKED + chunk(bodyOf('d'))];
  await expectAnswers(
    [...writes, chunk(''), post('e', '') + health()],
    ['a', 'ok', 'b', 'c', 'd', 'e', 'ok'],
  );
});

test('one that comes while an earlier request is being answered is answered after it', async () => {
  const { sandbox, caller } = graph;
  const held = holdAnswers(sandbox, { endpoint: 'GET /accounts/list' });
  const { socket, received } = open();
  const body = JSON.stringify({ query: '{ slow: accounts(surface: CURRENT) { totalCount } }' });
  const key = `x-api-key: ${caller.key['x-api-key']}\r\ncontent-length: ${body.length}\r\n`;
  socket.write(`${START}${key}\r\n${body}${post('a')}`);
  await held.arrived();
  socket.write(post('b'));
  await send(`${graph.url}/health`);
  expect(received()).toBe('');
  held.release();
  await expect.poll(() => namesIn(received())).toEqual(['slow', 'a', 'b']);
});

test('a caller that leaves while its second request waits for the first harms nobody', async () => {
  const { sandbox, caller } = graph;
  const held = holdAnswers(sandbox, { endpoint: 'GET /accounts/list', effect: 'none' });
  const { socket } = open();
  const body = JSON.stringify({ query: '{ accounts(surface: CURRENT) { totalCount } }' });
  const key = `x-api-key: ${caller.key['x-api-key']}\r\ncontent-length: ${body.length}\r\n`;
  socket.write(`${START}${key}\r\n${body}${post('a')}`);
  await held.arrived();
  socket.resetAndDestroy();
  await expect.poll(() => sandbox.requests.open).toBe(0);
  expect((await send(`${graph.url}/health`)).status).toBe(200);
});

test('an expectation is met before the body is sent', async () => {
  const { socket, received } = open();
  socket.write(`${START}${H2C}expect: 100-continue\r\n${lengthOf('a')}\r\n`);
  await expect.poll(received).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  socket.write(bodyOf('a'));
  await expect.poll(() => namesIn(received())).toEqual(['a']);
});

test('a hundred of them on one connection leave no listener behind', async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error): void => void warnings.push(warning);
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  const names = Array.from({ length: 100 }, (_, index) => `n${index}`);
  await expectAnswers(
    names.map((name) => post(name)),
    names,
  );
  expect(warnings).toEqual([]);
});

test('a body is never read as a request, however many headers hide its length', async () => {
  const { sandbox, caller } = graph;
  const inner = post('smuggled', `x-api-key: ${caller.key['x-api-key']}\r\n`);
  const length = `content-length: ${inner.length}\r\n\r\n`;
  await expectAnswers([inner], ['smuggled']);
  for (const [count, status] of [
    [90, 400],
    [98, 431],
    [99, 431],
    [500, 431],
  ] as const) {
    const { socket, received } = open();
    socket.write(START + H2C + 'x: y\r\n'.repeat(count) + length + inner);
    await expect.poll(() => statusesIn(received())).toEqual([status]);
    socket.end();
    await expect.poll(() => socket.closed).toBe(true);
    expect([statusesIn(received()), namesIn(received())]).toEqual([[status], []]);
  }
  expect(sandbox.requests.count()).toBe(0);
});

test('a WebSocket is one all the same, in any letters', async () => {
  const socket = await openRawWebSocket(graph.url, { upgrade: 'WebSocket' });
  expect(socket.connection.destroyed).toBe(false);
  expect(await upgradeStatus(graph.url, { 'sec-websocket-version': '7' })).toBe(400);
});

/** Runs `curl --http2`; gives the body, the status and the version of HTTP. */
async function curl(...more: readonly string[]): Promise<string> {
  const own = ['--silent', '--http2', '--write-out', ' %{http_code} %{http_version}'];
  const { stdout } = await promisify(execFile)('curl', [...own, ...more]);
  return stdout;
}

test('curl --http2 is answered', async () => {
  const json = ['--header', 'content-type: application/json', '--data', bodyOf('a')];
  expect(await curl(`${graph.url}/health`)).toBe('{"status":"ok"} 200 1.1');
  expect(await curl(...json, `${graph.url}/graphql`)).toMatch(/^\{"data":\{"a":.*\} 200 1\.1$/);
});
