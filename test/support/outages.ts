import { expect } from 'vitest';
import { startShared, type SharedLive, type SharingServer } from './shared-live.ts';
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
    'may evict keys',
    {
      begin: ({ redis }) => redis.client.config('SET', 'maxmemory-policy', 'volatile-ttl'),
      end: ({ redis }) => redis.client.config('SET', 'maxmemory-policy', 'noeviction'),
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
    () => server.ask({ prompt: 'quickly' }),
    async () => {
      const { data, errors } = await server.query('{ accounts(first: 3) { nodes { id loginId } } }');
      expect(errors).toBeUndefined();
      expect(data.accounts.nodes).toHaveLength(3);
    },
  ];
}

/** Everything that needs no agreement between processes succeeds, whether Redis answers or not. */
export async function expectServed(server: SharingServer): Promise<void> {
  for (const operation of operationsOf(server)) await operation();
}

/** Every mutation with a key is refused, and nothing of it is sent. */
export async function expectRefused(server: SharingServer, { sandbox }: SharedLive): Promise<void> {
  for (const name of KEYED) {
    const before = sandbox.requests.count(KEYED_CALLS[name]);
    const input = { ...EXAMPLES[name], idempotencyKey: `refused ${name}`.replace(' ', '-') };
    const refusal = { code: 'IDEMPOTENCY_UNAVAILABLE', retryable: true };
    expect(await server.write(name, input)).toMatchObject({
      outcome: 'REJECTED',
      replayed: false,
      userErrors: [refusal],
    });
    expect(sandbox.requests.count(KEYED_CALLS[name]), name).toBe(before);
  }
}

/** What was refused succeeds once Redis is back, and is sent once however often it is asked for. */
export async function expectHealed(server: SharingServer, { sandbox }: SharedLive): Promise<void> {
  await server.redisIs('connected');
  const before = sandbox.requests.count(KEYED_CALLS.createDraft);
  const input = { ...EXAMPLES.createDraft, idempotencyKey: 'refused-createDraft' };
  const create = async () => await server.write('createDraft', input);
  await expect.poll(create, { interval: 100 }).toMatchObject({ outcome: 'COMPLETED' });
  await expect.poll(create).toMatchObject({ outcome: 'COMPLETED', replayed: true });
  expect(sandbox.requests.count(KEYED_CALLS.createDraft)).toBe(before + 1);
}

/** A server whose Redis goes away and comes back, with subscribers who wait for results all the while. */
async function runOutage({ begin, end }: Outage): Promise<void> {
  const shared = await startShared({ servers: 1, environment: { REDIS_COMMAND_TIMEOUT: '1s' } });
  const { sandbox, servers } = shared;
  const [server] = servers as [SharingServer];
  await server.redisIs('connected');
  const follower = server.follow();
  const waitedFor = await server.ask();
  const early = server.watch(waitedFor.contentId);
  await early.received(1);

  await begin(shared);
  // Redis answers nobody before the end of the outage: whatever succeeds here does not wait for it.
  await expectServed(server);
  await expectRefused(server, shared);
  await server.redisIs('degraded');
  const askedLater = await server.ask();
  const late = server.watch(askedLater.contentId);
  await late.received(1);
  for (const { contentId } of [waitedFor, askedLater]) sandbox.generations.finish(contentId);
  for (const reading of [early, late]) {
    await reading.ended();
    expect(reading.said).toEqual(['PENDING', 'COMPLETE']);
  }
  const told = () => follower.events.map(({ generation }) => generation.contentId as string);
  await expect.poll(told).toEqual(expect.arrayContaining([waitedFor.contentId, askedLater.contentId]));
  await expectServed(server);

  await end(shared);
  await expectHealed(server, shared);
  const last = await server.ask({ prompt: 'quickly' });
  await expect.poll(told).toContain(last.contentId);
  expect(new Set(told()).size, 'told once each').toBe(told().length);
}

/** Runs outages side by side: each has a Redis and a server of its own, and waits most of the time. */
export async function runOutages(
  outages: readonly (readonly [name: string, outage: Outage])[],
): Promise<void> {
  const results = await Promise.allSettled(outages.map(([, outage]) => runOutage(outage)));
  const failures = results.flatMap((result, index) =>
    result.status === 'rejected' ? [[outages[index]?.[0], String(result.reason)]] : [],
  );
  expect(failures).toEqual([]);
}
