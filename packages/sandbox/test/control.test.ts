import { describe, expect, test } from 'vitest';
import { EVENTS } from '../src/control/events.ts';
import { endpoints } from '../src/endpoints.ts';
import { FAULT_FORMS, KINDS_IN_CODE, type FaultForms } from '../src/faults/kinds.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { call, clientOf, movableClock, newPosts, shareSandbox } from './running-sandbox.ts';
import type { HttpCall } from '../../../test/support/http.ts';
import { landmarks } from '../../../test/support/landmarks.ts';
import { sandboxForTest } from '../../../test/support/sandbox.ts';

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
    expect(reply.status).toBe(200);
    expect(reply.headers['content-type']).toContain(type);
    expect(reply.text).toContain('simulates the social publishing service');
    for (const { name, apiKey, accessToken, login, password } of owners)
      for (const shown of [name, apiKey, accessToken, login, password]) expect(reply.text).toContain(shown);
    for (const shown of [oauthApp.clientId, oauthApp.clientSecret, pushUrls.webSocket, url])
      expect(reply.text).toContain(shown);
    for (const { name } of endpoints) expect(reply.text).toContain(name);
    for (const kind of KINDS) expect(reply.text).toContain(kind);
  });

  test('counts the accounts of each surface, shows some of many owners, and says how many more there are', async () => {
    const { url } = await sandboxForTest({ moreOwners: 30 });
    const program = await call(url, { headers: { accept: 'application/json' } });
    expect(program.at('owners.0.accountCounts')).toEqual({ current: 12, legacy: 13 });
    // An id that each surface uses for another account names that of the current one.
    const listed = program.at('owners.0.accounts') as readonly { loginId: number; username: string }[];
    expect(listed.filter(({ loginId }) => loginId === landmarks.impostorId)).toHaveLength(1);
    const page = (await call(url, PAGE)).text.replaceAll(/\s+/g, ' ');
    expect(page).toContain('12 accounts on the current surface and 13 on the legacy surface');
    for (const text of [page, (await call(url)).text]) expect(text).toContain('22 more owners');
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

const JSON_TYPE = { 'content-type': 'application/json' };
const submit = ({ url }: Sandbox, path: 'events' | 'faults', body: unknown) =>
  call(`${url}/sandbox/${path}`, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) });
const makeHappen = (sandbox: Sandbox, event: unknown) => submit(sandbox, 'events', event);
const lastCalls = async ({ url }: Sandbox) => (await call(`${url}/sandbox/calls`)).at('calls');

describe('an account', () => {
  const shared = shareSandbox();

  test.each([
    ['disconnect', 'reconnect', 'isReconnect'],
    ['pause', 'resume', 'isPaused'],
    ['lock', 'unlock', 'isLocked'],
    ['block', 'unblock', 'isBlocked'],
  ])('changes by %s, and changes back by %s', async (kind, opposite, flag) => {
    const { get } = clientOf(shared());
    const flagNow = async () => (await get('/accounts/view/410202')).at(`response.${flag}`);
    const reply = await makeHappen(shared(), { kind, loginId: 410_202 });
    expect([reply.status, reply.at('owner'), reply.at('loginId')]).toEqual([200, 'harbour', 410_202]);
    expect(reply.at('message')).toMatch(/^kelpgate\.roasters (?:is|has) .*\.$/);
    expect(await flagNow()).toBe(true);
    expect((await makeHappen(shared(), { kind, loginId: 410_202 })).status).toBe(200);
    await makeHappen(shared(), { kind: opposite, loginId: 410_202 });
    expect(await flagNow()).toBe(false);
  });

  test('that is disconnected shows when and why, and its group shows it as well', async () => {
    const sandbox = await sandboxForTest({ now: () => Date.parse('2026-11-20T08:00:00Z') });
    const { get } = clientOf(sandbox);
    await makeHappen(sandbox, { kind: 'disconnect' });
    const reason = { accountReconnectType: 'TOKEN_EXPIRED', lastDisconnectOn: '2026-11-20T08:00:00.000Z' };
    expect((await get('/accounts/view/410201')).at('response')).toMatchObject(reason);
    expect((await get('/group/list')).at('response.list.0.accounts.0.isReconnect')).toBe(true);
  });

  test('or a post is chosen by the sandbox if none is given, as long as there is one', async () => {
    const sandbox = await sandboxForTest();
    const kept = async (kind: string) => (await makeHappen(sandbox, { kind })).at('loginId');
    const chosen = [await kept('disconnect'), await kept('pause'), await kept('reconnect')];
    expect(chosen).toEqual([410_201, 410_202, 410_201]);
    expect((await makeHappen(sandbox, { kind: 'pause', owner: 'fernlight' })).at('owner')).toBe('fernlight');
    await makeHappen(sandbox, { kind: 'unlock' });
    sandbox.state.owner('harbour').drainQueue(100);
    for (const [kind, field] of Object.entries({ unlock: 'loginId', publish: 'postId', fail: 'postId' })) {
      const none = await makeHappen(sandbox, { kind });
      expect([none.status, none.at('field')]).toEqual([409, field]);
    }
  });
});

