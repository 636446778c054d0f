import { describe, expect, test } from 'vitest';
import { valuesIn } from '../src/cells.ts';
import { readRow } from '../src/rows.ts';
import { MAX_FILE_BYTES, MAX_ROWS, readTable } from '../src/table.ts';
import { csvOf } from './tables.ts';

const read = (text: string) => readTable(Buffer.from(text));

test('rows have the lines that they begin on, also behind quoted line breaks and empty rows', () => {
  const text = 'account,time,text\r\n1,t,"a\r\nb\r\nc"\r\n\r\n,,\r\n2,t,d\r\n';
  expect(read(text).rows).toMatchObject([
    { row: 1, line: 2 },
    { row: 2, line: 7 },
  ]);
});

test('columns are known in any case, for one network, and in any order', () => {
  const { rows } = read('Text:X, ACCOUNT ,long_text:google_business,Placement\na,b,c,d\n');
  expect(rows.map(({ cells }) => Object.fromEntries(cells))).toEqual([
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

const TABLE = 'account,time,text\n';

test.each([
  ['4 null This line is not in UTF-8', Buffer.from(`${TABLE}1,t,"a\nb"\n1,t,\u00e9`, 'latin1')],
  ['not in UTF-8', Buffer.from('\uFEFFaccount,time\n\uD800', 'utf16le')],
  ['it may be a workbook', Buffer.from('a\0\0\0c\0\0\0')],
  ['it may be a workbook', Buffer.from('PK\u0003\u0004 workbook')],
  ['larger than 16777216 bytes', Buffer.alloc(MAX_FILE_BYTES + 1, 'a')],
  ['2 text A quotation mark is not closed', Buffer.from(`${TABLE}1,t,"a\n2,t,b\n`)],
  ['2 time There is a quotation mark inside', Buffer.from(`${TABLE}1,="t",a\n`)],
  ['no rows', Buffer.from('')],
  ['no rows', Buffer.from(TABLE)],
])('a file is refused in words: %s', (words, content) => {
  const { problems, rows } = readTable(content);
  expect(rows).toEqual([]);
  const listed = problems.map(({ line, column, message }) => `${line} ${column} ${message}`);
  expect(listed.join('\n')).toContain(words);
});

test('a table with too many rows is refused as a whole, and no row beyond them is read', () => {
  const { problems, rows } = read(`${TABLE}${'1,t,a\n'.repeat(MAX_ROWS + 1)}`);
  expect(problems).toMatchObject([{ row: null, message: 'The table has more than 10000 rows.' }]);
  expect(rows).toHaveLength(MAX_ROWS);
});

describe('a row', () => {
  const directory = {
    find: (cell: string) => valuesIn(cell).map((reference) => ({ id: `id of ${reference}` })),
    labelOf: (id: string) => id,
  };

  /** What is sent for the cells of a row, which has an account and a placement unless told. */
  function inputOf(cells: Readonly<Record<string, string>>) {
    const filled = { account: 'A1', placement: 'queue', ...cells };
    const { rows } = read(csvOf([Object.keys(filled), Object.values(filled)]));
    const [{ input, problems } = { input: null, problems: null }] = rows.map((row) =>
      readRow(row, directory),
    );
    expect(problems).toEqual([]);
    return input;
  }

  test('is a post: accounts, placement, and a text with what belongs to it', () => {
    const cells = { text: 'Hello\nyou ', comment: 'First!', tags: '7|8', media: 'm1 | m2' };
    const content = { text: 'Hello\nyou ', comment: 'First!', tagIds: ['7', '8'], mediaIds: ['m1', 'm2'] };
    expect(inputOf({ account: 'A1 | A2', ...cells })).toEqual({
      accountIds: ['id of A1', 'id of A2'],
      timing: { placement: 'QUEUE' },
      variants: [{ variant: 'ORIGINAL', instagramPostType: 'POST', ...content }],
    });
  });

  test.each<[string, Readonly<Record<string, string>>, readonly object[]]>([
    [
      'a column for one network makes a variant, which has everything else from the columns for all',
      {
        text: 'All',
        'text:x': 'Short',
        comment: 'Shared',
        'comment:linkedin': 'Other',
        instagram_post_type: 'Reels',
      },
      [
        { variant: 'ORIGINAL', text: 'All', comment: 'Shared', instagramPostType: 'REELS' },
        { variant: 'X', text: 'Short', comment: 'Shared', instagramPostType: 'REELS' },
        { variant: 'LINKEDIN', text: 'All', comment: 'Other', instagramPostType: 'REELS' },
      ],
    ],
    ['without a text for all there is no original', { 'text:x': 'Short' }, [{ variant: 'X', text: 'Short' }]],
    [
      'title and link belong to Google Business alone',
      { text: 'All', title: 'T', 'link:google-business': ' https://a.example/b ' },
      [
        { variant: 'ORIGINAL', text: 'All' },
        { variant: 'GOOGLE_BUSINESS', text: 'All', title: 'T', linkUrl: 'https://a.example/b' },
      ],
    ],
    // The graph refuses it.
    [
      'a link for all is not left out',
      { text: 'All', link: 'https://a.example/' },
      [{ variant: 'ORIGINAL', text: 'All', linkUrl: 'https://a.example/' }],
    ],
    ['a post may be media alone', { media: 'm1' }, [{ variant: 'ORIGINAL', mediaIds: ['m1'] }]],
    [
      'a long text goes to YouTube, and to no variant that may not have one',
      { text: 'All', 'text:youtube': 'Short', 'long-text': 'At length' },
      [
        { variant: 'ORIGINAL', text: 'All' },
        { variant: 'YOUTUBE', text: 'Short', longText: 'At length' },
      ],
    ],
  ])('has variants: %s', (_name, cells, variants) => {
    const expected = variants.map((variant) => ({ instagramPostType: 'POST', ...variant }));
    expect(inputOf(cells)).toHaveProperty('variants', expected);
  });

  test('has local times or instants, several with a bar between', () => {
    const timingOf = (time: string) => inputOf({ text: 'a', placement: '', time })?.timing;
    const scheduledAtLocal = ['2030-01-15T09:00', '2030-01-16T10:00'];
    expect(timingOf('2030-01-15 09:00|2030-01-16T10:00')).toEqual({ scheduledAtLocal });
    expect(timingOf('2030-01-15T09:00+02:00')).toEqual({ scheduledAt: ['2030-01-15T07:00:00.000Z'] });
  });
});
