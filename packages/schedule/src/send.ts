import { setTimeout as after } from 'node:timers/promises';
import { z } from 'zod';
import { textOf, timesOf } from './check.ts';
import { GraphFailure, type Graph } from './graph.ts';
import {
  keyOf,
  MAX_ATTEMPTS,
  normalized,
  PAYLOAD,
  PAYLOAD_FIELDS,
  statusOf,
  type RowStatus,
} from './known.ts';
import { lookForLost, type Verdict } from './lost.ts';
import type { ResultsEntry, ResultsFile } from './results.ts';
import type { PostRow } from './rows.ts';

/** A row to send, and what is known of it. */
export interface SendableRow {
  readonly post: PostRow;
  /** The row's name, from which its keys are made. */
  readonly name: string;
  status: RowStatus;
}

/** What happened to a row in this run. */
export interface RowEvent extends Pick<ResultsEntry, 'attempt' | 'line' | 'postIds' | 'reason'> {
  readonly row: number;
  readonly outcome: z.output<typeof PAYLOAD>['outcome'];
  /** Whether the server knew the result already, or found it. */
  readonly replayed: boolean;
}

/** Receives the progress of a run. */
export interface SendListener {
  /** Called with the outcome of a row, or of an attempt that will be retried. */
  readonly onRow: (event: RowEvent) => void;
  /** Called when sending pauses for a while. */
  readonly onPause: (pause: { readonly ms: number; readonly reason: string }) => void;
}

/** How rows are sent. */
export interface SendOptions extends SendListener {
  readonly graph: Graph;
  readonly results: ResultsFile;
  /** Maximum number of rows sent per minute. */
  readonly perMinute: number;
  /** How long after its start an attempt may still be in progress, in milliseconds; 60 s by default. */
  readonly settleMs?: number | undefined;
  /** Ends the run after the row in progress. */
  readonly signal: AbortSignal;
}

/** Sends rows one after the other, and updates their status. Returns why not all were sent; null if all were. */
export function sendRows(rows: readonly SendableRow[], options: SendOptions): Promise<string | null> {
  return new Sending(rows, options).run();
}

const CREATE = z.object({ createPost: PAYLOAD.extend({ replayed: z.boolean() }) });
type Payload = z.output<typeof CREATE>['createPost'];
const MUTATION = `mutation ($input: CreatePostInput!) { createPost(input: $input) { replayed ${PAYLOAD_FIELDS} } }`;

const MINUTE_MS = 60_000;
/** Longer than two connection attempts plus the timeout of the call. */
const SETTLE_MS = 60_000;
/** After this many consecutive lost responses, something is wrong that sending more rows will not fix. */
const MAX_LOST = 3;
/** The code of a row that another process is sending. */
const IN_PROGRESS = 'IDEMPOTENCY_IN_PROGRESS';
/** Maximum number of requests for a row that was not sent, or is being sent by another process. */
const MAX_TRIES: Readonly<Record<string, number>> = { RATE_LIMITED: 60, [IN_PROGRESS]: 14 };
const MAX_OTHER_TRIES = 6;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** The longest pause that the service may request, in milliseconds. */
const LONGEST_ASKED_PAUSE_MS = 60 * MINUTE_MS;
const CREDENTIAL_CODES = ['CREDENTIAL_REJECTED', 'CREDENTIAL_MISSING'];

/** The result of a row whose posts are in the queue. */
const FOUND: Omit<Payload, 'postIds'> = { outcome: 'COMPLETED', replayed: true, userErrors: [] };

/** Why a row was not decided by a request, and whether to repeat that. */
interface Refusal {
  readonly code: string | null;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number | null;
}

class Sending {
  readonly #rows: readonly SendableRow[];
  readonly #options: SendOptions;
  #lastStartedAt = Number.NEGATIVE_INFINITY;
  #lostInARow = 0;
  #stopped: string | null = null;

  constructor(rows: readonly SendableRow[], options: SendOptions) {
    this.#rows = rows;
    this.#options = options;
  }

  async run(): Promise<string | null> {
    for (const row of this.#rows) if (row.status.attempt !== null) await this.#send(row);
    await this.#settleLost();
    const isUnsent = this.#rows.some(({ status }) => status.state === 'PENDING' && status.outcome === null);
    if (this.#options.signal.aborted && isUnsent) this.#stopped ??= 'interrupted';
    return this.#stopped;
  }

  #isEnding(): boolean {
    return this.#stopped !== null || this.#options.signal.aborted;
  }

  /** Sends a row, or asks again what happened to it, until that is known. */
  async #send(row: SendableRow): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      await this.#sleep(this.#lastStartedAt + MINUTE_MS / this.#options.perMinute - performance.now());
      if (this.#isEnding()) return;
      const refusal = await this.#request(row);
      if (refusal === null) return;
      if (CREDENTIAL_CODES.includes(refusal.code ?? '')) this.#stopped = refusal.message;
      if (!refusal.retryable) return;
      if (tries >= (MAX_TRIES[refusal.code ?? ''] ?? MAX_OTHER_TRIES)) {
        this.#stopped = refusal.message;
        return;
      }
      const growing = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
      await this.#pause(Math.min(refusal.retryAfterMs ?? growing, LONGEST_ASKED_PAUSE_MS), refusal.message);
    }
  }

