import { once } from 'node:events';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import type { FaultKind } from '../src/faults/fault.ts';
import { clientOf, readInto, shareSandbox } from './running-sandbox.ts';
import { sandboxForTest } from '../../../test/support/sandbox.ts';

const LIST = 'GET /accounts/list';
const TOGGLE = 'GET /oauth/account/status/:id';
const AN_HOUR = 3_600_000;
const key = { 'x-api-key': 'demo-key-harbour' };

/** Sends a request by hand and gives all bytes until the connection ends, and how many pieces they came in. */
async function rawBytes(url: string, path: string): Promise<{ text: string; pieces: number }> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const pieces: Buffer[] = [];
  socket.on('data', (piece) => pieces.push(piece));
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: demo-key-harbour\r\n\r\n`);
  await once(socket, 'close');
  return { text: Buffer.concat(pieces).toString('utf8'), pieces: pieces.length };
}

const shared = shareSandbox();

describe('a call that is struck', () => {
  const ANSWERS: Readonly<Record<string, readonly [FaultKind, reply: object]>> = {
    'JSON with a status and headers': [
      { kind: 'status', status: 429, headers: { 'retry-after': '7' }, body: { message: 'Slow down' } },
      { status: 429, text: '{"message":"Slow down"}', headers: { 'retry-after': '7' } },
    ],
    text: [
      { kind: 'status', status: 503, body: 'down' },
      { status: 503, text: 'down', headers: { 'content-type': 'text/plain; charset=utf-8' } },
    ],
    'what is no JSON': [
      { kind: 'malformed-json', text: 'NaN' },
      { status: 200, text: 'NaN' },
    ],
    nothing: [{ kind: 'empty-body' }, { status: 200, text: '' }],
    'a redirect': [
      { kind: 'redirect', location: 'http://127.0.0.1:9/elsewhere', status: 307 },
      { status: 307, headers: { location: 'http://127.0.0.1:9/elsewhere' } },
    ],
    'another type': [
      { kind: 'content-type', contentType: 'text/html' },
      { headers: { 'content-type': 'text/html' } },
    ],
    'no type': [
      { kind: 'content-type', contentType: null },
      { headers: expect.not.objectContaining({ 'content-type': expect.anything() }) },
    ],
    'a cut body, of which only the end of the connection tells': [
      { kind: 'cut-body', framing: 'close', keep: 12 },
      { status: 200, text: '{"message":"' },
    ],
    'what a writer writes': [
      { kind: 'raw', write: (req, res) => res.writeHead(299).end(`${req.method} ${req.url}`) },
      { status: 299, text: 'GET /accounts/list' },
    ],
    'a changed answer, with exact long integers': [
      {
        kind: 'rewrite',
        change: (answer) => ({
          kept: readInto(answer, 'response.list.1.uniqueId'),
          added: 9_007_199_254_740_993n,
        }),
      },
      { text: '{"kept":17841401234567891,"added":9007199254740993}' },
    ],
    'why a change failed': [
      {
        kind: 'rewrite',
        change: () => {
          throw new Error('no such field');
        },
      },
      { status: 500, text: 'The sandbox failed: no such field' },
    ],
  };

  test.each(Object.entries(ANSWERS))('answers %s', async (_what, [fault, reply]) => {
    shared().faults.add({ endpoint: LIST, ...fault });
    expect(await clientOf(shared()).get('/accounts/list')).toMatchObject(reply);
  });

  test.each<[FaultKind, error: object]>([
    [{ kind: 'reset-before-headers' }, { code: 'ECONNRESET' }],
    [{ kind: 'reset-in-body' }, { code: 'ECONNRESET' }],
    [
      { kind: 'cut-body', framing: 'content-length' },
      { message: expect.stringContaining('closed') as string },
    ],
    [
      { kind: 'cut-body', framing: 'chunked', keep: 100 },
      { message: expect.stringContaining('closed') as string },
    ],
  ])('breaks off with %j', async (fault, error) => {
    shared().faults.add({ endpoint: LIST, ...fault });
    const { get } = clientOf(shared());
    await expect(get('/accounts/list')).rejects.toMatchObject(error);
    expect((await get('/accounts/list')).status).toBe(200);
  });

  test('comes in single bytes, of the body or from the first one', async () => {
    const { url, faults } = shared();
    faults.add({ endpoint: LIST, kind: 'dribble', intervalMs: 1 });
    const body = await rawBytes(url, '/accounts/list?q=nobody');
    expect(body.text).toContain('"totalRecords":0');
    expect(body.pieces).toBeGreaterThan(50);
    faults.add({ endpoint: LIST, kind: 'dribble', intervalMs: 1, from: 'headers' });
    expect((await rawBytes(url, '/accounts/list?q=nobody')).text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  test('is huge, streamed, with or without a claim', async () => {
    const { url, faults } = shared();
    faults.add({ endpoint: LIST, kind: 'huge-body', bytes: 3_000_000 });
    const { text } = await clientOf(shared()).get('/accounts/list');
    expect(text.length).toBe(3_000_000 + '{"message":""}'.length);
    faults.add({ endpoint: LIST, kind: 'huge-body', bytes: 10, claim: 5_000_000_000 });
    const response = await request(`${url}/accounts/list`, { headers: key });
    expect(response.headers['content-length']).toBe('5000000000');
    response.body.on('error', () => undefined);
    response.body.destroy();
  });

  test('is compressed though nobody asked for it, perhaps to a bomb', async () => {
    const { url, faults } = shared();
    const answer = async () => {
      const { headers, body } = await request(`${url}/accounts/list`, { headers: key });
      expect(headers['content-encoding']).toBe('gzip');
      return gunzipSync(Buffer.from(await body.arrayBuffer())).toString('utf8');
    };
    faults.add({ endpoint: LIST, kind: 'gzip' });
    expect(JSON.parse(await answer())).toMatchObject({ response: { totalRecords: 12 } });
    faults.add({ endpoint: LIST, kind: 'gzip', inflatedBytes: 1_000_000 });
    expect(await answer()).toHaveLength(1_000_000);
  });

  test.each<FaultKind>([{ kind: 'never-answer' }, { kind: 'delay', ms: AN_HOUR }])(
    'waits until the sandbox closes, and holds up no other: %j',
    async (fault) => {
      const sandbox = await sandboxForTest();
      const { get } = clientOf(sandbox);
      sandbox.faults.add({ endpoint: LIST, ...fault });
      const waiting = expect(get('/accounts/list')).rejects.toThrow();
      await sandbox.requests.waitFor(LIST, 1);
      expect((await get('/accounts/list')).status).toBe(200);
      expect(sandbox.requests.open).toBe(1);
      await sandbox.close();
      await waiting;
    },
  );
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

describe('the effect of a struck call', () => {
  const PATH = '/oauth/account/status/410201';

  test.each<FaultKind>([
    { kind: 'status', status: 503 },
    { kind: 'reset-before-headers' },
    { kind: 'reset-in-body' },
    { kind: 'cut-body', framing: 'chunked' },
    { kind: 'malformed-json' },
    { kind: 'empty-body' },
  ])('is absent for $kind unless it is asked for', async (kind) => {
    const sandbox = await sandboxForTest();
    const { legacyGet } = clientOf(sandbox);
    for (const effect of ['none', 'done'] as const) {
      sandbox.faults.add({ endpoint: TOGGLE, ...kind, ...(effect === 'done' ? { effect } : {}) });
      await legacyGet(PATH).catch(() => undefined);
      expect(sandbox.state.owner('harbour').toggles(410_201)).toBe(effect === 'done' ? 1 : 0);
    }
  });

  test('is there for disguises, which carry the true answer', async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ endpoint: TOGGLE, kind: 'content-type', contentType: 'text/plain' });
    const reply = await clientOf(sandbox).legacyGet(PATH);
    expect(reply.at()).toEqual({ error: 0, data: { new_status: 'Paused' } });
  });

  test('comes after a delay when asked so, and not at all when the caller has gone', async () => {
    const sandbox = await sandboxForTest();
    const toggles = () => sandbox.state.owner('harbour').toggles(410_201);
    sandbox.faults.add({ endpoint: TOGGLE, kind: 'delay', ms: 30, effect: 'none' });
    const late = clientOf(sandbox).legacyGet(PATH);
    await sandbox.requests.waitFor(TOGGLE, 1);
    expect(toggles()).toBe(0);
    await late;
    expect(toggles()).toBe(1);
    sandbox.faults.add({ endpoint: TOGGLE, kind: 'delay', ms: AN_HOUR, effect: 'none' });
    const headers = { authorization: 'Bearer demo-token-harbour' };
    const caller = new AbortController();
    const left = expect(request(sandbox.url + PATH, { headers, signal: caller.signal })).rejects.toThrow();
    await sandbox.requests.waitFor(TOGGLE, 2);
    caller.abort();
    await left;
    await expect.poll(() => sandbox.requests.open).toBe(0);
    expect(toggles()).toBe(1);
  });
});
