import { createHash } from 'node:crypto';
import { CsvError, parse } from 'csv-parse/sync';
import { cutText } from '../cut-text.ts';
import { knownColumns, nameOf, parseColumn, type Column } from './columns.ts';

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
}

/** A table of posts, as read. */
export interface Table {
  /** A hash of the file's content, in hexadecimal digits. */
  readonly contentHash: string;
  /** The columns in the order of the file, each with its name. */
  readonly columns: ReadonlyMap<string, Column>;
  readonly rows: readonly TableRow[];
  readonly problems: readonly TableProblem[];
}

const MIB = 1024 * 1024;
/** Maximum size of a file, in bytes. */
export const MAX_FILE_BYTES = 16 * MIB;
/** Maximum number of rows of a table. */
export const MAX_ROWS = 10_000;
const DELIMITERS = [',', ';', '\t'] as const;
const MOST_SHOWN = 40;

/** Reads a table of posts: CSV in UTF-8, with cells separated by commas, semicolons or tabs. */
export function readTable(content: Uint8Array): Table {
  const contentHash = createHash('sha256').update(content).digest('hex');
  const failed = (problem: Omit<TableProblem, 'row' | 'column'>): Table => ({
    contentHash,
    columns: new Map(),
    rows: [],
    problems: [{ row: null, column: null, ...problem }],
  });
  const text = decode(content);
  if (typeof text !== 'string') return failed({ line: 1, message: text.problem });
  try {
    return { contentHash, ...tableOf(recordsIn(text)) };
  } catch (error) {
    if (error instanceof CsvError) return failed(wordsOf(error));
    throw error;
  }
}

const SAVE_AS_UTF8 = 'Save the file as CSV in UTF-8.';

// The decoder removes a UTF-8 byte order mark.
function decode(content: Uint8Array): string | { readonly problem: string } {
  if (content.length > MAX_FILE_BYTES) return { problem: `The file is larger than ${MAX_FILE_BYTES} bytes.` };
  const [first = 0, second = 0] = content;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return { problem: `The file is in UTF-16. ${SAVE_AS_UTF8}` };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    if (text.startsWith('PK') || text.includes('\0'))
      return { problem: `The file is not text, but perhaps a workbook. ${SAVE_AS_UTF8}` };
    return text.replaceAll(/\r\n?/g, '\n');
  } catch {
    return { problem: `The file is not in UTF-8. ${SAVE_AS_UTF8}` };
  }
}

interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

function recordsIn(text: string): CsvRecord[] {
  const [header = ''] = text.split('\n', 1);
  // The line on which each record ends.
  const ends: number[] = [];
  const records = parse(text, {
    delimiter: delimiterOf(header),
    relax_column_count: true,
    on_record: (record, { lines }) => {
      ends.push(lines);
      return record;
    },
  });
  return records.map((cells, index) => {
    const end = ends[index] ?? 0;
    return { line: Math.min((ends[index - 1] ?? 0) + 1, end), cells };
  });
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

function wordsOf(error: CsvError): Omit<TableProblem, 'row' | 'column'> {
  const line = Number((error as { readonly lines?: unknown }).lines ?? 1);
  if (error.code === 'CSV_QUOTE_NOT_CLOSED')
    return { line, message: 'A quotation mark is opened and not closed before the end of the file.' };
  return {
    line,
    message:
      'A quotation mark stands within a cell. Put the whole cell into quotation marks, and write each of its own twice.',
  };
}

function tableOf([header, ...records]: readonly CsvRecord[]): Omit<Table, 'contentHash'> {
  const problems: TableProblem[] = [];
  const columns = (header?.cells ?? []).map((cell) => parseColumn(cell));
  problems.push(...headerProblems(header?.cells ?? [], columns));
  const filled = records.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  if (filled.length === 0) problems.push(ofTable('The table has no rows.'));
  if (filled.length > MAX_ROWS) problems.push(ofTable(`The table has more than ${MAX_ROWS} rows.`));
  const rows = filled.slice(0, MAX_ROWS).map(({ line, cells }, index) => {
    const row = index + 1;
    if (cells.slice(columns.length).some((cell) => cell.trim() !== '')) {
      const message = `has ${cells.length} cells, but the header has ${columns.length}. Put cells that contain the delimiter into quotation marks.`;
      problems.push({ line, row, column: null, message: `The row ${message}` });
    }
    return { row, line, cells: cellsOf(cells, columns) };
  });
  const known = columns.filter((column) => column !== null);
  return { columns: new Map(known.map((column) => [nameOf(column), column])), rows, problems };
}

const ofTable = (message: string): TableProblem => ({ line: 1, row: null, column: null, message });

function headerProblems(header: readonly string[], columns: readonly (Column | null)[]): TableProblem[] {
  const names = columns.map((column) => column && nameOf(column));
  const problems = columns.flatMap((column, index): TableProblem[] => {
    const name = cutText(header[index] ?? '', MOST_SHOWN);
    const about = (message: string): TableProblem[] => [{ line: 1, row: null, column: name, message }];
    if (column === null)
      return name.trim() === '' ? [] : about(`is not a column of this table. It has ${knownColumns()}.`);
    return names.indexOf(nameOf(column)) < index ? about('occurs twice.') : [];
  });
  const missing = (message: string): void => void problems.push(ofTable(message));
  if (!names.includes('account')) missing('The column account is missing.');
  if (!names.includes('time') && !names.includes('placement'))
    missing('The column time is missing, and so is placement; the table needs one of them.');
  if (!names.some((name) => /^(?:text|media|long-text|link)(?::|$)/.test(name ?? '')))
    missing('The column text is missing.');
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
