import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  CloseCode,
  MessageType,
  parseMessage,
  stringifyMessage,
  type Message,
  type Server,
} from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { SocketLimits } from '../../config.ts';
import type { Log } from '../../observability/log.ts';
import { CancellationSource } from '../../sources/upstream/cancellation.ts';
import type { CallerHeaders } from '../access.ts';
import type { Seat } from '../seats.ts';

/** Close code for a client that breaks a rule and would break it again; clients do not reconnect. */
const POLICY_VIOLATION = 1008;
/** Close code for a server that restarts; clients reconnect. */
const SERVICE_RESTART = 1012;
/** Close code for a server that currently has no room; clients reconnect. */
const TRY_AGAIN_LATER = 1013;

/** Maximum bytes waiting to be sent to a client, apart from a single larger response. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
/** How long closing an old socket waits for its operations, in milliseconds; the longest one takes 75 seconds. */
const LONGEST_OPERATION_MS = 80_000;
/** The reason of a close is limited to this many bytes. */
const MAX_REASON_BYTES = 123;

const SETTLED: Promise<void> = Promise.resolve();

/** One operation of a socket, from its message until nothing of it runs any more. */
class SocketOperation {
  readonly requestId = inOnePiece(randomUUID());
  /** Cancelled when the client ends the operation or disconnects. */
  readonly cancellation = new CancellationSource();
  /** True for a query or mutation that has been admitted. */
  isExecuting = false;
  /** Resolves when nothing of the operation runs any more. */
  ended = SETTLED;
}

