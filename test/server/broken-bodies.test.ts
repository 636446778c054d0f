import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { jsonOf, send } from '../support/raw-http.ts';
import { LOCAL_QUERY, startServer } from '../support/server.ts';

const SECRET = 'planted-key-in-the-body';
const JSON_TYPE = { 'content-type': 'application/json' };

/** Numbers that are the same in every run. */
function* numbers(seed: number): Generator<number, never> {
  let state = seed;
  for (;;) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    yield state;
  }
}

test('two thousand bodies with flipped bits end in no error of ours, and nothing of them comes back', async () => {
  const { endpoint, log } = await startServer();
  const random = numbers(20_261_120);
  const next = (below: number): number => random.next().value % below;
  const valid = JSON.stringify({
    query: LOCAL_QUERY,
    variables: { apiKey: SECRET },
    extensions: { [SECRET]: 1 },
  });
  const flip = async (): Promise<number> => {
    const body = Buffer.from(valid);
    for (let bits = 1 + next(3); bits > 0; bits -= 1) {
      const at = next(body.length);
      body[at] = (body[at] ?? 0) ^ (1 << next(8));
    }
    const { status, text } = await send(endpoint, { method: 'POST', headers: JSON_TYPE, body });
    expect(text).not.toContain('planted');
    return status;
  };
  const counts = new Map<number, number>();
  for (let count = 0; count < 2_000; count += 100) {
    for (const status of await Promise.all(Array.from({ length: 100 }, flip)))
      counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  expect([...counts.keys()].filter((status) => status !== 200 && status !== 400)).toEqual([]);
  expect(counts.get(400)).toBeGreaterThan(500);
  expect(log.join('')).not.toMatch(/planted|unexpected/);
});

const ZEROS = Buffer.alloc(64 * 1024 * 1024);

test.each([
  ['gzip', gzipSync(ZEROS)],
  ['deflate', deflateSync(ZEROS)],
  ['br', brotliCompressSync(ZEROS.subarray(0, 8 * 1024 * 1024))],
  ['gzip, gzip', gzipSync(gzipSync(ZEROS))],
])('a bomb under content-encoding %s costs nothing', async (encoding, bomb) => {
  const { endpoint } = await startServer();
  const headers = { ...JSON_TYPE, 'content-encoding': encoding };
  const before = process.memoryUsage().rss;
  for (let time = 0; time < 5; time += 1) {
    const reply = await send(endpoint, { method: 'POST', headers, body: bomb.subarray(0, 500_000) });
    expect([reply.status, jsonOf(reply).errors[0].extensions.code]).toEqual([415, 'BAD_USER_INPUT']);
  }
  expect(process.memoryUsage().rss - before).toBeLessThan(48 * 1024 * 1024);
});
