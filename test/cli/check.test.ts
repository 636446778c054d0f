import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkService } from '../../src/cli/check.ts';
import { callFailureOf } from '../../src/cli/failure.ts';
import { readConfig, type Environment } from '../../src/config.ts';
import { openLog } from '../../src/observability/log.ts';
import { SourceError, type SourceErrorDetails, type SourceErrorKind } from '../../src/sources/errors.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { runProgramInPlace } from '../support/command.ts';
import { freePort } from '../support/network.ts';
import { isRedisHere, REDIS_SECRET, startRedis } from '../support/redis.ts';
import { temporaryFolder } from '../support/files.ts';
import { openTerminal } from './terminal.ts';
import { sandboxForTest } from '../support/sandbox.ts';

async function openSandbox(): Promise<Sandbox> {
  const sandbox = await sandboxForTest();
  return sandbox;
}

const currentOf = ({ url, owners: [{ apiKey }] }: Sandbox) => ({ CURRENT_API_URL: url, API_KEY: apiKey });
const bothOf = (sandbox: Sandbox) => ({
  ...currentOf(sandbox),
  LEGACY_API_URL: sandbox.url,
  ACCESS_TOKEN: sandbox.owners[0].accessToken,
});

const check = (environment: Environment) => checkService(readConfig(environment), openLog('silent'));

test('a service that is as documented is usable, and is only read', async () => {
  const sandbox = await openSandbox();
  const { isUsable, surfaces } = await check(bothOf(sandbox));
  expect(isUsable).toBe(true);
  expect(surfaces).toMatchObject([
    { state: 'usable', credential: 'accepted', drift: [] },
    { state: 'usable', credential: 'accepted', drift: [] },
  ]);
  const calls = surfaces.flatMap((surface) => surface.calls);
  expect(calls).toHaveLength(10);
  expect(calls.filter(({ failure }) => failure !== null)).toEqual([]);
  expect(new Set(sandbox.requests.all.map(({ endpoint }) => endpoint))).toEqual(
    new Set(calls.map(({ endpoint }) => endpoint)),
  );
});

interface Page {
  readonly response: { readonly list: readonly object[] };
}

/** Changes each record of a page. */
const eachRow = (change: (row: object) => object) => (body: unknown) => {
  const { response } = body as Page;
  return { response: { ...response, list: response.list.map(change) } };
};

/** Takes all records out of a page, and out of its counts. */
const emptied = (body: unknown) => {
  const { response } = body as Page;
  const counts = Object.keys(response).filter((name) => /total|count/i.test(name));
  return { response: { ...response, ...Object.fromEntries(counts.map((name) => [name, 0])), list: [] } };
};

const DRIFT = '  GET /posts/queued: brandNew does not match the documentation';

test('fields of another type and undocumented ones are reported, in colours on a terminal unless NO_COLOR is set', async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({
    kind: 'rewrite',
    endpoint: 'GET /posts/queued',
    times: 3,
    change: eachRow((row) => ({ ...row, postDesc: 7, color: [], brandNew: 'x' })),
  });
  const { isUsable, surfaces } = await check(bothOf(sandbox));
  expect(isUsable).toBe(true);
  const fields = ['brandNew', 'color', 'postDesc'].map((field) => `GET /posts/queued ${field}`);
  expect(surfaces[0]?.drift.map(({ endpoint, field }) => `${endpoint} ${field}`).toSorted()).toEqual(fields);

  openTerminal();
  const coloured = await runProgramInPlace(['check'], currentOf(sandbox));
  expect(coloured.status).toBe(0);
  expect(coloured.standardOutput).toContain(`\u001B[33m${DRIFT}`);
  expect(coloured.standardOutput).toContain(': \u001B[32musable\u001B[39m, credential accepted');
  const plain = await runProgramInPlace(['check'], { ...currentOf(sandbox), NO_COLOR: '1' });
  expect(plain.standardOutput).toContain(`\n${DRIFT}`);
  expect(plain.standardOutput).toMatch(/^legacy surface: not configured$/m);
  expect(plain.standardOutput).not.toContain('\u001B');
});

