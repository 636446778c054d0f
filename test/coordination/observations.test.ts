import { expect, test, vi } from 'vitest';
import type { SharedName, SharedObservation } from '../../src/watch/sharing.ts';
import { hearEachOther, joinRedis } from '../support/processes.ts';
import { isRedisHere, startRedis } from '../support/redis.ts';

const NAME: SharedName = { holder: 'me', list: 'queue', credential: 'the-key' };
const OBSERVATION: SharedObservation = { observedAt: 1_800_000_000_000, failures: 2, items: [{ id: 'p1' }] };

async function openTwo() {
  const { port } = await startRedis();
  const pair = [await joinRedis(port), await joinRedis(port)] as const;
  await hearEachOther(pair);
  return pair;
}

test.runIf(isRedisHere)(
  'what one process observes is told to the others that have the list, and kept for later ones',
  async () => {
    const [one, other] = await openTwo();
    const [onNews, onOther, onClosed] = [vi.fn(), vi.fn(), vi.fn()];
    const mine = one.observations.open(NAME, () => undefined);
    const theirs = other.observations.open(NAME, onNews);
    other.observations.open({ ...NAME, list: 'accounts' }, onOther);
    other.observations.open(NAME, onClosed).close();
    expect(await theirs.latest()).toBeNull();
    await mine.publish(OBSERVATION);
    await expect.poll(() => onNews).toHaveBeenCalled();
    expect(onOther).not.toHaveBeenCalled();
    expect(onClosed).not.toHaveBeenCalled();
    const later = other.observations.open(NAME, () => undefined);
    for (const reader of [mine, theirs, later])
      expect(await reader.latest()).toMatchObject({ failures: 2, items: OBSERVATION.items });
  },
);

test.runIf(isRedisHere)(
  'the last of several observations is kept, however long an earlier one takes to compress',
  async () => {
    const [one, other] = await openTwo();
    const mine = one.observations.open(NAME, () => undefined);
    const items = Array.from({ length: 50_000 }, (_none, index) => ({ id: `p${index * 7_919}` }));
    await Promise.all([mine.publish({ ...OBSERVATION, items }), mine.publish(OBSERVATION)]);
    expect(await other.observations.open(NAME, () => undefined).latest()).toMatchObject({
      items: OBSERVATION.items,
    });
  },
);

test.runIf(isRedisHere)(
  'what was observed with one credential is nothing to whoever has another, nor to those of another holder',
  async () => {
    const [one, other] = await openTwo();
    await one.observations.open(NAME, () => undefined).publish(OBSERVATION);
    for (const name of [
      { ...NAME, credential: 'another-key' },
      { ...NAME, holder: 'you' },
    ])
      expect(await other.observations.open(name, () => undefined).latest()).toBeNull();
  },
);
