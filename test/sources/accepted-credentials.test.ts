import { expect, onTestFinished, test, vi } from 'vitest';
import { createAcceptedCredentials } from '../../src/sources/accepted-credentials.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

test('a credential is accepted from its first success until it is refused, and reported once each time', () => {
  const accepted = createAcceptedCredentials();
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

test('a credential that was not used for a day is forgotten', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1);
  onTestFinished(() => clock.mockRestore());
  const passUntil = async (ms: number): Promise<void> => {
    clock.mockReturnValue(ms);
    // The cache looks at the clock once a millisecond.
    await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const accepted = createAcceptedCredentials();
  accepted.note('used', true);
  accepted.note('unused', true);
  await passUntil(DAY_MS - 1);
  accepted.note('used', true);
  await passUntil(DAY_MS + 2);
  expect([accepted.has('used'), accepted.has('unused')]).toEqual([true, false]);
});
