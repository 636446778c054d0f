import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openLog } from '../../src/observability/log.ts';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { startSandbox } from '../../packages/sandbox/src/sandbox.ts';
import { createServer } from '../../src/server.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { holdAnswers } from '../support/held-answers.ts';
import { scrape } from '../support/scrape.ts';
import { watchRequests } from '../support/server-requests.ts';
import { connectSocket, openBareSocket } from '../support/web-sockets.ts';
import { documentOf, EXAMPLES, KEYED, write, type Input, type KeyedName } from '../support/writes.ts';

const CALLS = {
  createPost: 'POST /posts/create',
  createDraft: 'POST /draft/create',
  createLibraryItem: 'POST /library/create',
  createStatusUpdate: 'POST /oauth/post/update',
  generateAiText: 'POST /openai/response',
} as const;

/** Sends a mutation over HTTP and leaves as soon as the call has reached the service. */
async function sendAndLeave(graph: RunningGraph, name: KeyedName, input: Input, call: EndpointName) {
  const leaving = new AbortController();
  const requests = watchRequests(graph.url);
  const gone = fetch(`${graph.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...graph.caller.both },
    body: JSON.stringify({ query: documentOf(name), variables: { input } }),
    signal: leaving.signal,
  }).catch(() => 'gone');
  await graph.sandbox.requests.waitFor(call, 1);
  leaving.abort();
  expect(await gone).toBe('gone');
  await expect.poll(() => requests.left).toBe(1);
}

describe('a caller that leaves during a write', () => {
  test.each(KEYED)('lets %s finish, and finds its result under the key', async (name) => {
    const graph = await startGraph();
    const { sandbox } = graph;
    const input = { ...EXAMPLES[name], idempotencyKey: 'k' };
    // The call is held, and not made at all should the server give it up.
    const call = holdAnswers(sandbox, { effect: 'none', endpoint: CALLS[name] });
    await sendAndLeave(graph, name, input, CALLS[name]);
    call.release();
    await expect
      .poll(() => write(graph, name, input))
      .toMatchObject({ outcome: 'COMPLETED', replayed: true });
    expect(sandbox.requests.count(CALLS[name])).toBe(1);
  });

  test('over a socket lets it finish too', async () => {
    const graph = await startGraph();
    const { sandbox } = graph;
    const call = holdAnswers(sandbox, { effect: 'none', endpoint: CALLS.createDraft });
    const socket = await openBareSocket(graph.url, { headers: graph.caller.both });
    socket.send({ type: 'connection_init' });
    await socket.next();
    const payload = { query: documentOf('createDraft'), variables: { input: EXAMPLES.createDraft } };
    socket.send({ id: '1', type: 'subscribe', payload });
    await call.arrived();
    socket.close();
    await expect.poll(async () => (await scrape(graph.url)).value('graphql_sockets_open')).toBe(0);
    call.release();
    await expect.poll(() => sandbox.state.owner('harbour').drafts.length).toBe(1);
  });

  test('has its library item looked for all the same when the answer is lost', async () => {
    const graph = await startGraph();
    const input = { ...EXAMPLES.createLibraryItem, idempotencyKey: 'k' };
    let lose: (() => void) | undefined;
    graph.sandbox.faults.add({
      kind: 'raw',
      effect: 'done',
      endpoint: CALLS.createLibraryItem,
      write: (request) => {
        lose = () => request.socket.destroy();
      },
    });
    await sendAndLeave(graph, 'createLibraryItem', input, CALLS.createLibraryItem);
    await expect.poll(() => lose).toBeDefined();
    lose?.();
    await expect
      .poll(() => write(graph, 'createLibraryItem', input))
      .toMatchObject({ outcome: 'COMPLETED', replayed: true });
    expect(graph.sandbox.requests.count(CALLS.createLibraryItem)).toBe(1);
  });

  test('before it is sent leaves no doubt about it: it is done once, or not remembered', async () => {
    const graph = await startGraph();
    const { sandbox } = graph;
    const input = { ...EXAMPLES.createStatusUpdate, idempotencyKey: 'k' };
    const look = holdAnswers(sandbox, { endpoint: 'GET /oauth/accounts' });
    await sendAndLeave(graph, 'createStatusUpdate', input, 'GET /oauth/accounts');
    look.release();
    await expect
      .poll(() => write(graph, 'createStatusUpdate', input))
      .toMatchObject({ outcome: 'COMPLETED' });
    expect(sandbox.requests.count(CALLS.createStatusUpdate)).toBe(1);
  });
});

/** A server in front of a sandbox, with an end that the test chooses. */
async function startClosable() {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const config = readConfig({ PORT: '0', DATA_DIR: 'off', CURRENT_API_URL: sandbox.url });
  const server = createServer(config, { log: openLog('silent') });
  const url = await server.listen();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= server.close());
  onTestFinished(close);
  return { sandbox, url, close, headers: { 'x-api-key': sandbox.owners[0].apiKey } };
}

describe('a server that closes', () => {
  const payload = { query: documentOf('createDraft'), variables: { input: EXAMPLES.createDraft } };

  test('lets a write end whose caller has left', async () => {
    const { sandbox, url, close, headers } = await startClosable();
    const call = holdAnswers(sandbox, { effect: 'none', endpoint: CALLS.createDraft });
    const requests = watchRequests(url);
    const leaving = new AbortController();
    const gone = fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(payload),
      signal: leaving.signal,
    }).catch(() => 'gone');
    await call.arrived();
    leaving.abort();
    await gone;
    await expect.poll(() => requests.left).toBe(1);
    const closed = close();
    call.release();
    await closed;
    expect(sandbox.state.owner('harbour').drafts).toHaveLength(1);
  });

  test('lets a write end that came over a socket', async () => {
    const { sandbox, url, close, headers } = await startClosable();
    const call = holdAnswers(sandbox, { effect: 'none', endpoint: CALLS.createDraft });
    connectSocket(url, { headers }).start(payload);
    await call.arrived();
    const closed = close();
    call.release();
    await closed;
    expect(sandbox.state.owner('harbour').drafts).toHaveLength(1);
  });
});