test('a rejected credential, a missing one, and a surface that is out of reach are reported as such', async () => {
  const { url } = await openSandbox();
  const rejected = await check({ CURRENT_API_URL: url, API_KEY: 'wrong' });
  expect(rejected.surfaces).toMatchObject([
    { state: 'failing', credential: 'refused' },
    { state: 'not configured' },
  ]);
  const away = await check({ LEGACY_API_URL: 'http://127.0.0.1:9', ACCESS_TOKEN: 'any' });
  expect(away.surfaces[1]).toMatchObject({ state: 'unreachable', credential: 'unknown' });
  expect([rejected.isUsable, away.isUsable]).toEqual([false, false]);

  const environment = { CURRENT_API_URL: url, LEGACY_API_URL: url, ACCESS_TOKEN: 'wrong' };
  const { status, output } = await runProgramInPlace(['check'], environment);
  expect(status).toBe(1);
  expect(output).toMatch(/credential missing\n {2}No credential was sent; set API_KEY\.\n/);
  expect(output).not.toContain('set ACCESS_TOKEN');
});

test('a current surface that asks for the token as well gets it, if there is one', async () => {
  const sandbox = await openSandbox();
  const environment = { ...bothOf(sandbox), CURRENT_SENDS_ACCESS_TOKEN: 'on' };
  await check({ ...environment, ACCESS_TOKEN: undefined });
  const current = sandbox.requests.all.filter(({ path }) => !path.startsWith('/oauth/'));
  expect(new Set(current.map(({ headers }) => headers.authorization))).toEqual(new Set([undefined]));
  sandbox.quirks.currentNeedsToken = true;
  expect((await check(environment)).isUsable).toBe(true);
});

test('one call that fails is reported, and the others are made all the same', async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ kind: 'status', status: 500, endpoint: 'GET /group/list' });
  const { isUsable, surfaces } = await check(bothOf(sandbox));
  expect(isUsable).toBe(false);
  const failed = surfaces[0]?.calls.filter(({ failure }) => failure !== null);
  expect(failed).toMatchObject([{ endpoint: 'GET /group/list', failure: 'unavailable' }]);
  expect(surfaces[0]?.calls).toHaveLength(8);
  expect(surfaces[1]?.state).toBe('usable');
});

test('an empty service is usable, and no record is read that it does not list', async () => {
  const sandbox = await openSandbox();
  for (const endpoint of ['GET /accounts/list', 'GET /library/list'] as const)
    sandbox.faults.add({ kind: 'rewrite', endpoint, times: 2, change: emptied });
  const { isUsable, surfaces } = await check(bothOf(sandbox));
  expect([isUsable, surfaces.flatMap(({ drift }) => drift)]).toEqual([true, []]);
  expect(sandbox.requests.all.filter(({ path }) => path.includes('/view/'))).toEqual([]);
});

test.runIf(isRedisHere)('a Redis that cannot be used makes the check fail, with the reason', async () => {
  const sandbox = await openSandbox();
  const redis = await startRedis();
  const environment = { ...bothOf(sandbox), REDIS_URL: redis.url, REDIS_SECRET };
  const usable = { isUsable: true, redis: { state: 'usable', reason: null } };
  expect(await check(environment)).toMatchObject(usable);
  await redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
  const reason = 'maxmemory-policy is allkeys-lru, not noeviction';
  expect(await check(environment)).toMatchObject({ isUsable: false, redis: { state: 'unusable', reason } });
  await redis.stop();
  expect(await check(environment)).toMatchObject({ isUsable: false, redis: { reason: 'ECONNREFUSED' } });
});

