import { setTimeout as after } from 'node:timers/promises';
import { GraphError, WalkError, type TypedDocument } from '../../client/src/index.ts';
import { isGraphFailure, type Graph } from './graph.ts';
import { keyOf, MAX_ATTEMPTS, PAYLOAD_FIELDS, statusOf, type Payload } from './known.ts';
import { lookForLost, type Verdict } from './lost.ts';
import { openRows, type Plan, type PlannedRow } from './plan.ts';
import type { ResultsEntry, ResultsFile } from './results.ts';
import { textOf, timesOf } from './rows.ts';

/** What happened to a row in this run. */
export interface RowEvent extends Pick<ResultsEntry, 'attempt' | 'line' | 'postIds' | 'reason'> {
  readonly row: number;
  readonly outcome: Payload['outcome'];
  /** Whether the server knew the result already, or found it. */
  readonly replayed: boolean;
}

/** How rows are sent. */
export interface SendOptions {
  readonly graph: Graph;
  readonly results: ResultsFile;
  /** Maximum number of rows sent per minute. */
  readonly perMinute: number;
  /** How long after its end an attempt may still be in progress, in milliseconds; 60 s by default. */
  readonly settleMs?: number | undefined;
  /** Ends the run after the row in progress. */
  readonly signal: AbortSignal;
  /** Called with the outcome of a row, or of an attempt that will be retried. */
  readonly onRow: (event: RowEvent) => void;
  /** Called when sending pauses for a while. */
  readonly onPause: (pause: { readonly ms: number; readonly reason: string }) => void;
}

/** Sends the open rows of a plan one after the other, and updates their status. Returns why not all were sent; null if all were. */
export function sendRows(
  plan: Pick<Plan, 'rows' | 'retentionMs'>,
  options: SendOptions,
): Promise<string | null> {
  return new Sending(plan, options).run();
}

const CREATE =
  `mutation ($input: CreatePostInput!) { createPost(input: $input) { ${PAYLOAD_FIELDS} } }` as TypedDocument<
    { readonly createPost: Payload },
    { readonly input: object }
  >;

const MINUTE_MS = 60_000;
/** Longer than a service should work on a call whose client has given up. */
const SETTLE_MS = 60_000;
/** How long before the server forgets a write it is no longer asked for it: the clocks may differ. */
const FORGETTING_MS = 10 * MINUTE_MS;
/** After this many consecutive lost responses, something is wrong that sending more rows will not fix. */
const MAX_LOST = 3;
/** Maximum number of requests for a row that was not sent, or is being sent by another process. */
const MAX_TRIES = 14;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** The longest pause that the service may request, in milliseconds. */
const LONGEST_ASKED_PAUSE_MS = 60 * MINUTE_MS;
const CREDENTIAL_CODES = ['CREDENTIAL_REJECTED', 'CREDENTIAL_MISSING'];
/** Codes with which the server refuses a request without knowing what happened to an earlier one of the same key. */
const UNDECIDED_CODES = ['IDEMPOTENCY_UNAVAILABLE', 'CREDENTIAL_MISSING', 'SURFACE_NOT_CONFIGURED'];
const MAX_TEXT = 80;

/** Why a row was not decided by a request, and whether to repeat that. */
interface Refusal {
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
}

class Sending {
  readonly #rows: readonly PlannedRow[];
  /** Also those that are not open: their posts are not those of lost rows. */
  readonly #all: readonly PlannedRow[];
  readonly #retentionMs: number;
  readonly #options: SendOptions;
  #lastStartedAt = Number.NEGATIVE_INFINITY;
  /** When the last request for a row ended. The server may have read a long queue before it sent the row. */
  #lastEndedAt = Number.NEGATIVE_INFINITY;
  #lostInARow = 0;
  #stopped: string | null = null;

  constructor(plan: Pick<Plan, 'rows' | 'retentionMs'>, options: SendOptions) {
    this.#rows = openRows(plan);
    this.#all = plan.rows;
    this.#retentionMs = plan.retentionMs;
    this.#options = options;
  }

  async run(): Promise<string | null> {
    for (const row of this.#rows) await this.#send(row);
    const lost = this.#rows.filter(({ status }) => status.state === 'UNKNOWN');
    await this.#askAgain(lost);
    await this.#settle(lost.filter(({ status }) => status.state === 'UNKNOWN'));
    const isUnsent = this.#rows.some(({ status }) => status.state === 'PENDING' && status.outcome === null);
    if (this.#options.signal.aborted && isUnsent) this.#stopped ??= 'interrupted';
    return this.#stopped;
  }

  #isEnding(): boolean {
    return this.#stopped !== null || this.#options.signal.aborted;
  }

  /** Sends a row, or asks again what happened to it, until that is known. */
  async #send(row: PlannedRow): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      await this.#sleep(this.#lastStartedAt + MINUTE_MS / this.#options.perMinute - performance.now());
      if (this.#isEnding()) return;
      if (this.#isNearlyForgotten(row)) {
        row.status = { ...row.status, attempt: null, reason: 'the server is about to forget it' };
        return;
      }
      const refusal = await this.#request(row);
      if (!refusal?.retryable) return;
      if (tries === MAX_TRIES) {
        this.#stopped = refusal.message;
        return;
      }
      const growing = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
      await this.#pause(Math.min(refusal.retryAfterMs ?? growing, LONGEST_ASKED_PAUSE_MS), refusal.message);
    }
  }

