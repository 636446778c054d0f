import { inOneLine } from './text-table.ts';
import type { SendListener } from './send.ts';

/** The output for progress. */
export interface ProgressOutput {
  /** Whether it is a terminal, whose last line is rewritten. */
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
}

/** How progress is shown. */
export interface ProgressOptions extends ProgressOutput {
  /** Number of rows to send or look for. */
  readonly total: number;
  /** Maximum number of rows sent per minute: the first rows, sent without waiting, do not make the pace faster. */
  readonly perMinute: number;
  /** Whether to write one JSON object per line, for machines. */
  readonly json: boolean;
  /** The clock, in milliseconds from any origin. */
  readonly now?: () => number;
}

/** Shows the progress of a run. */
export interface Progress extends SendListener {
  /** Ends the rewritten line. */
  end(): void;
}

/** How far a run has progressed. */
interface Standing {
  readonly rowsDone: number;
  readonly rowsTotal: number;
  readonly rowsPerMinute: number;
  /** Null until the first row is done. */
  readonly secondsLeft: number | null;
}

/** Creates the progress display of a run: JSON lines, plain lines, or one rewritten line on a terminal. */
export function createProgress(options: ProgressOptions): Progress {
  const { total, perMinute, now = () => performance.now() } = options;
  const startedAt = now();
  const done = new Set<number>();
  const standing = (): Standing => {
    const minutes = Math.max((now() - startedAt) / MINUTE_MS, done.size / perMinute);
    const rowsPerMinute = done.size === 0 ? 0 : Math.round(done.size / minutes);
    const secondsLeft = done.size === 0 ? null : Math.round(((total - done.size) * minutes * 60) / done.size);
    return { rowsDone: done.size, rowsTotal: total, rowsPerMinute, secondsLeft };
  };
  const note = (row: number, outcome: string): void => void (outcome !== 'REJECTED' && done.add(row));
  const writer = writerOf(options);
  return {
    onRow(outcome) {
      note(outcome.row, outcome.outcome);
      writer.row(outcome, standing());
    },
    onPause: (pause) => writer.pause(pause, standing()),
    end: () => writer.end(),
  };
}

const MINUTE_MS = 60_000;
type Outcome = Parameters<SendListener['onRow']>[0];
type Pause = Parameters<SendListener['onPause']>[0];

interface Writer {
  row(outcome: Outcome, standing: Standing): void;
  pause(pause: Pause, standing: Standing): void;
  end(): void;
}

function writerOf({ json, isTerminal, write }: ProgressOptions): Writer {
  if (json) return jsonWriter(write);
  return isTerminal ? terminalWriter(write) : plainWriter(write);
}

function jsonWriter(write: (text: string) => void): Writer {
  const line = (value: object): void => write(`${JSON.stringify(value)}\n`);
  return {
    row: (outcome, standing) => line({ type: 'row', ...outcome, ...standing }),
    pause: ({ ms, reason }, standing) =>
      line({ type: 'pause', seconds: Math.ceil(ms / 1_000), reason, ...standing }),
    end: () => undefined,
  };
}

function plainWriter(write: (text: string) => void): Writer {
  return {
    row: (outcome, standing) => write(`${wordsOf(outcome)} (${wordsOfStanding(standing)})\n`),
    pause: (pause) => write(`${wordsOfPause(pause)}\n`),
    end: () => undefined,
  };
}

const CLEAR_LINE = '\r\u001B[2K';

/** Overwrites rows that are done; anything that needs attention stays on the screen. */
function terminalWriter(write: (text: string) => void): Writer {
  return {
    row(outcome, standing) {
      const stays = outcome.outcome === 'COMPLETED' ? '' : `${wordsOf(outcome)}\n`;
      write(`${CLEAR_LINE}${stays}${wordsOfStanding(standing)}`);
    },
    pause: (pause, standing) => write(`${CLEAR_LINE}${wordsOfStanding(standing)}; ${wordsOfPause(pause)}`),
    end: () => write('\n'),
  };
}

function wordsOf({ line, outcome, postIds, isFound, userErrors }: Outcome): string {
  const found = isFound === true ? 'found in the queue' : '';
  const parts = [(postIds ?? []).join(', '), found, ...userErrors.map(({ message }) => message)];
  return inOneLine(`line ${line}: ${[outcome, ...parts.filter((part) => part !== '')].join(', ')}`);
}

function wordsOfStanding({ rowsDone, rowsTotal, rowsPerMinute, secondsLeft }: Standing): string {
  const left = secondsLeft === null ? '' : `, ${durationOf(secondsLeft)} left`;
  return `${rowsDone} of ${rowsTotal} rows, ${rowsPerMinute} per minute${left}`;
}

function wordsOfPause({ ms, reason }: Pause): string {
  return inOneLine(`pausing ${durationOf(Math.ceil(ms / 1_000))}: ${reason}`);
}

function durationOf(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
