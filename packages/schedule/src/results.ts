import { appendFileSync, closeSync, existsSync, fstatSync, ftruncateSync } from 'node:fs';
import { openSync, readFileSync, readSync } from 'node:fs';
import { z } from 'zod';

// The results file reports what was sent: one JSON object for each event, in the order of time. The server remembers each
// write; this file remembers longer, and by account and time.

const ENTRY = z.object({
  at: z.iso.datetime(),
  /** Where it was sent. */
  service: z.string(),
  /** The row's name, and the attempt. */
  key: z.string(),
  attempt: z.number(),
  line: z.number(),
  /** `SENDING` before the request, so that a row is listed even if the process ended and the server forgot it. */
  outcome: z.enum(['SENDING', 'COMPLETED', 'PARTIAL', 'REJECTED', 'UNKNOWN']),
  postIds: z.array(z.string()).readonly(),
  reason: z.string(),
  /** The cell with the accounts, and their ids. */
  account: z.string(),
  accountIds: z.array(z.string()).readonly(),
  /** The times, or the placement. */
  times: z.array(z.string()).readonly(),
  /** The beginning of the text. */
  text: z.string(),
});

/** One event of a row. */
export type ResultsEntry = z.output<typeof ENTRY>;

/** Whether posts of the row were created. */
export const isDone = (entry: ResultsEntry | undefined): boolean =>
  entry?.outcome === 'COMPLETED' || entry?.outcome === 'PARTIAL';

/** The start of every line. */
const START = '{"at":"';

/** A file that can't be used. The cause is the error of the operating system, if there is one. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
}

/** A results file. */
export class ResultsFile {
  readonly path: string;
  readonly #service: string;
  readonly #entries = new Map<string, ResultsEntry>();

  /**
   * Reads the file; a missing one is empty.
   *
   * @param service Where rows are sent now.
   * @throws UnusableFile if it is another file, or its rows were sent elsewhere
   */
  constructor(path: string, service: string) {
    this.path = path;
    this.#service = service;
    const lines = existsSync(path) ? this.#using('read', () => readFileSync(path, 'utf8')).split('\n') : [''];
    const rest = lines.pop() ?? '';
    for (const [index, line] of lines.entries()) {
      const entry = parse(line) ?? this.#refuse(index + 1);
      if (entry.service !== service)
        throw new UnusableFile(
          `${path}: The file contains results for another service, ${entry.service}. Choose another results file with --results; every row of the table is then sent.`,
        );
      // Another process may have asked for a row that was sent in the meantime, and not have been told so.
      if (isDone(entry) || !isDone(this.#entries.get(entry.key))) this.#entries.set(entry.key, entry);
    }
    // A line that was being written when the process ended is replaced; anything else may be an unrelated file.
    if (!rest.startsWith(START.slice(0, rest.length))) this.#refuse(lines.length + 1);
  }

  /** The last event of each row, by the row's name; that of a row that was sent says so. */
  get entries(): ReadonlyMap<string, ResultsEntry> {
    return this.#entries;
  }

  /** Adds an event. */
  add(event: Omit<ResultsEntry, 'at' | 'service'>): void {
    const added = { at: new Date().toISOString(), service: this.#service, ...event };
    const line = `${JSON.stringify(added)}\n`;
    this.#using('written', () => {
      if (existsSync(this.path)) removeCutLine(this.path);
      appendFileSync(this.path, line, { mode: 0o600 });
    });
    this.#entries.set(added.key, added);
  }

  #using<T>(done: string, task: () => T): T {
    try {
      return task();
    } catch (cause) {
      throw new UnusableFile(`${this.path}: cannot be ${done}`, { cause });
    }
  }

  #refuse(line: number): never {
    throw new UnusableFile(
      `${this.path}: line ${line} is not a result of this version. Move the file away, but not the folder beside it, which also knows what was sent. With another results file (--results), every row of the table is sent.`,
    );
  }
}

const LINE_BREAK = 10;

/**
 * Removes a last line without an end from a file. Everything before it stays: another process that sends through the same
 * server may have added it in the meantime.
 */
function removeCutLine(path: string): void {
  const file = openSync(path, 'r+');
  try {
    const last = Buffer.alloc(1);
    const { size } = fstatSync(file);
    if (size === 0 || (readSync(file, last, 0, 1, size - 1) === 1 && last[0] === LINE_BREAK)) return;
    ftruncateSync(file, readFileSync(path).lastIndexOf(LINE_BREAK) + 1);
  } finally {
    closeSync(file);
  }
}

function parse(line: string): ResultsEntry | null {
  try {
    return ENTRY.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
