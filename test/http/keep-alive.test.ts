import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../support/server.ts';

const HEALTH = 'GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';

/** A connection on which one request has been answered. */
async function openAnswered(keepAlive: string) {
  const { url } = await startServer({ KEEP_ALIVE: keepAlive });
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const ask = async (): Promise<string> => {
    const answered = new Promise<string>((resolve) =>
      socket.once('data', (data: Buffer) => resolve(data.toString())),
    );
    socket.write(HEALTH);
    return await answered;
  };
  return { ask, closed, told: /^keep-alive: (.+)$/im.exec(await ask())?.[1] };
}

test('an idle connection is closed after KEEP_ALIVE, and one with a longer KEEP_ALIVE still works by then', async () => {
  const [short, long] = await Promise.all([openAnswered('1s'), openAnswered('10m')]);
  expect([short.told, long.told]).toEqual(['timeout=1', 'timeout=600']);
  await short.closed;
  expect(await long.ask()).toMatch(/^HTTP\/1\.1 200 /);
});
