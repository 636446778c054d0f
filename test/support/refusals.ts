import { expect } from 'vitest';
import type { AnswerError } from './graph.ts';
import type { Outcome } from './transports.ts';

/**
 * The limits that an operation was refused for before anything of it was executed: what each is about, how much was
 * found and how much is allowed. Fails the test for any other outcome.
 */
export function refusalsIn({ status, isResult, data, errors }: Outcome): string {
  expect(data).toBeUndefined();
  expect(isResult).toBe(false);
  if (status !== null) expect([200, 400]).toContain(status);
  expect(errors.length).toBeGreaterThan(0);
  return errors.map(wordsOf).join('; ');
}

function wordsOf({ message, extensions }: AnswerError): string {
  expect(extensions).toMatchObject({ code: 'LIMIT_EXCEEDED', retryable: false });
  expect(extensions['requestId']).toMatch(/^[\da-f-]{36}$/);
  const words = /^The operation exceeds the limit for (.+): (\d\S*) \(maximum (\d+)\)\.$/.exec(message);
  if (!words) throw new Error(`an unexpected message: ${message}`);
  const [, what, found, allowed] = words;
  return `${what}: ${found} of ${allowed}`;
}
