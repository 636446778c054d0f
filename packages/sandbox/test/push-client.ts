import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';

/** A push socket as a test sees it. */
export interface PushSocket {
  /** Messages so far: on socket.io, event name and arguments in one array. */
  readonly messages: readonly unknown[];
  /** Waits until so many messages have come; rejects after half a minute. */
  received(count: number): Promise<readonly unknown[]>;
  /** Waits until the socket is closed, and gives the code. */
  closed(): Promise<number>;
  send(text: string): void;
}

export interface PushOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly auth?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** Opens a plain WebSocket. */
export async function openWebSocket(
  url: string,
  { headers = {}, query = '' }: PushOptions = {},
): Promise<PushSocket> {
  const socket = connect(`${url}${query}`, headers);
  const pushed = collect(socket, (text) => [JSON.parse(text)]);
  await once(socket, 'open');
  return pushed;
}

/**
 * Opens a socket.io connection over WebSocket, speaking the protocol by hand: `0` opens, `40` enters the namespace,
 * `42` is an event, `44` a refusal, `2` and `3` are ping and pong.
 */
export async function openSocketIo(
  origin: string,
  { headers = {}, auth = {}, query = '' }: PushOptions = {},
): Promise<PushSocket> {
  const url = `${origin.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket${query}`;
  const socket = connect(url, headers);
  const entered = new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.on('message', (data: Buffer) => {
      const packet = data.toString('utf8');
      if (packet.startsWith('40')) resolve();
      if (packet.startsWith('44')) reject(new Error(packet.slice(2)));
    });
  });
  const pushed = collect(socket, (packet) => {
    if (packet.startsWith('0')) socket.send(`40${JSON.stringify(auth)}`);
    if (packet === '2') socket.send('3');
    return packet.startsWith('42') ? [JSON.parse(packet.slice(2))] : [];
  });
  await entered;
  return pushed;
}

function connect(url: string, headers: Readonly<Record<string, string>>): WebSocket {
  const socket = new WebSocket(url, { headers });
  // Ending a socket that never opened is an error event too; by then nobody waits for it.
  socket.on('error', () => undefined);
  onTestFinished(() => socket.terminate());
  return socket;
}

function collect(socket: WebSocket, read: (text: string) => unknown[]): PushSocket {
  const messages: unknown[] = [];
  const waiting = new Set<() => void>();
  const closed = once(socket, 'close').then(([code]) => Number(code));
  // A socket that fails to open rejects this too; whoever waits for it hears of it.
  closed.catch(() => undefined);
  socket.on('message', (data: Buffer) => {
    messages.push(...read(data.toString('utf8')));
    for (const check of waiting) check();
  });
  return {
    messages,
    closed: () => closed,
    send: (text) => socket.send(text),
    received: (count) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${messages.length} of ${count} messages`)), 30_000);
        const check = () => {
          if (messages.length < count) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve(messages);
        };
        waiting.add(check);
        check();
      }),
  };
}
