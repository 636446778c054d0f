import { once } from 'node:events';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import type { FaultKind } from '../src/faults/fault.ts';
import { clientOf, readInto, sandboxForTest } from './running-sandbox.ts';

const LIST = 'GET /accounts/list';
const AN_HOUR = 3_600_000;
const key = { 'x-api-key': 'demo-key-harbour' };

/** Sends a request by hand and gives all bytes until the connection ends, with when each piece came. */
async function rawBytes(url: string, path: string): Promise<{ text: string; pieces: number }> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const pieces: Buffer[] = [];
  socket.on('data', (piece) => pieces.push(piece));
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: demo-key-harbour\r\n\r\n`);
  await once(socket, 'close');
  return { text: Buffer.concat(pieces).toString('utf8'), pieces: pieces.length };
}

async function listWith(kind: FaultKind) {
  const sandbox = await sandboxForTest();
  sandbox.faults.add({ endpoint: LIST, ...kind });
  return { sandbox, list: () => clientOf(sandbox).get('/accounts/list') };
}

describe('kinds of faults', () => {
  test('status, with headers and a JSON or text body', async () => {
    const { sandbox, list } = await listWith({
      kind: 'status',
      status: 429,
      headers: { 'retry-after': '7' },
      body: { message: 'Slow down' },
    });
    const reply = await list();
    expect([reply.status, reply.headers['retry-after'], reply.at('message')]).toEqual([
      429,
      '7',
      'Slow down',
    ]);
    expect(reply.headers['content-type']).toContain('json');
    sandbox.faults.add({ endpoint: LIST, kind: 'status', status: 503, body: 'down' });
    const text = await list();
    expect([text.status, text.text, text.headers['content-type']]).toEqual([
      503,
      'down',
      'text/plain; charset=utf-8',
    ]);
  });

  test('reset before headers', async () => {
    const { list } = await listWith({ kind: 'reset-before-headers' });
    await expect(list()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect((await list()).status).toBe(200);
  });

  test('reset in the body', async () => {
    const { sandbox } = await listWith({ kind: 'reset-in-body' });
    const response = await request(`${sandbox.url}/accounts/list`, { headers: key });
    expect(response.statusCode).toBe(200);
    await expect(response.body.text()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('never an answer, until the sandbox closes', async () => {
    const { sandbox, list } = await listWith({ kind: 'never-answer' });
    const waiting = expect(list()).rejects.toThrow();
    await sandbox.requests.waitFor(LIST, 1);
    expect(sandbox.requests.open).toBe(1);
    await sandbox.close();
    await waiting;
  });

  test('a delay', async () => {
    const { sandbox, list } = await listWith({ kind: 'delay', ms: 10 });
    expect((await list()).at('response.totalRecords')).toBe(12);
    sandbox.faults.add({ endpoint: LIST, kind: 'delay', ms: AN_HOUR });
    const late = expect(list()).rejects.toThrow();
    await sandbox.requests.waitFor(LIST, 2);
    // What is asked later is answered while the delayed answer is still to come.
    expect((await list()).status).toBe(200);
    expect(sandbox.requests.open).toBe(1);
    await sandbox.close();
    await late;
  });

  test('a body shorter than its content-length', async () => {
    const { list } = await listWith({ kind: 'cut-body', framing: 'content-length' });
    await expect(list()).rejects.toThrow(/closed/);
  });

  test('cut chunks', async () => {
    const { list } = await listWith({ kind: 'cut-body', framing: 'chunked', keep: 100 });
    await expect(list()).rejects.toThrow(/closed/);
  });

  test('a body cut where only the end of the connection tells, which looks whole', async () => {
    const { list } = await listWith({ kind: 'cut-body', framing: 'close', keep: 50 });
    const reply = await list();
    expect(reply.status).toBe(200);
    expect(reply.text).toHaveLength(50);
  });

  test('malformed JSON', async () => {
    const { sandbox, list } = await listWith({ kind: 'malformed-json' });
    const reply = await list();
    expect(reply.status).toBe(200);
    expect(() => reply.at()).toThrow(SyntaxError);
    sandbox.faults.add({ endpoint: LIST, kind: 'malformed-json', text: 'NaN' });
    expect((await list()).text).toBe('NaN');
  });

  test('a dribble of single bytes, of the body or from the first byte', async () => {
    const { sandbox } = await listWith({ kind: 'dribble', intervalMs: 1 });
    const body = await rawBytes(sandbox.url, '/accounts/list?q=nobody');
    expect(body.text).toContain('"totalRecords":0');
    expect(body.pieces).toBeGreaterThan(50);
    sandbox.faults.add({ endpoint: LIST, kind: 'dribble', intervalMs: 1, from: 'headers' });
    const all = await rawBytes(sandbox.url, '/accounts/list?q=nobody');
    expect(all.text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  test('a redirect', async () => {
    const { list } = await listWith({
      kind: 'redirect',
      location: 'http://127.0.0.1:9/elsewhere',
      status: 307,
    });
    const reply = await list();
    expect([reply.status, reply.headers['location']]).toEqual([307, 'http://127.0.0.1:9/elsewhere']);
  });

  test('a huge body, streamed, with or without a claim', async () => {
    const { sandbox, list } = await listWith({ kind: 'huge-body', bytes: 3_000_000 });
    expect((await list()).text.length).toBe(3_000_000 + '{"message":""}'.length);
    sandbox.faults.add({ endpoint: LIST, kind: 'huge-body', bytes: 10, claim: 5_000_000_000 });
    const response = await request(`${sandbox.url}/accounts/list`, { headers: key });
    expect(response.headers['content-length']).toBe('5000000000');
    response.body.on('error', () => undefined);
    response.body.destroy();
  });

  test('gzip that nobody asked for, and a bomb', async () => {
    const { sandbox } = await listWith({ kind: 'gzip' });
    const answer = async () => {
      const response = await request(`${sandbox.url}/accounts/list`, { headers: key });
      expect(response.headers['content-encoding']).toBe('gzip');
      return gunzipSync(Buffer.from(await response.body.arrayBuffer())).toString('utf8');
    };
    expect(JSON.parse(await answer())).toMatchObject({ response: { totalRecords: 12 } });
    sandbox.faults.add({ endpoint: LIST, kind: 'gzip', inflatedBytes: 1_000_000 });
    expect(await answer()).toHaveLength(1_000_000);
  });

  test('another content type, or none', async () => {
    const { sandbox, list } = await listWith({ kind: 'content-type', contentType: 'text/html' });
    const html = await list();
    expect([html.headers['content-type'], html.at('response.totalRecords')]).toEqual(['text/html', 12]);
    sandbox.faults.add({ endpoint: LIST, kind: 'content-type', contentType: null });
    expect((await list()).headers).not.toHaveProperty('content-type');
  });

  test('an empty body', async () => {
    const { list } = await listWith({ kind: 'empty-body' });
    const reply = await list();
    expect([reply.status, reply.text]).toEqual([200, '']);
  });

  test('a writer of one’s own', async () => {
    const { list } = await listWith({
      kind: 'raw',
      write: (req, res) => res.writeHead(299).end(`${req.method} ${req.url}`),
    });
    const reply = await list();
    expect([reply.status, reply.text]).toEqual([299, 'GET /accounts/list']);
  });

  test('a rewritten answer, with exact long integers', async () => {
    const { list } = await listWith({
      kind: 'rewrite',
      change: (answer) => ({
        kept: readInto(answer, 'response.list.1.uniqueId'),
        added: 9_007_199_254_740_993n,
      }),
    });
    expect((await list()).text).toBe('{"kept":17841401234567891,"added":9007199254740993}');
  });
});

test('a rewrite that throws answers 500 and says why', async () => {
  const { list } = await listWith({
    kind: 'rewrite',
    change: () => {
      throw new Error('no such field');
    },
  });
  const reply = await list();
  expect([reply.status, reply.text]).toEqual([500, 'The sandbox failed: no such field']);
});