/** Returns a text that will be kept: as Node concatenates an id, it takes half a kilobyte. */
function inOnePiece(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** What connections are made with. */
export interface ConnectionRules {
  readonly protocol: Server<Connection>;
  readonly limits: SocketLimits;
  /** How often clients are pinged, in milliseconds. */
  readonly pingIntervalMs: number;
  readonly log: Log;
}

/** What is kept of the request that became a socket; all of it would take two kilobytes. */
export interface SocketRequest extends Pick<IncomingMessage, 'socket'> {
  readonly headers: CallerHeaders;
}

/** One socket: graphql-ws speaks the protocol on it, and the connection limits what its client may do. */
export class Connection {
  readonly request: SocketRequest;
  readonly seat: Seat;
  /** The first two API keys used by operations of the socket, each with the access token sent with it. */
  readonly keys = new Set<string>();
  /** True once a subscription has ended because its key is no longer accepted. */
  hasRevokedKey = false;
  readonly #socket: WebSocket;
  readonly #log: Log;
  readonly #running = new Set<SocketOperation>();
  /** The latest operation under each id of the client. */
  readonly #named = new Map<string, SocketOperation>();
  /** Resolves when the latest message has been handed to the system. */
  #flushed = SETTLED;
  #ageing: NodeJS.Timeout | undefined;
  /** What the socket is to be closed with as soon as nothing is executing. */
  #closing: { readonly code: number; readonly reason: string } | null = null;

  constructor(socket: WebSocket, request: SocketRequest, seat: Seat, rules: ConnectionRules) {
    this.#socket = socket;
    this.request = request;
    this.seat = seat;
    this.#log = rules.log;
    socket.on('error', this.#failed);
    const pinging = this.#watchPeer(rules.pingIntervalMs);
    this.#limitAge(rules.limits.maxAgeMs);
    const closed = rules.protocol.opened(
      {
        protocol: socket.protocol,
        send: (text) => this.#send(text),
        close: (code, reason = '') => socket.close(code, shortened(reason)),
        onPing: (payload) => this.#pong(payload),
        onMessage: (deliver) => this.#listen(deliver, rules.limits),
      },
      this,
    );
    // A socket closes once, and a listener of `once` would take twice the memory.
    socket.on('close', (code, reason) => {
      clearInterval(pinging);
      clearTimeout(this.#ageing);
      for (const { cancellation } of this.#running) cancellation.cancel();
      closed(code, String(reason)).catch(this.#failed);
    });
  }

  /** The number of running operations, including those that the client has ended but that still run here. */
  get running(): number {
    return this.#running.size;
  }

  /** Returns the latest operation under an id of the client; only called while one runs. */
  operation(id: string): SocketOperation {
    const operation = this.#named.get(id);
    if (operation === undefined) throw new Error('no operation runs under this id');
    return operation;
  }

  /** Records a key that an operation uses. A client may invent any number; what matters is whether there is one or more. */
  noteKey(key: string): void {
    if (this.keys.size < 2) this.keys.add(key);
  }

  /** Closes the socket of a client that does not read; it may reconnect. */
  readonly hangUp = (): void => this.#socket.close(TRY_AGAIN_LATER, 'Try again later');

  /** Closes the socket of a client whose only key is no longer accepted, as soon as no query or mutation is executing. */
  shutOut(): void {
    this.#closing = { code: CloseCode.Unauthorized, reason: 'Unauthorized' };
    this.#closeIfIdle();
  }

  /**
   * Closes the socket, whose client then reconnects, as soon as no query or mutation is executing: a client that loses
   * its socket during one sends it again, even a mutation.
   */
  restart(reason: string): void {
    this.#closing = { code: SERVICE_RESTART, reason };
    this.#closeIfIdle();
  }

  /** Closes a socket that is to be closed, even if something is executing. */
  closeNow(): void {
    if (this.#closing !== null) this.#socket.close(this.#closing.code, this.#closing.reason);
  }

  #closeIfIdle(): void {
    const isExecuting = [...this.#running].some((operation) => operation.isExecuting);
    if (!isExecuting) this.closeNow();
  }

  readonly #failed = (error: unknown): void => this.#log.info({ err: error }, 'a WebSocket failed');

  #listen(deliver: (text: string) => Promise<void>, limits: SocketLimits): void {
    const socket = this.#socket;
    const isInTime = createMessageRate(limits);
    // Messages that arrive while the socket is being closed are ignored.
    const admit = (): boolean => {
      if (socket.readyState !== socket.OPEN) return false;
      if (isInTime()) return true;
      socket.close(POLICY_VIOLATION, 'Too many messages');
      return false;
    };
    socket.on('ping', admit);
    socket.on('pong', admit);
    socket.on('message', (data: Buffer) => {
      if (!admit()) return;
      this.#receive(data.toString(), deliver).catch((error: unknown) => {
        this.#log.error({ err: error }, 'failed to handle a WebSocket message');
        socket.close(CloseCode.InternalServerError, 'Internal server error');
      });
    });
  }

  // Neither this nor what it calls is an async function: a subscription would keep what each of them needs to go on.
  #receive(text: string, deliver: (text: string) => Promise<void>): Promise<void> {
    const message = messageIn(text);
    if (message === null) {
      this.#socket.close(CloseCode.BadRequest, 'Invalid message received');
      return SETTLED;
    }
    if (message.type === MessageType.Complete) this.#named.get(message.id)?.cancellation.cancel();
    if (message.type !== MessageType.Subscribe) return deliver(text);
    return this.#begin(message.id, () => deliver(text));
  }

  /**
   * Runs an operation. A client may use an id again once it has ended the operation, but graphql-ws would then send the
   * result of the earlier one as that of the new one, so the new one waits until nothing of the earlier one runs.
   */
  #begin(id: string, run: () => Promise<void>): Promise<void> {
    const earlier = this.#named.get(id);
    const operation = new SocketOperation();
    this.#named.set(id, operation);
    this.#running.add(operation);
    operation.ended = earlier?.cancellation.isCancelled
      ? Promise.allSettled([earlier.ended]).then(() =>
          operation.cancellation.isCancelled ? undefined : run(),
        )
      : run();
    return operation.ended.finally(() => this.#end(id, operation, earlier));
  }

  #end(id: string, operation: SocketOperation, earlier: SocketOperation | undefined): void {
    this.#running.delete(operation);
    if (this.#named.get(id) === operation) {
      // If the earlier one is still running, it was in use, and this one was refused.
      if (earlier !== undefined && this.#running.has(earlier)) this.#named.set(id, earlier);
      else this.#named.delete(id);
    }
    this.#closeIfIdle();
  }

  // Large responses of several operations may be ready at once. They wait for each other, and a subscription waits for
  // its reader. A client that reads nothing answers no ping either.
  async #send(text: string): Promise<void> {
    const socket = this.#socket;
    while (socket.readyState === socket.OPEN && this.#isFull()) await this.#flushed;
    // Otherwise an endless source would be read without pause, and the close of the socket would never be noticed.
    if (socket.readyState !== socket.OPEN) return await nextTurn();
    // The socket's own events report a failure.
    this.#flushed = new Promise((resolve) => socket.send(text, () => resolve()));
    await this.#flushed;
  }

  /** Answers a ping of the protocol; a client that sends pings without reading is disconnected. */
  async #pong(payload: Record<string, unknown> | undefined): Promise<void> {
    if (this.#isFull()) this.hangUp();
    else await this.#send(stringifyMessage({ type: MessageType.Pong, ...(payload && { payload }) }));
  }

  #isFull(): boolean {
    return this.#socket.bufferedAmount > MAX_BUFFERED_BYTES;
  }

  /** Terminates the connection of a peer that has silently disappeared: each ping must be answered before the next. */
  #watchPeer(intervalMs: number): NodeJS.Timeout {
    const socket = this.#socket;
    let hasAnswered = true;
    socket.on('pong', () => (hasAnswered = true));
    return setInterval(() => {
      if (!hasAnswered) socket.terminate();
      hasAnswered = false;
      if (socket.readyState === socket.OPEN) socket.ping();
    }, intervalMs).unref();
  }

  /** Closes the socket at its maximum age, plus or minus 10%: sockets opened together should not reconnect together. */
  #limitAge(maxAgeMs: number): void {
    const restart = (): void => {
      this.#ageing = setTimeout(() => this.closeNow(), LONGEST_OPERATION_MS).unref();
      this.restart('Maximum age reached; reconnect');
    };
    this.#ageing = setTimeout(restart, maxAgeMs * (0.9 + Math.random() * 0.2)).unref();
  }
}

