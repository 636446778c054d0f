import { describe, expect, test } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import { codeOf, shareGraph } from '../support/graph.ts';
import { isDeep } from '../support/depth.ts';
import { holdDeadlines } from '../support/clock.ts';
import { BROKEN_HTTP, CUT_GZIP, NESTED, NO_UTF8, SILENT, SWITCHED } from '../support/faults.ts';
import { READ_CALLS, type ReadCall } from '../support/calls.ts';

/** Texts that are no answer of the service, by what a person would call them. */
const NO_ANSWERS: Readonly<Record<string, FaultKind>> = Object.fromEntries(
  Object.entries({
    nothing: '',
    blanks: ' \r\n\t ',
    null: 'null',
    'a number': '12',
    'a text': '"text"',
    'an empty object': '{}',
    'an object without its end': '{"response":{"list":[',
    'a page of HTML': '<!doctype html><title>Maintenance</title><p>Back soon',
    'two objects': '{"response":{}}\n{"response":{}}',
    'a guard against scripts': `)]}',\n{"response":{}}`,
    'a byte-order mark twice': '\ufeff\ufeff{"response":{}}',
    'objects 20,000 deep': NESTED,
    'more texts than there can be records': `[${'"",'.repeat(100_000)}""]`,
    'a prototype': '{"__proto__":{"response":{"list":[]},"error":0}}',
  }).map(([name, text]) => [name, { kind: 'malformed-json', text } as const]),
);

// Each fault strikes several reads in one go: operations side by side.

const graph = shareGraph({ environment: { READ_ATTEMPTS: '3' } });

interface Struck {
  readonly endpoint: EndpointName;
  /** The code of its error, or `data`. */
  readonly code: string;
}

async function strike(fault: FaultKind, calls: readonly ReadCall[]): Promise<Struck[]> {
  for (const { endpoint } of calls)
    graph.sandbox.faults.add({ ...fault, endpoint, times: Number.POSITIVE_INFINITY });
  return await Promise.all(calls.map(async (call) => await read(call)));
}

async function read({ endpoint, field, path }: ReadCall): Promise<Struck> {
  const { data, errors } = await graph.query(`{ ${field(graph.sandbox)} surfaces { surface } }`);
  expect(data.surfaces).toHaveLength(2);
  expect(errors.length).toBeLessThanOrEqual(1);
  for (const error of errors) expect(error.path?.[0]).toBe(path);
  const [error] = errors;
  return { endpoint, code: error ? codeOf(error) : 'data' };
}

/** Strikes some reads: each ends with the code, after one request, or after up to three where it may be tried again. */
async function expectEach(fault: FaultKind, code: string, { most = 1, calls = someReads() } = {}) {
  graph.sandbox.requests.clear();
  for (const { endpoint, code: found } of await strike(fault, calls)) {
    expect(found, endpoint).toBe(code);
    const hits = graph.sandbox.requests.count(endpoint);
    expect(hits, endpoint).toBeGreaterThanOrEqual(1);
    expect(hits, endpoint).toBeLessThanOrEqual(most);
  }
  await expect.poll(() => graph.sandbox.requests.open).toBe(0);
}

let turn = 0;

/** A read of each surface; they take their turns from fault to fault. All of them in a deep run. */
function someReads(): readonly ReadCall[] {
  turn += 1;
  return isDeep
    ? READ_CALLS
    : READ_CALLS.filter((_, index) => index === turn % 2 || index === 2 + (turn % 8));
}

describe('a service that', () => {
  test.each(Object.entries(SILENT))(
    'falls silent (%s) is given up at the deadline, and asked once',
    async (_name, fault) => {
      const deadlines = holdDeadlines();
      const calls = someReads();
      const struck = expectEach(fault, 'UPSTREAM_TIMEOUT', { calls });
      await expect.poll(() => graph.sandbox.requests.count()).toBe(calls.length);
      deadlines.pass();
      await struck;
    },
  );

  test.each<[string, FaultKind]>([
    ['sends less than it announced', { kind: 'cut-body', framing: 'content-length' }],
    ['leaves its chunks without an end', { kind: 'cut-body', framing: 'chunked' }],
    ['resets the connection in the body', { kind: 'reset-in-body' }],
    ['resets the connection before the head', { kind: 'reset-before-headers' }],
    ['changes the protocol', SWITCHED],
    ['answers 502', { kind: 'status', status: 502 }],
    ['answers 503', { kind: 'status', status: 503 }],
    ['answers 504', { kind: 'status', status: 504 }],
  ])('%s is out of order, and asked up to three times', async (_name, fault) => {
    await expectEach(fault, 'SURFACE_UNAVAILABLE', { most: 3 });
  });

  test.each<[string, FaultKind]>([
    ['cuts a body that the close delimits', { kind: 'cut-body', framing: 'close' }],
    ['claims five gigabytes', { kind: 'huge-body', bytes: 1_000, claim: 5_000_000_000 }],
    ['cuts a compressed body short', CUT_GZIP],
    ['sends a compressed bomb', { kind: 'gzip', inflatedBytes: 5_000_000 }],
    ['answers 204', { kind: 'empty-body', status: 204 }],
    ...Object.entries({ ...NO_UTF8, ...NO_ANSWERS, ...BROKEN_HTTP }).map(
      ([name, fault]): [string, FaultKind] => [`sends an invalid response (${name})`, fault],
    ),
  ])('%s is not understood, and asked once', async (_name, fault) => {
    await expectEach(fault, 'UPSTREAM_MALFORMED');
  });

  test.each<[string, FaultKind]>([
    ['sends another content type', { kind: 'content-type', contentType: 'text/html' }],
    ['compresses its answer', { kind: 'gzip' }],
    ['sends no content type', { kind: 'content-type', contentType: null }],
    ['answers late, but in time', { kind: 'delay', ms: 50 }],
  ])('%s is understood, and asked once', async (_name, fault) => {
    await expectEach(fault, 'data');
  });
});