  /** Whether the server may have forgotten a row when it is asked for it, and would then send it as a new one. */
  #isNearlyForgotten({ status: { state, startedAt } }: PlannedRow): boolean {
    if (state !== 'UNKNOWN' || startedAt === undefined) return false;
    return Date.now() > Date.parse(startedAt) + this.#retentionMs - FORGETTING_MS;
  }

  /** Sends one request for a row; returns why another may be needed, or null. */
  async #request(row: PlannedRow): Promise<Refusal | null> {
    const attempt = row.status.attempt ?? 1;
    const input = { ...row.post.input, idempotencyKey: keyOf(row.name, attempt) };
    this.#lastStartedAt = performance.now();
    if (row.status.state === 'PENDING') {
      row.status = { ...row.status, startedAt: undefined };
      this.#report(row, { attempt, outcome: 'SENDING', postIds: [], reason: '' });
    }
    try {
      const { createPost } = await this.#options.graph.client.request(CREATE, { input });
      this.#note(row, attempt, createPost);
      const { userErrors } = createPost;
      this.#stopped ??= userErrors.find(({ code }) => CREDENTIAL_CODES.includes(code))?.message ?? null;
      return userErrors.find(({ retryable }) => retryable) ?? null;
    } catch (error) {
      if (!isGraphFailure(error)) throw error;
      // Without a response, it may have arrived nevertheless. The same key finds out, now or in the next run.
      const wasRefused = error instanceof GraphError && error.data === undefined;
      const state = wasRefused ? row.status.state : 'UNKNOWN';
      row.status = { ...row.status, state, reason: error.message };
      if (!error.retryable) this.#stopped = error.message;
      return error;
    } finally {
      this.#lastEndedAt = performance.now();
    }
  }

  #note(row: PlannedRow, attempt: number, payload: Payload): void {
    const { outcome, replayed, userErrors } = payload;
    const [refusal] = userErrors;
    if (row.status.state === 'UNKNOWN' && refusal !== undefined && UNDECIDED_CODES.includes(refusal.code)) {
      row.status = { ...row.status, reason: refusal.message };
      return;
    }
    const status = { ...statusOf(payload, attempt), startedAt: row.status.startedAt };
    // What was not sent has the same key next time.
    row.status = outcome === 'REJECTED' && refusal?.retryable ? { ...status, attempt } : status;
    // Another process is sending it.
    if (refusal?.code === 'IDEMPOTENCY_IN_PROGRESS') return;
    this.#lostInARow = outcome === 'UNKNOWN' && !replayed ? this.#lostInARow + 1 : 0;
    if (this.#lostInARow >= MAX_LOST)
      this.#stopped = `the service did not confirm ${MAX_LOST} rows in succession`;
    const event = { attempt, outcome, postIds: status.postIds, reason: status.reason };
    this.#report(row, event);
    this.#options.onRow({ row: row.post.row, line: row.post.line, replayed, ...event });
  }

  #report(
    { name, post }: PlannedRow,
    event: Pick<ResultsEntry, 'attempt' | 'outcome' | 'postIds' | 'reason'>,
  ): void {
    const { line, cells, input } = post;
    this.#options.results.add({
      key: name,
      line,
      ...event,
      account: cells.get('account') ?? '',
      accountIds: input.accountIds,
      times: timesOf(input),
      text: textOf(input).slice(0, MAX_TEXT),
    });
  }

  /** Asks for lost rows again when they can no longer be in progress. */
  async #askAgain(lost: readonly PlannedRow[]): Promise<void> {
    // What was to be published immediately is never in the queue.
    const findable = lost.filter(({ post }) => post.input.timing.placement !== 'NOW');
    if (findable.length === 0 || this.#isEnding()) return;
    const leftMs = this.#lastEndedAt + (this.#options.settleMs ?? SETTLE_MS) - performance.now();
    if (leftMs > 0)
      await this.#pause(leftMs, 'waiting until rows without a response can no longer be in progress');
    for (const row of findable) await this.#send(row);
  }

  /** Looks for lost rows in the queue, and sends those that were certainly not created. */
  async #settle(lost: readonly PlannedRow[]): Promise<void> {
    if (lost.length === 0 || this.#isEnding()) return;
    const { graph, results } = this.#options;
    const claimed = [...this.#all.map(({ status }) => status), ...results.entries.values()];
    const unclaimed = this.#all.filter((row) => !lost.includes(row) && hasUnknownPosts(row));
    const verdicts = await lookForLost(
      graph,
      lost.map(({ post }) => post.input),
      {
        claimed: new Set(claimed.flatMap(({ postIds }) => postIds)),
        unclaimed: unclaimed.map(({ post }) => post.input),
      },
    ).catch((error: unknown): Verdict[] => {
      if (isGraphFailure(error) || error instanceof WalkError)
        return lost.map(() => ({ doubt: 'the queue could not be read' }));
      throw error;
    });
    for (const [index, row] of lost.entries()) {
      const verdict = verdicts[index];
      const attempt = row.status.attempt ?? MAX_ATTEMPTS;
      if (verdict === undefined) continue;
      if ('doubt' in verdict) row.status = { ...row.status, reason: verdict.doubt };
      else if (verdict.postIds.length > 0)
        this.#note(row, attempt, { outcome: 'COMPLETED', replayed: true, userErrors: [], ...verdict });
      else if (attempt < MAX_ATTEMPTS) {
        row.status = { ...row.status, state: 'PENDING', attempt: attempt + 1, outcome: null };
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

/** Whether a row has, or may have, posts whose ids are unknown. */
function hasUnknownPosts({ post: { input }, status: { state, postIds } }: PlannedRow): boolean {
  if (state !== 'DONE') return state === 'UNKNOWN';
  return postIds.length < input.accountIds.length * timesOf(input).length;
}
