import { describe, expect, test } from 'vitest';
import type { LoggedRequest } from '../../packages/sandbox/src/request-log.ts';
import { operationsOfEveryKind } from '../support/every-kind.ts';
import { oauthEnvironment } from '../support/consent.ts';
import { cases } from '../support/depth.ts';
import { startGraph } from '../support/graph.ts';

const OPERATIONS = cases(66, 10_000);
const AT_ONCE = 20;
/** All calls of the interface but the one that is an address for a browser. */
const CALLS = 21;

/** What a request to each surface may carry, and nothing else. */
const ALLOWED = {
  current: ['accept', 'accept-encoding', 'connection', 'content-length', 'content-type', 'host', 'x-api-key'],
  legacy: [
    'accept',
    'accept-encoding',
    'authorization',
    'connection',
    'content-length',
    'content-type',
    'host',
  ],
} as const;

/** What a caller may send along in the hope that it gets through. */
const SMUGGLED = {
  cookie: 'session=canary-cookie',
  'x-forwarded-for': '10.0.0.1',
  'x-real-ip': '10.0.0.1',
  forwarded: 'for=10.0.0.1;host=evil.example',
  'x-forwarded-host': 'evil.example',
  'x-api-secret': 'canary-secret',
  'proxy-authorization': 'Basic canary',
  'user-agent': 'canary-agent',
  referer: 'https://canary.example/',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'x-request-id': 'canary-request',
  origin: 'http://127.0.0.1',
};

const surfaceOf = ({ path }: LoggedRequest): 'current' | 'legacy' =>
  path.startsWith('/oauth/') ? 'legacy' : 'current';

/** The headers of a request that its surface is not to see, or sees twice. */
function foreignHeaders(request: LoggedRequest): string[] {
  const names = request.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const allowed: readonly string[] = ALLOWED[surfaceOf(request)];
  return names.filter((name, index) => !allowed.includes(name) || names.indexOf(name) !== index);
}

test('a header that was passed on would be noticed', async () => {
  const { sandbox, caller } = await startGraph();
  await fetch(`${sandbox.url}/accounts/list`, { headers: { ...caller.both, ...SMUGGLED } });
  const [request] = sandbox.requests.all;
  if (!request) throw new Error('no request');
  expect(foreignHeaders(request)).toEqual(expect.arrayContaining(['authorization', 'cookie', 'traceparent']));
});

describe('operations of every kind with both credentials', () => {
  test('send each surface its own credential and never the other’s, and no header that a caller chose', async () => {
    const graph = await startGraph({
      environment: { ...oauthEnvironment(), ALLOWED_ORIGINS: 'http://127.0.0.1' },
    });
    const [{ apiKey, accessToken }] = graph.sandbox.owners;
    const kinds = operationsOfEveryKind(graph.sandbox);
    for (let done = 0; done < OPERATIONS; done += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, n) => {
          const kind = kinds[(done + n) % kinds.length];
          if (kind)
            await graph.query(kind.query, {
              variables: kind.variables,
              headers: { ...graph.caller.both, ...SMUGGLED },
            });
        }),
      );
    const { all } = graph.sandbox.requests;
    expect(new Set(all.map(({ endpoint }) => endpoint)).size).toBe(CALLS);
    expect(new Set(all.map(surfaceOf))).toEqual(new Set(['current', 'legacy']));
    for (const request of all) {
      const surface = surfaceOf(request);
      const isExchange = request.path === '/oauth/accesstoken';
      expect(foreignHeaders(request)).toEqual([]);
      expect(request.headers['x-api-key']).toBe(surface === 'current' ? apiKey : undefined);
      expect(request.headers.authorization).toBe(
        surface === 'legacy' && !isExchange ? `Bearer ${accessToken}` : undefined,
      );
      const rest = `${request.path}?${request.query} ${request.body}`;
      expect(rest).not.toContain(apiKey);
      expect(rest).not.toContain(accessToken);
      expect(rest + request.rawHeaders.join()).not.toContain('canary');
    }
  });
});