  /** Sends one request for a row; returns why another may be needed, or null. */
  async #request(row: SendableRow): Promise<Refusal | null> {
    const { graph } = this.#options;
    const attempt = row.status.attempt ?? 1;
    const input = { ...normalized(row.post.input), idempotencyKey: keyOf(row.name, attempt) };
    this.#lastStartedAt = performance.now();
    if (row.status.state === 'PENDING')
      this.#report(row, { attempt, outcome: 'SENDING', postIds: [], reason: '' });
    let payload: Payload;
    try {
      ({ createPost: payload } = await graph.mutate(CREATE, { query: MUTATION, variables: { input } }));
    } catch (error) {
      if (!(error instanceof GraphFailure)) throw error;
      // Without a response, it may have arrived nevertheless. The same key finds out, now or in the next run.
      const state = error.wasRefused ? row.status.state : 'UNKNOWN';
      row.status = { ...row.status, state, reason: error.message };
      if (!error.retryable) this.#stopped = error.message;
      return error;
    }
    this.#note(row, attempt, payload);
    return (
      payload.userErrors.find(({ code, retryable }) => retryable || CREDENTIAL_CODES.includes(code)) ?? null
    );
  }

  #note(row: SendableRow, attempt: number, payload: Payload): void {
    const { outcome, replayed, userErrors } = payload;
    const [refusal] = userErrors;
    const status = statusOf(payload, attempt);
    // What was not sent has the same key next time.
    row.status = outcome === 'REJECTED' && refusal?.retryable ? { ...status, attempt } : status;
    if (refusal?.code === IN_PROGRESS) return;
    const isLost = outcome === 'UNKNOWN' && !replayed;
    this.#lostInARow = isLost ? this.#lostInARow + 1 : 0;
    if (this.#lostInARow >= MAX_LOST)
      this.#stopped = `the service did not confirm ${MAX_LOST} rows in succession`;
    const { postIds, reason } = status;
    this.#report(row, { attempt, outcome, postIds: [...postIds], reason });
    const { row: number, line } = row.post;
    this.#options.onRow({ row: number, line, attempt, outcome, replayed, postIds: [...postIds], reason });
  }

  #report(
    { name, post }: SendableRow,
    event: Pick<ResultsEntry, 'attempt' | 'outcome' | 'postIds' | 'reason'>,
  ): void {
    const { line, accountCell, input } = post;
    const { accountIds } = input;
    this.#options.results.add({
      key: name,
      line,
      ...event,
      account: accountCell,
      accountIds: [...accountIds],
      times: [...timesOf(input)],
      text: textOf(input).slice(0, MAX_TEXT),
    });
  }

  /** Asks for lost rows again when they can no longer be in progress, and sends those that were certainly not created. */
  async #settleLost(): Promise<void> {
    const { graph, settleMs = SETTLE_MS, results } = this.#options;
    const lost = this.#rows.filter(({ status }) => status.state === 'UNKNOWN' && status.attempt !== null);
    // What was to be published immediately is never in the queue.
    const findable = lost.filter(({ post }) => post.input.timing.placement !== 'NOW');
    if (findable.length > 0 && !this.#isEnding()) {
      const leftMs = this.#lastStartedAt + settleMs - performance.now();
      if (leftMs > 0)
        await this.#pause(leftMs, 'waiting until rows without a response can no longer be in progress');
      for (const row of findable) await this.#send(row);
    }
    const open = lost.filter(({ status }) => status.state === 'UNKNOWN');
    if (open.length === 0 || this.#isEnding()) return;
    const claimed = [
      ...this.#rows.flatMap(({ status }) => status.postIds),
      ...[...results.entries.values()].flatMap(({ postIds }) => postIds),
    ];
    const inputs = open.map(({ post }) => normalized(post.input));
    const verdicts = await lookForLost(graph, inputs, new Set(claimed)).catch((error: unknown): Verdict[] => {
      if (error instanceof GraphFailure) return inputs.map(() => ({ doubt: 'the queue could not be read' }));
      throw error;
    });
    for (const [index, row] of open.entries()) {
      const verdict = verdicts[index];
      const attempt = row.status.attempt ?? MAX_ATTEMPTS;
      if (verdict === undefined) continue;
      if ('doubt' in verdict) row.status = { ...row.status, reason: verdict.doubt };
      else if (verdict.postIds.length > 0)
        this.#note(row, attempt, { ...FOUND, postIds: [...verdict.postIds] });
      else if (attempt < MAX_ATTEMPTS) {
        row.status = { ...row.status, state: 'PENDING', attempt: attempt + 1 };
        await this.#send(row);
      }
    }
  }

  async #pause(ms: number, reason: string): Promise<void> {
    this.#options.onPause({ ms, reason });
    await this.#sleep(ms);
  }

  async #sleep(ms: number): Promise<void> {
    if (ms > 0) await after(ms, undefined, { signal: this.#options.signal }).catch(() => undefined);
  }
}

const MAX_TEXT = 80;
