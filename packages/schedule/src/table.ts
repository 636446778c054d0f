import { CsvError, parse } from 'csv-parse/sync';
import { visibleIn } from './cells.ts';
import { cutText } from './text.ts';

/** The variants that a column may apply to, as the graph names them, by the name after its colon. */
export const VARIANTS = {
  original: 'ORIGINAL',
  facebook: 'FACEBOOK',
  x: 'X',
  linkedin: 'LINKEDIN',
  'google-business': 'GOOGLE_BUSINESS',
  youtube: 'YOUTUBE',
} as const;
/** A variant of a post, as the graph names it. */
export type Variant = (typeof VARIANTS)[keyof typeof VARIANTS];

/** The columns that apply to the whole post. */
const POST_COLUMNS = ['account', 'time', 'placement', 'instagram-post-type'];
/** The columns that may also apply to a single variant, such as `text:x`. */
export const CONTENT_COLUMNS = ['text', 'comment', 'tags', 'media', 'title', 'link', 'long-text'] as const;
export type ContentColumn = (typeof CONTENT_COLUMNS)[number];
const ALL_COLUMNS = new Set([
  ...POST_COLUMNS,
  ...CONTENT_COLUMNS.flatMap((name) => [name, ...Object.keys(VARIANTS).map((one) => `${name}:${one}`)]),
]);
const NO_SUCH_COLUMN = `There is no such column. The columns are ${[...POST_COLUMNS, ...CONTENT_COLUMNS].join(', ')}; ${CONTENT_COLUMNS.join(', ')} also for one network, as text:x (${Object.keys(VARIANTS).slice(1).join(', ')}).`;

/** Returns the name of a column as it is documented, such as `text:x`; null if there is no such column. */
function columnOf(header: string): string | null {
  const name = visibleIn(header)
    .toLowerCase()
    .replaceAll(/\s*:\s*/g, ':')
    .replaceAll(/[_\s]+/g, '-');
  return ALL_COLUMNS.has(name) ? name : null;
}

/** Something wrong with a table. */
export interface TableProblem {
  /** The line of the file, from 1. */
  readonly line: number;
  /** The number of the row, from 1; null if the problem concerns the whole table. */
  readonly row: number | null;
  /** The name of the column; null if the problem concerns none. */
  readonly column: string | null;
  readonly message: string;
}

/** A row of a table: one post. */
export interface TableRow {
  /** Its number among the non-empty rows, from 1. */
  readonly row: number;
  /** The line of the file on which it starts, from 1. */
  readonly line: number;
  /** Its cells by column name; empty cells are omitted. */
  readonly cells: ReadonlyMap<string, string>;
  /** What is wrong with its division into cells. */
  readonly problems: readonly TableProblem[];
}

/** A table of posts, as read. */
export interface Table {
  readonly rows: readonly TableRow[];
  /** The problems of the table as a whole; if there are any, no row can be read. */
  readonly problems: readonly TableProblem[];
}

/** Maximum size of a file, in bytes. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** Maximum number of rows of a table. */
export const MAX_ROWS = 10_000;
const DELIMITERS = [',', ';', '\t'] as const;
const MAX_SHOWN = 40;

/** A table that cannot be read, with the reason. */
class UnreadableTable extends Error {
  readonly problem: TableProblem;

  constructor(line: number, message: string, column: string | null = null) {
    super(message);
    this.problem = { line, row: null, column, message };
  }
}

/** Reads a table of posts: CSV in UTF-8 or UTF-16, with cells separated by commas, semicolons or tabs. */
export function readTable(content: Uint8Array): Table {
  try {
    return tableOf(recordsIn(decode(content)));
  } catch (error) {
    if (!(error instanceof UnreadableTable)) throw error;
    return { rows: [], problems: [error.problem] };
  }
}

const SAVE_AS_UTF8 = 'Save the file as CSV in UTF-8.';

// The decoder removes a byte order mark.
function decode(content: Uint8Array): string {
  if (content.length > MAX_FILE_BYTES)
    throw new UnreadableTable(1, `The file is larger than ${MAX_FILE_BYTES} bytes.`);
  const encoding = encodingOf(content);
  const text = new TextDecoder(encoding).decode(content).replaceAll(/\r\n?/g, '\n');
  if (text.startsWith('PK') || text.includes('\0'))
    throw new UnreadableTable(1, `The file is not text; it may be a workbook. ${SAVE_AS_UTF8}`);
  try {
    new TextDecoder(encoding, { fatal: true }).decode(content);
  } catch {
    const [readable = ''] = text.split('\uFFFD', 1);
    throw new UnreadableTable(readable.split('\n').length, `This line is not in UTF-8. ${SAVE_AS_UTF8}`);
  }
  return text;
}

