import { CsvError, parse } from 'csv-parse/sync';
import { isPostable, knownColumns, nameOf, parseColumn, type Column } from './columns.ts';
import { cutText } from './text.ts';

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

const MIB = 1024 * 1024;
/** Maximum size of a file, in bytes. */
export const MAX_FILE_BYTES = 16 * MIB;
/** Maximum number of rows of a table. */
export const MAX_ROWS = 10_000;
const DELIMITERS = [',', ';', '\t'] as const;
const MOST_SHOWN = 40;

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
    throw new UnreadableTable(lineBreaksIn(readable) + 1, `This line is not in UTF-8. ${SAVE_AS_UTF8}`);
  }
  return text;
}

/** Returns the encoding of a table, whose first character is in ASCII unless it is a byte order mark. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0 || (first === 0xfe && second === 0xff)) return 'utf-16be';
  return second === 0 || (first === 0xff && second === 0xfe) ? 'utf-16le' : 'utf-8';
}

const lineBreaksIn = (text: string): number => text.split('\n').length - 1;

interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/** What may precede the header: empty rows, and a line that names the delimiter, as Excel reads and writes it. */
const PREAMBLE = /^(?:[,;\t "]*\n)*(?:"?sep=(?<named>.)"?[,;\t ]*\n)?(?:[,;\t "]*\n)*/i;

function recordsIn(text: string): CsvRecord[] {
  const found = PREAMBLE.exec(text);
  const preamble = found?.[0] ?? '';
  const table = text.slice(preamble.length);
  const [header = ''] = table.split('\n', 1);
  const delimiter = found?.groups?.['named'] ?? delimiterOf(header);
  if (!DELIMITERS.some((one) => one === delimiter))
    throw new UnreadableTable(
      1,
      `The delimiter in the line sep=${delimiter} is not supported. Use a comma, a semicolon or a tab.`,
    );
  const records: CsvRecord[] = [];
  let start = lineBreaksIn(preamble) + 1;
  const onRecord = (cells: string[], { lines }: { readonly lines: number }): null => {
    records.push({ line: start, cells });
    start = lineBreaksIn(preamble) + lines + 1;
    return null;
  };
  try {
    parse(table, { delimiter, relax_column_count: true, on_record: onRecord });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { column } = error as { readonly column?: unknown };
    throw new UnreadableTable(start, wordsOf(error), records[0]?.cells[Number(column)] ?? null);
  }
  return records;
}

/** Returns the delimiter that makes the most header cells into known column names. */
function delimiterOf(header: string): string {
  const known = (delimiter: string): number =>
    header.split(delimiter).filter((cell) => parseColumn(unquoted(cell)) !== null).length;
  return DELIMITERS.reduce((best, one) => (known(one) > known(best) ? one : best));
}

function unquoted(cell: string): string {
  return cell.trim().replace(/^"(.*)"$/, '$1');
}

function wordsOf({ code }: CsvError): string {
  return code === 'CSV_QUOTE_NOT_CLOSED'
    ? 'A quotation mark is not closed before the end of the file.'
    : 'There is a quotation mark inside a cell. Enclose the cell in quotation marks and double those inside it.';
}

function tableOf([header, ...records]: readonly CsvRecord[]): Table {
  const names = header?.cells ?? [];
  const columns = names.map(parseColumn);
  const line = header?.line ?? 1;
  const problems = headerProblems(names, columns).map((problem): TableProblem => ({
    line,
    row: null,
    ...problem,
  }));
  const filled = records.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const ofTable = (message: string): void => void problems.push({ line, row: null, column: null, message });
  if (filled.length === 0) ofTable('The table has no rows.');
  if (filled.length > MAX_ROWS) ofTable(`The table has more than ${MAX_ROWS} rows.`);
  const rows = filled.slice(0, MAX_ROWS).map(({ line: at, cells }, index): TableRow => {
    const row = index + 1;
    const ofRow = divisionProblems(cells, names).map((message) => ({ line: at, row, column: null, message }));
    return { row, line: at, cells: cellsOf(cells, columns), problems: ofRow };
  });
  return { rows, problems };
}

// A typographic quotation mark that is opened in one cell and closed in a later one.
const OPENED = /^\s*[“„][^“”„]*$/;
const CLOSED = /^[^“”„]*[“”]\s*$/;

/** Reports cells that are not where their author meant them to be. */
function divisionProblems(cells: readonly string[], header: readonly string[]): string[] {
  const problems: string[] = [];
  const unnamed = cells.findIndex((cell, index) => cell.trim() !== '' && (header[index] ?? '').trim() === '');
  if (unnamed >= header.length)
    problems.push(
      `The row has ${cells.length} cells, but the header has ${header.length}. Enclose cells that contain the delimiter in quotation marks.`,
    );
  else if (unnamed !== -1) problems.push(`The row has a cell in column ${unnamed + 1}, which has no name.`);
  const opened = cells.findIndex((cell) => OPENED.test(cell));
  if (opened !== -1 && cells.slice(opened + 1).some((cell) => CLOSED.test(cell)))
    problems.push(
      'The row has cells in curly quotation marks (“ ”). Use straight ones (") to keep a cell together.',
    );
  return problems;
}

type HeaderProblem = Pick<TableProblem, 'column' | 'message'>;

function headerProblems(header: readonly string[], columns: readonly (Column | null)[]): HeaderProblem[] {
  const names = columns.map((column) => column && nameOf(column));
  const problems = columns.flatMap((column, index): HeaderProblem[] => {
    const name = cutText(header[index] ?? '', MOST_SHOWN);
    const about = (message: string): HeaderProblem[] => [{ column: name, message }];
    if (column === null)
      return name.trim() === '' ? [] : about(`There is no such column. The columns are ${knownColumns()}.`);
    return names.indexOf(nameOf(column)) < index ? about('The column occurs twice.') : [];
  });
  const missing = (message: string): void => void problems.push({ column: null, message });
  if (!names.includes('account')) missing('The column account is missing.');
  if (!names.includes('time') && !names.includes('placement'))
    missing('The table needs a column time or placement.');
  if (!names.some((name) => name !== null && isPostable(name))) missing('The column text is missing.');
  return problems;
}

function cellsOf(cells: readonly string[], columns: readonly (Column | null)[]): Map<string, string> {
  const named = new Map<string, string>();
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (column !== null && cell.trim() !== '' && !named.has(nameOf(column))) named.set(nameOf(column), cell);
  }
  return named;
}
