import { describe, expect, test } from 'vitest';
import type { FaultKind } from '../../src/sandbox/faults/fault.ts';
import { codeOf } from '../support/answers.ts';
import { bytes, BROKEN_HTTP, HINTS_FOREVER, NO_ANSWERS, NO_UTF8, SWITCHED } from '../support/odd-answers.ts';
import { READ_CALLS, type ReadCall } from '../support/read-calls.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { shortenDeadlines } from '../support/short-deadlines.ts';

// Each fault strikes each of the ten reads, in one go: ten callers' operations side by side.

const DEADLINE_MS = 400;
const GRACE_MS = 1_500;

const graph = shareGraph({ environment: { READ_ATTEMPTS: '3' } });

/** What came of one read under a fault. */
interface Struck {
  readonly endpoint: string;
  /** The code of its error, or `data`. */
  readonly code: string;
  readonly ms: number;
}

async function strike(fault: FaultKind): Promise<Struck[]> {
  for (const { endpoint } of READ_CALLS)
    graph.sandbox.faults.add({ ...fault, endpoint, times: Number.POSITIVE_INFINITY });
  return await Promise.all(READ_CALLS.map(async (call) => await read(call)));
}

async function read({ endpoint, field, path }: ReadCall): Promise<Struck> {
  const startedAt = performance.now();
  const { data, errors } = await graph.query(`{ ${field(graph.sandbox)} surfaces { surface } }`);
  const ms = performance.now() - startedAt;
  expect(data.surfaces).toHaveLength(2);
  expect(errors.length).toBeLessThanOrEqual(1);
  for (const error of errors) expect(error.path?.[0]).toBe(path);
  const [error] = errors;
  return { endpoint, ms, code: error ? codeOf(error) : 'data' };
}

const codesOf = (struck: readonly Struck[]): string[] => [...new Set(struck.map(({ code }) => code))];

/** Strikes every read: each ends in time with the code, after one request, or after up to three where it may be tried again. */
async function expectEach(fault: FaultKind, code: string, mayRepeat = false): Promise<readonly Struck[]> {
  const struck = await strike(fault);
  expect(codesOf(struck)).toEqual([code]);
  for (const { endpoint } of READ_CALLS) {
    const hits = graph.sandbox.requests.count(endpoint);
    expect(hits, endpoint).toBeGreaterThanOrEqual(1);
    expect(hits, endpoint).toBeLessThanOrEqual(mayRepeat ? 3 : 1);
  }
  await expect.poll(() => graph.sandbox.requests.open, { timeout: 2_000, interval: 5 }).toBe(0);
  return struck;
}

const SILENT: Readonly<Record<string, FaultKind>> = {
  'never answers (F3)': { kind: 'never-answer' },
  'sends its head a byte at a time (F4)': { kind: 'dribble', intervalMs: 20, from: 'headers' },
  'sends its body a byte at a time (F5)': { kind: 'dribble', intervalMs: 20 },
  'answers just after the deadline (F20)': { kind: 'delay', ms: DEADLINE_MS + 20 },
  'sends hints without end (F16)': HINTS_FOREVER,
};

