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

/** Something between a client and a server that can be told to be a bad network. */
export interface TcpProxy {
  readonly port: number;
  /** Connections that are open, and the most that were open at once. */
  readonly open: number;
  readonly mostOpen: number;
  /** How many connections were turned away. */
  readonly turnedAway: number;
  /** Ends every connection, and takes no other. */
  cut(): void;
  /** Takes connections and passes nothing on; those that were there stay mute for ever. */
  mute(): void;
  /** Lets answers come so many milliseconds late. */
  delay(ms: number): void;
  /** Is a good network again, which may lead to another port. */
  restore(port?: number): void;
}

interface State {
  mode: 'good' | 'cut' | 'mute';
  delayMs: number;
  mostOpen: number;
  turnedAway: number;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  isMute: boolean;
}

/** Starts one before a port of this machine; it ends with the test. */
export async function startTcpProxy(port: number): Promise<TcpProxy> {
  const proxy = await openTcpProxy(port);
  onTestFinished(proxy.close);
  return proxy;
}

/** The same, for whoever closes it. */
export async function openTcpProxy(first: number): Promise<TcpProxy & { readonly close: () => void }> {
  let port = first;
  const state: State = { mode: 'good', delayMs: 0, mostOpen: 0, turnedAway: 0 };
  const pairs = new Set<Pair>();
  const end = (pair: Pair): void => {
    pairs.delete(pair);
    pair.near.destroy();
    pair.far.destroy();
  };
  const endAll = (): void => pairs.forEach(end);
  const server = createServer((near) => {
    if (state.mode === 'cut') {
      state.turnedAway += 1;
      near.on('error', () => undefined).resetAndDestroy();
      return;
    }
    const pair = { near, far: connect(port, '127.0.0.1'), isMute: state.mode === 'mute' };
    pairs.add(pair);
    state.mostOpen = Math.max(state.mostOpen, pairs.size);
    for (const socket of [pair.near, pair.far]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined).on('close', () => end(pair));
    }
    pass(pair, { from: near, to: pair.far, lateMs: () => 0 });
    pass(pair, { from: pair.far, to: near, lateMs: () => state.delayMs });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.close();
    endAll();
  };
  return {
    close,
    port: (server.address() as AddressInfo).port,
    get open() {
      return pairs.size;
    },
    get mostOpen() {
      return state.mostOpen;
    },
    get turnedAway() {
      return state.turnedAway;
    },
    cut() {
      state.mode = 'cut';
      endAll();
    },
    mute() {
      state.mode = 'mute';
      for (const pair of pairs) pair.isMute = true;
    },
    delay: (ms) => void (state.delayMs = ms),
    restore(next = port) {
      port = next;
      Object.assign(state, { mode: 'good', delayMs: 0 });
    },
  };
}

interface Passing {
  readonly from: Socket;
  readonly to: Socket;
  readonly lateMs: () => number;
}

interface Late {
  readonly chunk: Buffer;
  readonly dueAt: number;
}

// What is late keeps its order, and what comes after it waits.
function pass(pair: Pair, { from, to, lateMs }: Passing): void {
  let last = Promise.resolve();
  const passOn = async (before: Promise<void>, { chunk, dueAt }: Late): Promise<void> => {
    await before;
    const leftMs = dueAt - performance.now();
    if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
    if (!to.destroyed && !pair.isMute) to.write(chunk);
  };
  from.on('data', (chunk) => {
    if (pair.isMute) return;
    const dueAt = performance.now() + lateMs();
    last = passOn(last, { chunk, dueAt });
  });
}
