import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { type CallerHeaders, shareGraph } from '../support/graph.ts';
import { holdAnswers, sandboxForTest } from '../support/sandbox.ts';
import { startServer } from '../support/server.ts';
import { connectSocket } from '../support/web-sockets.ts';
import {
  documentOf,
  EXAMPLES,
  KEYED,
  KEYED_CALLS,
  write,
  type Input,
  type KeyedName,
} from '../support/writes.ts';

/** Counts the callers of a server of this process that have left, by its address; of requests that come from now on. */
function callersWhoLeave(url: string): () => number {
  const { host } = new URL(url);
  const sockets: Socket[] = [];
  const onStart = (message: unknown): void => {
    const { request } = message as { readonly request: IncomingMessage };
    if (request.headers.host === host) sockets.push(request.socket);
  };
  subscribe('http.server.request.start', onStart);
  onTestFinished(() => void unsubscribe('http.server.request.start', onStart));
  return () => sockets.filter(({ destroyed }) => destroyed).length;
}

const graph = shareGraph();
const DRAFT = KEYED_CALLS.createDraft;
const draft = { query: documentOf('createDraft'), variables: { input: EXAMPLES.createDraft } };
const drafts = (sandbox: Sandbox): number => sandbox.state.owner('harbour').drafts.length;

interface Place {
  readonly url: string;
  readonly sandbox: Sandbox;
  readonly headers: CallerHeaders;
}

/** Sends a mutation over HTTP and leaves as soon as the call has reached the service. */
async function sendAndLeave(
  { url, sandbox, headers }: Place,
  name: KeyedName,
  input: Input,
  call: EndpointName = KEYED_CALLS[name],
): Promise<void> {
  const leaving = new AbortController();
  const left = callersWhoLeave(url);
  const gone = fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: documentOf(name), variables: { input } }),
    signal: leaving.signal,
  }).catch(() => 'gone');
  await sandbox.requests.waitFor(call, 1);
  leaving.abort();
  expect(await gone).toBe('gone');
  await expect.poll(left).toBe(1);
}

const keyed = (name: KeyedName, idempotencyKey = `key of ${name}`.replaceAll(' ', '-')): Input => ({
  ...EXAMPLES[name],
  idempotencyKey,
});

describe('a caller that leaves during a write', () => {
  const place = (): Place => ({ url: graph.url, sandbox: graph.sandbox, headers: graph.caller.both });

  async function expectDoneOnce(name: KeyedName, input: Input, result: object): Promise<void> {
    await expect.poll(() => write(graph, name, input)).toMatchObject({ outcome: 'COMPLETED', ...result });
    expect(graph.sandbox.requests.count(KEYED_CALLS[name])).toBe(1);
  }

  test.each(KEYED)('lets %s finish, and finds its result under the key', async (name) => {
    // The call is held, and not made at all should the server give it up.
    const call = holdAnswers(graph.sandbox, { effect: 'none', endpoint: KEYED_CALLS[name] });
    await sendAndLeave(place(), name, keyed(name));
    call.release();
    await expectDoneOnce(name, keyed(name), { replayed: true });
  });

  test('has its library item looked for all the same when the answer is lost', async () => {
    const input = keyed('createLibraryItem', 'lost');
    const endpoint = KEYED_CALLS.createLibraryItem;
    let lose: (() => void) | undefined;
    graph.sandbox.faults.add({
      kind: 'raw',
      effect: 'done',
      endpoint,
      write: (request) => void (lose = () => void request.socket.destroy()),
    });
    await sendAndLeave(place(), 'createLibraryItem', { ...input, title: 'Lost' });
    await expect.poll(() => lose).toBeDefined();
    lose?.();
    await expectDoneOnce('createLibraryItem', { ...input, title: 'Lost' }, { replayed: true });
  });

  test('before it is sent leaves no doubt about it: it is done once, or not remembered', async () => {
    const input = keyed('createStatusUpdate', 'before');
    const look = holdAnswers(graph.sandbox, { endpoint: 'GET /oauth/accounts' });
    await sendAndLeave(place(), 'createStatusUpdate', input, 'GET /oauth/accounts');
    look.release();
    await expectDoneOnce('createStatusUpdate', input, {});
  });
});

test.each([
  ['whose caller has left', (at: Place) => sendAndLeave(at, 'createDraft', EXAMPLES.createDraft)],
  ['that came over a socket', ({ url, headers }: Place) => connectSocket(url, { headers }).start(draft)],
])('a server that closes lets a write end %s', async (_whose, begin) => {
  const sandbox = await sandboxForTest();
  const { url, close } = await startServer({ CURRENT_API_URL: sandbox.url });
  const place = { sandbox, url, headers: { 'x-api-key': sandbox.owners[0].apiKey } };
  const call = holdAnswers(sandbox, { effect: 'none', endpoint: DRAFT });
  await begin(place);
  await call.arrived();
  const closed = close();
  call.release();
  await closed;
  expect(drafts(sandbox)).toBe(1);
});
