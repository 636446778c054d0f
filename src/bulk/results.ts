import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { UnusableFile, using } from './unusable-file.ts';

// The results file: one JSON object per line. The first identifies the file of posts. Each attempt has a line before
// it, which is on disk before anything is sent, and a line after it. Whatever ends the process, a later one can
// determine from this file alone which rows may have been sent.

const VERSION = 1;

const header = z.object({
  type: z.literal('file'),
  version: z.number(),
  /** SHA-256 of the file of posts. */
  contentHash: z.string(),
  /** Where the posts go. */
  service: z.string(),
  rows: z.number(),
  at: z.string(),
  /** Ids of the posts queued before the first attempt; null if the queue could not be read in full. */
  queueBefore: z.array(z.string()).nullable(),
});
const attempt = z.object({
  type: z.literal('attempt'),
  row: z.number(),
  line: z.number(),
  attempt: z.number(),
  idempotencyKey: z.string(),
  at: z.string(),
});
const outcome = z.object({
  type: z.literal('outcome'),
  row: z.number(),
  line: z.number(),
  attempt: z.number(),
  outcome: z.enum(['COMPLETED', 'PARTIAL', 'REJECTED', 'UNKNOWN']),
  postIds: z.array(z.string()).nullable(),
  /** True if the posts were found in the queue after their response was lost. */
  isFound: z.boolean().optional(),
  userErrors: z.array(z.object({ code: z.string(), message: z.string() })),
  at: z.string(),
});
const entry = z.discriminatedUnion('type', [header, attempt, outcome]);

/** The first line of a results file. */
export type ResultsHeader = Omit<z.output<typeof header>, 'type' | 'version' | 'at'>;
/** One attempt to send a row, before it starts. */
export type RowAttempt = z.output<typeof attempt>;
/** The outcome of an attempt. */
export type RowOutcome = z.output<typeof outcome>;

/** The last attempt of a row that was sent at least once, and its outcome. */
export interface RowHistory {
  readonly attempt: RowAttempt;
  /** Null if the process ended before it was known. */
  readonly outcome: RowOutcome | null;
}

/** The state of a row. */
export type RowState = 'PENDING' | 'DONE' | 'UNKNOWN';

/** The content of a results file. */
export interface Results {
  /** Null if the file does not exist yet. */
  readonly header: ResultsHeader | null;
  /** The last attempt of each row that has one, by the row's number. */
  readonly histories: ReadonlyMap<number, RowHistory>;
}

/** Returns the state of a row: rows that were refused or never sent may be sent again. */
export function stateOf(history: RowHistory | undefined): RowState {
  if (history === undefined) return 'PENDING';
  const told = history.outcome?.outcome ?? 'UNKNOWN';
  if (told === 'UNKNOWN') return told;
  return told === 'REJECTED' ? 'PENDING' : 'DONE';
}

/** Reads a results file; a missing file yields empty results. Throws an UnusableFile if it is damaged. */
export function readResults(path: string): Results {
  const histories = new Map<number, RowHistory>();
  let told: ResultsHeader | null = null;
  for (const [index, line] of wholeLines(path).entries()) {
    const read = entryIn(line);
    if (read === null || (read.type === 'file') !== (index === 0)) throw damaged(path, index + 1);
    if (read.type === 'file') told = headerOf(path, read);
    else if (read.type === 'attempt') histories.set(read.row, { attempt: read, outcome: null });
    else {
      const begun = histories.get(read.row);
      if (begun?.attempt.attempt !== read.attempt) throw damaged(path, index + 1);
      histories.set(read.row, { ...begun, outcome: read });
    }
  }
  return { header: told, histories };
}

function headerOf(
  path: string,
  { version, contentHash, service, rows, queueBefore }: z.output<typeof header>,
) {
  if (version > VERSION)
    throw new UnusableFile(
      `${path}: The file was written by a later version of this program; use that version.`,
    );
  return { contentHash, service, rows, queueBefore };
}

function entryIn(line: string): z.output<typeof entry> | null {
  try {
    return entry.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

// Text after the last line break was being written when the process ended: nothing was sent because of it.
function wholeLines(path: string): string[] {
  if (!existsSync(path)) return [];
  const lines = using(path, 'read', () => readFileSync(path, 'utf8')).split('\n');
  const rest = lines.pop() ?? '';
  // It may be an unrelated file, so it is not truncated.
  if (!rest.startsWith(START.slice(0, rest.length))) throw damaged(path, lines.length + 1);
  return lines;
}

/** The start of every line. */
const START = '{"type":"';

function damaged(path: string, line: number): UnusableFile {
  return new UnusableFile(
    `${path}: line ${line} is corrupt. Restore the file from a backup; without it, it is unknown which rows were sent.`,
  );
}

/** @throws UnusableFile if the results belong to another file, or to the same file and another service */
export function assertSameFile(
  path: string,
  { header: told }: Results,
  now: Pick<ResultsHeader, 'contentHash' | 'service'>,
): void {
  if (told === null) return;
  const advice = 'Choose another results file with --results, or move this one away';
  if (told.contentHash !== now.contentHash)
    throw new UnusableFile(
      `${path}: The file contains the results of another file, or of this one before it was changed. ${advice}; every row of the file is then sent.`,
    );
  if (told.service !== now.service)
    throw new UnusableFile(
      `${path}: The file contains results for another service, ${told.service}. ${advice}.`,
    );
}

/** A results file open for writing. */
export interface ResultsWriter {
  /** Returns once the line is on disk. */
  write(line: Omit<RowAttempt, 'at'> | Omit<RowOutcome, 'at'>): void;
  close(): void;
}

/** Opens a results file for appending, and writes its first line if there is none yet. */
export function openResults(
  path: string,
  { header: told }: Results,
  first: () => ResultsHeader,
): ResultsWriter {
  const isNew = told === null;
  if (existsSync(path)) cutToWholeLines(path);
  const descriptor = using(path, 'written', () => openSync(path, 'a', 0o600));
  const append = (line: object): void =>
    using(path, 'written', () => appendLine(descriptor, { ...line, at: new Date().toISOString() }));
  if (isNew) {
    append({ type: 'file', version: VERSION, ...first() });
    syncFolder(dirname(path));
  }
  return { write: append, close: () => closeSync(descriptor) };
}

function cutToWholeLines(path: string): void {
  const text = wholeLines(path)
    .map((line) => `${line}\n`)
    .join('');
  using(path, 'written', () => truncateSync(path, Buffer.byteLength(text)));
}

function appendLine(descriptor: number, line: object): void {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  // A partly written line ends this run, and the next run truncates it.
  if (writeSync(descriptor, bytes) < bytes.length) throw new Error('a line was only partly written');
  fsyncSync(descriptor);
}

// A power cut loses a new file unless its folder is on disk too; errors are ignored where folders can't be synced.
function syncFolder(path: string): void {
  try {
    const descriptor = openSync(path, 'r');
    fsyncSync(descriptor);
    closeSync(descriptor);
  } catch {
    return;
  }
}
