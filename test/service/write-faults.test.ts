import { describe } from 'vitest';
import type { FaultKind } from '../../src/sandbox/faults/fault.ts';
import { BROKEN_HTTP, HINTS_FOREVER, NO_UTF8, SWITCHED } from '../support/odd-answers.ts';
import { testThatEachIsSentOnce } from '../support/one-request.ts';
import { WRITE_CALLS } from '../support/write-calls.ts';

// What test/writes/one-request does not plant already.

const SILENT: Readonly<Record<string, FaultKind>> = {
  'no answer in time, but a head a byte at a time': { kind: 'dribble', intervalMs: 20, from: 'headers' },
  'no answer in time, but a body a byte at a time': { kind: 'dribble', intervalMs: 20 },
  'no answer in time, but one later': { kind: 'delay', ms: 500 },
  'no answer in time, but hints': HINTS_FOREVER,
};

const BROKEN: Readonly<Record<string, FaultKind>> = {
  'a claim of five gigabytes': { kind: 'huge-body', bytes: 1_000, claim: 5_000_000_000 },
  'a compressed bomb': { kind: 'gzip', inflatedBytes: 1_000_000 },
  'a change of protocol': SWITCHED,
  'two lengths': BROKEN_HTTP['two lengths'] ?? SWITCHED,
  'a head of seventy kilobytes': BROKEN_HTTP['a head of seventy kilobytes'] ?? SWITCHED,
  'UTF-16': NO_UTF8['UTF-16'] ?? SWITCHED,
};

describe('a call with an effect is sent once', () => {
  testThatEachIsSentOnce(WRITE_CALLS, SILENT, ['none']);
  testThatEachIsSentOnce(WRITE_CALLS, BROKEN, ['done']);
});
