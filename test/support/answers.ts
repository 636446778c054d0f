import { expect } from 'vitest';
import { ERROR_CODES } from '../../src/schema/errors.ts';
import type { Answer, AnswerError } from './graph.ts';

/** Where each error of an answer lies and its code, as `accounts.nodes.0.color CODE`, in the order of the paths. */
export function errorsOf(answer: Pick<Answer, 'errors'>): string[] {
  return answer.errors.map((error) => `${pathOf(error)} ${codeOf(error)}`).toSorted();
}

/** The only error of an answer; fails the test when there are more or none. */
export function onlyError(answer: Pick<Answer, 'errors'>): AnswerError {
  expect(errorsOf(answer)).toHaveLength(1);
  const [error] = answer.errors;
  if (!error) throw new Error('no error');
  return error;
}

/** The code of an error; fails the test when it is not of the closed list, or when the error names no request. */
export function codeOf({ extensions }: AnswerError): string {
  expect(ERROR_CODES).toContain(extensions['code']);
  expect(extensions['requestId']).toMatch(/^[\da-f-]{36}$/);
  return String(extensions['code']);
}

function pathOf({ path = [] }: AnswerError): string {
  return path.join('.');
}
