import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retryIfNotConnected } from '../../../src/writes/outcome.ts';
import { listen } from '../../support/attack-page.ts';
import { cases } from '../../support/depth.ts';
import { freePort } from '../../support/network.ts';
import {
  always,
  fakeSurface,
  guarded,
  openAt,
  outcomeOf,
  outcomesOf,
  readOf,
  writeOf,
  startScripted,
  wireAnswer,
  type ScriptedService,
} from '../../support/upstream.ts';

// A surface with real connections. What the service may answer otherwise is in test/service/read-faults.test.ts. A write
// is sent again only if no connection could be made for it. It may use the connection of another that ended less than a
// second ago; if the service closes that just as the write is sent, nobody can tell what came of it.

/** Owns a port on which nobody answers the handshake: it has been stopped, and its queue is full. */
const OWNER = `require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () {
  process.stdout.write(this.address().port + '\\n');
  process.kill(process.pid, 'SIGSTOP');
});`;
const MAX_QUEUE = 16;
/** A handshake on this machine that takes longer than this will not come about. */
const HANDSHAKE_MS = 1_000;

/** Gives the number of such a port; it is free again when the test ends. */
async function openDeafPort(): Promise<number> {
  const owner = spawn(process.execPath, ['-e', OWNER], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void owner.kill('SIGKILL'));
  const [data] = (await once(owner.stdout, 'data')) as [Buffer];
  const port = Number(data.toString());
  for (let count = 0; count < MAX_QUEUE; count += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    const connected = once(socket, 'connect', { signal: AbortSignal.timeout(HANDSHAKE_MS) });
    if (!(await connected.catch(() => null))) return port;
  }
  throw new Error('the queue of the port never filled');
}

const MIB = 2 ** 20;

