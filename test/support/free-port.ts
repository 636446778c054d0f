import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below those that the system gives out by itself, to whoever asks for any port or connects to one. */
const FIRST = 10_000;
const LAST = 32_000;

/** A port that nobody listens on at the moment, for what has to be told its port beforehand. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
