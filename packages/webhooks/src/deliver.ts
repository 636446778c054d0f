import { setTimeout as after } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Message, Outbox, Pending } from './outbox.ts';

/** The result of an attempt: delivered, to be retried, or permanently refused. */
export type Attempt =
  | { readonly outcome: 'delivered' }
  | { readonly outcome: 'failed'; readonly reason: string; readonly pauseMs: number }
  | { readonly outcome: 'gone'; readonly reason: string };

/** Sends a message once. */
export type SendMessage = (message: Message) => Promise<Attempt>;

const TIMEOUT_MS = 20_000;
/** The longest pause that a receiver may request, in milliseconds. */
const LONGEST_PAUSE_MS = 60 * 60_000;

/** Sends messages to a URL, signed as specified by standardwebhooks.com. Redirects are not followed. */
export function createSender(url: URL, secret: string): SendMessage {
  const webhook = new Webhook(secret);
  return async ({ id, ...event }) => {
    const body = JSON.stringify(event);
    const sentAt = new Date();
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'social-publishing-graphql',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
      'webhook-signature': webhook.sign(id, sentAt, body),
    };
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
      await response.body?.cancel();
      return attemptOf(response);
    } catch (error) {
      return { outcome: 'failed', reason: reasonOf(error), pauseMs: 0 };
    }
  };
}

function attemptOf({ status, ok, headers }: Response): Attempt {
  if (ok) return { outcome: 'delivered' };
  const reason = `the receiver returned HTTP ${status}`;
  if (status === 410) return { outcome: 'gone', reason };
  return { outcome: 'failed', reason, pauseMs: pauseIn(headers.get('retry-after') ?? '') };
}

/** Returns the pause that a `retry-after` header requests, in seconds or until a date; 0 if it requests none. */
function pauseIn(retryAfter: string): number {
  const seconds = Number(retryAfter);
  const pauseMs = Number.isNaN(seconds) ? Date.parse(retryAfter) - Date.now() : seconds * 1_000;
  return Number.isNaN(pauseMs) ? 0 : Math.min(Math.max(pauseMs, 0), LONGEST_PAUSE_MS);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** Prints messages instead, each as one line of JSON. */
export function createPrinter(output: { write(text: string): unknown }): SendMessage {
  return (message) => {
    output.write(`${JSON.stringify(message)}\n`);
    return Promise.resolve({ outcome: 'delivered' });
  };
}

/** The options of a delivery. */
export interface DeliveryOptions {
  readonly send: SendMessage;
  readonly onFailure: (pending: Pending, failure: Attempt & { readonly attempts: number }) => void;
  /** Called when the receiver refuses all further messages. */
  readonly onGone: (reason: string) => void;
  /** The first pause after a failure, in milliseconds; each further pause is twice as long. */
  readonly firstPauseMs?: number;
}

const MAX_AT_ONCE = 8;
const FIRST_PAUSE_MS = 1_000;
const MOST_PAUSE_MS = 5 * 60_000;

/**
 * Delivers the messages of an outbox at least once, in order for each record, with exponential backoff and jitter after
 * failures.
 */
export class Delivery {
  readonly #outbox: Outbox;
  readonly #options: DeliveryOptions;
  /** Records with a message in flight or waiting for a retry. */
  readonly #busy = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #attempts = new Map<string, number>();
  readonly #stopped = new AbortController();

  constructor(outbox: Outbox, options: DeliveryOptions) {
    this.#outbox = outbox;
    this.#options = options;
    this.look();
  }

  /** Checks the outbox for new messages. */
  look(): void {
    for (const pending of this.#outbox.pending) {
      if (this.#stopped.signal.aborted || this.#underWay.size >= MAX_AT_ONCE) return;
      if (this.#busy.has(pending.record)) continue;
      this.#busy.add(pending.record);
      const task = this.#attempt(pending).finally(() => {
        this.#underWay.delete(task);
        this.look();
      });
      this.#underWay.add(task);
    }
  }

  async #attempt(pending: Pending): Promise<void> {
    const { id, record, message } = pending;
    const result = await this.#options.send(message);
    if (result.outcome === 'gone') this.#options.onGone(result.reason);
    else if (result.outcome === 'failed') {
      const attempts = (this.#attempts.get(id) ?? 0) + 1;
      this.#attempts.set(id, attempts);
      this.#options.onFailure(pending, { ...result, attempts });
      void this.#retry(record, attempts, result.pauseMs);
    } else {
      await this.#outbox.done(id);
      this.#attempts.delete(id);
      this.#busy.delete(record);
    }
  }

  async #retry(record: string, attempts: number, askedMs: number): Promise<void> {
    const { firstPauseMs = FIRST_PAUSE_MS } = this.#options;
    const growing = Math.min(firstPauseMs * 2 ** (attempts - 1), MOST_PAUSE_MS);
    const pauseMs = Math.max(growing * (0.5 + Math.random() / 2), askedMs);
    await after(pauseMs, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
    this.#busy.delete(record);
    this.look();
  }

  /** Starts no more attempts; resolves once those in progress have ended. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.allSettled(this.#underWay);
  }
}
