import { expect, test } from 'vitest';
import { assertUnreadable, PagingError } from '../../src/lists/errors.ts';
import { assertSourceError, SourceError } from '../../src/sources/errors.ts';
import { readable } from '../../src/sources/view.ts';

const failed = new SourceError('timeout', 'current', 'no answer');
const tooLong = new PagingError('SCAN_LIMIT_REACHED', 'The list is too long.');
const mistake = new TypeError('a mistake of this program');

const raise = (error: Error) => (): never => {
  throw error;
};

test('a mistake of this program is never taken for a failure of the service', () => {
  expect(() => assertSourceError(failed)).not.toThrow();
  expect(() => assertSourceError(tooLong)).toThrow(tooLong);
  expect(() => assertSourceError(mistake)).toThrow(mistake);
});

test('nor for a list that is too long to be read', () => {
  expect(() => assertUnreadable(failed)).not.toThrow();
  expect(() => assertUnreadable(tooLong)).not.toThrow();
  expect(() => assertUnreadable(mistake)).toThrow(mistake);
});

test('a damaged value is read as null, and a mistake of this program is not', () => {
  expect(readable(raise(failed))).toBeNull();
  expect(() => readable(raise(mistake))).toThrow(mistake);
});
