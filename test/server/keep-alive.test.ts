import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../support/server.ts';

/** How long the server keeps a connection after its answer, in milliseconds. */
async function keptFor(keepAlive: string): Promise<number> {
  const { url } = await startServer({ KEEP_ALIVE: keepAlive });
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.write('GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
  const answered = new Promise<number>((resolve) => socket.once('data', () => resolve(performance.now())));
  const closed = new Promise<number>((resolve) => socket.once('close', () => resolve(performance.now())));
  const left = new Promise<number>((resolve) => setTimeout(() => resolve(Infinity), 4_000));
  return (await Promise.race([closed, left])) - (await answered);
}

test('a connection that nothing happens on is kept for as long as KEEP_ALIVE says', async () => {
  // Node itself keeps it for a second more than it tells.
  const [short, long] = await Promise.all([keptFor('1s'), keptFor('65s')]);
  expect(short).toBeGreaterThanOrEqual(990);
  expect(short).toBeLessThan(3_500);
  expect(long).toBe(Infinity);
});
