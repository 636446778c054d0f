import { createHash } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { createCredentialHash } from '../../src/coordination/credential-hash.ts';
import { begin } from '../support/connecting.ts';
import { CALLBACK, freshCode, oauthEnvironment } from '../support/consent.ts';
import { leaksIn } from '../support/leaks.ts';
import { isRedisHere, REDIS_SECRET, type RedisServer } from '../support/redis.ts';
import { startShared, type SharedLive, type SharingServer } from '../support/shared-live.ts';
import { EXAMPLES, KEYED } from '../support/writes.ts';

const READS = '{ accounts(first: 5) { nodes { id } } queuedPosts(first: 5) { nodes { text } } }';
/** Hashes of what is secret, made without the secret of the servers: whoever guesses one could see that it is right. */
const hashesOf = (secrets: readonly string[]): string[] =>
  secrets.flatMap((secret) =>
    (['hex', 'base64', 'base64url'] as const).map((form) => createHash('sha256').update(secret).digest(form)),
  );

/** Reads, writes, waits for texts, is asked for pauses on both surfaces, and lets somebody in. */
async function useAll({ sandbox, servers }: SharedLive): Promise<string> {
  const [one, other] = servers as [SharingServer, SharingServer];
  const [follower, asked] = [one.follow(), await other.ask()];
  const reading = one.watch(asked.contentId);
  await reading.received(1);
  await one.query(READS);
  for (const name of KEYED.filter((each) => each !== 'generateAiText')) {
    const input = { ...EXAMPLES[name], idempotencyKey: `the-key-of-${name}` };
    // A machine that is too busy may keep Redis from answering in time.
    await expect.poll(async () => (await one.write(name, input)).outcome).toBe('COMPLETED');
  }
  await other.write('pauseAccount', EXAMPLES.pauseAccount);
  const { state } = await begin({ url: one.url }, `${one.url}/connect?redirected`);
  const code = await freshCode(sandbox);
  await one.write('exchangeAuthorizationCode', { code, redirectUri: CALLBACK });
  sandbox.generations.finish(asked.contentId);
  await reading.ended();
  await follower.received(1);
  const headers = { 'retry-after': '20' };
  for (const endpoint of ['GET /accounts/list', 'GET /oauth/accounts'] as const)
    sandbox.faults.add({ kind: 'status', status: 429, headers, endpoint });
  for (const surface of ['CURRENT', 'LEGACY'])
    await one.query(`{ accounts(first: 1, surface: ${surface}) { nodes { id } } }`);
  return state;
}

/** Every message that goes through Redis from now on. */
async function listenIn({ client }: RedisServer): Promise<readonly string[]> {
  const subscriber = client.duplicate();
  onTestFinished(() => subscriber.disconnect());
  const messages: string[] = [];
  subscriber.on('pmessage', (_pattern, channel, text) => messages.push(`${channel} ${text}`));
  await subscriber.psubscribe('*');
  return messages;
}

test.runIf(isRedisHere)('Redis holds and passes on no credential, and no name of a caller', async () => {
  const shared = await startShared({ environment: oauthEnvironment() });
  const { sandbox, redis } = shared;
  const messages = await listenIn(redis);
  const state = await useAll(shared);
  await expect.poll(() => messages.length).toBeGreaterThan(5);
  const texts = [await redis.dump(), ...messages];
  const secrets = sandbox.secrets.all();
  expect(secrets.length).toBeGreaterThan(50);
  expect(leaksIn(texts, [...secrets, ...hashesOf(secrets), state, REDIS_SECRET])).toEqual([]);
  expect(texts.join(' ')).not.toMatch(/the-key-of/);

  const hashCredential = createCredentialHash(REDIS_SECRET);
  const [{ apiKey, accessToken }] = sandbox.owners;
  const names = [hashCredential('current', apiKey), hashCredential('legacy', accessToken)];
  expect(leaksIn(texts, names)).toEqual([]);
});

test.runIf(isRedisHere)('a pause that one server was asked for is kept by the other', async () => {
  const { sandbox, servers } = await startShared();
  const [one, other] = servers as [SharingServer, SharingServer];
  const read = '{ accounts(first: 1, surface: CURRENT) { nodes { id } } }';
  const headers = { 'retry-after': '20' };
  sandbox.faults.add({ kind: 'status', status: 429, headers, endpoint: 'GET /accounts/list' });
  const codeAt = async (server: SharingServer): Promise<unknown> =>
    (await server.query(read)).errors?.[0]?.extensions.code;
  expect(await codeAt(one)).toBe('RATE_LIMITED');
  await expect.poll(() => codeAt(other)).toBe('RATE_LIMITED');
  const before = sandbox.requests.count('GET /accounts/list');
  expect(await codeAt(other)).toBe('RATE_LIMITED');
  expect(sandbox.requests.count('GET /accounts/list')).toBe(before);
});
