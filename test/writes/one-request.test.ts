import { describe, expect, test } from 'vitest';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import { oauthEnvironment } from '../support/consent.ts';
import { startGraph } from '../support/graph.ts';
import { BROKEN_HTTP, HINTS_FOREVER, NO_UTF8, SWITCHED } from '../support/odd-answers.ts';
import { byEndpoint, testThatEachIsSentOnce } from '../support/one-request.ts';
import { inputsOf, WRITE_CALLS } from '../support/write-calls.ts';
import { WRITE_FAULTS } from '../support/write-faults.ts';
import { write } from '../support/writes.ts';

// Slow enough that no answer is complete before the test lets the deadline pass.
const BYTE_INTERVAL_MS = 1_000;

const SILENT: Readonly<Record<string, FaultKind>> = {
  'a head that comes a byte at a time': { kind: 'dribble', intervalMs: BYTE_INTERVAL_MS, from: 'headers' },
  'a body that comes a byte at a time': { kind: 'dribble', intervalMs: BYTE_INTERVAL_MS },
  'hints without end': HINTS_FOREVER,
};

const BROKEN: Readonly<Record<string, FaultKind>> = {
  'a claim of five gigabytes': { kind: 'huge-body', bytes: 1_000, claim: 5_000_000_000 },
  'a compressed bomb': { kind: 'gzip', inflatedBytes: 1_000_000 },
  'a change of protocol': SWITCHED,
  'two lengths': BROKEN_HTTP['two lengths'] ?? SWITCHED,
  'a head of seventy kilobytes': BROKEN_HTTP['a head of seventy kilobytes'] ?? SWITCHED,
  'UTF-16': NO_UTF8['UTF-16'] ?? SWITCHED,
};

describe('each of the eleven calls with an effect is sent once, and its outcome told truthfully, after', () => {
  testThatEachIsSentOnce(WRITE_FAULTS, { effect: 'done' });
  testThatEachIsSentOnce(WRITE_FAULTS, { effect: 'none' });
  testThatEachIsSentOnce(BROKEN, { effect: 'done' });
});

test('each of the eleven calls with an effect is completed by a compressed answer', async () => {
  const graph = await startGraph({ environment: oauthEnvironment() });
  const inputs = await inputsOf(graph.sandbox);
  graph.sandbox.faults.add({ kind: 'gzip', endpoint: '*', times: Number.POSITIVE_INFINITY });
  const payloads = await Promise.all(
    WRITE_CALLS.map(({ mutation }, index) => write(graph, mutation, inputs[index])),
  );
  expect(byEndpoint((_, index) => payloads[index]?.outcome)).toEqual(byEndpoint(() => 'COMPLETED'));
});

describe('each of the eleven calls with an effect is given up at its deadline and not sent again, after', () => {
  const never: Readonly<Record<string, FaultKind>> = { 'no answer at all': { kind: 'never-answer' } };
  testThatEachIsSentOnce(never, { effect: 'done', isSilent: true });
  testThatEachIsSentOnce(never, { effect: 'none', isSilent: true });
  testThatEachIsSentOnce(
    { ...SILENT, 'an answer after an hour': { kind: 'delay', ms: 3_600_000 } },
    { effect: 'none', isSilent: true },
  );
});
