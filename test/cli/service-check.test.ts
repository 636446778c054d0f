import { expect, onTestFinished, test } from 'vitest';
import { readConfig, type Environment } from '../../src/config.ts';
import { openLog } from '../../src/observability/log.ts';
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { checkService } from '../../src/cli/check.ts';
import { isRedisHere, REDIS_SECRET, startRedis } from '../support/redis.ts';

async function openSandbox(): Promise<Sandbox> {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

const check = (environment: Environment) => checkService(readConfig(environment), openLog('silent'));

const bothSurfaces = ({ url, owners: [{ apiKey, accessToken }] }: Sandbox): Environment => ({
  CURRENT_API_URL: url,
  LEGACY_API_URL: url,
  API_KEY: apiKey,
  ACCESS_TOKEN: accessToken,
});

test('a service that is as documented can be used, and is only read', async () => {
  const sandbox = await openSandbox();
  const { isUsable, surfaces } = await check(bothSurfaces(sandbox));
  expect(isUsable).toBe(true);
  expect(surfaces.map(({ state, credential }) => [state, credential])).toEqual([
    ['usable', 'accepted'],
    ['usable', 'accepted'],
  ]);
  const calls = surfaces.flatMap((surface) => surface.calls);
  expect(calls).toHaveLength(10);
  expect(calls.filter(({ failure }) => failure !== null)).toEqual([]);
  expect(surfaces.flatMap(({ drift }) => drift)).toEqual([]);
  expect(new Set(sandbox.requests.all.map(({ endpoint }) => endpoint))).toEqual(
    new Set(calls.map(({ endpoint }) => endpoint)),
  );
});

type Row = Record<string, unknown>;

/** Changes each record of a page. */
const eachRow = (change: (row: Row) => Row) => (body: unknown) => {
  const { response } = body as { response: { list: Row[] } };
  return { response: { ...response, list: response.list.map(change) } };
};

/** Takes all records out of a page, and out of its counts. */
const emptied = (body: unknown) => {
  const { response } = body as { response: object };
  const counts = Object.keys(response).filter((name) => /total|count/i.test(name));
  return { response: { ...response, ...Object.fromEntries(counts.map((name) => [name, 0])), list: [] } };
};

test('a field of another type and one that nobody documents are told, wherever they stand', async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({
    kind: 'rewrite',
    endpoint: 'GET /posts/queued',
    change: eachRow((row) => ({ ...row, postDesc: 7, color: [], brandNew: 'x' })),
  });
  const { isUsable, surfaces } = await check(bothSurfaces(sandbox));
  expect(isUsable).toBe(true);
  expect(surfaces[0]?.drift.map(({ endpoint, field }) => `${endpoint} ${field}`).toSorted()).toEqual([
    'GET /posts/queued brandNew',
    'GET /posts/queued color',
    'GET /posts/queued postDesc',
  ]);
});

test('a refused credential, a missing one, and a surface that is not there are told apart', async () => {
  const sandbox = await openSandbox();
  const { owners: _owners, url } = sandbox;
  const refused = await check({ CURRENT_API_URL: url, API_KEY: 'wrong' });
  expect(refused.surfaces[0]).toMatchObject({ state: 'failing', credential: 'refused' });
  expect(refused.surfaces[1]).toMatchObject({ state: 'not configured' });
  const missing = await check({ CURRENT_API_URL: url });
  expect(missing.surfaces[0]).toMatchObject({ state: 'failing', credential: 'missing' });
  const gone = await check({ LEGACY_API_URL: 'http://127.0.0.1:9', ACCESS_TOKEN: 'any' });
  expect(gone.surfaces[1]).toMatchObject({ state: 'unreachable', credential: 'unknown' });
  expect([refused, missing, gone].map(({ isUsable }) => isUsable)).toEqual([false, false, false]);
});

test('a current surface that asks for the token as well is sent it, where there is one', async () => {
  const sandbox = await openSandbox();
  const environment: Environment = { ...bothSurfaces(sandbox), CURRENT_SENDS_ACCESS_TOKEN: 'on' };
  await check({ ...environment, ACCESS_TOKEN: undefined });
  const current = sandbox.requests.all.filter(({ path }) => !path.startsWith('/oauth/'));
  expect(new Set(current.map(({ headers }) => headers.authorization))).toEqual(new Set([undefined]));
  sandbox.quirks.currentNeedsToken = true;
  expect((await check(environment)).isUsable).toBe(true);
});

test('one call that fails is told, and the others are made all the same', async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ kind: 'status', status: 500, endpoint: 'GET /group/list' });
  const { isUsable, surfaces } = await check(bothSurfaces(sandbox));
  expect(isUsable).toBe(false);
  const failed = surfaces[0]?.calls.filter(({ failure }) => failure !== null);
  expect(failed).toMatchObject([{ endpoint: 'GET /group/list', failure: 'unavailable' }]);
  expect(surfaces[0]?.calls).toHaveLength(8);
  expect(surfaces[1]?.state).toBe('usable');
});

test('a service in which there is nothing yet can be used, and no record is asked for that it does not list', async () => {
  const sandbox = await openSandbox();
  for (const endpoint of ['GET /accounts/list', 'GET /library/list'] as const)
    sandbox.faults.add({ kind: 'rewrite', endpoint, times: 2, change: emptied });
  const { isUsable, surfaces } = await check(bothSurfaces(sandbox));
  expect([isUsable, surfaces.flatMap(({ drift }) => drift)]).toEqual([true, []]);
  expect(sandbox.requests.all.filter(({ path }) => path.includes('/view/'))).toEqual([]);
});

test.runIf(isRedisHere)('a Redis that cannot be used makes the check fail, with the reason', async () => {
  const sandbox = await openSandbox();
  const redis = await startRedis();
  const environment = { ...bothSurfaces(sandbox), REDIS_URL: redis.url, REDIS_SECRET };
  expect(await check(environment)).toMatchObject({
    isUsable: true,
    redis: { state: 'usable', reason: null },
  });
  await redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
  const reason = 'maxmemory-policy is allkeys-lru, not noeviction';
  expect(await check(environment)).toMatchObject({ isUsable: false, redis: { state: 'unusable', reason } });
  await redis.stop();
  expect(await check(environment)).toMatchObject({ isUsable: false, redis: { reason: 'ECONNREFUSED' } });
});