describe('a queued post', () => {
  test('is published, or fails and stays, the next one or a given one', async () => {
    const sandbox = await sandboxForTest();
    const queue = async () => (await clientOf(sandbox).get('/posts/queued?limit=100')).pluck('postId');
    const [first, second, third, fourth] = await queue();

    const failed = await makeHappen(sandbox, { kind: 'fail', error: 'Too long for the network.' });
    expect(failed.at('postId')).toBe(first);
    expect((await makeHappen(sandbox, { kind: 'publish' })).at('postId')).toBe(second);
    expect((await makeHappen(sandbox, { kind: 'publish', postId: fourth })).at('postId')).toBe(fourth);
    expect((await makeHappen(sandbox, { kind: 'fail' })).at('postId')).toBe(third);

    expect((await queue()).slice(0, 2)).toEqual([first, third]);
    const reasons = (await clientOf(sandbox).get('/posts/queued')).pluck('errorMsg');
    expect(reasons.slice(0, 2)).toEqual(['Too long for the network.', 'The network rejected the post.']);
    expect(sandbox.state.owner('harbour').published.map(({ postId }) => postId)).toEqual([second, fourth]);
  });

  test('of an account that cannot publish is passed over, but can be named', async () => {
    const sandbox = await sandboxForTest();
    const [first, second] = sandbox.state.owner('harbour').queue;
    await makeHappen(sandbox, { kind: 'disconnect', loginId: first?.account.loginId });
    expect((await makeHappen(sandbox, { kind: 'fail' })).at('postId')).toBe(second?.postId);
    const next = await makeHappen(sandbox, { kind: 'publish' });
    expect(next.at('postId')).not.toBe(first?.postId);
    const named = await makeHappen(sandbox, { kind: 'publish', postId: first?.postId });
    expect(named.at('postId')).toBe(first?.postId);
  });
});

test('time passes for everything in the sandbox: due posts leave, slow texts arrive', async () => {
  const clock = movableClock();
  const sandbox = await sandboxForTest({ now: clock.now, slowAiDelayMs: 3_000_000 });
  const { get, post } = clientOf(sandbox);
  await post('/openai/response', { content: 'slowly', tone: 'Warm' });
  const texts = async () => (await get('/openai/historyList')).at('response.totalRecords');
  expect(await texts()).toBe(12);
  await makeHappen(sandbox, { kind: 'advance', minutes: 49 });
  expect(await texts()).toBe(12);

  const passed = await makeHappen(sandbox, { kind: 'advance', minutes: 600 });
  expect(passed.at()).toMatchObject({ kind: 'advance', at: '2026-11-20T18:49:00.000Z' });
  expect(passed.at('owner')).toBeUndefined();
  await expect.poll(texts).toBe(13);
  const { queue, published } = sandbox.state.owner('harbour');
  const theirs = sandbox.state.owner('fernlight').published;
  expect(published.length).toBeGreaterThan(0);
  expect(passed.at('publishedPosts')).toBe(published.length + theirs.length);
  expect(queue.length + published.length).toBe(25);
});

test('the answer to the next post is lost once, and the post is in the queue', async () => {
  const sandbox = await sandboxForTest();
  const planned = await makeHappen(sandbox, { kind: 'lose-answer' });
  expect(planned.at()).toMatchObject({ endpoint: 'POST /posts/create', owner: 'harbour', faultId: 1 });
  const { get, post } = clientOf(sandbox);
  await expect(post('/posts/create', newPosts())).rejects.toThrow();
  expect((await get('/posts/queued?limit=100')).text).toContain('Fresh from the roaster');
  expect((await post('/posts/create', newPosts())).status).toBe(200);

  await makeHappen(sandbox, { kind: 'lose-answer', endpoint: '*', owner: 'fernlight' });
  expect((await get('/group/list')).status).toBe(200);
  await expect(clientOf(sandbox, 1).get('/group/list')).rejects.toThrow();

  // It carries no credential, and so belongs to no owner.
  await makeHappen(sandbox, { kind: 'lose-answer', endpoint: 'POST /oauth/accesstoken' });
  await expect(call(`${sandbox.url}/oauth/accesstoken`, { method: 'POST' })).rejects.toThrow();
});

