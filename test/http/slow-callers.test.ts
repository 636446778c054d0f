import { expect, onTestFinished, test } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { closeOf, openConnection, POST_HEAD, postJson, scrape } from '../support/http.ts';
import { LOCAL_QUERY, startServer } from '../support/server.ts';

/** Opens a hundred connections, writes something on each, and a little more from time to time until all are closed. */
async function dribble(url: string, first: string, more: string): Promise<void> {
  const sockets = Array.from({ length: 100 }, () => openConnection(url).resume());
  for (const socket of sockets) socket.write(first);
  const timer = setInterval(() => sockets.forEach((socket) => socket.write(more)), 500);
  onTestFinished(() => clearInterval(timer));
  await Promise.all(sockets.map(closeOf));
}

test('callers that dribble their headers are disconnected, and meanwhile other callers are answered', async () => {
  // Fewer operations may run at once than there are callers, who don't count as such.
  const { url } = await startServer({ MAX_OPERATIONS: '30' });
  const askOthers = async () =>
    expect((await postJson(`${url}/graphql`, { query: LOCAL_QUERY })).status).toBe(200);
  await askOthers();
  const headers = dribble(url, POST_HEAD, 'x-a: 1\r\n');
  // These are disconnected after half a minute; bench/slow-callers.mjs waits for it, and measures memory and delays.
  void dribble(url, `${POST_HEAD}content-length: 1000\r\n\r\n{`, ' ');
  let isOver = false;
  void headers.then(() => (isOver = true));
  const disconnected = async (): Promise<boolean> => {
    await askOthers();
    return isOver;
  };
  await expect.poll(disconnected, { interval: 200, timeout: 100_000 }).toBe(true);
});

test('a caller that does not read its answer is disconnected', async () => {
  const much = {
    MAX_TOKENS: '100000',
    MAX_ALIASES: '10000',
    MAX_DOCUMENT_BYTES: '100000',
    MAX_SELECTIONS: '1000000',
    MAX_RESULT_FIELDS: '1000000',
    MAX_RESULT_BYTES: '100000000',
  };
  const graph = await startGraph({ environment: much, readWithinMs: 300 });
  // More than the buffers on the way can take.
  const names = Array.from({ length: 800 }, (_, index) => `a${index}: description`).join(' ');
  const body = JSON.stringify({ query: `{ __schema { types { fields { ${names} } } } }` });
  const handles = async () => (await scrape(graph.url)).value('nodejs_active_handles{type="Socket"}');
  await handles();
  const before = await handles();
  const socket = openConnection(graph.url);
  socket.write(`${POST_HEAD}content-length: ${body.length}\r\n\r\n${body}`);
  await new Promise((resolve) => socket.once('readable', resolve));
  // The caller's own end, of this process too, stays open until it reads.
  await expect.poll(handles).toBe(before + 1);
  const answer = await socket.toArray().catch(() => []);
  expect(Buffer.concat(answer as Buffer[]).toString()).not.toMatch(/\r\n0\r\n\r\n$/);
});
