import type { RowEvent, SendOptions } from './send.ts';
import { inOneLine } from './text.ts';

/** How progress is shown. */
export interface ProgressOptions {
  /** Number of rows to send or look for. */
  readonly total: number;
  /** Maximum number of rows sent per minute: the first rows, sent without waiting, do not make the pace faster. */
  readonly perMinute: number;
  /** Whether to write one JSON object per line, for machines. */
  readonly json: boolean;
  /** Whether the output is a terminal, whose last line is rewritten. */
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
  /** The clock, in milliseconds from any origin. */
  readonly now?: () => number;
}

const MINUTE_MS = 60_000;
const CLEAR_LINE = '\r\u001B[2K';

/** Shows the progress of a run: as JSON lines, plain lines, or one rewritten line on a terminal. */
export class Progress implements Pick<SendOptions, 'onRow' | 'onPause'> {
  readonly #options: ProgressOptions;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #done = new Set<number>();

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#startedAt = this.#now();
  }

  readonly onRow = (event: RowEvent): void => {
    const { json, isTerminal, write } = this.#options;
    if (event.outcome !== 'REJECTED') this.#done.add(event.row);
    if (json) this.#writeJson({ type: 'row', ...event });
    else if (!isTerminal) write(`${wordsOf(event)} (${this.#words()})\n`);
    // Rows that are done are overwritten; anything that needs attention stays on the screen.
    else write(`${CLEAR_LINE}${event.outcome === 'COMPLETED' ? '' : `${wordsOf(event)}\n`}${this.#words()}`);
  };

  readonly onPause: SendOptions['onPause'] = ({ ms, reason }) => {
    const { json, isTerminal, write } = this.#options;
    const seconds = Math.ceil(ms / 1_000);
    const words = inOneLine(`pausing ${durationOf(seconds)}: ${reason}`);
    if (json) this.#writeJson({ type: 'pause', seconds, reason });
    else write(isTerminal ? `${CLEAR_LINE}${this.#words()}; ${words}` : `${words}\n`);
  };

  /** Ends the rewritten line. */
  end(): void {
    if (this.#options.isTerminal && !this.#options.json) this.#options.write('\n');
  }

  #writeJson(event: object): void {
    this.#options.write(`${JSON.stringify({ ...event, ...this.#figures() })}\n`);
  }

  #figures() {
    const { total, perMinute } = this.#options;
    const rowsDone = this.#done.size;
    const minutes = Math.max((this.#now() - this.#startedAt) / MINUTE_MS, rowsDone / perMinute);
    return {
      rowsDone,
      rowsTotal: total,
      rowsPerMinute: rowsDone === 0 ? 0 : Math.round(rowsDone / minutes),
      // Null until the first row is done.
      secondsLeft: rowsDone === 0 ? null : Math.round(((total - rowsDone) * minutes * 60) / rowsDone),
    };
  }

  #words(): string {
    const { rowsDone, rowsTotal, rowsPerMinute, secondsLeft } = this.#figures();
    const left = secondsLeft === null ? '' : `, ${durationOf(secondsLeft)} left`;
    return `${rowsDone} of ${rowsTotal} rows, ${rowsPerMinute} per minute${left}`;
  }
}

function wordsOf({ line, outcome, postIds, replayed, reason }: RowEvent): string {
  const parts = [outcome, postIds.join(', '), replayed ? 'recorded before' : '', reason];
  return inOneLine(`line ${line}: ${parts.filter((part) => part !== '').join(', ')}`);
}

function durationOf(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
