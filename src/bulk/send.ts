import { setTimeout as after } from 'node:timers/promises';
import type { NewPost } from '../sources/current/posts.ts';
import { assertSourceError } from '../sources/errors.ts';
import type { WriteContext } from '../writes/context.ts';
import { checkPost, createPost } from '../writes/create-post.ts';
import type { UserError, WriteResult } from '../writes/outcome.ts';
import type { PostRow } from './inputs.ts';
import { lookFor, type UnresolvedRow, type Verdict } from './recovery.ts';
import { stateOf, type ResultsWriter, type RowHistory, type RowOutcome } from './results.ts';
import { keyOfRow } from './row-key.ts';

/** Receives the progress of a run. */
export interface SendListener {
  /** Called with the outcome of a row, or of an attempt that will be retried. */
  readonly onRow: (outcome: Omit<RowOutcome, 'at' | 'type'>) => void;
  /** Called when sending pauses for a while. */
  readonly onPause: (pause: { readonly ms: number; readonly reason: string }) => void;
}

/** What to send, and how. */
export interface SendPlan extends SendListener {
  /** The rows that were not sent, or were refused, and those whose response was lost, in file order. */
  readonly posts: readonly PostRow[];
  readonly contentHash: string;
  /** The last attempts of all rows of the file. */
  readonly histories: ReadonlyMap<number, RowHistory>;
  readonly queueBefore: readonly string[] | null;
  readonly writer: Pick<ResultsWriter, 'write'>;
  /** Creates a context in which nothing has been read yet. */
  readonly makeContext: () => WriteContext;
  /** Maximum number of rows sent per minute. */
  readonly perMinute: number;
  /** How long after its start an attempt may still be in flight, in milliseconds. */
  readonly settleMs: number;
  /** Ends the run after the row in progress. */
  readonly signal: AbortSignal;
}

/** Why not all rows were sent; null if all were. */
export type StopReason = string | null;

/** The result of a run. */
export interface SendSummary {
  readonly stopped: StopReason;
  /** Why rows are still unknown at the end, by row number. */
  readonly unknownReasons: ReadonlyMap<number, string>;
  readonly histories: ReadonlyMap<number, RowHistory>;
}

/** Sends rows one after the other; looks for those whose response was lost first, and once more at the end. */
export function sendRows(plan: SendPlan): Promise<SendSummary> {
  return new Sending(plan).run();
}

const MINUTE_MS = 60_000;
/** After this many consecutive lost responses, something is wrong that sending more rows will not fix. */
const MOST_LOST = 3;
/** Maximum number of attempts for a row that was temporarily refused without having been sent. */
const MOST_TRIES = { RATE_LIMITED: 60, other: 6 } as const;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** The longest pause that the service may request, in milliseconds. */
const LONGEST_ASKED_PAUSE_MS = 60 * MINUTE_MS;

class Sending {
  readonly #plan: SendPlan;
  readonly #histories: Map<number, RowHistory>;
  readonly #unknownReasons = new Map<number, string>();
  #lastStartedAt = Number.NEGATIVE_INFINITY;
  #lostInARow = 0;
  #stopped: StopReason = null;

  constructor(plan: SendPlan) {
    this.#plan = plan;
    this.#histories = new Map(plan.histories);
  }

  async run(): Promise<SendSummary> {
    const { absent } = await this.#look();
    await this.#sendAll(({ row }) => absent.has(row) || this.#stateOf(row) === 'PENDING');
    await this.#settleLost();
    const isUnsent = this.#plan.posts.some(
      ({ row }) => this.#stateOf(row) === 'PENDING' && !this.#histories.has(row),
    );
    if (this.#plan.signal.aborted && isUnsent) this.#stopped ??= 'interrupted';
    return { stopped: this.#stopped, unknownReasons: this.#unknownReasons, histories: this.#histories };
  }

  #stateOf(row: number) {
    return stateOf(this.#histories.get(row));
  }

  #isEnding(): boolean {
    return this.#stopped !== null || this.#plan.signal.aborted;
  }

