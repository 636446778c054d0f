import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Socket } from 'node:net';
import { retryIfNotConnected } from '../../src/writes/outcome.ts';
import { cases } from '../support/depth.ts';
import { openAt, outcomeOf, outcomesOf, readOf, writeOf } from '../support/fake-surface.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { startScripted, wireAnswer, type ScriptedService } from '../support/scripted-service.ts';
import { EXAMPLES, write } from '../support/writes.ts';

// A write may use the connection of another that ended less than a second ago. The service may close it at any moment,
// also just as the write is sent: then the write is not sent again, and its outcome is unknown.

/** The surface at an address; it closes with the test. */
function openSurface(url: string) {
  const surface = openAt(url);
  onTestFinished(() => surface.close());
  return surface;
}

const sentAs = (service: ScriptedService, path: string): number =>
  service.requests.filter((request) => request.path === path).length;

/** A response that creates the draft of this number, followed by further headers. */
const draft = (count: number, headers = ''): string =>
  wireAnswer(JSON.stringify({ message: 'Saved.', response: { draftId: `draft-${count}` } })).replace(
    '\r\n\r\n',
    `\r\n${headers}\r\n`,
  );

async function graphBefore(service: ScriptedService): Promise<RunningGraph> {
  return await startGraph({ environment: { CURRENT_API_URL: service.url, LEGACY_API_URL: service.url } });
}

const createDraft = (graph: RunningGraph) => write(graph, 'createDraft', EXAMPLES.createDraft);

describe('a write', () => {
  test('uses the connection of one before it, and one of its own beside another', async () => {
    const service = await startScripted(({ socket }) => socket.write(wireAnswer('{}')));
    const surface = openSurface(service.url);
    for (let count = 0; count < 10; count += 1) expect(await outcomeOf(surface.send(writeOf()))).toBe(200);
    // A connection can be used again in the next turn of the event loop, so there may be two.
    expect(service.openConnections).toBeLessThanOrEqual(2);
    expect(await outcomesOf(10, () => surface.send(writeOf()))).toEqual(Array<number>(10).fill(200));
    expect(service.openConnections).toBeGreaterThanOrEqual(10);
    expect(service.requests.every(({ socket }) => !socket.destroyed)).toBe(true);
  });

  test('uses no connection that a read has used', async () => {
    const service = await startScripted(({ socket }) => socket.write(wireAnswer('{}')));
    const surface = openSurface(service.url);
    await surface.send(readOf());
    await surface.send(writeOf());
    expect(service.requests.map(({ onConnection }) => onConnection)).toEqual([1, 1]);
  });

  test('uses no connection that has been idle for a second', async () => {
    const service = await startScripted(({ socket }) => socket.write(wireAnswer('{}')));
    const surface = openSurface(service.url);
    await surface.send(writeOf());
    await expect.poll(() => service.openConnections).toBe(0);
    await surface.send(writeOf());
    expect(service.requests.map(({ onConnection }) => onConnection)).toEqual([1, 1]);
  });

  test.each(['keep-alive: timeout=0', 'keep-alive: timeout=1', 'keep-alive: timeout=2', 'connection: close'])(
    'uses no connection of which the service says "%s"',
    async (header) => {
      const service = await startScripted(({ count, socket }) => socket.write(draft(count, `${header}\r\n`)));
      const graph = await graphBefore(service);
      for (const number of [1, 2, 3])
        expect(await createDraft(graph)).toMatchObject({
          outcome: 'COMPLETED',
          draftId: `draft-${number}`,
        });
      expect(service.requests.map(({ onConnection }) => onConnection)).toEqual([1, 1, 1]);
    },
  );

  test('is not kept waiting for its connection by a longer keep-alive of the service', async () => {
    const header = 'keep-alive: timeout=600\r\n';
    const service = await startScripted(({ count, socket }) => socket.write(draft(count, header)));
    const graph = await graphBefore(service);
    await createDraft(graph);
    await expect.poll(() => service.openConnections).toBe(0);
  });
});

