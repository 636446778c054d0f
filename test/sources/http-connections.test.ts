import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retryIfNotConnected } from '../../src/writes/retry-if-not-connected.ts';
import { openAt, outcomeOf, outcomesOf, readOf, writeOf } from '../support/fake-surface.ts';
import { openDeafPort } from '../support/deaf-port.ts';
import { startScripted, wireAnswer, type ScriptedService } from '../support/scripted-service.ts';

/** The guard before real connections to an address. */
function openGuarded(url: string, attempts = 3) {
  const guardian = openAt(url, { attempts });
  onTestFinished(() => guardian.close());
  return guardian;
}

/** A port where nobody listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Counts the connections that did not come about from now on. */
function failedConnections(): { readonly count: number } {
  const failed = { count: 0 };
  const onFailure = (): void => void (failed.count += 1);
  subscribe('undici:client:connectError', onFailure);
  onTestFinished(() => void unsubscribe('undici:client:connectError', onFailure));
  return failed;
}

const SOON = { timeout: 2_000, interval: 5 };

/** Makes calls one after the other until one of them went over a connection that was used before. */
async function untilReused(
  service: ScriptedService,
  call: (count: number) => Promise<unknown>,
): Promise<void> {
  for (let count = 1; count <= 20; count += 1) {
    await call(count);
    if (service.requests.some(({ onConnection }) => onConnection > 1)) return;
  }
}

describe('a connection that the service closes as the next request sets out', () => {
  test('costs a read a second attempt, and its caller nothing', async () => {
    const service = await startScripted(({ onConnection, socket, path }) => {
      if (onConnection > 1) socket.resetAndDestroy();
      else socket.write(wireAnswer(path.split('=')[1] ?? ''));
    });
    const guardian = openGuarded(service.url);
    await untilReused(service, async (page) => {
      expect((await guardian.send(readOf(page))).text).toBe(String(page));
    });
    const [repeated] = service.requests.filter(({ onConnection }) => onConnection > 1);
    expect(service.requests.filter(({ path }) => path === repeated?.path)).toHaveLength(2);
  });

  test('carries no write, each of which has one of its own, unless the service announces to keep it', async () => {
    const service = await startScripted(({ socket }) => socket.write(wireAnswer('{}')));
    const guardian = openGuarded(service.url);
    await untilReused(service, async () => await guardian.send(writeOf()));
    await outcomesOf(10, () => guardian.send(writeOf()));
    expect(service.requests).toHaveLength(30);
    expect(service.requests.every(({ onConnection }) => onConnection === 1)).toBe(true);
    await expect.poll(() => service.openConnections, SOON).toBe(0);
    await untilReused(service, async (page) => await guardian.send(readOf(page)));
    // A read may go over one that was used before.
    expect(service.requests.some(({ onConnection }) => onConnection > 1)).toBe(true);
  });
});

describe('a service that announces for how long it keeps connections', () => {
  /** Writes one after the other to a service that announces so many seconds, and resets the connection as told. */
  async function startAnnouncing(seconds: number, isReset = (_onConnection: number) => false) {
    const header = `keep-alive: timeout=${seconds}, max=100\r\n`;
    const service = await startScripted(({ socket, onConnection }) => {
      if (isReset(onConnection)) socket.resetAndDestroy();
      else socket.write(wireAnswer('{}', '200 OK', header));
    });
    return { service, guardian: openGuarded(service.url) };
  }

  test('gets one write after another over the same connection, and none over that of a read', async () => {
    const { service, guardian } = await startAnnouncing(5);
    await guardian.send(readOf());
    for (let count = 1; count <= 5; count += 1) expect((await guardian.send(writeOf())).status).toBe(200);
    const [read, ...writes] = service.requests;
    expect(writes.some(({ onConnection }) => onConnection > 1)).toBe(true);
    expect(writes.some(({ socket }) => socket === read?.socket)).toBe(false);
    await expect.poll(() => writes.every(({ socket }) => socket.destroyed), { timeout: 5_000 }).toBe(true);
  });

  test('but not for long gets each write over a connection of its own', async () => {
    const { service, guardian } = await startAnnouncing(2);
    await guardian.send(readOf());
    for (let count = 1; count <= 5; count += 1) await guardian.send(writeOf());
    expect(service.requests.every(({ onConnection }) => onConnection === 1)).toBe(true);
  });

  test('and breaks its word gets no write twice: the outcome is unknown', async () => {
    const { service, guardian } = await startAnnouncing(5, (onConnection) => onConnection > 1);
    await guardian.send(readOf(1, { isFresh: true }));
    const outcomes: unknown[] = [];
    for (let count = 1; count <= 10; count += 1)
      outcomes.push(await outcomeOf(retryIfNotConnected(() => guardian.send(writeOf()))));
    expect(new Set(outcomes)).toEqual(new Set([200, 'unavailable']));
    expect(service.requests).toHaveLength(11);
  });
});

