import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { z } from 'zod';

// The results file reports what was sent: one JSON object for each event, in the order of time. The server remembers each
// write; this file remembers longer, and by account and time.

const entry = z.object({
  at: z.iso.datetime(),
  /** Where it was sent. */
  service: z.string(),
  /** The row's name, and the attempt. */
  key: z.string(),
  attempt: z.number(),
  line: z.number(),
  /** `SENDING` before the request, so that a row is listed even if the process ended and the server forgot it. */
  outcome: z.enum(['SENDING', 'COMPLETED', 'PARTIAL', 'REJECTED', 'UNKNOWN']),
  postIds: z.array(z.string()),
  reason: z.string(),
  /** The cell with the accounts, and their ids. */
  account: z.string(),
  accountIds: z.array(z.string()),
  /** The times, or the placement. */
  times: z.array(z.string()),
  /** The beginning of the text. */
  text: z.string(),
});

/** One event of a row. */
export type ResultsEntry = z.output<typeof entry>;

/** A file that can't be used. The cause is the error of the operating system, if there is one. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
}

/** A results file. */
export class ResultsFile {
  readonly path: string;
  readonly #service: string;
  readonly #entries = new Map<string, ResultsEntry>();
  /** The length of its complete lines, in bytes. */
  #length = 0;

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
    // A line that was being written when the process ended; anything else may be an unrelated file.
    if (!rest.startsWith(START.slice(0, rest.length))) throw this.#notOurs(lines.length + 1);
    for (const [index, line] of lines.entries()) {
      const read = parse(line);
      if (read === null) throw this.#notOurs(index + 1, line);
      if (read.service !== service) throw new UnusableFile(`${path}: ${elsewhere(read.service)}`);
      this.#entries.set(read.key, read);
      this.#length += Buffer.byteLength(line) + 1;
    }
  }

  /** The last event of each row, by the row's name. */
  get entries(): ReadonlyMap<string, ResultsEntry> {
    return this.#entries;
  }

  /** Adds an event. */
  add(event: Omit<ResultsEntry, 'at' | 'service'>): void {
    const added = { at: new Date().toISOString(), service: this.#service, ...event };
    const line = `${JSON.stringify(added)}\n`;
    this.#using('written', () => {
      if (existsSync(this.path)) truncateSync(this.path, this.#length);
      appendFileSync(this.path, line, { mode: 0o600 });
    });
    this.#length += Buffer.byteLength(line);
    this.#entries.set(added.key, added);
  }

  #using<T>(done: string, task: () => T): T {
    try {
      return task();
    } catch (cause) {
      throw new UnusableFile(`${this.path}: cannot be ${done}`, { cause });
    }
  }

  #notOurs(line: number, text = ''): UnusableFile {
    const isOld = text.startsWith('{"type":"file"');
    const why = isOld
      ? 'The file is of an earlier version of this program, which it needs for its rows.'
      : '';
    const advice = 'Choose another results file with --results, or move this one away';
    return new UnusableFile(
      isOld
        ? `${this.path}: ${why} ${advice}; every row of the table is then sent again.`
        : `${this.path}: line ${line} is corrupt. ${advice}.`,
    );
  }
}

/** The start of every line. */
const START = '{"at":"';

function parse(line: string): ResultsEntry | null {
  try {
    return entry.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

function elsewhere(service: string): string {
  return `The file contains results for another service, ${service}. Choose another results file with --results; every row of the table is then sent.`;
}
