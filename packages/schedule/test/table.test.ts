import { expect, test } from 'vitest';
import { MAX_FILE_BYTES, MAX_ROWS, readTable } from '../src/table.ts';
import { csvOf } from './tables.ts';

const read = (text: string) => readTable(Buffer.from(text));
const cellsOf = (text: string) => read(text).rows.map(({ cells }) => Object.fromEntries(cells));

test('rows have the lines that they begin on, also behind quoted line breaks and empty rows', () => {
  const text = 'account,time,text\r\n1,t,"a\r\nb\r\nc"\r\n\r\n,,\r\n2,t,d\r\n';
  expect(read(text).rows.map(({ row, line }) => [row, line])).toEqual([
    [1, 2],
    [2, 7],
  ]);
});

test('columns are known in any case, for one network, and in any order', () => {
  const text = csvOf([
    ['Text:X', ' ACCOUNT ', 'long_text:google_business', 'Placement'],
    ['a', 'b', 'c', 'd'],
  ]);
  expect(cellsOf(text)).toEqual([
    { 'text:x': 'a', account: 'b', 'long-text:google-business': 'c', placement: 'd' },
  ]);
});

test('unknown, repeated and missing columns are told together, each by its name', () => {
  const { problems } = read('acount,text,TEXT,text:mars,time:x,text:__proto__\n1,2,3,4,5\n');
  expect(problems.map(({ line, column, message }) => [line, column, message.split(/[.;]/)[0]])).toEqual([
    [1, 'acount', 'There is no such column'],
    [1, 'TEXT', 'The column occurs twice'],
    [1, 'text:mars', 'There is no such column'],
    [1, 'time:x', 'There is no such column'],
    [1, 'text:__proto__', 'There is no such column'],
    [1, null, 'The column account is missing'],
    [1, null, 'The table needs a column time or placement'],
  ]);
});

test.each([
  [
    'another encoding',
    Buffer.from('account,time,text\n1,t,"a\nb"\n1,t,\u00e9', 'latin1'),
    '4 null This line is not in UTF-8',
  ],
  ['half a character of UTF-16', Buffer.from('\uFEFFaccount,time\n\uD800', 'utf16le'), 'not in UTF-8'],
  ['UTF-32', Buffer.from('a\0\0\0c\0\0\0'), 'it may be a workbook'],
  ['a file that is too large', Buffer.alloc(MAX_FILE_BYTES + 1, 'a'), 'larger than 16777216 bytes'],
  ['a workbook', Buffer.from('PK\u0003\u0004 workbook'), 'it may be a workbook'],
  [
    'an open quotation mark',
    Buffer.from('account,time,text\n1,t,"a\n2,t,b\n'),
    '2 text A quotation mark is not closed',
  ],
  [
    'a stray quotation mark',
    Buffer.from('account,time,text\n1,="t",a\n'),
    '2 time There is a quotation mark inside',
  ],
  ['nothing', Buffer.from(''), 'no rows'],
  ['a header alone', Buffer.from('account,time,text\n'), 'no rows'],
])('%s is refused in words', (_, content, words) => {
  const { problems, rows } = readTable(content);
  expect(rows).toEqual([]);
  const listed = problems.map(({ line, column, message }) => `${line} ${column} ${message}`);
  expect(listed.join('\n')).toContain(words);
});

test('a table with too many rows is refused as a whole, and no row beyond them is read', () => {
  const { problems, rows } = read(`account,time,text\n${'1,t,a\n'.repeat(MAX_ROWS + 1)}`);
  expect(problems).toMatchObject([{ row: null, message: 'The table has more than 10000 rows.' }]);
  expect(rows).toHaveLength(MAX_ROWS);
});
