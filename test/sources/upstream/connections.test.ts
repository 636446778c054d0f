import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retryIfNotConnected } from '../../../src/writes/outcome.ts';
import { openAt, outcomeOf, outcomesOf, readOf, writeOf } from '../../support/fake-surface.ts';
import { openDeafPort } from '../../support/deaf-port.ts';
import { freePort } from '../../support/free-port.ts';
import { startScripted, wireAnswer, type ScriptedService } from '../../support/scripted-service.ts';

/** The guard before real connections to an address. */
function openGuarded(url: string, attempts = 3) {
  const guardian = openAt(url, { attempts });
  onTestFinished(() => guardian.close());
  return guardian;
}

/** Counts the connections that did not come about from now on. */
function failedConnections(onFirst?: () => void): { readonly count: number } {
  const failed = { count: 0 };
  const onFailure = (): void => {
    failed.count += 1;
    if (failed.count === 1) onFirst?.();
  };
  subscribe('undici:client:connectError', onFailure);
  onTestFinished(() => void unsubscribe('undici:client:connectError', onFailure));
  return failed;
}

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
      await expect.poll(() => service.openConnections).toBe(0);
    }
    expect(service.requests.length).toBeGreaterThanOrEqual(5);
  });
});

describe('a service that can’t be reached', () => {
  test('by refusal, by name or by silence gets no read and no write, and at most the connections it may', async () => {
    const failed = failedConnections();
    const deaf = openGuarded(`http://127.0.0.1:${await openDeafPort()}`, 1);
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
  });

  test('for a moment is reached by the next attempt', async () => {
    const closed = await freePort();
    // The service is back before the pause begins that precedes the next attempt, however busy the machine is.
    const started = new Promise<ScriptedService>((resolve) => {
      failedConnections(() => resolve(startScripted(({ socket }) => socket.write(wireAnswer('{}')), closed)));
    });
    const guardian = openGuarded(`http://127.0.0.1:${closed}`);
    expect(await outcomeOf(guardian.send(readOf()))).toBe(200);
    expect((await started).requests).toHaveLength(1);
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
    await expect.poll(() => service.requests.length).toBe(48);
    leaving.abort();
    expect(await reads).toEqual(Array<string>(48).fill('cancelled'));
    // Connections that were opened anew in the meantime carry nothing.
    await expect.poll(() => service.requests.filter(({ socket }) => !socket.destroyed)).toEqual([]);
    expect(service.requests).toHaveLength(48);
  });
});

test('the deadline of a call outlives a collection of garbage, with a caller and without', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const service = await startScripted(() => undefined);
  const http = openGuarded(service.url);
  const { signal } = new AbortController();
  const endpoint = { ...readOf().endpoint, deadlineMs: 300 };
  const outcomes = [{ endpoint }, { endpoint, signal }].map((call, page) =>
    outcomeOf(http.send(readOf(page, call))),
  );
  await expect.poll(() => service.requests.length).toBe(2);
  collect();
  expect(await Promise.all(outcomes)).toEqual(['timeout', 'timeout']);
});