  #lostRows(): UnresolvedRow[] {
    const context = this.#plan.makeContext();
    return this.#plan.posts.flatMap(({ row, input }) => {
      const history = this.#histories.get(row);
      if (history === undefined || stateOf(history) !== 'UNKNOWN') return [];
      const post: NewPost = checkPost(context, input).post;
      return [{ row, post, sentAt: Date.parse(history.attempt.at) }];
    });
  }

  /** Looks for the rows whose response was lost; returns which can be sent again, and when to look for others. */
  async #look(): Promise<{ readonly absent: ReadonlySet<number>; readonly againInMs: number | null }> {
    const { makeContext, queueBefore, settleMs } = this.#plan;
    const lost = this.#lostRows();
    const claimed = [...this.#histories.values()].flatMap(({ outcome }) => outcome?.postIds ?? []);
    const look = { context: makeContext(), queueBefore, claimed, settleMs };
    const verdicts = await lookFor(lost, look).catch((error: unknown) => unreadable(lost, error));
    for (const [row, verdict] of verdicts) {
      if (verdict.kind === 'found') this.#noteFound(row, verdict);
      else this.#unknownReasons.set(row, reasonOf(verdict));
    }
    const waits = [...verdicts.values()].flatMap((one) => (one.kind === 'too early' ? [one.leftMs] : []));
    return {
      absent: new Set([...verdicts].flatMap(([row, { kind }]) => (kind === 'absent' ? [row] : []))),
      againInMs: waits.length === 0 ? null : Math.max(...waits),
    };
  }

  /** Looks for lost rows at the end, and once more when they can no longer be in flight. */
  async #settleLost(): Promise<void> {
    for (const isLast of [false, true]) {
      if (this.#isEnding() || this.#lostRows().length === 0) return;
      const { absent, againInMs } = await this.#look();
      await this.#sendAll(({ row }) => absent.has(row));
      if (againInMs === null || isLast) return;
      await this.#pause(againInMs, 'waiting until rows without a response can no longer be in progress');
    }
  }

  #noteFound(row: number, { postIds }: { readonly postIds: readonly string[] }): void {
    const history = this.#histories.get(row);
    if (history === undefined) return;
    const { line, attempt } = history.attempt;
    this.#finish({
      row,
      line,
      attempt,
      outcome: 'COMPLETED',
      postIds: [...postIds],
      isFound: true,
      userErrors: [],
    });
  }

  async #sendAll(isToSend: (post: PostRow) => boolean): Promise<void> {
    for (const post of this.#plan.posts.filter(isToSend)) {
      if (this.#isEnding()) return;
      await this.#sendUntilSettled(post);
    }
  }

  async #sendUntilSettled(post: PostRow): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      await this.#keepPace();
      if (this.#isEnding()) return;
      const result = await this.#sendOnce(post);
      this.#lostInARow = result.outcome === 'UNKNOWN' ? this.#lostInARow + 1 : 0;
      if (this.#lostInARow >= MOST_LOST)
        this.#stopped = `the service did not confirm ${MOST_LOST} rows in succession`;
      const refusal = result.outcome === 'REJECTED' ? result.userErrors[0] : undefined;
      if (refusal === undefined || !(await this.#goesOn(refusal, result, tries))) return;
    }
  }

  /** Whether to retry a row that was refused without having been sent. */
  async #goesOn(refusal: UserError, { isSent }: WriteResult<unknown>, tries: number): Promise<boolean> {
    const { code, message, retryable, retryAfterMs } = refusal;
    if (code === 'CREDENTIAL_REJECTED' || code === 'CREDENTIAL_MISSING') this.#stopped = message;
    if (!retryable || isSent) return false;
    if (tries >= (code === 'RATE_LIMITED' ? MOST_TRIES.RATE_LIMITED : MOST_TRIES.other)) {
      this.#stopped = message;
      return false;
    }
    const growing = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
    await this.#pause(Math.min(retryAfterMs ?? growing, LONGEST_ASKED_PAUSE_MS), message);
    return true;
  }

  async #sendOnce({ row, line, input }: PostRow): Promise<WriteResult<unknown>> {
    const { writer, contentHash, makeContext } = this.#plan;
    const attempt = (this.#histories.get(row)?.attempt.attempt ?? 0) + 1;
    const idempotencyKey = keyOfRow(contentHash, { row, attempt });
    const intent = { type: 'attempt', row, line, attempt, idempotencyKey } as const;
    this.#lastStartedAt = performance.now();
    // From here on, the row may have been sent, whatever ends this process.
    writer.write(intent);
    this.#histories.set(row, { attempt: { ...intent, at: new Date().toISOString() }, outcome: null });
    const { result } = await createPost(makeContext(), { ...input, idempotencyKey });
    const userErrors = result.userErrors.map(({ code, message }) => ({ code, message }));
    const postIds = result.data?.postIds ?? null;
    const { outcome } = result;
    this.#finish({ row, line, attempt, outcome, postIds: postIds && [...postIds], userErrors });
    return result;
  }

  #finish(outcome: Omit<RowOutcome, 'at' | 'type'>): void {
    const told = { type: 'outcome', ...outcome } as const;
    this.#plan.writer.write(told);
    const history = this.#histories.get(outcome.row);
    if (history) this.#histories.set(outcome.row, { ...history, outcome: { ...told, at: '' } });
    if (outcome.outcome === 'UNKNOWN')
      this.#unknownReasons.set(
        outcome.row,
        outcome.userErrors[0]?.message ?? 'the service did not confirm the write',
      );
    this.#plan.onRow(outcome);
  }

  async #keepPace(): Promise<void> {
    const ms = this.#lastStartedAt + MINUTE_MS / this.#plan.perMinute - performance.now();
    if (ms > 0) await this.#sleep(ms);
  }

  async #pause(ms: number, reason: string): Promise<void> {
    this.#plan.onPause({ ms, reason });
    await this.#sleep(ms);
  }

  async #sleep(ms: number): Promise<void> {
    await after(ms, undefined, { signal: this.#plan.signal }).catch(() => undefined);
  }
}

const REASONS: Readonly<Record<Exclude<Verdict['kind'], 'found' | 'unknown'>, string>> = {
  absent: 'it was not created and will be sent by the next run',
  'too early': 'it was sent a moment ago and may still be in progress',
};

function reasonOf(verdict: Exclude<Verdict, { readonly kind: 'found' }>): string {
  return verdict.kind === 'unknown' ? verdict.reason : REASONS[verdict.kind];
}

// Without the queue, nothing can be determined.
function unreadable(lost: readonly UnresolvedRow[], error: unknown): ReadonlyMap<number, Verdict> {
  assertSourceError(error);
  return new Map(lost.map(({ row }) => [row, { kind: 'unknown', reason: 'the queue could not be read' }]));
}