// graphql-ws has no close code for messages that only servers send.
const SERVER_MESSAGES: ReadonlySet<MessageType> = new Set([
  MessageType.ConnectionAck,
  MessageType.Next,
  MessageType.Error,
]);

/** Returns a message that a client may send; null for anything else. */
function messageIn(text: string): Message | null {
  try {
    const message = parseMessage(text);
    return SERVER_MESSAGES.has(message.type) ? null : message;
  } catch {
    return null;
  }
}

// Only the reason of code 4409 may be too long, because it contains the client's id.
function shortened(reason: string): string {
  return Buffer.byteLength(reason) > MAX_REASON_BYTES ? 'Subscriber already exists' : reason;
}

/**
 * Counts the messages of one socket: a burst, then a fixed number per second. Call the returned function for each
 * message; it returns false if the message arrived too fast.
 *
 * The first message is free, so that a reconnecting client may send its greeting and a burst of operations.
 */
export function createMessageRate(
  { messagesPerSecond, messageBurst }: Pick<SocketLimits, 'messagesPerSecond' | 'messageBurst'>,
  now: () => number = () => performance.now(),
): () => boolean {
  let left = messageBurst + 1;
  let countedAt = now();
  return () => {
    const at = now();
    const gained = ((at - countedAt) / 1_000) * messagesPerSecond;
    countedAt = at;
    left = Math.max(left, Math.min(messageBurst, left + gained)) - 1;
    return left >= 0;
  };
}