test('the last calls are listed, newest first, with their status or the fault that they met', async () => {
  const sandbox = await sandboxForTest({ now: () => Date.parse('2026-11-20T08:00:00Z') });
  sandbox.faults.add({ endpoint: 'GET /library/list', kind: 'reset-before-headers' });
  const { get } = clientOf(sandbox);
  await get('/accounts/list?limit=1');
  await get('/library/list').catch(() => undefined);
  await get('/nowhere');
  const at = '2026-11-20T08:00:00.000Z';
  expect(await lastCalls(sandbox)).toEqual([
    { at, owner: 'harbour', call: 'GET /nowhere', status: 404, fault: null },
    { at, owner: 'harbour', call: 'GET /library/list', status: null, fault: 'reset-before-headers' },
    { at, owner: 'harbour', call: 'GET /accounts/list', status: 200, fault: null },
  ]);
  for (let time = 0; time < 40; time += 1) await get('/group/list');
  expect(await lastCalls(sandbox)).toHaveLength(30);
});

test('every event can be made to happen in code, by its kind alone, and is described in a sentence', async () => {
  for (const kind of Object.keys(EVENTS))
    expect((await sandboxForTest()).makeHappen({ kind })).toMatch(
      /^(?!.* (must be|is not acceptable)).+ .+\.$/,
    );
  const sandbox = await sandboxForTest();
  expect(sandbox.makeHappen({ kind: 'unlock', loginId: 1 })).toContain('loginId must be');
  expect(sandbox.makeHappen({ kind: 'nothing' })).toContain('kind is not acceptable');
});

const LIST = 'GET /accounts/list';

const faultsAt = ({ url }: Sandbox, options?: HttpCall, path = '') =>
  call(`${url}/sandbox/faults${path}`, options);
const plan = (sandbox: Sandbox, fault: unknown) => submit(sandbox, 'faults', fault);

test('a fault that is planned over HTTP strikes as it says, and the list shows it, until it is removed', async () => {
  const sandbox = await sandboxForTest();
  const theirs = clientOf(sandbox, 1);
  const target = { endpoint: LIST, owner: 'fernlight' };
  const planned = await plan(sandbox, { ...target, kind: 'status', status: 503, times: 2, skip: 1 });
  expect([planned.status, planned.at()]).toMatchObject([201, { id: 1, ...target, hits: 0, remaining: 2 }]);
  expect((await clientOf(sandbox).get('/accounts/list')).status).toBe(200);
  const statuses: number[] = [];
  for (let time = 0; time < 4; time += 1) statuses.push((await theirs.get('/accounts/list')).status);
  expect(statuses).toEqual([200, 503, 503, 200]);
  expect((await faultsAt(sandbox)).at('faults.0')).toMatchObject({ id: 1, hits: 2, remaining: 0 });

  const always = await plan(sandbox, { endpoint: '*', kind: 'status', status: 401, times: 'always' });
  expect(always.at('remaining')).toBe('always');
  for (const path of ['/group/list', '/group/list']) expect((await theirs.get(path)).status).toBe(401);
  expect((await faultsAt(sandbox, { method: 'DELETE' }, '/2')).at()).toEqual({ removed: 1 });
  expect((await theirs.get('/group/list')).status).toBe(200);
  expect((await faultsAt(sandbox, { method: 'DELETE' }, '/2')).status).toBe(404);
});

/** Values of the fields of each kind that can be planned over HTTP. */
const EXAMPLES: Readonly<Record<keyof FaultForms, object>> = {
  status: { status: 429, headers: { 'retry-after': '2' } },
  'empty-body': {},
  redirect: { location: 'http://127.0.0.1:9/elsewhere' },
  delay: { ms: 3_000 },
  'never-answer': {},
  dribble: { intervalMs: 5 },
  'reset-before-headers': {},
  'reset-in-body': {},
  'cut-body': { framing: 'content-length' },
  'malformed-json': {},
  'content-type': { contentType: 'text/html' },
  'huge-body': { bytes: 50_000_000 },
  gzip: {},
};

