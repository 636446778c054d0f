import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cancellationBy } from '../../../src/sources/upstream/cancellation.ts';
import { fakeSurface, guarded, outcomeOf, outcomesOf, readOf } from '../../support/fake-surface.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('the deadline of a read covers its wait for a slot', async () => {
  const fake = fakeSurface((call) => setTimeout(() => call.answer(), 900));
  const guardian = guarded(fake, { callsPerCaller: 1 });
  const outcomes = outcomesOf(20, (page) => guardian.send(readOf(page)));
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await outcomes).toEqual([...Array<number>(16).fill(200), ...Array<string>(4).fill('timeout')]);
  expect(fake.calls).toHaveLength(17);
  expect(vi.getTimerCount()).toBe(0);
});

test('a freed slot goes to the call that waits for it, not to one that comes at that moment', async () => {
  const fake = fakeSurface();
  const guardian = guarded(fake, { callsPerCaller: 1 });
  const [first, waiting] = [1, 2].map((page) => outcomeOf(guardian.send(readOf(page))));
  fake.calls[0]?.answer();
  const late = outcomeOf(guardian.send(readOf(3)));
  await first;
  expect(fake.calls.map(({ request }) => request.path)).toEqual([
    '/accounts/list?page=1',
    '/accounts/list?page=2',
  ]);
  fake.calls[1]?.answer();
  await waiting;
  fake.calls[2]?.answer();
  expect(await late).toBe(200);
});

test('an operation listens to its signal once, however many calls it makes', async () => {
  const leaving = new AbortController();
  const listen = vi.spyOn(leaving.signal, 'addEventListener');
  const cancellation = cancellationBy(leaving.signal);
  const guardian = guarded(fakeSurface());
  expect(listen).not.toHaveBeenCalled();
  const outcomes = outcomesOf(16, (page) => guardian.send(readOf(page, { cancellation })));
  expect(listen).toHaveBeenCalledTimes(1);
  leaving.abort();
  expect(await outcomes).toEqual(Array<string>(16).fill('cancelled'));
  expect(vi.getTimerCount()).toBe(0);
});
