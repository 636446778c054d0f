import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import { CUT_GZIP } from './odd-answers.ts';

/** What can go wrong with a call after it was sent, by what a person would call it. */
export const WRITE_FAULTS: Readonly<Record<string, FaultKind>> = {
  'a 500': { kind: 'status', status: 500 },
  'a 503': { kind: 'status', status: 503, headers: { 'retry-after': '0' } },
  'a 429': { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
  'a reset before the headers': { kind: 'reset-before-headers' },
  'a reset in the body': { kind: 'reset-in-body' },
  'a body that ends early': { kind: 'cut-body', framing: 'close' },
  'a body shorter than announced': { kind: 'cut-body', framing: 'content-length' },
  'a body without its last chunk': { kind: 'cut-body', framing: 'chunked' },
  'a malformed body': { kind: 'malformed-json' },
  'an empty body': { kind: 'empty-body' },
  'a compressed body cut short': CUT_GZIP,
  'a body of two megabytes': { kind: 'huge-body', bytes: 2 * 1024 * 1024 },
};
