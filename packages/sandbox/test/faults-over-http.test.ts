import { describe, expect, test } from 'vitest';
import { FAULT_FORMS, KINDS_IN_CODE } from '../src/faults/kinds.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { call, clientOf, sandboxForTest, shareSandbox } from './running-sandbox.ts';
import type { CallOptions } from './running-sandbox.ts';

const LIST = 'GET /accounts/list';
const JSON_TYPE = { 'content-type': 'application/json' };

const faultsAt = ({ url }: Sandbox, options?: CallOptions, path = '') =>
  call(`${url}/sandbox/faults${path}`, options);
const plan = (sandbox: Sandbox, fault: unknown) =>
  faultsAt(sandbox, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(fault) });

test('a fault that is planned over HTTP strikes as often as it says, and the list shows it', async () => {
  const sandbox = await sandboxForTest();
  const { get } = clientOf(sandbox);
  const planned = await plan(sandbox, { endpoint: LIST, kind: 'status', status: 503, times: 2, skip: 1 });
  expect(planned.status).toBe(201);
  expect(planned.at()).toMatchObject({ id: 1, endpoint: LIST, status: 503, hits: 0, remaining: 2 });
  const statuses: number[] = [];
  for (let time = 0; time < 4; time += 1) statuses.push((await get('/accounts/list')).status);
  expect(statuses).toEqual([200, 503, 503, 200]);
  expect((await faultsAt(sandbox)).at('faults.0')).toMatchObject({ id: 1, hits: 2, remaining: 0 });
});

test('a fault for one owner strikes that owner, for ever, until it is removed', async () => {
  const sandbox = await sandboxForTest();
  const theirs = clientOf(sandbox, 1);
  const fault = { endpoint: '*', owner: 'fernlight', kind: 'status', status: 401, times: 'always' };
  expect((await plan(sandbox, fault)).at('remaining')).toBe('always');
  expect((await clientOf(sandbox).get('/group/list')).status).toBe(200);
  for (const path of ['/group/list', '/accounts/list', '/group/list'])
    expect((await theirs.get(path)).status).toBe(401);
  expect((await faultsAt(sandbox, { method: 'DELETE' }, '/1')).at()).toEqual({ removed: 1 });
  expect((await theirs.get('/group/list')).status).toBe(200);
  expect((await faultsAt(sandbox, { method: 'DELETE' }, '/1')).status).toBe(404);
});

test('all faults can be removed at once, those planned in code included', async () => {
  const sandbox = await sandboxForTest();
  sandbox.faults.add({ endpoint: LIST, kind: 'raw', write: (_req, res) => void res.writeHead(299).end() });
  await plan(sandbox, { endpoint: LIST, kind: 'never-answer' });
  expect((await faultsAt(sandbox)).at('faults.0')).toMatchObject({ kind: 'raw' });
  expect((await faultsAt(sandbox, { method: 'DELETE' })).at()).toEqual({ removed: 2 });
  expect((await faultsAt(sandbox)).at()).toEqual({ faults: [] });
  expect((await clientOf(sandbox).get('/accounts/list')).status).toBe(200);
});

test.each(Object.entries(FAULT_FORMS))('the kind %s is accepted as in its example', async (kind, form) => {
  const sandbox = await sandboxForTest();
  const planned = await plan(sandbox, { endpoint: '*', kind, ...form.example });
  expect([planned.status, planned.at('kind')]).toEqual([201, kind]);
  const answer = clientOf(sandbox)
    .get('/accounts/list')
    .catch(() => undefined);
  await sandbox.requests.waitFor(LIST, 1);
  await expect.poll(async () => (await faultsAt(sandbox)).at('faults.0.hits')).toBe(1);
  await sandbox.close();
  await answer;
});

