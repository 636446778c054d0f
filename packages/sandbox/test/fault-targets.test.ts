import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import type { FaultKind } from '../src/faults/fault.ts';
import { clientOf, sandboxForTest } from './running-sandbox.ts';

const LIST = 'GET /accounts/list';
const TOGGLE = 'GET /oauth/account/status/:id';

describe('the target of a fault', () => {
  test('is the next request, so many of them, after so many', async () => {
    const sandbox = await sandboxForTest();
    const fault = sandbox.faults.add({ endpoint: LIST, kind: 'status', status: 500, times: 2, skip: 1 });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1)
      statuses.push((await clientOf(sandbox).get('/accounts/list')).status);
    expect(statuses).toEqual([200, 500, 500, 200]);
    expect([fault.hits, fault.remaining]).toEqual([2, 0]);
  });

  test('can be one owner, every call, and for ever', async () => {
    const sandbox = await sandboxForTest();
    const target = { endpoint: '*', owner: 'fernlight', times: Number.POSITIVE_INFINITY } as const;
    const fault = sandbox.faults.add({ ...target, kind: 'status', status: 401 });
    const theirs = clientOf(sandbox, 1);
    expect((await clientOf(sandbox).get('/accounts/list')).status).toBe(200);
    expect((await theirs.get('/group/list')).status).toBe(401);
    expect((await theirs.legacyGet('/oauth/groups')).status).toBe(401);
    fault.remove();
    expect((await theirs.get('/group/list')).status).toBe(200);
  });

  test('is no caller without a credential, where it is one owner', async () => {
    const sandbox = await sandboxForTest();
    const fault = sandbox.faults.add({ endpoint: '*', owner: 'fernlight', kind: 'status', status: 500 });
    const { statusCode, body } = await request(`${sandbox.url}/accounts/list`);
    await body.dump();
    expect([statusCode, fault.hits]).toEqual([401, 0]);
  });

  test('is a call by its template, whatever the id', async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ endpoint: 'GET /accounts/view/{loginId}', kind: 'status', status: 500 });
    expect((await clientOf(sandbox).get('/accounts/view/410202')).status).toBe(500);
  });

  test('can be cleared', async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ endpoint: LIST, kind: 'status', status: 500 });
    sandbox.faults.clear();
    expect((await clientOf(sandbox).get('/accounts/list')).status).toBe(200);
  });
});

describe('the effect of a struck call', () => {
  const failures: FaultKind[] = [
    { kind: 'status', status: 503 },
    { kind: 'reset-before-headers' },
    { kind: 'reset-in-body' },
    { kind: 'cut-body', framing: 'chunked' },
    { kind: 'malformed-json' },
    { kind: 'empty-body' },
  ];

  test.each(failures)('is absent for $kind unless it is asked for', async (kind) => {
    const sandbox = await sandboxForTest();
    const { legacyGet } = clientOf(sandbox);
    const toggles = () => sandbox.state.owner('harbour').toggles(410_201);
    sandbox.faults.add({ endpoint: TOGGLE, ...kind });
    await legacyGet('/oauth/account/status/410201').catch(() => undefined);
    expect(toggles()).toBe(0);
    sandbox.faults.add({ endpoint: TOGGLE, ...kind, effect: 'done' });
    await legacyGet('/oauth/account/status/410201').catch(() => undefined);
    expect(toggles()).toBe(1);
    expect(sandbox.requests.count(TOGGLE)).toBe(2);
  });

  test('is there for disguises, which carry the true answer', async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ endpoint: TOGGLE, kind: 'content-type', contentType: 'text/plain' });
    const reply = await clientOf(sandbox).legacyGet('/oauth/account/status/410201');
    expect(reply.at()).toEqual({ error: 0, data: { new_status: 'Paused' } });
  });

  test('comes after a delay when asked so, and not at all when the caller has gone', async () => {
    const sandbox = await sandboxForTest();
    const toggles = () => sandbox.state.owner('harbour').toggles(410_201);
    const path = '/oauth/account/status/410201';
    sandbox.faults.add({ endpoint: TOGGLE, kind: 'delay', ms: 30, effect: 'none' });
    const late = clientOf(sandbox).legacyGet(path);
    await sandbox.requests.waitFor(TOGGLE, 1);
    expect(toggles()).toBe(0);
    await late;
    expect(toggles()).toBe(1);
    sandbox.faults.add({ endpoint: TOGGLE, kind: 'delay', ms: 3_600_000, effect: 'none' });
    const headers = { authorization: 'Bearer demo-token-harbour' };
    const caller = new AbortController();
    const left = expect(request(sandbox.url + path, { headers, signal: caller.signal })).rejects.toThrow();
    await sandbox.requests.waitFor(TOGGLE, 2);
    caller.abort();
    await left;
    await expect.poll(() => sandbox.requests.open).toBe(0);
    expect(toggles()).toBe(1);
  });
});