describe('bytes after an answer', () => {
  test.each([
    ['at once', 0],
    ['a little later', 15],
  ])('that come %s never become the answer to another read', async (_when, delayMs) => {
    const stray = wireAnswer('"stray"');
    const service = await startScripted(({ socket, path }) => {
      const answer = wireAnswer(path.slice(-1));
      if (delayMs === 0) return void socket.write(answer + stray);
      socket.write(answer);
      return void setTimeout(() => socket.write(stray), delayMs).unref();
    });
    const guardian = openGuarded(service.url);
    for (let page = 1; page <= 5; page += 1) {
      const answer = await guardian.send(readOf(page)).catch(() => null);
      expect([null, String(page)]).toContain(answer?.text ?? null);
      await expect.poll(() => service.openConnections, SOON).toBe(0);
    }
    expect(service.requests.length).toBeGreaterThanOrEqual(5);
  });
});

describe('a service that can’t be reached', () => {
  test('by refusal, by name or by silence gets no read and no write, and at most the connections it may', async () => {
    const failed = failedConnections();
    const deaf = openGuarded(`http://127.0.0.1:${await openDeafPort()}`, 1);
    const startedAt = performance.now();
    const silent = [
      outcomeOf(deaf.send(readOf())),
      outcomeOf(retryIfNotConnected(() => deaf.send(writeOf()))),
    ];
    for (const address of ['http://127.0.0.1:1', 'http://nowhere.invalid']) {
      const guardian = openGuarded(address);
      const before = failed.count;
      expect(await outcomeOf(guardian.send(readOf()))).toBe('unreachable');
      expect(failed.count - before).toBe(3);
      expect(await outcomeOf(retryIfNotConnected(() => guardian.send(writeOf())))).toBe('unreachable');
      expect(failed.count - before).toBe(5);
    }
    const before = failed.count;
    expect(await Promise.all(silent)).toEqual(['unreachable', 'unreachable']);
    expect(failed.count - before).toBe(3);
    expect(performance.now() - startedAt).toBeLessThan(9_000);
  });

  test('for a moment is reached by the next attempt', async () => {
    const failed = failedConnections();
    const closed = await freePort();
    const guardian = openGuarded(`http://127.0.0.1:${closed}`);
    const answer = outcomeOf(guardian.send(readOf()));
    await expect.poll(() => failed.count, SOON).toBeGreaterThan(0);
    await startScripted(({ socket }) => socket.write(wireAnswer('{}')), closed);
    expect(await answer).toBe(200);
  });
});

describe('a read that its caller leaves', () => {
  test('frees its connection, at whatever moment that is', async () => {
    const service = await startScripted(({ socket, count }) => {
      if (count % 3 === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{');
      if (count % 3 === 2) socket.write('HTTP/1.1 200 OK\r\n');
    });
    const guardian = openGuarded(service.url);
    const leaving = new AbortController();
    const reads = outcomesOf(48, (page) =>
      guardian.send(readOf(page, { signal: leaving.signal, caller: `caller ${page % 3}` })),
    );
    await expect.poll(() => service.requests.length, SOON).toBe(48);
    leaving.abort();
    expect(await reads).toEqual(Array<string>(48).fill('cancelled'));
    // Connections that were opened anew in the meantime carry nothing.
    await expect.poll(() => service.requests.filter(({ socket }) => !socket.destroyed), SOON).toEqual([]);
    expect(service.requests).toHaveLength(48);
  });
});

test.each([true, false])(
  'the deadline of a call outlives a collection of garbage; with a caller: %s',
  async (isWatched) => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const service = await startScripted(() => undefined);
    const http = openGuarded(service.url);
    const { signal } = new AbortController();
    const outcome = outcomeOf(
      http.send(
        readOf(1, { endpoint: { ...readOf().endpoint, deadlineMs: 300 }, ...(isWatched ? { signal } : {}) }),
      ),
    );
    await expect.poll(() => service.requests.length, SOON).toBe(1);
    collect();
    const startedAt = performance.now();
    expect(await outcome).toBe('timeout');
    expect(performance.now() - startedAt).toBeLessThan(1_500);
  },
);
