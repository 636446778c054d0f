import { describe, expect, test } from 'vitest';
import { EVENTS } from '../src/control/events.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { call, clientOf, movableClock, newPosts, sandboxForTest, shareSandbox } from './running-sandbox.ts';

const makeHappen = ({ url }: Sandbox, event: unknown, type = 'application/json') =>
  call(`${url}/sandbox/events`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: JSON.stringify(event),
  });
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
    const detail = await get('/accounts/view/410201');
    expect(detail.at('response')).toMatchObject({
      accountReconnectType: 'TOKEN_EXPIRED',
      lastDisconnectOn: '2026-11-20T08:00:00.000Z',
    });
    expect((await get('/group/list')).at('response.list.0.accounts.0.isReconnect')).toBe(true);
  });

  test('is chosen by the sandbox if none is given, as long as there is one', async () => {
    const sandbox = await sandboxForTest();
    const kept = async (kind: string) => (await makeHappen(sandbox, { kind })).at('loginId');
    expect([await kept('disconnect'), await kept('pause'), await kept('reconnect')]).toEqual([
      410_201, 410_202, 410_201,
    ]);
    await makeHappen(sandbox, { kind: 'unlock' });
    const none = await makeHappen(sandbox, { kind: 'unlock' });
    expect([none.status, none.at('field')]).toEqual([409, 'loginId']);
  });

  test('of another owner, and of the legacy surface alone, can be named', async () => {
    const sandbox = await sandboxForTest();
    const theirs = await makeHappen(sandbox, { kind: 'pause', owner: 'fernlight' });
    expect(theirs.at('owner')).toBe('fernlight');
    expect((await makeHappen(sandbox, { kind: 'pause', loginId: 410_213 })).status).toBe(200);
    const legacy = (await clientOf(sandbox).legacyGet('/oauth/accounts')).text;
    expect(legacy).toMatch(/"nickname":"Small-batch roasters circle"[^}]*"status":"Paused"/);
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
    const shown = await clientOf(sandbox).get('/posts/queued');
    expect(shown.pluck('errorMsg').slice(0, 2)).toEqual([
      'Too long for the network.',
      'The network rejected the post.',
    ]);
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

  test('is missing if all of them have left, or have an error', async () => {
    const sandbox = await sandboxForTest();
    sandbox.state.owner('harbour').drainQueue(100);
    for (const kind of ['publish', 'fail']) {
      const reply = await makeHappen(sandbox, { kind });
      expect([reply.status, reply.at('field')]).toEqual([409, 'postId']);
    }
  });
});

describe('time', () => {
  test('passes for everything in the sandbox: due posts leave, slow texts arrive', async () => {
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
});

test('the answer to the next post is lost once, and the post is in the queue', async () => {
  const sandbox = await sandboxForTest();
  const planned = await makeHappen(sandbox, { kind: 'lose-answer' });
  expect(planned.at()).toMatchObject({ endpoint: 'POST /posts/create', owner: 'harbour', faultId: 1 });
  const { get, post } = clientOf(sandbox);
  await expect(post('/posts/create', newPosts())).rejects.toThrow();
  expect((await get('/posts/queued?limit=100')).text).toContain('Fresh from the roaster');
  expect((await post('/posts/create', newPosts())).status).toBe(200);

  await makeHappen(sandbox, { kind: 'lose-answer', endpoint: 'GET /group/list', owner: 'fernlight' });
  expect((await get('/group/list')).status).toBe(200);
  await expect(clientOf(sandbox, 1).get('/group/list')).rejects.toThrow();
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

describe('wrong input is refused, and the field is named', () => {
  const shared = shareSandbox();

  test.each<readonly [event: unknown, field: string, message: RegExp]>([
    [null, 'body', /must be a JSON object/],
    [[{ kind: 'pause' }], 'body', /must be a JSON object/],
    [{}, 'kind', /must be one of disconnect, .*lose-answer; it is missing\.$/],
    [{ kind: 'toString' }, 'kind', /not "toString"\.$/],
    [{ kind: 'pause', owner: 'nobody' }, 'owner', /must be "harbour" or "fernlight", not "nobody"/],
    [{ kind: 'pause', loginId: '410201' }, 'loginId', /a whole number, not "410201"/],
    [{ kind: 'pause', loginId: 1 }, 'loginId', /not 1\.$/],
    [{ kind: 'pause', loginId: 410_201, owner: 'fernlight' }, 'loginId', /of the owner.*not 410201/],
    [{ kind: 'pause', account: 410_201 }, 'account', /of the kind pause, which takes owner, loginId/],
    [{ kind: 'publish', postId: 7 }, 'postId', /as text, not 7/],
    [{ kind: 'fail', postId: 'gone' }, 'postId', /not "gone"/],
    [{ kind: 'fail', error: null }, 'error', /must be text, not null/],
    [{ kind: 'advance', minutes: 0 }, 'minutes', /from 1 to 525600, not 0/],
    [{ kind: 'advance', minutes: 1.5 }, 'minutes', /whole number/],
    [{ kind: 'advance', owner: 'harbour' }, 'owner', /which takes minutes\.$/],
    [{ kind: 'lose-answer', endpoint: '/posts/create' }, 'endpoint', /GET \/ lists all of them/],
  ])('%j: %s', async (event, field, message) => {
    const reply = await makeHappen(shared(), event);
    expect([reply.status, reply.at('field')]).toEqual([400, field]);
    expect(reply.at('message')).toMatch(new RegExp(`^${field} `));
    expect(reply.at('message')).toMatch(message);
  });

  test('a page of another origin can send nothing, since it may not send JSON', async () => {
    const asText = await makeHappen(shared(), { kind: 'pause' }, 'text/plain');
    expect([asText.status, asText.at('field')]).toEqual([400, 'content-type']);
    const preflight = await call(`${shared().url}/sandbox/events`, { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers['allow']]).toEqual([405, 'POST']);
    expect(Object.keys(preflight.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

test('every event happens without any field but its kind', async () => {
  for (const kind of Object.keys(EVENTS)) {
    const reply = await makeHappen(await sandboxForTest(), { kind });
    expect([reply.status, reply.at('kind')]).toEqual([200, kind]);
    expect(reply.at('message')).toMatch(/\.$/);
  }
});

test('the same events can be made to happen in code, with a sentence about each', async () => {
  const sandbox = await sandboxForTest();
  expect(sandbox.makeHappen({ kind: 'pause' })).toMatch(/ is paused\.$/);
  expect(sandbox.makeHappen({ kind: 'unlock', loginId: 1 })).toContain('loginId must be');
  expect(sandbox.makeHappen({ kind: 'nothing' })).toContain('kind');
});
