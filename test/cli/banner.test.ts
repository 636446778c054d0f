import { expect, test } from 'vitest';
import { bannerOf } from '../../src/cli/start.ts';
import { readConfig, type Environment } from '../../src/config.ts';

const ADDRESS = 'http://127.0.0.1:4000';
const SANDBOX = {
  url: 'http://127.0.0.1:4001',
  credentials: { apiKey: 'demo-key', accessToken: 'demo-token' },
};
const SERVICE = 'https://api.example.com/';

const bannerFor = (environment: Environment, isBuilt = true): string => {
  const config = readConfig(environment);
  return bannerOf({
    address: ADDRESS,
    config,
    sandbox: config.usesSandbox ? SANDBOX : null,
    hasDesk: isBuilt,
    hasExplorer: isBuilt,
  });
};

test('a server on the sandbox says so in plain sight, with credentials that work', () => {
  const banner = bannerFor({});
  expect(banner).toMatch(/^Service +SANDBOX at http:\/\/127\.0\.0\.1:4001/m);
  expect(banner).toMatch(/^GraphiQL +http:\/\/127\.0\.0\.1:4000\/graphql/m);
  expect(banner).toContain('one or both of:\n  x-api-key: demo-key\n  authorization: Bearer demo-token');
});

test('a server in front of the service names its addresses', () => {
  const banner = bannerFor({ CURRENT_API_URL: SERVICE });
  expect(banner).toMatch(/^Service +current surface: https:\/\/api\.example\.com\/$/m);
  expect(banner).toMatch(/^Service +legacy surface: not configured \(LEGACY_API_URL\)$/m);
  expect(banner).not.toContain('SANDBOX');
});

test.each<readonly [environment: Environment, asked: string | null]>([
  [{ CURRENT_API_URL: SERVICE }, 'x-api-key: YOUR-API-KEY'],
  [{ LEGACY_API_URL: SERVICE }, 'authorization: Bearer YOUR-ACCESS-TOKEN'],
  [
    { CURRENT_API_URL: SERVICE, LEGACY_API_URL: SERVICE, API_KEY: 'k' },
    'authorization: Bearer YOUR-ACCESS-TOKEN',
  ],
  [{ CURRENT_API_URL: SERVICE, API_KEY: 'k' }, null],
])('the headers that it asks for follow from %o', (environment, asked) => {
  const banner = bannerFor(environment);
  expect(/^Send (.*)$/m.exec(banner)?.[1] ?? null).toBe(asked);
  expect(banner).toContain(asked === null ? "json' -d '" : `-H '${asked}' -d '`);
  expect(banner.includes('surface: LEGACY')).toBe(environment['CURRENT_API_URL'] === undefined);
});

test('client tokens are asked for where there are any', () => {
  const banner = bannerFor({ CURRENT_API_URL: SERVICE, CLIENT_TOKENS: 'a'.repeat(20) });
  expect(banner).toContain('Send x-client-token: one of the CLIENT_TOKENS; and x-api-key: YOUR-API-KEY');
  expect(banner).not.toContain('a'.repeat(20));
});

test('beyond this machine the banner says what is off, and by which setting it comes on', () => {
  const banner = bannerFor({ CURRENT_API_URL: SERVICE, HOST: '0.0.0.0' });
  expect(banner).toMatch(/^GraphiQL +off,.*GRAPHIQL=on/m);
  expect(banner).toMatch(/^Schema +introspection is off,.*INTROSPECTION=on/m);
});

test('an explorer that was not built is told with the command that builds it', () => {
  expect(bannerFor({}, false)).toMatch(/^GraphiQL +not built; run "npm run build"$/m);
});

const LOST = /^Keys +DATA_DIR is off: idempotency keys are lost on restart/m;

test('keys that a restart loses are warned of, but not on the sandbox, whose posts go with them', () => {
  expect(bannerFor({ CURRENT_API_URL: SERVICE, DATA_DIR: 'off' })).toMatch(LOST);
  expect(bannerFor({ CURRENT_API_URL: SERVICE })).not.toMatch(LOST);
  expect(bannerFor({ DATA_DIR: 'off' })).not.toMatch(LOST);
  const REDIS = { REDIS_URL: 'redis://127.0.0.1', REDIS_SECRET: 'f'.repeat(64) };
  expect(bannerFor({ CURRENT_API_URL: SERVICE, DATA_DIR: 'off', ...REDIS })).not.toMatch(LOST);
});
