import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../packages/sandbox/src/sandbox.ts';
import { retryIfNotConnected } from '../../src/writes/outcome.ts';
import { CALLBACK, oauthEnvironment } from '../support/connect.ts';
import { cases } from '../support/depth.ts';
import {
  openAt,
  outcomeOf,
  outcomesOf,
  readOf,
  writeOf,
  startScripted,
  wireAnswer,
  type ScriptedService,
} from '../support/upstream.ts';
import { freePort } from '../support/network.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { EXAMPLES, KEYED, verdictOf, write, type Input, type MutationName } from '../support/writes.ts';
import { sandboxForTest } from '../support/sandbox.ts';

// A write is sent again only if no connection could be made for it. It may use the connection of another that ended less
// than a second ago; if the service closes that just as the write is sent, its outcome is unknown.

const INPUTS: Readonly<Record<MutationName, Input>> = {
  ...EXAMPLES,
  exchangeAuthorizationCode: { code: 'c'.repeat(80), redirectUri: CALLBACK },
};
const NAMES = Object.keys(INPUTS) as MutationName[];
const UNKNOWN = ['UNKNOWN', 'OUTCOME_UNKNOWN'];

/** Listens to what undici says until the test ends. */
function listenTo(channel: string, onMessage: (message: unknown) => void): void {
  subscribe(channel, onMessage);
  onTestFinished(() => void unsubscribe(channel, onMessage));
}

/** Counts how often this process begins to connect to an address. */
function countConnects(url: string): { count: number } {
  const seen = { count: 0 };
  listenTo('undici:client:beforeConnect', (message) => {
    const { host } = (message as { readonly connectParams: { readonly host: string } }).connectParams;
    if (host === new URL(url).host) seen.count += 1;
  });
  return seen;
}

/** An address at which nobody listens. */
const closedAddress = async (): Promise<string> => `http://127.0.0.1:${await freePort()}`;

const graphBefore = (url: string): Promise<RunningGraph> =>
  startGraph({ environment: { ...oauthEnvironment(), CURRENT_API_URL: url, LEGACY_API_URL: url } });

const createDraft = (graph: RunningGraph) => write(graph, 'createDraft', EXAMPLES.createDraft);

describe('a connection that cannot be made', () => {
  test.each([
    ['because it is refused', closedAddress],
    // The name is reserved for exactly this; no name server knows it.
    ['to a host that nobody knows', () => Promise.resolve('https://nobody.invalid')],
  ])('%s is tried twice at most, and told as not sent', async (_why, addressOf) => {
    const address = await addressOf();
    const graph = await graphBefore(address);
    const connects = countConnects(address);
    for (const name of NAMES) {
      connects.count = 0;
      const { outcome, userErrors } = await write(graph, name, INPUTS[name]);
      const told = userErrors.map(({ code, retryable }) => [code, retryable]);
      expect([outcome, ...told], name).toEqual(['REJECTED', ['SURFACE_UNAVAILABLE', true]]);
      expect([0, 1, 2], name).toContain(connects.count);
    }
    expect(connects.count).toBeGreaterThan(0);
  });

  test('is not remembered for any mutation with a key', async () => {
    const closed = await closedAddress();
    const graph = await graphBefore(closed);
    const keyed = KEYED.map((name) => [name, { ...INPUTS[name], idempotencyKey: `key-${name}` }] as const);
    for (const [name, input] of keyed)
      expect((await write(graph, name, input)).outcome, name).toBe('REJECTED');
    await sandboxForTest({ port: Number(new URL(closed).port) });
    for (const [name, input] of keyed)
      expect(await write(graph, name, input), name).toMatchObject({ outcome: 'COMPLETED', replayed: false });
  });

  test('is tried again within the call, and the write is done once when it is no longer refused', async () => {
    const closed = await closedAddress();
    const graph = await graphBefore(closed);
    const connects = countConnects(closed);
    let sandbox: ReturnType<typeof startSandbox> | undefined;
    listenTo('undici:client:connectError', () => {
      sandbox ??= startSandbox({ port: Number(new URL(closed).port) });
    });
    onTestFinished(async () => await (await sandbox)?.close());
    const payload = await createDraft(graph);
    const started = await sandbox;
    expect(connects.count).toBe(2);
    const sent = payload.outcome === 'COMPLETED' ? 1 : 0;
    expect(started?.requests.count()).toBe(sent);
  });
});

