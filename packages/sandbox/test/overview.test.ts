import { describe, expect, test } from 'vitest';
import { EVENTS } from '../src/control/events.ts';
import { endpoints } from '../src/endpoints.ts';
import { FAULT_FORMS } from '../src/faults/kinds.ts';
import { call, clientOf, sandboxForTest, shareSandbox } from './running-sandbox.ts';

const KINDS = [...Object.keys(FAULT_FORMS), ...Object.keys(EVENTS)];
const PAGE = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

describe('the address of the sandbox', () => {
  const shared = shareSandbox();

  test.each([
    ['a page, for browsers', PAGE, 'text/html; charset=utf-8'],
    ['JSON, for programs that ask for it', { headers: { accept: 'application/json' } }, 'application/json'],
    ['text, for curl', { headers: { accept: '*/*' } }, 'text/plain; charset=utf-8'],
  ])('shows what it is, its credentials, calls, events and faults: %s', async (_, options, type) => {
    const { url, owners, oauthApp, pushUrls } = shared();
    const reply = await call(`${url}/`, options);
    expect([reply.status, String(reply.headers['content-type'])]).toEqual([
      200,
      expect.stringContaining(type),
    ]);
    expect(reply.text).toContain('simulates the social publishing service');
    for (const { name, apiKey, accessToken, login, password } of owners)
      for (const shown of [name, apiKey, accessToken, login, password]) expect(reply.text).toContain(shown);
    for (const shown of [oauthApp.clientId, oauthApp.clientSecret, pushUrls.webSocket, url])
      expect(reply.text).toContain(shown);
    for (const { name } of endpoints) expect(reply.text).toContain(name);
    for (const kind of KINDS) expect(reply.text).toContain(kind);
  });

  test('loads its own script and nothing else, and has no script in itself', async () => {
    const { url } = shared();
    const reply = await call(url, PAGE);
    expect(reply.headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(reply.text).not.toMatch(/<link|<img|@import|url\(|\son\w+=|javascript:/i);
    const scripts = [...reply.text.matchAll(/<script\b[^>]*>(.*?)<\/script>/gs)];
    expect(scripts.map(([, inline]) => inline)).toEqual(['']);
    const path = / src="([^"]+)"/.exec(scripts[0]?.[0] ?? '')?.[1];
    const script = await call(`${url}${path}`);
    expect([script.status, script.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(reply.text).toContain('prefers-color-scheme: dark');
  });

  test('is not a call of the service: no fault strikes it, and it is not logged', async () => {
    const { url, faults, requests } = shared();
    faults.add({ endpoint: '*', kind: 'status', status: 500, times: Number.POSITIVE_INFINITY });
    expect((await call(url)).status).toBe(200);
    expect(requests.count()).toBe(0);
    expect((await clientOf(shared()).get('/accounts/list')).status).toBe(500);
    expect(requests.count()).toBe(1);
  });

  test('takes no other method', async () => {
    const reply = await call(shared().url, { method: 'POST', body: '{}' });
    expect([reply.status, reply.headers['allow']]).toEqual([405, 'GET, HEAD']);
    expect((await call(shared().url, { method: 'HEAD' })).text).toBe('');
  });
});

test('the number of accounts is that of each surface', async () => {
  const { url } = await sandboxForTest();
  const program = await call(url, { headers: { accept: 'application/json' } });
  expect(program.at('owners.0.accountCounts')).toEqual({ current: 12, legacy: 13 });
  expect((await call(url, PAGE)).text.replaceAll(/\s+/g, ' ')).toContain(
    '12 accounts on the current surface and 13 on the legacy surface',
  );
});

test('of many owners it shows some, and says how many more there are', async () => {
  const { url } = await sandboxForTest({ moreOwners: 30 });
  for (const accept of ['text/html', 'text/plain'])
    expect((await call(url, { headers: { accept } })).text).toContain('22 more owners');
});