describe('wrong input is refused, and the field is named', () => {
  const shared = shareSandbox();
  const status = { endpoint: LIST, kind: 'status', status: 500 };

  test.each<readonly [fault: unknown, field: string, message: RegExp]>([
    [[], 'body', /must be a JSON object/],
    [{}, 'kind', /must be one of status, .*gzip; it is missing\.$/],
    [{ ...status, kind: 'statuz' }, 'kind', /not "statuz"\.$/],
    ...KINDS_IN_CODE.map((kind) => [{ ...status, kind }, 'kind', /sandbox\.faults\.add/] as const),
    [{ kind: 'status', status: 500 }, 'endpoint', /"GET \/accounts\/list".*it is missing/],
    [{ ...status, endpoint: '/accounts/list' }, 'endpoint', /GET \/ lists all of them/],
    [{ ...status, owner: 'nobody' }, 'owner', /must be "harbour" or "fernlight", not "nobody"/],
    [{ ...status, times: 0 }, 'times', /of at least 1, or "always", not 0/],
    [{ ...status, times: 'ever' }, 'times', /not "ever"/],
    [{ ...status, skip: -1 }, 'skip', /of at least 0, not -1/],
    [{ ...status, effect: 'some' }, 'effect', /"done" or "none"/],
    [{ ...status, sttaus: 500 }, 'sttaus', /is not a field of the kind status, which takes .*headers, body/],
    [{ ...status, status: '500' }, 'status', /a whole number from 200 to 599, not "500"/],
    [{ ...status, status: 99 }, 'status', /not 99/],
    [{ ...status, headers: { 'retry after': '1' } }, 'headers', /header names/],
    [{ ...status, headers: { 'retry-after': 1 } }, 'headers', /header names/],
    [{ ...status, headers: { 'x-any': 'a\r\nb' } }, 'headers', /header names/],
    [{ endpoint: LIST, kind: 'delay' }, 'ms', /it is missing/],
    [{ endpoint: LIST, kind: 'delay', ms: 1.5 }, 'ms', /whole number/],
    [{ endpoint: LIST, kind: 'delay', ms: null }, 'ms', /not null/],
    [{ endpoint: LIST, kind: 'cut-body', framing: 'half' }, 'framing', /"content-length" or "chunked"/],
    [{ endpoint: LIST, kind: 'dribble', intervalMs: 0 }, 'intervalMs', /from 1 to/],
    [{ endpoint: LIST, kind: 'redirect', location: 'a\nb' }, 'location', /header/],
    [{ endpoint: LIST, kind: 'gzip', inflatedBytes: 1e12 }, 'inflatedBytes', /to 268435456/],
    [{ endpoint: LIST, kind: 'content-type' }, 'contentType', /or null for none; it is missing/],
  ])('%j: %s', async (fault, field, message) => {
    const reply = await plan(shared(), fault);
    expect([reply.status, reply.at('field')]).toEqual([400, field]);
    expect(reply.at('message')).toMatch(new RegExp(`^${field} `));
    expect(reply.at('message')).toMatch(message);
    expect((await faultsAt(shared())).at()).toEqual({ faults: [] });
  });

  test.each([
    ['text/plain', '{}', 'content-type'],
    ['application/x-www-form-urlencoded', '{}', 'content-type'],
    ['application/json', '{"endpoint":', 'body'],
    ['application/json', '', 'body'],
  ])('a body of %s that reads %s: %s', async (type, body, field) => {
    const reply = await faultsAt(shared(), { method: 'POST', headers: { 'content-type': type }, body });
    expect([reply.status, reply.at('field')]).toEqual([400, field]);
  });

  test('another method', async () => {
    const reply = await faultsAt(shared(), { method: 'PUT', headers: JSON_TYPE, body: '{}' });
    expect([reply.status, reply.headers['allow']]).toEqual([405, 'GET, POST, DELETE']);
    const one = await faultsAt(shared(), {}, '/1');
    expect([one.status, one.headers['allow']]).toEqual([405, 'DELETE']);
  });
});

test('no other origin is granted anything', async () => {
  const sandbox = await sandboxForTest();
  const origin = { origin: 'http://evil.example', 'access-control-request-method': 'DELETE' };
  const reply = await faultsAt(sandbox, { method: 'OPTIONS', headers: origin });
  expect(reply.status).toBe(405);
  expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
});
