import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { shareBuiltServer } from '../support/built-server.ts';
import { cases } from '../support/depth.ts';
import { jsonOf, postJson } from '../support/http.ts';

// A server in a process of its own, with a heap of 256 MB, in front of a service that sends too much.

const MIB = 2 ** 20;
const QUERY = '{ accounts(surface: LEGACY, first: 1) { totalCount } }';

type Send = (response: ServerResponse) => void;

/** How the service answers everything; each test has its own way. */
let send: Send;

const service = createServer((_request, response) => {
  response.on('error', () => undefined);
  send(response);
});
afterAll(() => {
  service.closeAllConnections();
  service.close();
});

/** One small server process for all tests: what they leave behind in it adds up. */
const running = shareBuiltServer(async () => {
  await once(service.listen(0, '127.0.0.1'), 'listening');
  return {
    LEGACY_API_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    NODE_OPTIONS: '--max-old-space-size=256',
    LOG_LEVEL: 'error',
    READ_ATTEMPTS: '1',
    BREAKER_MIN_CALLS: '1000000',
    OVERLOAD_DELAY: '1h',
  };
});

afterEach(() => expect(running().output).not.toContain('out of memory'));

/** How many bytes were sent in all. */
let written = 0;

/** Sends so many bytes as fast as they are read, in chunks. */
function stream(response: ServerResponse, chunkAt: (sent: number) => Buffer, bytes: number): void {
  let sent = 0;
  const pump = (): void => {
    while (sent < bytes && !response.destroyed) {
      const chunk = chunkAt(sent);
      sent += chunk.length;
      written += chunk.length;
      if (!response.write(chunk)) return void response.once('drain', pump);
    }
    response.end();
  };
  pump();
}

/** How often each outcome came of so many operations at once: the code of the error, or the number of accounts. */
async function outcomesOf(count: number, callers = count) {
  const outcomes: Record<string, number> = {};
  await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const headers = { authorization: `Bearer token-${n % callers}` };
      const { data, errors } = jsonOf(await postJson(`${running().url}/graphql`, { query: QUERY }, headers));
      const outcome = String(errors?.[0]?.extensions.code ?? data.accounts.totalCount);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }),
  );
  return outcomes;
}

/** Memory of the process in MiB. */
const memoryMiB = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${running().pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;

/** Watches the memory of the process; the most of it, in MiB. */
function watchMemory(): { readonly most: number } {
  const memory = { most: memoryMiB() };
  const timer = setInterval(() => (memory.most = Math.max(memory.most, memoryMiB())), 20);
  onTestFinished(() => clearInterval(timer));
  return memory;
}

/**
 * What the server may keep of several gigabytes, in MiB: three times its budget for answers, and as much again for what
 * has been dropped and a busy machine has not collected yet.
 */
const MOST_KEPT_MIB = 200;

const blanks = Buffer.alloc(65_536, ' ');
const bomb = gzipSync(Buffer.alloc(30 * MIB));

describe('many at once of', () => {
  let before = 0;

  test.each<readonly [what: string, send: Send, codes: readonly string[]]>([
    [
      'bodies of 200 MB',
      (response) => stream(response, () => blanks, 200 * MIB),
      ['OVERLOADED', 'UPSTREAM_MALFORMED'],
    ],
    [
      'claims of five gigabytes',
      (response) => stream(response.setHeader('content-length', 5e9), () => blanks, 5e9),
      ['UPSTREAM_MALFORMED'],
    ],
    [
      'compressed bombs',
      (response) => response.setHeader('content-encoding', 'gzip').end(bomb),
      ['UPSTREAM_MALFORMED'],
    ],
  ])('%s cost less than 200 MB', async (_what, sending, codes) => {
    send = sending;
    await outcomesOf(1);
    // What the first of these left counts against the next one as well.
    before ||= memoryMiB();
    const memory = watchMemory();
    written = 0;
    const count = cases(10, 50);
    const outcomes = await outcomesOf(count);
    // Eight are read of each, and the buffers of both ends hold some.
    expect(written).toBeLessThan(count * 32 * MIB);
    expect(codes).toEqual(expect.arrayContaining(Object.keys(outcomes)));
    expect(memory.most - before).toBeLessThan(MOST_KEPT_MIB);
  });
});

const account = (id: number): string =>
  JSON.stringify({
    id,
    nickname: `Account ${id}`,
    url: `https://network.example.com/${id}`,
    status: 'Running',
    account_type: 'facebook',
    note: 'x'.repeat(800),
  });
const ACCOUNTS = 8_800;
/** A process that gets little time may take longer over eight megabytes than an answer may. */
const ON_A_BUSY_MACHINE = [String(ACCOUNTS), 'OVERLOADED', 'UPSTREAM_TIMEOUT'];
const large = Buffer.from(`[${Array.from({ length: ACCOUNTS }, (_, n) => account(n + 1)).join(',')}]`);

const inChunks: Send = (response) => stream(response, (at) => large.subarray(at, at + 65_536), large.length);
const announced: Send = (response) => inChunks(response.setHeader('content-length', large.length));

/** Sends the first answers at the same moment, so many of them: one after the other, all would have room. */
function together(count: number, sending: Send): Send {
  const asked: ServerResponse[] = [];
  let isBegun = false;
  return (response) => {
    asked.push(response);
    isBegun ||= asked.length === count;
    if (isBegun) for (const one of asked.splice(0)) sending(one);
  };
}

test('answers of eight megabytes are read from many callers as far as there is room, and from one caller one after the other', async () => {
  expect([large.length > 7 * MIB, large.length < 8 * MIB]).toEqual([true, true]);
  for (const [sending, callers] of [
    [announced, cases(12, 100)],
    [inChunks, cases(14, 80)],
  ] as const) {
    send = together(12, sending);
    const outcomes = Object.keys(await outcomesOf(callers));
    expect(outcomes).toEqual(expect.arrayContaining([String(ACCOUNTS), 'OVERLOADED']));
    expect(ON_A_BUSY_MACHINE).toEqual(expect.arrayContaining(outcomes));
    await expect.poll(() => outcomesOf(1)).toEqual({ [ACCOUNTS]: 1 });
  }
  send = announced;
  const count = cases(10, 50);
  expect(await outcomesOf(count, 1)).toEqual({ [ACCOUNTS]: count });
});
