import { hash, randomUUID } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import type { Redis } from 'ioredis';
import type { PeerListener, Peers } from '../../live/peers.ts';
import type { Log } from '../../observability/log.ts';
import { seal, unseal } from '../../journal/sealing.ts';
import { connect, keyOf, reasonOf, within, type RedisPlace } from './connection.ts';
import type { RedisLink } from './link.ts';

/** Larger messages are not sent: the other processes read for themselves. */
const MAX_MESSAGE_CHARS = 8 * 1024 * 1024;
const PING_EVERY_MS = 500;
const PAUSE_AFTER_FAILURE_MS = 500;

const NOT_PERMITTED =
  'Redis does not permit messages, so each process reads for itself; add &spg:* to the ACL of its user';

/** What PTTL returns for a key that does not expire. */
const ENDLESS = -1;

const compress = promisify(deflate);
const decompress = promisify<Buffer, Buffer>(inflate);

/** The options of the peers. */
interface RedisPeersOptions extends RedisPlace {
  readonly log: Log;
  /** The secret that all processes share. */
  readonly secret: string;
}

/**
 * The other processes with the same Redis: leases for polls, and messages by PUBLISH. A message is compressed and sealed
 * with the shared secret, and topics are hashed, so that nothing can be read in Redis. Own code instead of
 * `@graphql-yoga/redis-event-target`, which leaves the promises of PUBLISH and SUBSCRIBE unhandled, so that a Redis that
 * goes away ends the process.
 */
export class RedisPeers implements Peers {
  /** Resolves after the first attempt to join the others, or if Redis was unavailable at first. */
  readonly tried: Promise<void>;
  readonly #id = randomUUID();
  readonly #link: RedisLink;
  readonly #log: Log;
  readonly #secret: Uint8Array;
  /** Distinguishes deployments that share a Redis, whose channels are the same in all databases. */
  readonly #deployment: string;
  readonly #place: RedisPlace;
  /** By the channel of their topic. */
  readonly #listeners = new Map<string, Set<PeerListener<unknown>>>();
  /** Messages are sent and delivered in order, however long each takes to compress. */
  #sending = Promise.resolve();
  #delivering = Promise.resolve();
  #subscriber: Redis | null = null;
  /** When messages were last known to go both ways, or else the start, as a `performance.now` time. */
  #connectedAt = performance.now();
  readonly #warnings = new Set<string>();
  #isClosed = false;

  constructor(link: RedisLink, { log, url, secret, commandTimeoutMs }: RedisPeersOptions) {
    this.#link = link;
    this.#log = log;
    this.#secret = hash('sha256', `messages ${secret}`, 'buffer');
    this.#deployment = hash('sha256', `channels ${secret} ${new URL(url).pathname}`, 'base64url');
    this.#place = { url, commandTimeoutMs };
    // A connection that stayed open may lead to the previous Redis.
    link.onReturn(() => this.#subscriber?.disconnect());
    this.tried = new Promise((resolve) => void this.#stayJoined(resolve));
  }

  get areReachable(): boolean {
    return this.#link.isUp;
  }

  get clockAheadMs(): number {
    return this.#link.clockAheadMs;
  }

  async takeTurn(name: string, intervalMs: number): Promise<number> {
    const key = keyOf('poll', name);
    const lasts = Math.ceil(intervalMs);
    try {
      const [taken, left] =
        (await this.#link.run((client) =>
          client.multi().set(key, this.#id, 'PX', lasts, 'NX').pttl(key).exec(),
        )) ?? [];
      if (taken?.[1] === 'OK') return 0;
      const leftMs = Number(left?.[1]);
      if (leftMs !== ENDLESS && leftMs <= lasts) return Math.max(1, leftMs);
      // Another interval was configured before, or the clock of Redis was set back.
      await this.#link.run((client) => client.set(key, this.#id, 'PX', lasts));
      return 0;
    } catch {
      return 0;
    }
  }

  publish(topic: string, message: object): void {
    if (!this.areReachable) return;
    const channel = this.#channelOf(topic);
    this.#sending = this.#sending.then(() => this.#send(channel, message)).catch(() => undefined);
  }

  listen<M>(topic: string, listener: PeerListener<M>): () => void {
    const channel = this.#channelOf(topic);
    const listeners = this.#listeners.get(channel) ?? new Set();
    if (listeners.size === 0) this.#subscriber?.subscribe(channel).catch(() => undefined);
    this.#listeners.set(channel, listeners.add(listener));
    return () => {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      this.#listeners.delete(channel);
      this.#subscriber?.unsubscribe(channel).catch(() => undefined);
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#subscriber?.disconnect();
  }

  async #send(channel: string, message: object): Promise<void> {
    const packed = await compress(JSON.stringify(message));
    const text = `${this.#id} ${seal(packed.toString('base64'), this.#secret, channel)}`;
    if (text.length > MAX_MESSAGE_CHARS) return;
    await this.#link.run(async (client) => {
      try {
        await client.publish(channel, text);
      } catch (error) {
        // A user without channels can still use everything else.
        if (reasonOf(error) !== 'NOPERM') throw error;
        this.#warnOnce(NOT_PERMITTED);
      }
    });
  }

