import { expect, test } from 'vitest';
import { AcceptedCredentials } from '../../src/sources/accepted-credentials.ts';

test('a credential is accepted from its first success until it is refused, and reported once each time', () => {
  const accepted = new AcceptedCredentials();
  const told: string[] = [];
  accepted.onAccepted((name) => void told.push(name));
  expect(accepted.has('a')).toBe(false);
  accepted.note('a', false);
  expect(accepted.has('a')).toBe(false);
  for (const _ of [1, 2]) accepted.note('a', true);
  expect([accepted.has('a'), accepted.has('b'), told]).toEqual([true, false, ['a']]);
  accepted.note('a', false);
  expect(accepted.has('a')).toBe(false);
  accepted.note('a', true);
  expect(told).toEqual(['a', 'a']);
});
