import { pino } from 'pino';
import { styleText } from 'node:util';
import { openStandardOutput } from './output.ts';

/** The log: one JSON line per event, on standard output or to `write`; formatted in a terminal. */
export interface Log {
  readonly error: Write;
  readonly warn: Write;
  readonly info: Write;
  readonly debug: Write;
  readonly isLevelEnabled: (level: LogLevel) => boolean;
}

interface Write {
  (message: string): void;
  (fields: object, message: string): void;
}

/** Log levels. */
export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Opens a log.
 *
 * Only fields named by the caller are written. Errors and their causes are reduced to their class, message, code and
 * stack, because other properties of a transport error may contain what was sent.
 */
export function openLog(level: LogLevel, write?: (line: string) => void): Log {
  const options = {
    level,
    base: null,
    serializers: { err: describeError },
    formatters: { level: (name: string) => ({ level: name }) },
  };
  return pino(options, { write: write ?? (process.stdout.isTTY ? writeReadable : openStandardOutput()) });
}

const MAX_CAUSES = 5;

function describeError(error: unknown, depth = 0): object {
  if (!(error instanceof Error))
    return { type: typeof error, message: 'a value other than an Error was thrown' };
  const { name: type, message, stack, cause } = error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const hasCause = cause !== undefined && depth < MAX_CAUSES;
  return { type, message, code, stack, cause: hasCause ? describeError(cause, depth + 1) : undefined };
}

const COLOURS = { error: 'red', warn: 'yellow', info: 'green', debug: 'gray' } as const;
const WIDTH = 5;

function writeReadable(line: string): void {
  process.stdout.write(readable(line));
}

/** A log event with its named fields. */
interface Event extends Readonly<Record<string, unknown>> {
  readonly time: number;
  readonly level: keyof typeof COLOURS;
  readonly msg?: string;
}

/** Formats a JSON line of the log for a terminal: time, level, message, and the named fields. */
export function readable(line: string): string {
  const { time, level, msg = '', ...fields } = JSON.parse(line) as Event;
  const head = `${timeOfDay(time)} ${styleText(COLOURS[level], level.padEnd(WIDTH))} ${oneLine(msg)}`;
  return `${[head, ...Object.entries(fields).map(told)].join('  ')}\n`;
}

function timeOfDay(time: number): string {
  return new Date(time).toTimeString().slice(0, 8);
}

function told([name, value]: [name: string, value: unknown]): string {
  if (typeof value === 'object' && value !== null && 'stack' in value)
    return `\n${plain(String(value.stack))}`;
  const shown = typeof value === 'number' ? Math.round(value * 10) / 10 : value;
  return styleText('gray', oneLine(`${name}=${typeof shown === 'string' ? shown : JSON.stringify(shown)}`));
}

const CONTROLS = /[^\P{Cc}\n]/gu;

function oneLine(text: string): string {
  return plain(text).replaceAll('\n', ' ');
}

// A terminal would interpret control characters.
function plain(text: string): string {
  return text.replaceAll(CONTROLS, '\uFFFD');
}
