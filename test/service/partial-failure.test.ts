import { setMaxListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { cases } from '../support/depth.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { holdAnswers } from '../support/held-answers.ts';
import { holdClock } from '../support/held-clock.ts';
import { documentOf, legacyAccount, type WritePayload } from '../support/writes.ts';

const BOTH = `{
  current: accounts(surface: CURRENT, first: 1) { totalCount }
  legacy: accounts(surface: LEGACY, first: 1) { totalCount }
}`;
const NOWHERE = 'http://127.0.0.1:1';
const OPERATIONS = cases(30, 1_000);
const AT_ONCE = 10;

/** Answers of so many operations, ten at a time, each as data and errors in one line. */
async function linesOf(graph: RunningGraph, count: number): Promise<Set<string>> {
  const lines = new Set<string>();
  for (let done = 0; done < count; done += AT_ONCE) {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, async () => await graph.query(BOTH)));
    for (const answer of answers) lines.add(`${JSON.stringify(answer.data)} ${errorsOf(answer).join(', ')}`);
  }
  return lines;
}

const ready = async (graph: RunningGraph): Promise<number> => (await fetch(`${graph.url}/ready`)).status;
const alive = async (graph: RunningGraph): Promise<number> => (await fetch(`${graph.url}/health`)).status;

describe.each([
  ['as in these tests', {}],
  ['as in production', { READ_ATTEMPTS: '3', BREAKER_MIN_CALLS: '20' }],
])('with attempts and breaker %s', (_name, guarding) => {
  test('the current surface down leaves the legacy surface’s part of every answer', async () => {
    const graph = await startGraph({ environment: { ...guarding, CURRENT_API_URL: NOWHERE } });
    expect([...(await linesOf(graph, OPERATIONS))]).toEqual([
      '{"current":null,"legacy":{"totalCount":13}} current SURFACE_UNAVAILABLE',
    ]);
  });

  test('the legacy surface down leaves the current surface’s part of every answer', async () => {
    const graph = await startGraph({ environment: { ...guarding, LEGACY_API_URL: NOWHERE } });
    expect([...(await linesOf(graph, OPERATIONS))]).toEqual([
      '{"current":{"totalCount":12},"legacy":null} legacy SURFACE_UNAVAILABLE',
    ]);
  });

  test('both surfaces down leave a server that says so, and is ready', async () => {
    const environment = { ...guarding, CURRENT_API_URL: NOWHERE, LEGACY_API_URL: NOWHERE };
    const graph = await startGraph({ environment });
    expect([...(await linesOf(graph, OPERATIONS))]).toEqual([
      '{"current":null,"legacy":null} current SURFACE_UNAVAILABLE, legacy SURFACE_UNAVAILABLE',
    ]);
    expect([await ready(graph), await alive(graph)]).toEqual([200, 200]);
    expect((await graph.query('{ surfaces { isConfigured } }')).errors).toEqual([]);
  });
});

test('the current surface slow does not keep back what asks the legacy surface alone', async () => {
  const graph = await startGraph();
  const { requests } = graph.sandbox;
  // As many calls as one caller may have open, and more that wait for their turn; none waits for too long.
  holdClock();
  const calls = holdAnswers(graph.sandbox, { endpoint: 'GET /accounts/list', times: 100 });
  const leaving = new AbortController();
  setMaxListeners(0, leaving.signal);
  const slow = Array.from({ length: 20 }, async (_, n) => {
    const body = JSON.stringify({ query: `{ accounts(surface: CURRENT, first: ${n + 1}) { totalCount } }` });
    const headers = { 'content-type': 'application/json', ...graph.caller.both };
    return await fetch(`${graph.url}/graphql`, {
      method: 'POST',
      headers,
      body,
      signal: leaving.signal,
    }).catch(() => null);
  });
  await calls.arrived(16);
  for (let count = 0; count < 5; count += 1)
    expect(errorsOf(await graph.query('{ accounts(surface: LEGACY) { totalCount } }'))).toEqual([]);
  expect([calls.count, requests.open]).toEqual([16, 16]);
  leaving.abort();
  await Promise.all(slow);
});

test.each([
  ['token', 'current CREDENTIAL_MISSING', '{"current":null,"legacy":{"totalCount":13}}', '/oauth/accounts'],
  ['key', 'legacy CREDENTIAL_MISSING', '{"current":{"totalCount":12},"legacy":null}', '/accounts/list'],
] as const)('with the %s alone the other surface answers %s, unasked', async (which, error, data, path) => {
  const graph = await startGraph();
  const answer = await graph.query(BOTH, { headers: graph.caller[which] });
  expect(errorsOf(answer)).toEqual([error]);
  expect(JSON.stringify(answer.data)).toBe(data);
  expect(graph.sandbox.requests.all.map((request) => request.path)).toEqual([path]);
});

/** One part of an operation with several writes. */
function part(name: string, mutation: 'pauseAccount' | 'deleteAccount', id: number): string {
  return documentOf(mutation)
    .replace(/^[^{]*\{ /, `${name}: `)
    .replace('$input', `{ accountId: "${legacyAccount(id)}" }`)
    .replace(/\}$/, '');
}

test('a write whose second part of three fails tells the truth of each, and makes them in order', async () => {
  const graph = await startGraph();
  graph.sandbox.faults.add({ kind: 'status', status: 400, endpoint: 'GET /oauth/account/delete/:id' });
  const { data, errors } = await graph.query(
    `mutation { ${part('a', 'pauseAccount', 410_201)} ${part('b', 'deleteAccount', 410_202)} ${part('c', 'pauseAccount', 410_202)} }`,
  );
  expect(errors).toEqual([]);
  const payloads = data as Readonly<Record<'a' | 'b' | 'c', WritePayload>>;
  expect([payloads.a.outcome, payloads.b.outcome, payloads.c.outcome]).toEqual([
    'COMPLETED',
    'REJECTED',
    'COMPLETED',
  ]);
  const writes = graph.sandbox.requests.all.filter(({ path }) => /status|delete/.test(path));
  expect(writes.map(({ path }) => path)).toEqual([
    '/oauth/account/status/410201',
    '/oauth/account/delete/410202',
    '/oauth/account/status/410202',
  ]);
});