/** Returns the encoding of a table, whose first character is in ASCII unless it is a byte order mark. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0 || (first === 0xfe && second === 0xff)) return 'utf-16be';
  return second === 0 || (first === 0xff && second === 0xfe) ? 'utf-16le' : 'utf-8';
}

interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/** The line that names the delimiter, as Excel reads and writes it. The delimiter is that of the header anyway. */
const NAMES_DELIMITER = /^"?sep=/i;

/** Returns the non-empty rows of a table, with its header as the first. */
function recordsIn(text: string): CsvRecord[] {
  const delimiter = delimiterOf(text);
  const records: CsvRecord[] = [];
  let line = 1;
  const onRecord = (cells: string[], { lines }: { readonly lines: number }): null => {
    const isPreamble = records.length === 0 && NAMES_DELIMITER.test(cells[0] ?? '');
    if (!isPreamble && cells.some((cell) => cell.trim() !== '')) records.push({ line, cells });
    line = lines + 1;
    return null;
  };
  try {
    parse(text, { delimiter, relax_column_count: true, on_record: onRecord });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { column } = error as { readonly column?: unknown };
    const message =
      error.code === 'CSV_QUOTE_NOT_CLOSED'
        ? 'A quotation mark is not closed before the end of the file.'
        : 'There is a quotation mark inside a cell. Enclose the cell in quotation marks and double those inside it.';
    throw new UnreadableTable(line, message, records[0]?.cells[Number(column)] ?? null);
  }
  return records;
}

/** Returns the delimiter that makes the most cells of the header into known column names. */
function delimiterOf(text: string): string {
  const header = text.split('\n').find((line) => /[^,;\t "]/.test(line) && !NAMES_DELIMITER.test(line)) ?? '';
  const known = (delimiter: string): number =>
    header.split(delimiter).filter((cell) => columnOf(cell.trim().replace(/^"(.*)"$/, '$1')) !== null).length;
  return DELIMITERS.reduce((best, one) => (known(one) > known(best) ? one : best));
}

function tableOf([header, ...records]: readonly CsvRecord[]): Table {
  const { line: headerLine, cells: names } = header ?? { line: 1, cells: [] };
  const columns = names.map(columnOf);
  const problems: TableProblem[] = [];
  const report = (message: string, column: string | null = null): void =>
    void problems.push({ line: headerLine, row: null, column, message });
  for (const [index, given] of names.entries()) {
    const column = columns[index] ?? null;
    const shown = cutText(given, MAX_SHOWN);
    if (column === null && given.trim() !== '') report(NO_SUCH_COLUMN, shown);
    if (column !== null && columns.indexOf(column) < index) report('The column occurs twice.', shown);
  }
  if (!columns.includes('account')) report('The column account is missing.');
  if (!columns.includes('time') && !columns.includes('placement'))
    report('The table needs a column time or placement.');
  if (!columns.some((name) => name !== null && /^(?:text|media|long-text|link)(?::|$)/.test(name)))
    report('The column text is missing.');
  if (records.length === 0) report('The table has no rows.');
  if (records.length > MAX_ROWS) report(`The table has more than ${MAX_ROWS} rows.`);
  const rows = records.slice(0, MAX_ROWS).map(({ line, cells }, index): TableRow => {
    const row = index + 1;
    const filled = [...cells.entries()].filter(([, cell]) => cell.trim() !== '');
    const named = filled.flatMap(([at, cell]) => (columns[at] ? [[columns[at], cell] as const] : []));
    const stray = filled.find(([at]) => (names[at] ?? '').trim() === '')?.[0];
    const message = `The row has a cell in column ${(stray ?? 0) + 1}, for which the header has no name. Enclose cells that contain the delimiter in quotation marks.`;
    const messages = [...(stray === undefined ? [] : [message]), ...(isSplit(cells) ? [SPLIT] : [])];
    const own = messages.map((one) => ({ line, row, column: null, message: one }));
    return { row, line, cells: new Map(named), problems: own };
  });
  return { rows, problems };
}

const SPLIT =
  'The row has cells in curly quotation marks (“ ”). Use straight ones (") to keep a cell together.';
const OPENED = /^\s*[“„][^“”„]*$/;
const CLOSED = /^[^“”„]*[“”]\s*$/;

/** Whether a curly quotation mark is opened in one cell and closed in a later one, so that a text would be sent in part. */
function isSplit(cells: readonly string[]): boolean {
  const opened = cells.findIndex((cell) => OPENED.test(cell));
  return opened !== -1 && cells.slice(opened + 1).some((cell) => CLOSED.test(cell));
}