/** How a service closes a connection. */
const CLOSINGS: Readonly<Record<string, (socket: Socket) => unknown>> = {
  'an end': (socket) => socket.end(),
  'a reset': (socket) => socket.resetAndDestroy(),
};

describe.each(Object.entries(CLOSINGS))('an idle connection that the service closes by %s', (_how, close) => {
  test('at any moment around the next write makes no write be sent twice', async () => {
    const moments = Array.from({ length: cases(60, 600) }, (_, n) => [
      // When the next write is sent, from at once to after the second, and when the connection is closed.
      [0, 5, 500, 990, 1_000, 1_010][n % 6] ?? 0,
      (n / 6) % 10 <= 5 ? Math.floor(n / 6) - 3 : 0,
    ]) as [sentAfterMs: number, closedMs: number][];
    const service = await startScripted(({ socket, path, onConnection }) => {
      socket.write(wireAnswer(path));
      const [sentAfterMs = 0, closedMs = 0] = moments[Number(path.split('=')[1])] ?? [];
      if (onConnection === 1 && path.startsWith('/first'))
        setTimeout(() => close(socket), Math.max(0, sentAfterMs + closedMs)).unref();
    });
    const outcomes = await Promise.all(
      moments.map(async ([sentAfterMs], n) => {
        const surface = openSurface(service.url);
        await outcomeOf(surface.send(writeOf({ path: `/first?n=${n}` })));
        await sleep(sentAfterMs);
        const path = `/next?n=${n}`;
        const outcome = await outcomeOf(retryIfNotConnected(() => surface.send(writeOf({ path }))));
        return [outcome, sentAs(service, path)];
      }),
    );
    for (const [outcome, sent] of outcomes) {
      if (outcome === 200) expect(sent).toBe(1);
      // It may have arrived, and nobody can tell.
      else expect([outcome, Number(sent) <= 1]).toEqual(['unavailable', true]);
    }
    expect(outcomes.filter(([outcome]) => outcome === 200).length).toBeGreaterThan(0);
  });

  test('as the next write arrives leaves its outcome unknown, and the write is not sent again', async () => {
    const service = await startScripted(({ count, socket, onConnection }) => {
      if (onConnection > 1) close(socket);
      else socket.write(draft(count));
    });
    const graph = await graphBefore(service);
    expect((await createDraft(graph)).outcome).toBe('COMPLETED');
    const { outcome, userErrors } = await createDraft(graph);
    expect([outcome, userErrors.map(({ code }) => code)]).toEqual(['UNKNOWN', ['OUTCOME_UNKNOWN']]);
    expect(service.requests.map(({ onConnection }) => onConnection)).toEqual([1, 2]);
    expect(await createDraft(graph)).toMatchObject({ outcome: 'COMPLETED', draftId: 'draft-3' });
    expect(service.requests.map(({ onConnection }) => onConnection)).toEqual([1, 2, 1]);
  });

  test('in a restart between two writes is replaced, and each write is done once', async () => {
    const service = await startScripted(({ count, socket }) => socket.write(draft(count)));
    const graph = await graphBefore(service);
    for (const number of [1, 2, 3]) {
      expect(await createDraft(graph)).toMatchObject({ outcome: 'COMPLETED', draftId: `draft-${number}` });
      for (const { socket } of service.requests) close(socket);
      await expect.poll(() => service.openConnections).toBe(0);
    }
    expect(service.requests.map(({ onConnection }) => onConnection)).toEqual([1, 1, 1]);
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
  const graph = await graphBefore(service);
  for (let count = 1; count <= 5; count += 1) {
    const { outcome, draftId } = await createDraft(graph);
    expect([`COMPLETED draft-${service.requests.length}`, 'UNKNOWN null']).toContain(
      `${outcome} ${String(draftId)}`,
    );
    expect(service.requests).toHaveLength(count);
    await expect.poll(() => service.openConnections).toBe(0);
  }
});