function openSurface(url: string, attempts = 1) {
  const surface = openAt(url, { attempts });
  onTestFinished(() => surface.close());
  return surface;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A surface in front of a server that answers as told; both end with the test. */
async function openInFrontOf(answer: Answer, path = '') {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  return { http: openSurface((await listen(server)) + path), seen };
}

const answerIn =
  (coding: string, body: Buffer | string): Answer =>
  (_request, response) =>
    void response.setHeader('content-encoding', coding).end(body);

function exposedGc(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

// Its headers are in test/service/callers.test.ts.
test('a request goes to the configured address and path', async () => {
  const { http, seen } = await openInFrontOf((_request, response) => response.end('{"a":1}'), '/base/');
  expect(await http.send(readOf())).toMatchObject({ status: 200, text: '{"a":1}' });
  expect(seen[0]?.url).toBe('/base/accounts/list?page=1');
});

function listenTo(channel: string, onMessage: (message: unknown) => void): void {
  subscribe(channel, onMessage);
  onTestFinished(() => void unsubscribe(channel, onMessage));
}

function failedConnections(onFirst?: () => void): { readonly count: number } {
  const failed = { count: 0 };
  listenTo('undici:client:connectError', () => {
    failed.count += 1;
    if (failed.count === 1) onFirst?.();
  });
  return failed;
}

const onConnections = ({ requests }: ScriptedService) => requests.map(({ onConnection }) => onConnection);
const startAnswering = () => startScripted(({ socket }) => socket.write(wireAnswer('{}')));

const CLOSINGS: readonly (readonly [how: string, close: (socket: Socket) => unknown])[] = [
  ['an end', (socket) => socket.end()],
  ['a reset', (socket) => socket.resetAndDestroy()],
];

describe('a connection that can’t be made', () => {
  test('because it is refused, has no address or is silent is tried as often as allowed', async () => {
    const failed = failedConnections();
    const deaf = openSurface(`http://127.0.0.1:${await openDeafPort()}`);
    const endpoint = { ...readOf().endpoint, deadlineMs: 100 };
    const silent = [
      outcomeOf(deaf.send(readOf())),
      outcomeOf(retryIfNotConnected(() => deaf.send(writeOf()))),
    ];
    // What has no connection when its deadline passes was not sent.
    expect(await outcomeOf(deaf.send(readOf(2, { endpoint })))).toBe('timeout');
    expect(await outcomeOf(deaf.send(writeOf({ endpoint: { ...endpoint, repeatable: false } })))).toBe(
      'unreachable',
    );
    for (const address of ['http://127.0.0.1:1', 'http://nowhere.invalid']) {
      const surface = openSurface(address, 3);
      const before = failed.count;
      expect(await outcomeOf(surface.send(readOf()))).toBe('unreachable');
      expect(failed.count - before).toBe(3);
      expect(await outcomeOf(retryIfNotConnected(() => surface.send(writeOf())))).toBe('unreachable');
      expect(failed.count - before).toBe(5);
    }
    // If the name stands for two addresses, the failures of both come as one.
    const twofold = openSurface(`http://localhost:${await freePort()}`);
    expect(await outcomeOf(twofold.send(readOf()))).toBe('unreachable');
    expect(await Promise.all(silent)).toEqual(['unreachable', 'unreachable']);
  });

  test.each(['read', 'write'])(
    'for a moment is made by the next attempt, and the %s is sent once',
    async (call) => {
      const closed = await freePort();
      const started = new Promise<ScriptedService>((resolve) => {
        failedConnections(() =>
          resolve(startScripted(({ socket }) => socket.write(wireAnswer('{}')), closed)),
        );
      });
      const surface = openSurface(`http://127.0.0.1:${closed}`, 3);
      const send = () =>
        call === 'read' ? surface.send(readOf()) : retryIfNotConnected(() => surface.send(writeOf()));
      const outcome = await outcomeOf(send());
      // The service is back before the pause of a read begins; a write is tried again at once.
      if (call === 'read') expect(outcome).toBe(200);
      expect((await started).requests).toHaveLength(outcome === 200 ? 1 : 0);
    },
  );

  test('is not waited for by one caller once for each read that another has left', async () => {
    const deaf = openSurface(`http://127.0.0.1:${await openDeafPort()}`);
    for (let time = 0; time < 20; time += 1) {
      const leaving = new AbortController();
      const reads = outcomesOf(16, (page) => deaf.send(readOf(page, { signal: leaving.signal })));
      leaving.abort();
      expect(await reads).toEqual(Array<string>(16).fill('cancelled'));
    }
    const endpoint = { ...readOf().endpoint, deadlineMs: 6_000 };
    expect(await outcomeOf(deaf.send(readOf(1, { endpoint, caller: 'bob' })))).toBe('unreachable');
  });
});

describe('a read', () => {
  test('whose reused connection is reset is sent again on another', async () => {
    const service = await startScripted(({ onConnection, socket, path }) => {
      if (onConnection > 1) socket.resetAndDestroy();
      else socket.write(wireAnswer(path.split('=')[1] ?? ''));
    });
    const surface = openSurface(service.url, 3);
    const reused = () => service.requests.find(({ onConnection }) => onConnection > 1);
    for (let page = 1; page <= 20 && !reused(); page += 1)
      expect((await surface.send(readOf(page))).text).toBe(String(page));
    expect(service.requests.filter(({ path }) => path === reused()?.path)).toHaveLength(2);
  });

  test('frees its connection when its callers leave, at whatever moment', async () => {
    const service = await startScripted(({ socket, count }) => {
      if (count % 3 === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{');
      if (count % 3 === 2) socket.write('HTTP/1.1 200 OK\r\n');
    });
    const surface = openSurface(service.url);
    const leaving = new AbortController();
    const reads = outcomesOf(48, (page) =>
      surface.send(readOf(page, { signal: leaving.signal, caller: `caller ${page % 3}` })),
    );
    await expect.poll(() => service.requests.length).toBe(48);
    leaving.abort();
    expect(await reads).toEqual(Array<string>(48).fill('cancelled'));
    // Connections that were opened anew in the meantime carry nothing.
    await expect.poll(() => service.requests.filter(({ socket }) => !socket.destroyed)).toEqual([]);
    expect(service.requests).toHaveLength(48);
  });
});

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

  test('uses no connection that a read has used, and leaves its own open for less long', async () => {
    const service = await startAnswering();
    const surface = openSurface(service.url);
    // A connection can be used again in the next turn of the event loop.
    while (!onConnections(service).includes(2)) await surface.send(readOf());
    const [ofRead] = service.requests.slice(-1);
    await surface.send(writeOf());
    const [ofWrite] = service.requests.slice(-1);
    expect(ofWrite?.onConnection).toBe(1);
    const isReadOpen = new Promise((resolve) => {
      ofWrite?.socket.once('close', () => resolve(ofRead?.socket.destroyed === false));
    });
    expect(await isReadOpen).toBe(true);
    await surface.send(writeOf());
    expect(onConnections(service).at(-1)).toBe(1);
  });

  test.each([
    ['keep-alive: timeout=0', 3],
    ['keep-alive: timeout=1', 3],
    ['keep-alive: timeout=2', 3],
    ['connection: close', 3],
    ['keep-alive: timeout=600', 1],
  ])(
    'uses no connection longer than a second, nor one of which the service says "%s"',
    async (header, count) => {
      const answer = wireAnswer('{}').replace('\r\n', `\r\n${header}\r\n`);
      const service = await startScripted(({ socket }) => socket.write(answer));
      const surface = openSurface(service.url);
      for (let sent = 0; sent < count; sent += 1) expect(await outcomeOf(surface.send(writeOf()))).toBe(200);
      expect(onConnections(service)).toEqual(Array<number>(count).fill(1));
      await expect.poll(() => service.openConnections).toBe(0);
    },
  );

  describe.each(CLOSINGS)('on a connection that the service closes by %s', (_how, close) => {
    test('as it arrives is not sent again', async () => {
      const service = await startScripted(({ socket, onConnection }) => {
        if (onConnection > 1) close(socket);
        else socket.write(wireAnswer('{}'));
      });
      const surface = openSurface(service.url);
      const send = () => outcomeOf(retryIfNotConnected(() => surface.send(writeOf())));
      const outcomes = [];
      // A connection can be used again in the next turn of the event loop.
      while (!onConnections(service).includes(2)) outcomes.push(await send());
      expect(outcomes.filter((outcome) => outcome !== 200)).toEqual(['unavailable']);
      expect(outcomes.at(-1)).toBe('unavailable');
      expect(service.requests).toHaveLength(outcomes.length);
      expect(await send()).toBe(200);
      expect(onConnections(service).at(-1)).toBe(1);
    });

    test('after the one before it is done once, on another', async () => {
      const service = await startAnswering();
      const surface = openSurface(service.url);
      for (let count = 1; count <= 3; count += 1) {
        expect(await outcomeOf(surface.send(writeOf()))).toBe(200);
        for (const { socket } of service.requests) close(socket);
        await expect.poll(() => service.openConnections).toBe(0);
      }
      expect(onConnections(service)).toEqual([1, 1, 1]);
    });
  });

  test('is never sent twice, at whatever moment around it an idle connection is closed', async () => {
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
});

test.each([
  ['read', 'at once', 0],
  ['read', 'a little later', 15],
  ['write', 'at once', 0],
  ['write', 'a little later', 15],
])(
  'to a %s, bytes that follow a response %s never become the response to another',
  async (call, _, delayMs) => {
    const stray = wireAnswer('"stray"');
    const service = await startScripted(({ socket, path }) => {
      const answer = wireAnswer(path.slice(-1));
      if (delayMs === 0) return void socket.write(answer + stray);
      socket.write(answer);
      return void setTimeout(() => socket.write(stray), delayMs).unref();
    });
    const surface = openSurface(service.url, 3);
    const send = (page: number) =>
      surface.send(call === 'read' ? readOf(page) : writeOf({ path: `/posts/create?page=${page}` }));
    for (let page = 1; page <= 5; page += 1) {
      const answer = await send(page).catch(() => null);
      expect([null, String(page)]).toContain(answer?.text ?? null);
      if (call === 'write') expect(service.requests).toHaveLength(page);
      await expect.poll(() => service.openConnections).toBe(0);
    }
    expect(service.requests.length).toBeGreaterThanOrEqual(5);
  },
);

describe('responses', () => {
  const JSON_BODY = '{"message":"Ça va ☕️","response":{}}';

  test.each(['gzip', 'x-gzip', 'GZIP', 'Gzip ', 'identity, gzip', 'gzip,', 'UTF-8', 'none', 'identity', ''])(
    'in the content coding "%s" are read, compressed or not, without a byte-order mark',
    async (coding) => {
      for (const body of [`\ufeff${JSON_BODY}`, gzipSync(JSON_BODY)]) {
        const { http } = await openInFrontOf(answerIn(coding, body));
        expect((await http.send(readOf())).text).toBe(JSON_BODY);
      }
    },
  );

  test.each<[string, Answer, string]>([
    ['a head of 20 KB', (_, response) => response.setHeader('x-long', 'x'.repeat(20_000)).end(), 'malformed'],
    ['an end without a byte', ({ socket }) => void socket.destroy(), 'unavailable'],
    ['brotli', answerIn('br', brotliCompressSync(JSON_BODY)), 'malformed'],
    ['deflate', answerIn('deflate', deflateSync(JSON_BODY)), 'malformed'],
    ['damaged gzip', answerIn('gzip', Buffer.from(gzipSync(JSON_BODY)).fill(7, 12)), 'malformed'],
    ['gzip within gzip', answerIn('gzip, gzip', gzipSync(gzipSync(JSON_BODY))), 'malformed'],
  ])('of %s fail, and the error names the endpoint alone', async (_name, answer, kind) => {
    const { http } = await openInFrontOf(answer);
    const error: unknown = await http
      .send(readOf(1, { headers: ['x-api-key', 'the-key'] }))
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      kind,
      surface: 'current',
      details: { endpoint: 'GET /accounts/list' },
      message: expect.not.stringMatching(/127\.0\.0\.1|the-key|page=1/) as string,
    });
  });

  test.each<[string, (body: ServerResponse) => unknown, string]>([
    ['breaks off', (body) => body.write('{', () => body.destroy()), 'unavailable'],
    ['is not UTF-8', (body) => body.end(Buffer.of(0xff)), 'malformed'],
    ['is too long', (body) => body.end(' '.repeat(70_000)), 'malformed'],
  ])('that ask for a pause are obeyed, even if their body %s', async (_name, end, kind) => {
    const { http, seen } = await openInFrontOf((_, response) => {
      end(response.writeHead(429, { 'retry-after': '20' }));
    });
    expect(await outcomeOf(http.send(readOf()))).toBe(kind);
    expect(await outcomeOf(http.send(readOf()))).toBe('rate-limited');
    expect(seen).toHaveLength(1);
  });

  test('are read up to the limit of their endpoint, with or without a length, compressed or not', async () => {
    const { http } = await openInFrontOf(({ url = '' }, response) => {
      const [, page = '', isAnnounced, isCompressed] = /page=(\d+)(l?)(c?)/.exec(url) ?? [];
      const text = 'x'.repeat(Number(page));
      const body = isCompressed ? gzipSync(text) : Buffer.from(text);
      if (isAnnounced) response.setHeader('content-length', body.length);
      response.write(body.subarray(0, 10));
      response.end(body.subarray(10));
    });
    const endpoint = { ...readOf().endpoint, maxBodyBytes: 1_000 };
    const read = (page: string) => http.send(readOf(1, { endpoint, path: `/accounts/list?page=${page}` }));
    for (const how of ['', 'l', 'c', 'lc']) {
      expect((await read(`1000${how}`)).text).toHaveLength(1_000);
      expect(await outcomeOf(read(`1001${how}`))).toBe('malformed');
    }
  });

  test('are preceded by any number of informational ones', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(5);
    const { http } = await openInFrontOf(({ socket }) => void socket.end(hints + wireAnswer('{}')));
    expect(await http.send(readOf())).toMatchObject({ status: 200, text: '{}' });
  });
});

describe('responses of eight megabytes', () => {
  /** A surface whose reads are answered with so much once the test says so, and whose writes are at once. */
  async function startHeavy(isAnnounced: boolean) {
    const waiting: ServerResponse[] = [];
    const half = Buffer.alloc(4 * MIB, ' ');
    let isOver = false;
    const { http } = await openInFrontOf(({ url }, response) => {
      if (!url?.startsWith('/accounts')) return void response.end(Buffer.alloc(MIB / 2, ' '));
      if (isAnnounced) response.setHeader('content-length', 8 * MIB);
      response.on('error', () => undefined).write(half);
      return void (isOver ? response.end(half) : waiting.push(response));
    });
    const finish = (): void => {
      isOver = true;
      for (const response of waiting.splice(0)) response.end(half);
    };
    return { http, finish };
  }

  // There is room for four, and for eight halves of those whose length is not known.
  test.each([
    ['with their length', true, 6, 4],
    ['without', false, 10, 1],
  ])('%s are read a few at a time, and refused beyond that', async (_how, isAnnounced, count, least) => {
    const { http, finish } = await startHeavy(isAnnounced);
    let refused = 0;
    const reads = outcomesOf(count, (page) =>
      http.send(readOf(page)).catch((error: unknown) => {
        refused += 1;
        throw error;
      }),
    );
    await expect.poll(() => refused).toBeGreaterThanOrEqual(2);
    finish();
    const outcomes = await reads;
    expect(outcomes.filter((outcome) => outcome === 200).length).toBeGreaterThanOrEqual(least);
    expect(new Set(outcomes)).toEqual(new Set([200, 'overloaded']));
    // All of the room is free again.
    const again = () => outcomesOf(3, (page) => http.send(readOf(page)));
    await expect.poll(again).toEqual([200, 200, 200]);
  });

  test('make room when their readers leave, and never keep out a write', async () => {
    const { http, finish } = await startHeavy(true);
    const leaving = new AbortController();
    const reads = outcomesOf(4, (page) => http.send(readOf(page, { signal: leaving.signal })));
    await expect.poll(() => outcomeOf(http.send(readOf(9)))).toBe('overloaded');
    expect(await outcomesOf(2, () => http.send(writeOf()))).toEqual([200, 200]);
    leaving.abort();
    expect(await reads).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled']);
    finish();
    await expect.poll(() => outcomeOf(http.send(readOf(9)))).toBe(200);
  });
});

describe('garbage collection', () => {
  test('does not stop the deadline of a call, with a caller or without', async () => {
    const collect = exposedGc();
    const service = await startScripted(() => undefined);
    const http = openSurface(service.url);
    const { signal } = new AbortController();
    const endpoint = { ...readOf().endpoint, deadlineMs: 300 };
    const outcomes = [{ endpoint }, { endpoint, signal }].map((call, page) =>
      outcomeOf(http.send(readOf(page, call))),
    );
    await expect.poll(() => service.requests.length).toBe(2);
    collect();
    expect(await Promise.all(outcomes)).toEqual(['timeout', 'timeout']);
  });

  test.each([
    ['read', () => readOf()],
    ['write', () => writeOf()],
  ])('frees what a %s that has ended belonged to, however long its handler lives', async (_, make) => {
    const collect = exposedGc();
    const fake = fakeSurface(always(200));
    const handlers: unknown[] = [];
    const upstream = guarded({
      send(request, handler) {
        handlers.push(handler);
        fake.send(request, handler);
        fake.forget();
      },
      close: async () => undefined,
    });
    const request = (() => {
      const call = make();
      void upstream.send(call);
      return new WeakRef(call);
    })();
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(handlers).toHaveLength(1);
    expect(request.deref()).toBeUndefined();
  });
});