describe('a service that', () => {
  test.each(Object.entries(SILENT))('%s is given up at the deadline', async (_name, fault) => {
    shortenDeadlines({ ms: DEADLINE_MS });
    for (const { endpoint, ms } of await expectEach(fault, 'UPSTREAM_TIMEOUT')) {
      expect(ms, endpoint).toBeGreaterThan(DEADLINE_MS - 50);
      expect(ms, endpoint).toBeLessThan(DEADLINE_MS + GRACE_MS);
    }
  });

  test.each<[string, FaultKind]>([
    ['sends less than it announced (F6)', { kind: 'cut-body', framing: 'content-length' }],
    ['leaves its chunks without an end (F7)', { kind: 'cut-body', framing: 'chunked' }],
    ['resets the connection in the body (F9)', { kind: 'reset-in-body' }],
    ['resets the connection before the head', { kind: 'reset-before-headers' }],
    ['changes the protocol (F16)', SWITCHED],
    ['answers 502', { kind: 'status', status: 502 }],
    ['answers 503', { kind: 'status', status: 503 }],
    ['answers 504', { kind: 'status', status: 504 }],
  ])('%s is out of order, and asked up to three times', async (_name, fault) => {
    await expectEach(fault, 'SURFACE_UNAVAILABLE', true);
  });

  test.each<[string, FaultKind]>([
    ['cuts a body that the close delimits (F8)', { kind: 'cut-body', framing: 'close' }],
    ['claims five gigabytes (F11)', { kind: 'huge-body', bytes: 1_000, claim: 5_000_000_000 }],
    ['compresses unasked (F12)', { kind: 'gzip' }],
    ['sends a compressed bomb (F12)', { kind: 'gzip', inflatedBytes: 5_000_000 }],
    ['answers 204 (F16)', { kind: 'empty-body', status: 204 }],
    ...Object.entries(BROKEN_HTTP).map(([name, fault]): [string, FaultKind] => [
      `sends ${name} (F16)`,
      fault,
    ]),
    ...Object.entries(NO_ANSWERS).map(([name, fault]): [string, FaultKind] => [`sends ${name} (F13)`, fault]),
    ...Object.entries(NO_UTF8).map(([name, fault]): [string, FaultKind] => [`sends ${name} (F13)`, fault]),
  ])('%s is not understood, and asked once', async (_name, fault) => {
    await expectEach(fault, 'UPSTREAM_MALFORMED');
  });

  test.each<[string, FaultKind]>([
    ['sends another content type (F14)', { kind: 'content-type', contentType: 'text/html' }],
    ['sends no content type (F14)', { kind: 'content-type', contentType: null }],
    ['answers late, but in time', { kind: 'delay', ms: 50 }],
  ])('%s is understood', async (_name, fault) => {
    const struck = await strike(fault);
    expect(codesOf(struck)).toEqual(['data']);
  });

  test('sends bytes after its answer (F16) is understood or not, and its next answer is the right one', async () => {
    await strike(
      bytes('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]'),
    );
    graph.sandbox.faults.clear();
    const after = await Promise.all(READ_CALLS.map(async (call) => await read(call)));
    expect(codesOf(after)).toEqual(['data']);
  });

  test('sends two hundred megabytes (F10) is heard for eight of them at most', async () => {
    let written = 0;
    const fault: FaultKind = {
      kind: 'raw',
      write: (_request, response) => {
        const { socket } = response;
        const chunk = Buffer.alloc(65_536, ' ');
        const pump = (): void => {
          while (!response.destroyed && written < 200 * 2 ** 20) {
            written += chunk.length;
            if (!response.write(chunk)) return void response.once('drain', pump);
          }
          response.end();
        };
        socket?.on('error', () => undefined);
        pump();
      },
    };
    const [call] = READ_CALLS;
    if (!call) throw new Error('no call');
    graph.sandbox.faults.add({ ...fault, endpoint: call.endpoint });
    expect((await read(call)).code).toBe('UPSTREAM_MALFORMED');
    await expect.poll(() => graph.sandbox.requests.open).toBe(0);
    // Beyond that only what the buffers of both ends hold.
    expect(written).toBeLessThan(32 * 2 ** 20);
  });

  test('does nothing of the kind answers each of the ten reads with one request', async () => {
    const struck = await Promise.all(READ_CALLS.map(async (call) => await read(call)));
    expect(codesOf(struck)).toEqual(['data']);
    for (const { endpoint } of READ_CALLS) expect(graph.sandbox.requests.count(endpoint)).toBe(1);
  });

  test('sends what it should not is not quoted in the log (FI)', async () => {
    const words = 'the-words-of-a-stranger';
    await strike({ kind: 'malformed-json', text: `{"response": ${words}` });
    expect(graph.log.length).toBeGreaterThan(0);
    expect(graph.log.join('\n')).not.toContain(words);
  });
});
