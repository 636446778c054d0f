import { expect, test, vi } from 'vitest';
import { SourceError } from '../../src/sources/errors.ts';
import type { LegacyClient } from '../../src/sources/legacy/client.ts';
import type { WriteContext } from '../../src/writes/context.ts';
import { setAccountPaused } from '../../src/writes/set-account-paused.ts';
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
  const context = {
    loaders: { forget: () => undefined },
    writes: {
      mutex: { run: <T>(_name: string, task: (held: typeof lease) => Promise<T>) => task(lease) },
      track: <T>(write: Promise<T>) => write,
      sources: { legacy: () => client },
    },
  } as unknown as WriteContext;
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
