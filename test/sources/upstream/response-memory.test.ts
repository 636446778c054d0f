import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Upstream } from '../../../src/sources/upstream/call.ts';
import { openAt, outcomeOf, outcomesOf, readOf, writeOf } from '../../support/fake-surface.ts';

const MIB = 2 ** 20;

/** A surface in front of a server that answers each read with so much, once it is told to, and each write with little. */
async function startHeavy(
  bytes: number,
  isAnnounced: boolean,
): Promise<{ http: Upstream; finish: () => void }> {
  const waiting: ServerResponse[] = [];
  const half = Buffer.alloc(bytes / 2, ' ');
  let isOver = false;
  const server = createServer(({ url }, response) => {
    if (!url?.startsWith('/accounts')) return void response.end(Buffer.alloc(MIB / 2, ' '));
    if (isAnnounced) response.setHeader('content-length', bytes);
    response.on('error', () => undefined).write(half);
    if (isOver) return void response.end(half);
    return void waiting.push(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const http = openAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(async () => {
    await http.close();
    server.closeAllConnections();
    server.close();
  });
  const finish = (): void => {
    isOver = true;
    for (const response of waiting.splice(0)) response.end(half);
  };
  return { http, finish };
}

describe('answers of eight megabytes', () => {
  test.each([
    ['with their length', true, 6],
    ['without', false, 10],
  ])('%s are read a few at a time, and refused beyond that', async (_how, isAnnounced, count) => {
    const { http, finish } = await startHeavy(8 * MIB, isAnnounced);
    let refused = 0;
    const reads = Array.from({ length: count }, async (_, page) => {
      const outcome = await outcomeOf(http.send(readOf(page)));
      if (outcome === 'overloaded') refused += 1;
      return outcome;
    });
    // There is room for four, and for eight halves of those whose length is not known.
    await expect.poll(() => refused).toBeGreaterThanOrEqual(2);
    finish();
    const outcomes = await Promise.all(reads);
    expect(outcomes.filter((outcome) => outcome === 200).length).toBeGreaterThanOrEqual(isAnnounced ? 4 : 1);
    expect(new Set(outcomes)).toEqual(new Set([200, 'overloaded']));
    // All of the room is free again.
    await expect
      .poll(async () => await outcomesOf(3, (page) => http.send(readOf(page))))
      .toEqual([200, 200, 200]);
  });

  test('leave room again when their readers leave', async () => {
    const { http, finish } = await startHeavy(8 * MIB, true);
    const leaving = new AbortController();
    const reads = outcomesOf(4, (page) => http.send(readOf(page, { signal: leaving.signal })));
    await expect.poll(async () => await outcomeOf(http.send(readOf(9)))).toBe('overloaded');
    leaving.abort();
    expect(await reads).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled']);
    finish();
    await expect.poll(async () => await outcomeOf(http.send(readOf(9)))).toBe(200);
  });

  test('take no room from a call with an effect, whose answer must be known', async () => {
    const { http, finish } = await startHeavy(8 * MIB, true);
    const reads = outcomesOf(4, (page) => http.send(readOf(page)));
    await expect.poll(async () => await outcomeOf(http.send(readOf(9)))).toBe('overloaded');
    expect(await outcomesOf(2, () => http.send(writeOf()))).toEqual([200, 200]);
    finish();
    expect(await reads).toEqual([200, 200, 200, 200]);
  });
});