  #onMessage(channel: string, text: string): void {
    const [from, sealed = ''] = text.split(' ', 2);
    if (from === this.#id) return;
    this.#delivering = this.#delivering
      .then(() => this.#deliver(channel, sealed))
      .catch((error: unknown) =>
        this.#log.error({ err: error }, 'a message of another process could not be handled'),
      );
  }

  async #deliver(channel: string, sealed: string): Promise<void> {
    let message: unknown;
    try {
      const packed = Buffer.from(unseal(sealed, this.#secret, channel), 'base64');
      message = JSON.parse((await decompress(packed)).toString());
    } catch {
      this.#warnOnce('a message in Redis cannot be read; all processes need the same version');
      return;
    }
    for (const listener of this.#listeners.get(channel) ?? []) listener.onMessage(message);
  }

  async #stayJoined(onTried: () => void): Promise<void> {
    await this.#link.tried;
    if (!this.areReachable) onTried();
    while (!this.#isClosed) {
      await this.#link.whenUp();
      try {
        await this.#join(await connect(this.#place), onTried);
      } catch (error) {
        onTried();
        if (reasonOf(error) === 'NOPERM') this.#warnOnce(NOT_PERMITTED);
        await after(PAUSE_AFTER_FAILURE_MS, undefined, { ref: false });
      }
      this.#subscriber?.disconnect();
      this.#subscriber = null;
    }
  }

  // Returns when Redis is unavailable, and throws when the connection has ended.
  async #join(client: Redis, onJoined: () => void): Promise<void> {
    this.#subscriber = client;
    client.on('message', (channel, text) => this.#onMessage(channel, text));
    const channels = [...this.#listeners.keys()];
    if (channels.length > 0) await this.#inTime(client.subscribe(...channels));
    // A message may have been on its way for as long as a command may take.
    const missedMs = performance.now() - this.#connectedAt + PING_EVERY_MS + this.#place.commandTimeoutMs;
    for (const all of this.#listeners.values()) for (const listener of all) listener.onJoin?.(missedMs);
    onJoined();
    while (this.#link.isUp && !this.#isClosed) {
      await this.#inTime(client.ping());
      if (this.#link.isUp) this.#connectedAt = performance.now();
      await after(PING_EVERY_MS, undefined, { ref: false });
    }
  }

  #channelOf(topic: string): string {
    return keyOf('messages', this.#deployment, topic);
  }

  #inTime<T>(answer: Promise<T>): Promise<T> {
    return within(answer, PING_EVERY_MS + this.#place.commandTimeoutMs);
  }

  #warnOnce(text: string): void {
    if (this.#warnings.has(text)) return;
    this.#warnings.add(text);
    this.#log.warn({}, text);
  }
}
