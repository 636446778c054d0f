import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { expect, test } from 'vitest';
import type { FaultKind } from '../src/faults/fault.ts';
import { clientOf, shareSandbox } from './running-sandbox.ts';
import { sandboxForTest, valueAt } from '../../../test/support/sandbox.ts';

// What each kind does to a caller is also seen by the tests of the server, in `test/service`.

const LIST = 'GET /accounts/list';
const TOGGLE = 'GET /oauth/account/status/:id';
const AN_HOUR = 3_600_000;
const key = { 'x-api-key': 'demo-key-harbour' };
const shared = shareSandbox();

const change = (answer: unknown): unknown => ({
  kept: valueAt(answer, 'response.list.1.uniqueId'),
  added: 9_007_199_254_740_993n,
});
const CHANGED = '{"kept":17841401234567891,"added":9007199254740993}';
const fail = (): never => {
  throw new Error('no such field');
};
const FAILED = 'The sandbox failed: no such field';
const location = 'http://127.0.0.1:9/elsewhere';
const later = { 'retry-after': '7' };
const plain = { 'content-type': 'text/plain; charset=utf-8' };
const untyped = expect.not.objectContaining({ 'content-type': expect.anything() }) as unknown;
/** What a kind answers in detail, which the server does not tell apart. */
const REPLIES: readonly { readonly fault: FaultKind; readonly reply: object }[] = [
  {
    fault: { kind: 'status', status: 429, headers: later, body: { message: 'No' } },
    reply: { status: 429, headers: later, text: '{"message":"No"}' },
  },
  { fault: { kind: 'status', status: 503, body: 'down' }, reply: { text: 'down', headers: plain } },
  { fault: { kind: 'malformed-json', text: 'NaN' }, reply: { status: 200, text: 'NaN' } },
  { fault: { kind: 'redirect', location, status: 307 }, reply: { status: 307, headers: { location } } },
  { fault: { kind: 'content-type', contentType: null }, reply: { headers: untyped } },
  { fault: { kind: 'cut-body', framing: 'close', keep: 12 }, reply: { status: 200, text: '{"message":"' } },
  { fault: { kind: 'raw', write: (_, response) => response.writeHead(299).end() }, reply: { status: 299 } },
  { fault: { kind: 'rewrite', change }, reply: { text: CHANGED } },
  { fault: { kind: 'rewrite', change: fail }, reply: { status: 500, text: FAILED } },
];

test.each(REPLIES)('$fault answers $reply', async ({ fault, reply }) => {
  shared().faults.add({ endpoint: LIST, ...fault });
  expect(await clientOf(shared()).get('/accounts/list?limit=2')).toMatchObject(reply);
});

test('a dribble sends the whole answer, a byte at a time', async () => {
  shared().faults.add({ endpoint: LIST, kind: 'dribble', intervalMs: 1, from: 'headers' });
  expect((await clientOf(shared()).get('/accounts/list?q=nobody')).at('response.list')).toEqual([]);
});

test('a body can be huge, claim a length, and be compressed though nobody asked for it, perhaps to a bomb', async () => {
  const { url, faults } = shared();
  const get = () => request(`${url}/accounts/list`, { headers: key });
  faults.add({ endpoint: LIST, kind: 'huge-body', bytes: 100_000 });
  expect(await (await get()).body.text()).toHaveLength(100_000 + '{"message":""}'.length);
  faults.add({ endpoint: LIST, kind: 'huge-body', bytes: 10, claim: 5_000_000_000 });
  const claimed = await get();
  expect(claimed.headers['content-length']).toBe('5000000000');
  claimed.body.on('error', () => undefined).destroy();
  const inflated = async (): Promise<string> => {
    const { headers, body } = await get();
    expect(headers['content-encoding']).toBe('gzip');
    return gunzipSync(Buffer.from(await body.arrayBuffer())).toString();
  };
  faults.add({ endpoint: LIST, kind: 'gzip' });
  expect(JSON.parse(await inflated())).toMatchObject({ response: { totalRecords: 12 } });
  faults.add({ endpoint: LIST, kind: 'gzip', inflatedBytes: 1_000_000 });
  expect(await inflated()).toHaveLength(1_000_000);
});

test('a fault can strike every call of one owner, for ever, but none without a credential', async () => {
  const target = { endpoint: '*', owner: 'fernlight', times: Number.POSITIVE_INFINITY } as const;
  const fault = shared().faults.add({ ...target, kind: 'status', status: 500 });
  const theirs = clientOf(shared(), 1);
  expect((await clientOf(shared()).get('/accounts/list')).status).toBe(200);
  expect((await theirs.get('/group/list')).status).toBe(500);
  expect((await theirs.legacyGet('/oauth/groups')).status).toBe(500);
  const { statusCode, body } = await request(`${shared().url}/accounts/list`);
  await body.dump();
  expect([statusCode, fault.hits]).toEqual([401, 2]);
  fault.remove();
  expect((await theirs.get('/group/list')).status).toBe(200);
});

test('a call that is delayed with its effect is not made at all when the caller has gone', async () => {
  const sandbox = await sandboxForTest();
  sandbox.faults.add({ endpoint: TOGGLE, kind: 'delay', ms: AN_HOUR, effect: 'none' });
  const headers = { authorization: 'Bearer demo-token-harbour' };
  const caller = new AbortController();
  const address = `${sandbox.url}/oauth/account/status/410201`;
  const left = expect(request(address, { headers, signal: caller.signal })).rejects.toThrow();
  await sandbox.requests.waitFor(TOGGLE, 1);
  caller.abort();
  await left;
  await expect.poll(() => sandbox.requests.open).toBe(0);
  expect(sandbox.state.owner('harbour').toggles(410_201)).toBe(0);
});