test('check uses credentials wherever the server listens, and makes no folder for its journal', async () => {
  const sandbox = await openSandbox();
  const DATA_DIR = join(await temporaryFolder(), 'data');
  const environment = { ...bothOf(sandbox), HOST: '0.0.0.0', DATA_DIR };
  const { status, output } = await runProgramInPlace(['check'], environment);
  expect(status, output).toBe(0);
  expect(existsSync(DATA_DIR)).toBe(false);
});

test('check without a service says that it uses the sandbox, and prints nothing but JSON with --json', async () => {
  const told = await runProgramInPlace(['check']);
  expect(told.status).toBe(0);
  expect(told.standardOutput).toMatch(/^No service is configured \(.*\); checking the SANDBOX/);
  expect(told.standardOutput).toMatch(/^legacy surface at http:\S+: usable, credential accepted$/m);
  const json = await runProgramInPlace(['check', '--json'], { API_KEY: 'wrong', ACCESS_TOKEN: 'wrong' });
  expect(json.status).toBe(1);
  expect(JSON.parse(json.output)).toMatchObject({
    isUsable: false,
    surfaces: [{ credential: 'refused' }, { credential: 'refused' }],
  });
});

test('check names the proxy of a surface without its credentials, and says that the proxy is at fault', async () => {
  const environment = {
    CURRENT_API_URL: 'https://api.example.com',
    LEGACY_API_URL: 'https://direct.invalid',
    HTTPS_PROXY: `http://planted:planted@127.0.0.1:${await freePort()}`,
    NO_PROXY: 'direct.invalid',
  };
  const { status, output } = await runProgramInPlace(['check'], environment);
  expect(status).toBe(1);
  expect(output).toMatch(/^ {2}Called through the proxy http:\/\/127\.0\.0\.1:\d+ \(HTTPS_PROXY\)\.$/m);
  expect(output).toMatch(/GET \/accounts\/list .*the proxy is unreachable$/m);
  expect(output.match(/proxy/g)).toHaveLength(2);
  expect(output).not.toContain('planted');
  const json = await runProgramInPlace(['check', '--json'], environment);
  expect(JSON.parse(json.standardOutput)).toMatchObject({
    surfaces: [{ proxy: expect.stringContaining('http://127.0.0.1:') as unknown }, { proxy: null }],
  });
});

const reasonOf = (kind: SourceErrorKind, details: SourceErrorDetails = {}): string =>
  callFailureOf(new SourceError(kind, 'current', 'planted', details)).reason;

test.each([
  ['ENOTFOUND', 'the host name was not found'],
  ['EAI_AGAIN', 'the host name was not found'],
  ['ECONNREFUSED', 'the connection was refused: nothing is listening at this address'],
  ['UND_ERR_CONNECT_TIMEOUT', 'the connection timed out'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another host name'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', expect.stringContaining('its certificate is not trusted')],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', expect.stringContaining('its certificate is not trusted')],
  ['EPROTO', 'it does not speak TLS at this address'],
])('%s, however deep among the causes, is explained as "%s"', (code, reason) => {
  const failure = Object.assign(new Error('planted'), { code });
  expect(reasonOf('unreachable', { cause: failure })).toEqual(reason);
  const nested = new Error('fetch failed', { cause: new AggregateError([failure]) });
  expect(reasonOf('unreachable', { cause: nested })).toEqual(reason);
});

test('without such a code, the kind of the failure is explained, with the status and the service’s message', () => {
  expect(reasonOf('timeout')).toBe('the request timed out');
  expect(reasonOf('unauthenticated', { status: 401 })).toBe('the credential was rejected; status 401');
  expect(reasonOf('rejected', { status: 422, serviceMessage: 'No plan.' })).toBe(
    'it rejected the request; status 422; No plan.',
  );
  const publicMessage = 'The current surface redirects to /login (HTTP 302). Correct its base URL.';
  expect(reasonOf('malformed', { status: 302, publicMessage })).toBe(publicMessage);
});