test('a service that takes the connection and hangs up may have done a write, which is not sent again', async () => {
  const service = await startScripted(({ socket }) => void socket.destroy());
  const graph = await graphBefore(service.url);
  for (const name of ['createPost', 'createDraft', 'createLibraryItem', 'generateAiText'] as const) {
    const before = service.requests.length;
    expect(verdictOf(await write(graph, name, INPUTS[name])), name).toEqual(UNKNOWN);
    const sent = service.requests.slice(before).filter(({ method }) => method === 'POST');
    expect(sent, name).toHaveLength(1);
  }
});

/** The surface at an address; it closes with the test. */
function openSurface(url: string) {
  const surface = openAt(url);
  onTestFinished(() => surface.close());
  return surface;
}

/** A response that creates the draft of this number, followed by further headers. */
const draft = (count: number, headers = ''): string =>
  wireAnswer(JSON.stringify({ message: 'Saved.', response: { draftId: `draft-${count}` } })).replace(
    '\r\n\r\n',
    `\r\n${headers}\r\n`,
  );

/** The number of each request on its connection. */
const onConnections = ({ requests }: ScriptedService): number[] =>
  requests.map(({ onConnection }) => onConnection);

const startAnswering = () => startScripted(({ socket }) => socket.write(wireAnswer('{}')));

describe('a write', () => {
  test('uses the connection of one before it, and one of its own beside another', async () => {
    const service = await startAnswering();
    const surface = openSurface(service.url);
    for (let count = 0; count < 10; count += 1) expect(await outcomeOf(surface.send(writeOf()))).toBe(200);
    // A connection can be used again in the next turn of the event loop, so there may be two.
    expect(service.openConnections).toBeLessThanOrEqual(2);
    expect(await outcomesOf(10, () => surface.send(writeOf()))).toEqual(Array<number>(10).fill(200));
    expect(service.openConnections).toBeGreaterThanOrEqual(10);
    expect(service.requests.every(({ socket }) => !socket.destroyed)).toBe(true);
  });

  test('uses no connection that a read has used, or that has been idle for a second', async () => {
    const service = await startAnswering();
    const surface = openSurface(service.url);
    await surface.send(readOf());
    await surface.send(writeOf());
    await expect.poll(() => service.requests[1]?.socket.destroyed).toBe(true);
    await surface.send(writeOf());
    expect(onConnections(service)).toEqual([1, 1, 1]);
  });

  test.each(['keep-alive: timeout=0', 'keep-alive: timeout=1', 'keep-alive: timeout=2', 'connection: close'])(
    'uses no connection of which the service says "%s"',
    async (header) => {
      const service = await startScripted(({ count, socket }) => socket.write(draft(count, `${header}\r\n`)));
      const graph = await graphBefore(service.url);
      for (const number of [1, 2, 3])
        expect(await createDraft(graph)).toMatchObject({ outcome: 'COMPLETED', draftId: `draft-${number}` });
      expect(onConnections(service)).toEqual([1, 1, 1]);
    },
  );

  test('is not kept waiting for its connection by a longer keep-alive of the service', async () => {
    const header = 'keep-alive: timeout=600\r\n';
    const service = await startScripted(({ count, socket }) => socket.write(draft(count, header)));
    await createDraft(await graphBefore(service.url));
    await expect.poll(() => service.openConnections).toBe(0);
  });
});

/** How a service closes a connection. */
const CLOSINGS: readonly (readonly [how: string, close: (socket: Socket) => unknown])[] = [
  ['an end', (socket) => socket.end()],
  ['a reset', (socket) => socket.resetAndDestroy()],
];

