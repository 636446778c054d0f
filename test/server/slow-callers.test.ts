import { connect, type Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startBuiltServer } from '../support/built-server.ts';
import { startGraph } from '../support/graph.ts';
import { postJson } from '../support/raw-http.ts';
import { scrape } from '../support/scrape.ts';
import { LOCAL_QUERY } from '../support/server.ts';

const HEAD = 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';

/** Opens connections, says something on each, and a little more from time to time; tells when each was closed. */
function dribble(
  url: string,
  count: number,
  { first, more }: { first: string; more: string },
): Promise<number[]> {
  const { hostname, port } = new URL(url);
  const startedAt = performance.now();
  return Promise.all(
    Array.from({ length: count }, () => {
      const socket: Socket = connect(Number(port), hostname).on('error', () => undefined);
      onTestFinished(() => void socket.destroy());
      socket.write(first);
      const timer = setInterval(() => socket.write(more), 500);
      socket.resume();
      return new Promise<number>((resolve) => {
        socket.once('close', () => {
          clearInterval(timer);
          resolve(performance.now() - startedAt);
        });
      });
    }),
  );
}

/** The slowest of the requests that are sent one after the other until something is over. */
async function slowestUntil(over: Promise<unknown>, endpoint: string): Promise<number> {
  const times: number[] = [];
  do {
    const startedAt = performance.now();
    expect((await postJson(endpoint, { query: LOCAL_QUERY })).status).toBe(200);
    times.push(performance.now() - startedAt);
  } while ((await Promise.race([over, after(20, 'goes on')])) === 'goes on');
  return times.toSorted((a, b) => a - b).at(-2) ?? 0;
}

test(
  'callers that dribble their headers are let go in time, and keep nobody waiting, nor do those of bodies',
  { timeout: 60_000 },
  async () => {
    // More of them than may be executed at once: they are not at work.
    const { url } = await startBuiltServer({ SANDBOX_PORT: '0', LOG_LEVEL: 'error', MAX_OPERATIONS: '100' });
    await postJson(`${url}/graphql`, { query: LOCAL_QUERY });
    const resident = async () => (await scrape(url)).value('process_resident_memory_bytes');
    const before = await resident();
    const headers = dribble(url, 300, { first: HEAD, more: 'x-a: 1\r\n' });
    // Their time is half a minute: bench/slow-callers.mjs waits for it.
    void dribble(url, 300, { first: `${HEAD}content-length: 1000\r\n\r\n{`, more: ' ' });
    expect(await slowestUntil(headers, `${url}/graphql`)).toBeLessThan(1_000);
    expect(Math.max(...(await headers))).toBeLessThan(13_000);
    expect((await resident()) - before).toBeLessThan(50 * 1024 * 1024);
  },
);

test('a hundred endless bodies are cut off at the limit, and cost little', { timeout: 30_000 }, async () => {
  const { url } = await startBuiltServer({ SANDBOX_PORT: '0', LOG_LEVEL: 'error' });
  await postJson(`${url}/graphql`, { query: LOCAL_QUERY });
  const before = (await scrape(url)).value('process_resident_memory_bytes');
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
  const { hostname, port } = new URL(url);
  const endless = Array.from({ length: 100 }, async () => {
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    let received = '';
    socket.on('data', (data: Buffer) => (received += data.toString()));
    socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    while (!socket.closed && socket.bytesWritten < 50 * 1024 * 1024) {
      socket.write(chunk);
      await Promise.race([closed, after(5)]);
    }
    return { sent: socket.bytesWritten, received };
  });
  for (const { sent, received } of await Promise.all(endless)) {
    expect(sent).toBeLessThan(50 * 1024 * 1024);
    expect(received === '' || received.includes('413')).toBe(true);
  }
  expect((await scrape(url)).value('process_resident_memory_bytes') - before).toBeLessThan(100 * 1024 * 1024);
});

test('a caller that does not read its answer is let go', async () => {
  const much = {
    MAX_TOKENS: '100000',
    MAX_ALIASES: '10000',
    MAX_DOCUMENT_BYTES: '100000',
    MAX_SELECTIONS: '1000000',
  };
  const graph = await startGraph({ environment: much, readWithinMs: 300 });
  // More than the buffers on the way can take.
  const names = Array.from({ length: 800 }, (_, index) => `a${index}: description`).join(' ');
  const body = JSON.stringify({ query: `{ __schema { types { fields { ${names} } } } }` });
  const { hostname, port } = new URL(graph.url);
  const open = async () => (await scrape(graph.url)).value('nodejs_active_handles{type="Socket"}');
  await open();
  const before = await open();
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.write(`${HEAD}content-length: ${body.length}\r\n\r\n${body}`);
  await new Promise((resolve) => socket.once('readable', resolve));
  // The caller's own end, of this process too, stays open until it reads.
  await expect.poll(open, { timeout: 10_000, interval: 50 }).toBe(before + 1);
  const answer = await socket.toArray().catch(() => []);
  expect(Buffer.concat(answer as Buffer[]).toString()).not.toMatch(/\r\n0\r\n\r\n$/);
});
