import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createRedisKeyedMutex, LEASE_MS } from '../../src/coordination/redis/locks.ts';
import { createKeyedMutex } from '../../src/journal/locks.ts';
import { SourceError } from '../../src/sources/errors.ts';
import type { LegacyClient } from '../../src/sources/legacy/client.ts';
import type { ActionContext } from '../../src/writes/context.ts';
import { setAccountPaused } from '../../src/writes/account-actions.ts';
import { legacyAccount } from '../support/writes.ts';

const ORIGIN = { surface: 'legacy', endpoint: 'GET /oauth/accounts', onDrift: () => undefined } as const;

/** A running account on a legacy surface to which no toggle can connect, and a lock that is held for so many looks. */
function contextWith(held: readonly boolean[]) {
  const looks = [...held];
  const toggle = vi.fn<LegacyClient['call']>(() =>
    Promise.reject(new SourceError('unreachable', 'legacy', 'no connection')),
  );
  const accounts = [
    { id: 7, nickname: 'A', url: 'https://a.example', status: 'Running', account_type: 'tw' },
  ];
  const client: LegacyClient = {
    list: () => Promise.resolve({ data: accounts, origin: ORIGIN }),
    call: toggle,
  };
  const lease = { isHeld: () => looks.shift() ?? false };
  const context: ActionContext = {
    writes: {
      mutex: { run: (_name, task) => task(lease) },
      track: (write) => write,
      sources: {
        legacy: () => client,
        current: () => expect.unreachable('the current surface cannot pause'),
        isConfigured: () => true,
        preferred: () => 'legacy',
      },
    },
  };
  return { context, toggle };
}

test.each([
  ['before the toggle is sent', [false], 0],
  ['while a connection for it could not be made', [true, false], 1],
])('a lock that is lost %s lets no more be sent', async (_when, held, attempts) => {
  const { context, toggle } = contextWith(held);
  const result = await setAccountPaused(legacyAccount(7), true, context);
  expect(toggle).toHaveBeenCalledTimes(attempts);
  expect(result).toMatchObject({
    outcome: 'REJECTED',
    isSent: false,
    userErrors: [{ code: 'CONFLICT', retryable: true }],
  });
});

test('a toggle for which no connection could be made is sent again while the lock is held', async () => {
  const { context, toggle } = contextWith([true, true]);
  const result = await setAccountPaused(legacyAccount(7), true, context);
  expect(toggle).toHaveBeenCalledTimes(2);
  expect(result).toMatchObject({ outcome: 'REJECTED', userErrors: [{ code: 'SURFACE_UNAVAILABLE' }] });
});

test('a lock that Redis renews late is held from when that was asked for, not from when it was answered', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const begunAt = performance.now();
  let renewedAt = 0;
  const redis = new Redis({ lazyConnect: true });
  vi.spyOn(redis, 'set').mockResolvedValue('OK');
  const renew = vi.spyOn(redis, 'eval').mockRejectedValue(new Error('away'));
  renew.mockImplementationOnce(() => {
    renewedAt = performance.now();
    return new Promise((resolve) => setTimeout(() => resolve(1), LEASE_MS / 2));
  });
  const link: Parameters<typeof createRedisKeyedMutex>[1] = {
    run: (command) => command(redis),
    deliver: () => Promise.resolve(),
  };
  await createRedisKeyedMutex(createKeyedMutex(), link).run('one', async (lease) => {
    await vi.advanceTimersByTimeAsync(LEASE_MS + 100);
    expect(renewedAt).toBeGreaterThan(begunAt);
    expect(lease.isHeld()).toBe(true);
    await vi.advanceTimersByTimeAsync(renewedAt - begunAt);
    expect(lease.isHeld()).toBe(false);
  });
});
