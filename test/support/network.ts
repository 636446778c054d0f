import { randomInt } from 'node:crypto';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

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

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  isMute: boolean;
}

/**
 * Starts a proxy before a port of this machine that can be told to be a bad network; it ends with the test. `join` passes
 * on what comes, unless told otherwise.
 */
export async function startTcpProxy(port: number, join?: (pair: Pair) => void) {
  const proxy = await openTcpProxy(port, join);
  onTestFinished(() => proxy.close());
  return proxy;
}

/** The same, for whoever closes it. */
export async function openTcpProxy(first: number, join?: (pair: Pair) => void) {
  let port = first;
  let mode: 'good' | 'cut' | 'mute' = 'good';
  let delayMs = 0;
  let mostOpen = 0;
  let turnedAway = 0;
  const pairs = new Set<Pair>();
  const end = (pair: Pair): void => {
    pairs.delete(pair);
    pair.near.destroy();
    pair.far.destroy();
  };
  const server = createServer((near) => {
    if (mode === 'cut') {
      turnedAway += 1;
      near.on('error', () => undefined).resetAndDestroy();
      return;
    }
    const pair = { near, far: connect(port, '127.0.0.1'), isMute: mode === 'mute' };
    pairs.add(pair);
    mostOpen = Math.max(mostOpen, pairs.size);
    for (const socket of [pair.near, pair.far]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined).on('close', () => end(pair));
    }
    if (join) return join(pair);
    pass(pair, near, pair.far, () => 0);
    pass(pair, pair.far, near, () => delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get open() {
      return pairs.size;
    },
    get mostOpen() {
      return mostOpen;
    },
    get turnedAway() {
      return turnedAway;
    },
    /** Ends every connection, and takes no other. */
    cut() {
      mode = 'cut';
      pairs.forEach(end);
    },
    /** Takes connections and passes nothing on; those that were there stay mute for ever. */
    mute() {
      mode = 'mute';
      for (const pair of pairs) pair.isMute = true;
    },
    /** Lets answers come so many milliseconds late. */
    delay: (ms: number) => void (delayMs = ms),
    /** Is a good network again, which may lead to another port. */
    restore(next = port) {
      port = next;
      mode = 'good';
      delayMs = 0;
    },
    close() {
      server.close();
      pairs.forEach(end);
    },
  };
}

// What is late keeps its order, and what comes after it waits.
function pass(pair: Pair, from: Socket, to: Socket, lateMs: () => number): void {
  let last = Promise.resolve();
  const passOn = async (before: Promise<void>, chunk: Buffer, dueAt: number): Promise<void> => {
    await before;
    const leftMs = dueAt - performance.now();
    if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
    if (!to.destroyed && !pair.isMute) to.write(chunk);
  };
  from.on('data', (chunk) => {
    if (!pair.isMute) last = passOn(last, chunk, performance.now() + lateMs());
  });
}
