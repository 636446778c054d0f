import { setTimeout as after } from 'node:timers/promises';
import { expect } from 'vitest';
import { HEALED, startShared, timed, type SharedLive, type SharingServer } from './shared-live.ts';
import { EXAMPLES, KEYED, KEYED_CALLS } from './writes.ts';

/** A way in which Redis is not to be used, and back. */
export interface Outage {
  readonly begin: (shared: SharedLive) => Promise<unknown> | void;
  readonly end: (shared: SharedLive) => Promise<unknown> | void;
}

const proxies = ({ servers }: SharedLive) => servers.map(({ proxy }) => proxy);

/** Redis that is there, but does not do what it is asked. */
export const UNWILLING: readonly (readonly [name: string, outage: Outage])[] = [
  [
    'is a replica',
    {
      begin: ({ redis }) => redis.client.call('REPLICAOF', '127.0.0.1', '1'),
      end: ({ redis }) => redis.client.call('REPLICAOF', 'NO', 'ONE'),
    },
  ],
  [
    'is out of memory',
    {
      begin: ({ redis }) => redis.client.config('SET', 'maxmemory', '1'),
      end: ({ redis }) => redis.client.config('SET', 'maxmemory', '0'),
    },
  ],
  [
    'wants a password',
    {
      async begin({ redis }) {
        await redis.client.config('SET', 'requirepass', 'x');
        await redis.client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      },
      end: ({ redis }) => redis.client.config('SET', 'requirepass', ''),
    },
  ],
];

/** Redis that can't be reached, or not in time. */
export const SILENT: readonly (readonly [name: string, outage: Outage])[] = [
  ['is down', { begin: ({ redis }) => redis.stop(), end: ({ redis }) => redis.start() }],
  ['is frozen', { begin: ({ redis }) => redis.freeze(), end: ({ redis }) => redis.thaw() }],
  [
    'is behind a black hole',
    {
      begin: (shared) => proxies(shared).forEach((proxy) => proxy.mute()),
      end: (shared) => proxies(shared).forEach((proxy) => proxy.restore()),
    },
  ],
  [
    'answers two seconds late',
    {
      begin: (shared) => proxies(shared).forEach((proxy) => proxy.delay(2_000)),
      end: (shared) => proxies(shared).forEach((proxy) => proxy.restore()),
    },
  ],
];

/** What an operation may lose to Redis at most, in milliseconds. */
export const MOST_LOST_MS = 250;
/** What a single measurement may be wrong by on a machine that is busy with other tests. */
export const SCHEDULING_MS = 150;
const TIMES = 4;
/** How long an outage lasts at least: connections are given up by then. */
const LASTS_MS = 3_500;

/** Operations without a key, each of which is to succeed. */
function operationsOf(server: SharingServer): readonly (() => Promise<unknown>)[] {
  const succeed = async (name: 'createDraft' | 'pauseAccount' | 'resumeAccount'): Promise<void> => {
    const account = EXAMPLES.pauseAccount;
    const payload = await server.write(name, name === 'createDraft' ? EXAMPLES.createDraft : account);
    expect(payload.outcome, JSON.stringify(payload)).toBe('COMPLETED');
  };
  return [
    () => succeed('pauseAccount'),
    () => succeed('resumeAccount'),
    () => succeed('createDraft'),
    () => server.ask({ content: 'quickly' }),
    async () => {
      const { data, errors } = await server.query('{ accounts(first: 3) { nodes { id loginId } } }');
      expect(errors).toBeUndefined();
      expect(data.accounts.nodes).toHaveLength(3);
    },
  ];
}

/** The most that each operation took, one after the other. */
export async function slowestOf(server: SharingServer): Promise<number[]> {
  const slowest: number[] = [];
  for (let times = 0; times < TIMES; times += 1)
    for (const [index, operation] of operationsOf(server).entries())
      slowest[index] = Math.max(slowest[index] ?? 0, await timed(operation));
  return slowest;
}

/** No operation takes much longer than it took before. */
export function expectNotSlowed(before: readonly number[], now: readonly number[]): void {
  for (const [index, tookMs] of now.entries())
    expect(tookMs, `${index}`).toBeLessThan((before[index] ?? 0) + MOST_LOST_MS + SCHEDULING_MS);
}

/** Every mutation with a key is refused, quickly, and nothing of it is sent. */
export async function expectRefused(server: SharingServer, { sandbox }: SharedLive): Promise<void> {
  for (const name of KEYED) {
    const before = sandbox.requests.count(KEYED_CALLS[name]);
    const input = { ...EXAMPLES[name], idempotencyKey: `refused ${name}`.replace(' ', '-') };
    const payloads: unknown[] = [];
    const tookMs = await timed(async () => void payloads.push(await server.write(name, input)));
    const refusal = { code: 'IDEMPOTENCY_UNAVAILABLE', retryable: true };
    expect(payloads).toMatchObject([{ outcome: 'REJECTED', replayed: false, userErrors: [refusal] }]);
    expect(sandbox.requests.count(KEYED_CALLS[name]), name).toBe(before);
    expect(tookMs, name).toBeLessThan(MOST_LOST_MS + SCHEDULING_MS);
  }
}

/** What was refused is done by now, once, however often it is asked for. */
export async function expectHealed(server: SharingServer, { sandbox }: SharedLive): Promise<void> {
  await expect.poll(() => server.redis(), HEALED).toBe('connected');
  const before = sandbox.requests.count(KEYED_CALLS.createDraft);
  const input = { ...EXAMPLES.createDraft, idempotencyKey: 'refused-createDraft' };
  const create = async () => (await server.write('createDraft', input)).outcome;
  await expect.poll(create, HEALED).toBe('COMPLETED');
  expect(await server.write('createDraft', input)).toMatchObject({ outcome: 'COMPLETED', replayed: true });
  expect(sandbox.requests.count(KEYED_CALLS.createDraft)).toBe(before + 1);
}

/** A server whose Redis goes away and comes back, with those who wait for results all the while. */
export async function runOutage({ begin, end }: Outage): Promise<void> {
  const shared = await startShared({ servers: 1 });
  const { sandbox, servers } = shared;
  const [server] = servers as [SharingServer];
  expect(await server.redis()).toBe('connected');
  const before = await slowestOf(server);
  const follower = server.follow();
  const waitedFor = await server.ask();
  const early = server.watch(waitedFor.contentId);
  await early.received(1);

  const endsAt = performance.now() + LASTS_MS;
  await begin(shared);
  expectNotSlowed(before, await slowestOf(server));
  await expectRefused(server, shared);
  await expect.poll(() => server.redis(), HEALED).toBe('degraded');
  const askedLater = await server.ask();
  const late = server.watch(askedLater.contentId);
  await late.received(1);
  for (const { contentId } of [waitedFor, askedLater]) sandbox.generations.finish(contentId);
  for (const reading of [early, late]) {
    await reading.ended();
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
  }
  const told = () => follower.events.map(({ generation }) => generation.contentId as string);
  await expect
    .poll(told, HEALED)
    .toEqual(expect.arrayContaining([waitedFor.contentId, askedLater.contentId]));
  while (performance.now() < endsAt) {
    expectNotSlowed(before, await slowestOf(server));
    // Credits are few.
    await after(500);
  }

  await end(shared);
  await expectHealed(server, shared);
  const last = await server.ask({ content: 'quickly' });
  await expect.poll(told, HEALED).toContain(last.contentId);
  expect(new Set(told()).size, 'told once each').toBe(told().length);
}
