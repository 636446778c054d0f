import { expect, test } from 'vitest';
import { createLoaders } from '../../src/loaders/loaders.ts';
import { choosableSizes } from '../../src/lists/pages.ts';
import type { LegacyClient } from '../../src/sources/legacy/client.ts';

test('a look-up that was under way when a write ended leaves nothing to look-ups after it', async () => {
  const rows = [{ id: 1, account_name: 'Before' }];
  const origin = { surface: 'legacy', endpoint: 'GET /oauth/accounts', onDrift: () => undefined } as const;
  const client = { list: () => Promise.resolve({ data: [...rows], origin }) } as Partial<LegacyClient>;
  const loaders = createLoaders(
    {
      current: () => expect.unreachable(),
      legacy: () => client as LegacyClient,
      isConfigured: () => true,
      preferred: () => 'legacy',
    },
    () => ({ sizes: choosableSizes(100) }),
  );
  const earlier = loaders.legacyAccount('1');
  loaders.forget();
  rows.pop();
  expect(await earlier).not.toBeNull();
  expect(await loaders.legacyAccount('1')).toBeNull();
});