test('an idle connection that is closed at any moment around the next write makes no write be sent twice', async () => {
  const moments = Array.from({ length: cases(72, 1_200) }, (_, n) => {
    const round = Math.floor(n / 12);
    // When the next write is sent, from at once to after the second, and when the connection is closed.
    const sentAfterMs = [0, 5, 500, 990, 1_000, 1_010][Math.floor(n / 2) % 6] ?? 0;
    const closedMs = round % 10 <= 5 ? round - 3 : 0;
    return { sentAfterMs, closedMs, close: CLOSINGS[n % 2]?.[1] };
  });
  const service = await startScripted(({ socket, path, onConnection }) => {
    socket.write(wireAnswer(path));
    const moment = moments[Number(path.split('=')[1])];
    if (moment && onConnection === 1 && path.startsWith('/first'))
      setTimeout(() => moment.close?.(socket), Math.max(0, moment.sentAfterMs + moment.closedMs)).unref();
  });
  const outcomes = await Promise.all(
    moments.map(async ({ sentAfterMs }, n) => {
      const surface = openSurface(service.url);
      await outcomeOf(surface.send(writeOf({ path: `/first?n=${n}` })));
      await sleep(sentAfterMs);
      const path = `/next?n=${n}`;
      const outcome = await outcomeOf(retryIfNotConnected(() => surface.send(writeOf({ path }))));
      return [outcome, service.requests.filter((request) => request.path === path).length];
    }),
  );
  for (const [outcome, sent] of outcomes) {
    if (outcome === 200) expect(sent).toBe(1);
    // It may have arrived, and nobody can tell.
    else expect([outcome, Number(sent) <= 1]).toEqual(['unavailable', true]);
  }
  expect(outcomes.filter(([outcome]) => outcome === 200).length).toBeGreaterThan(0);
});

describe.each(CLOSINGS)('a connection that the service closes by %s', (_how, close) => {
  test('as the next write arrives leaves its outcome unknown, and the write is not sent again', async () => {
    const service = await startScripted(({ count, socket, onConnection }) => {
      if (onConnection > 1) close(socket);
      else socket.write(draft(count));
    });
    const graph = await graphBefore(service.url);
    expect((await createDraft(graph)).outcome).toBe('COMPLETED');
    expect(verdictOf(await createDraft(graph))).toEqual(UNKNOWN);
    expect(onConnections(service)).toEqual([1, 2]);
    expect(await createDraft(graph)).toMatchObject({ outcome: 'COMPLETED', draftId: 'draft-3' });
    expect(onConnections(service)).toEqual([1, 2, 1]);
  });

  test('in a restart between two writes is replaced, and each write is done once', async () => {
    const service = await startScripted(({ count, socket }) => socket.write(draft(count)));
    const graph = await graphBefore(service.url);
    for (const number of [1, 2, 3]) {
      expect(await createDraft(graph)).toMatchObject({ outcome: 'COMPLETED', draftId: `draft-${number}` });
      for (const { socket } of service.requests) close(socket);
      await expect.poll(() => service.openConnections).toBe(0);
    }
    expect(onConnections(service)).toEqual([1, 1, 1]);
  });
});

test.each([
  ['at once', 0],
  ['a little later', 15],
])('bytes after a response that come %s are never taken for the response to another write', async (_, ms) => {
  const service = await startScripted(({ count, socket }) => {
    const stray = draft(-count);
    if (ms === 0) return void socket.write(draft(count) + stray);
    socket.write(draft(count));
    return void setTimeout(() => socket.write(stray), ms).unref();
  });
  const graph = await graphBefore(service.url);
  for (let count = 1; count <= 5; count += 1) {
    const { outcome, draftId } = await createDraft(graph);
    expect([`COMPLETED draft-${count}`, 'UNKNOWN null']).toContain(`${outcome} ${String(draftId)}`);
    expect(service.requests).toHaveLength(count);
    await expect.poll(() => service.openConnections).toBe(0);
  }
});