test.each(Object.entries(EXAMPLES))('the kind %s is accepted with %j', async (kind, fields) => {
  const sandbox = await sandboxForTest();
  const planned = await plan(sandbox, { endpoint: '*', kind, ...fields });
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
  type Refused = readonly [input: unknown, field: string, message: RegExp];

  const EVENT: readonly Refused[] = [
    [null, 'body', /expected object, received null/],
    [{}, 'kind', /one of disconnect, .*lose-answer\.$/],
    [{ kind: 'toString' }, 'kind', /one of disconnect, .*lose-answer\.$/],
    [{ kind: 'pause', owner: 'nobody' }, 'owner', /one of "harbour"\|"fernlight"$/],
    [{ kind: 'pause', loginId: '410201' }, 'loginId', /expected number, received string/],
    [{ kind: 'pause', loginId: 1 }, 'loginId', /not 1\.$/],
    [{ kind: 'pause', loginId: 410_201, owner: 'fernlight' }, 'loginId', /of the owner.*not 410201/],
    [{ kind: 'pause', account: 410_201 }, 'account', /Unrecognized key: "account"/],
    [{ kind: 'publish', postId: 7 }, 'postId', /expected string, received number/],
    [{ kind: 'fail', postId: 'gone' }, 'postId', /not "gone"/],
    [{ kind: 'fail', error: null }, 'error', /expected string, received null/],
    [{ kind: 'advance', minutes: 0 }, 'minutes', />=1$/],
    [{ kind: 'advance', owner: 'harbour' }, 'owner', /Unrecognized key: "owner"/],
    [{ kind: 'lose-answer', endpoint: '/posts/create' }, 'endpoint', /GET \/ lists all of them/],
  ];
  const FAULT: readonly Refused[] = [
    [[], 'body', /expected object, received array/],
    [{}, 'kind', /one of status, .*gzip\.$/],
    ...KINDS_IN_CODE.map((kind) => [{ ...status, kind }, 'kind', /sandbox\.faults\.add/] as const),
    [{ kind: 'status', status: 500 }, 'endpoint', /"GET \/accounts\/list"/],
    [{ ...status, endpoint: '/accounts/list' }, 'endpoint', /GET \/ lists all of them/],
    [{ ...status, times: 0 }, 'times', />=1$/],
    [{ ...status, skip: -1 }, 'skip', />=0$/],
    [{ ...status, effect: 'some' }, 'effect', /"done"\|"none"$/],
    [{ ...status, sttaus: 500 }, 'sttaus', /Unrecognized key: "sttaus"/],
    [{ ...status, status: '500' }, 'status', /expected number, received string/],
    [{ ...status, headers: { 'retry after': '1' } }, 'headers', /header names/],
    [{ ...status, headers: { 'retry-after': 1 } }, 'headers', /header names/],
    [{ ...status, headers: { 'x-any': 'a\r\nb' } }, 'headers', /header names/],
    [{ endpoint: LIST, kind: 'delay' }, 'ms', /expected number, received undefined/],
    [{ endpoint: LIST, kind: 'delay', ms: null }, 'ms', /expected number, received null/],
    [{ endpoint: LIST, kind: 'cut-body', framing: 'half' }, 'framing', /"content-length"\|"chunked"/],
    [{ endpoint: LIST, kind: 'dribble', intervalMs: 0 }, 'intervalMs', />=1$/],
    [{ endpoint: LIST, kind: 'redirect', location: 'a\nb' }, 'location', /header/],
    [{ endpoint: LIST, kind: 'gzip', inflatedBytes: 1e12 }, 'inflatedBytes', /<=268435456$/],
    [{ endpoint: LIST, kind: 'content-type' }, 'contentType', /or null for none/],
  ];

  test.each([
    ...EVENT.map((row) => ['events', ...row] as const),
    ...FAULT.map((row) => ['faults', ...row] as const),
  ])('of %s, %j: %s', async (path, input, field, message) => {
    const reply = await submit(shared(), path, input);
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
    for (const path of ['events', 'faults']) {
      const headers = { 'content-type': type };
      const reply = await call(`${shared().url}/sandbox/${path}`, { method: 'POST', headers, body });
      expect([reply.status, reply.at('field')]).toEqual([400, field]);
    }
  });

  test.each([
    ['PUT', 'faults', 'GET, POST, DELETE'],
    ['GET', 'faults/1', 'DELETE'],
    ['OPTIONS', 'faults', 'GET, POST, DELETE'],
    ['OPTIONS', 'events', 'POST'],
    ['POST', 'calls', 'GET'],
    ['POST', 'overview.js', 'GET, HEAD'],
  ] as const)('%s of %s, and nothing is granted to another origin', async (method, path, allow) => {
    const headers = { origin: 'http://evil.example', 'access-control-request-method': 'DELETE' };
    const reply = await call(`${shared().url}/sandbox/${path}`, { method, headers });
    expect([reply.status, reply.headers['allow']]).toEqual([405, allow]);
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

test('the request log waits with a deadline, and keeps paths as they were sent', async () => {
  const { url, requests } = await sandboxForTest();
  const headers = { 'x-api-key': 'demo-key-harbour' };
  const waiting = requests.waitFor('GET /accounts/view/{loginId}', 1);
  await call(`${url}/accounts/view/%2e%2e%2Fpayment?a=1&a=2`, { headers });
  expect(await waiting).toMatchObject([{ path: '/accounts/view/%2e%2e%2Fpayment', owner: 'harbour' }]);
  expect(requests.all[0]?.query.getAll('a')).toEqual(['1', '2']);
  await expect(requests.waitFor(LIST, 3, 20)).rejects.toThrow(`${LIST}: 0 of 3 requests after 20 ms`);
});
