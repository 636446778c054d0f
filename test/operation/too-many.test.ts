import { expect, onTestFinished, test, vi } from 'vitest';
import { Overload } from '../../packages/overload/src/overload.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { expectRefusal, jsonOf, postJson, scrape, send, startPost, startStream } from '../support/http.ts';
import { openTransport, TRANSPORTS } from '../support/transports.ts';
import { connectSocket } from '../support/web-sockets.ts';

const LIST = '{ accounts(surface: CURRENT) { totalCount } }';
const LOCAL = { query: '{ surfaces { surface } }' };
const FOLLOW = 'subscription { aiGenerationFinished { id } }';

/** A server that may execute two operations at once, and has two that don’t end; gives what ends them. */
async function startFull(over: 'HTTP' | 'WebSocket'): Promise<RunningGraph & { readonly end: () => void }> {
  const graph = await startGraph({ environment: { MAX_OPERATIONS: '2' } });
  const { sandbox, url } = graph;
  sandbox.faults.add({ kind: 'never-answer', endpoint: 'GET /accounts/list', times: 2 });
  const ends = sandbox.owners.map(({ apiKey }): (() => unknown) => {
    const headers = { 'x-api-key': apiKey };
    return over === 'WebSocket'
      ? connectSocket(url, { connectionParams: headers }).start({ query: LIST })
      : startPost(url, { query: LIST }, headers).leave;
  });
  const end = (): void => {
    for (const leave of ends) leave();
  };
  await sandbox.requests.waitFor('GET /accounts/list', 2);
  return { ...graph, end };
}

test.each(['HTTP', 'WebSocket'] as const)(
  'one operation more than allowed is turned away while those over %s run, and let in when they have ended',
  async (over) => {
    const graph = await startFull(over);
    const reply = await postJson(`${graph.url}/graphql`, LOCAL);
    const message = 'The server is overloaded.';
    expectRefusal(reply, 503, { code: 'OVERLOADED', message, retryable: true });
    expect(['1', '2', '3', '4', '5']).toContain(reply.headers['retry-after']);
    const overSse = await openTransport('server-sent events', graph.url)(LOCAL);
    expect([overSse.status, overSse.errors[0]?.extensions['code']]).toEqual([503, 'OVERLOADED']);
    const overSocket = await openTransport('WebSocket', graph.url)(LOCAL);
    expect(overSocket.data).toBeUndefined();
    expect(overSocket.errors.map(({ extensions }) => extensions)).toEqual([
      { code: 'OVERLOADED', retryable: true, requestId: expect.any(String) as string },
    ]);
    expect((await scrape(graph.url)).value('requests_shed_total')).toBe(3);
    graph.end();
    await expect.poll(async () => (await postJson(`${graph.url}/graphql`, LOCAL)).status).toBe(200);
  },
);

test.each(TRANSPORTS)('over %s, a process that is held up turns away what reaches it', async (transport) => {
  const { url, sandbox, caller } = await startGraph();
  const run = openTransport(transport, url, caller.both);
  expect((await run({ query: LIST })).data.accounts.totalCount).toBe(12);
  vi.spyOn(Overload.prototype, 'turnsAway').mockReturnValue(true);
  const { status, data, errors } = await run({ query: LIST });
  expect([status, data]).toEqual([transport === 'WebSocket' ? null : 503, undefined]);
  expect(errors).toMatchObject([{ extensions: { code: 'OVERLOADED', retryable: true } }]);
  expect(sandbox.requests.count()).toBe(1);
});

test('a process that is held up by its own work for longer than OVERLOAD_DELAY reports it, and goes on serving', async () => {
  const { url } = await startGraph({ environment: { OVERLOAD_DELAY: '20ms' } });
  const work = setInterval(() => {
    for (const begun = process.cpuUsage(); process.cpuUsage(begun).user < 50_000;);
  }, 10);
  onTestFinished(() => clearInterval(work));
  await expect.poll(async () => jsonOf(await send(`${url}/ready`)).status).toBe('overloaded');
  const statuses = ['/ready', '/health', '/metrics'].map(async (path) => (await send(url + path)).status);
  expect(await Promise.all(statuses)).toEqual([503, 200, 200]);
  clearInterval(work);
  await expect.poll(async () => (await postJson(`${url}/graphql`, LOCAL)).status).toBe(200);
});

const follow = ({ url, caller }: RunningGraph) => startStream(url, FOLLOW, caller.key);

test('subscriptions that wait for events are not at work', async () => {
  const graph = await startGraph({ environment: { MAX_OPERATIONS: '1' } });
  for (let count = 0; count < 5; count += 1) expect((await follow(graph).answer).status).toBe(200);
  expect((await postJson(`${graph.url}/graphql`, LOCAL)).status).toBe(200);
});

test('a credential has as many seats for streams and sockets together as it is allowed', async () => {
  const graph = await startGraph({ environment: { MAX_SOCKETS_PER_CREDENTIAL: '2' } });
  const socket = connectSocket(graph.url, { headers: { ...graph.caller.key } });
  expect(await socket.run(LOCAL)).toMatchObject({ data: { surfaces: expect.any(Array) } });
  const stream = follow(graph);
  const { status, headers } = await stream.answer;
  const [type, caching] = ['content-type', 'cache-control'].map((name) => headers.get(name));
  expect([status, type, caching]).toEqual([200, 'text/event-stream', 'no-store']);
  const third = await follow(graph).answer;
  expect(third.status).toBe(503);
  // As everything that is answered with 503: it may work a little later.
  expect(await third.text()).toContain('"code":"LIMIT_EXCEEDED","retryable":true');
  await stream.leave();
  await expect.poll(async () => (await follow(graph).answer).status).toBe(200);
  const over = openTransport('server-sent events', graph.url, graph.caller.key);
  expect((await over(LOCAL)).data.surfaces).toHaveLength(2);
});
