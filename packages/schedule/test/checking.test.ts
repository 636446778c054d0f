import { describe, expect, test } from 'vitest';
import { eachCase } from '../../../test/support/cases.ts';
import { cases } from '../../../test/support/depth.ts';
import { changingRecord } from '../../../test/support/sandbox.ts';
import { account } from '../../../test/support/writes.ts';
import type { Sandbox } from '../../sandbox/src/sandbox.ts';
import { valuesIn } from '../src/cells.ts';
import { linesOfReport, listed } from '../src/output.ts';
import { readRow } from '../src/rows.ts';
import { MAX_FILE_BYTES, MAX_ROWS, readTable } from '../src/table.ts';
import { HEADER, bulkFile, csvOf, healthyAccounts, startBulkSandbox, type Content } from './tables.ts';

// Tables and rows.

const read = (text: string) => readTable(Buffer.from(text));

test('rows have the lines that they begin on, also behind quoted line breaks and empty rows', () => {
  const text = 'account,time,text\r\n1,t,"a\r\nb\r\nc"\r\n\r\n,,\r\n2,t,d\r\n';
  expect(read(text).rows).toMatchObject([
    { row: 1, line: 2 },
    { row: 2, line: 7 },
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
  const said = problems.map(({ line, column, message }) => `${line} ${column} ${message}`);
  expect(said.join('\n')).toContain(words);
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
    const [found = { input: null, problems: null }] = rows.map((row) => readRow(row, directory));
    expect(found.problems).toEqual([]);
    return found.input;
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

// Checks.

const AHEAD = '2031-05-20 09:00';

async function startWith(...names: readonly string[]) {
  const sandbox = await startBulkSandbox();
  const owner = sandbox.state.owner('harbour');
  return { sandbox, owner, named: names.map((username) => owner.insertAccount(0, { username })) };
}

/** Checks a table, which sends nothing. */
async function check({ sandbox }: { readonly sandbox: Sandbox }, content: Content) {
  const { report, pending } = await (await bulkFile(sandbox, content, { SERVICE_TIME_ZONE: 'UTC' })).check();
  expect(sandbox.requests.count('POST /posts/create')).toBe(0);
  const problems = report.problems.map(({ line, column, message }) => `${line} ${column} ${message}`);
  return { report, problems, inputs: pending.map(({ input }) => input) };
}

test('many rows for twelve accounts read each account and list once, and send nothing', async () => {
  const place = await startWith();
  const accounts = healthyAccounts(place.sandbox, 12);
  const rows = Array.from({ length: cases(36, 500) }, (_, index) => [
    accounts[index % 12] ?? '',
    `2031-05-${10 + (index % 20)} ${10 + (index % 13)}:00`,
    `Checked ${index}`,
  ]);
  const { problems, inputs } = await check(place, [HEADER, ...rows]);
  expect([problems, inputs.length]).toEqual([[], rows.length]);
  const once = ['GET /accounts/list', 'GET /membership/plan/list', 'GET /posts/queued'];
  const views = accounts.map(() => 'GET /accounts/view/{loginId}');
  const called = place.sandbox.requests.all.map(({ endpoint }) => String(endpoint));
  expect(called.toSorted()).toEqual([...once, ...views].toSorted());
});

test('an account is named by its id, its loginId, the address of its profile or its name', async () => {
  // A name may look like an address.
  const place = await startWith('Kelp', 'St.Pauli/Shop');
  const [id, other] = place.named.map(({ loginId }) => account(loginId));
  const [{ loginId, currentUrl } = { loginId: 0, currentUrl: '' }] = place.named;
  const addresses = [currentUrl, currentUrl.replace('https://', '')];
  const names = [String(id), String(loginId), ...addresses, ' KELP '];
  const rows = [...names, 'St.Pauli/Shop'].map((name) => [name, AHEAD, `To ${name}`]);
  const { problems, inputs } = await check(place, [HEADER, ...rows]);
  expect(problems).toEqual([]);
  expect(inputs.map(({ accountIds }) => accountIds)).toEqual([...names.map(() => [id]), [other]]);
});

test('an account without a name is found and reported by its label', async () => {
  const place = await startWith(' ');
  place.sandbox.faults.add(changingRecord('GET /accounts/list', 'accountType', 'gmb-locations'));
  const label = `Google Business account ${place.named[0]?.loginId}`;
  const twice = `${label.toLowerCase()}|${label}`;
  const { report, problems } = await check(place, [HEADER, [label, AHEAD, 'a'], [twice, AHEAD, 'b']]);
  expect(report.rows[0]?.accounts).toEqual([label]);
  expect(problems).toEqual(['3 account The same account was chosen twice.']);
});

test('a name of several accounts is refused, and ten of them are named', async () => {
  const place = await startWith(...Array.from({ length: 11 }, () => 'The Twins'));
  const cells = ['The Twins', 'Nobody', 'https://a.example:x/'];
  const rows = cells.map((cell) => [cell, AHEAD, cell]);
  const { problems, inputs } = await check(place, [HEADER, ...rows]);
  expect(inputs).toEqual([]);
  expect(problems).toEqual([
    expect.stringMatching(/^2 account "The Twins" matches 11 accounts.* and 1 more\./),
    expect.stringContaining('3 account No account matches'),
    expect.stringContaining('4 account No account matches'),
  ]);
  expect(place.named.filter(({ loginId }) => problems[0]?.includes(String(loginId)))).toHaveLength(10);
});

test('rows that ask for the same post are worth a look, and so is a text that is too long', async () => {
  const place = await startWith();
  const onX = place.owner.accounts.find(({ network }) => network.platformId === 2);
  const row = [String(onX?.loginId), AHEAD, 'x'.repeat(281)];
  const { report, problems } = await check(place, [HEADER, row, row]);
  expect(problems).toEqual([]);
  const codes = report.warnings.map(({ line, code, column }) => [line, code, column]);
  expect(codes).toContainEqual([2, 'TEXT_LONGER_THAN_NETWORK_ALLOWS', 'text']);
  expect(codes).toContainEqual([3, 'SAME_AS_ANOTHER_ROW', null]);
});

test('the report for people shows one line for each row, whatever its text holds', async () => {
  const place = await startWith('Kelp');
  const { report } = await check(place, [HEADER, ['Kelp', AHEAD, 'Two\nlines \u001B[31mand red\u202E']]);
  const lines = linesOfReport(report);
  expect(lines[1]).toMatch(/^2 +to send +2031-05-20 09:00 +.*Two lines \[31mand red$/);
  for (const control of ['\u001B', '\u202E']) expect(lines.join('')).not.toContain(control);
});

test('a mistake in the header is told alone, and nothing is asked of the service', async () => {
  const place = await startWith();
  const { report, inputs } = await check(place, 'account,text\n1,a\n2,b,c\n');
  expect(inputs).toEqual([]);
  expect(linesOfReport(report)).toEqual([
    'Problems (2):',
    expect.stringMatching(/^ {2}line 1: The table needs a column time or placement/),
    expect.stringMatching(/^ {2}line 3: The row has a cell in column 3/),
    '',
  ]);
  expect(place.sandbox.requests.all).toEqual([]);
});

test('instants are read where the zone of the service is known, and shown beside placements', async () => {
  const { report } = await check(await startWith('Kelp'), [
    ['account', 'time', 'placement', 'media', 'text:x'],
    ['Kelp', '2031-05-20T09:00+02:00', '', '', 'For one network'],
    ['Kelp', '', 'next', 'm1', ''],
  ]);
  expect(report.rows.map(({ times, text }) => [...times, text])).toEqual([
    ['2031-05-20T07:00Z', 'For one network'],
    ['next', ''],
  ]);
});

test('of more than two hundred problems, the others are counted', () => {
  const wrong = { column: 'time', message: 'is not a time.' };
  const problems = Array.from({ length: 203 }, (_, row) => ({ line: row + 2, row, ...wrong }));
  const lines = listed('Wrong', problems);
  const end = ['  line 201, time: is not a time.', '  and 3 more', ''];
  expect([lines[0], ...lines.slice(-3)]).toEqual(['Wrong (203):', ...end]);
});

// Files as spreadsheet programs and exports write them.

const ROW = ['Kelp', AHEAD, 'Hello'];
const READ = [{ times: ['2031-05-20T09:00'], accounts: ['Kelp'], text: 'Hello', state: 'PENDING' }];

test('a file is read in whatever encoding, with whatever delimiter and line breaks it is saved', async () => {
  const place = await startWith('Kelp');
  const plain = csvOf([HEADER, ROW]);
  const semicolons = csvOf([HEADER, ROW], { delimiter: ';' });
  await eachCase(
    [
      ['byte order mark', `\uFEFF${plain}`],
      ['UTF-16 text of Excel', Buffer.from(`\uFEFF${csvOf([HEADER, ROW], { delimiter: '\t' })}`, 'utf16le')],
      ['big-endian UTF-16', Buffer.from(`\uFEFF${plain}`, 'utf16le').swap16()],
      ['UTF-16 without a byte order mark', Buffer.from(plain, 'utf16le')],
      ['big-endian UTF-16 without a byte order mark', Buffer.from(plain, 'utf16le').swap16()],
      ['CR alone', plain.replaceAll('\n', '\r')],
      ['sep=', `\uFEFFsep=;\r\n${semicolons}`],
      ['sep= as a cell', `"SEP=;";;\n${semicolons}`],
      ['sep= against the header', 'sep=;\naccount;time;text;"text:x"\nKelp;2031-05-20 09:00;Hello;\n'],
      ['empty rows before the header', `\n;;;\n"";"";""\n${semicolons}`],
      ['empty columns and rows at the end', `account,time,text,,\n${ROW.join(',')},,\n,,,,\n\u00A0,,,,\n\n`],
      ['spaces of all kinds in names', 'Account\u00A0,\u200Btime,TEXT\nKelp\u00A0,2031-05-20 09:00,Hello\n'],
    ] as const,
    async ([, content]) => {
      const { report, problems } = await check(place, content);
      expect(problems).toEqual([]);
      expect(report.rows).toMatchObject(READ);
    },
  );
});

test('a cell for which the header has no name is refused, and one that curly quotation marks divide', async () => {
  const rows = [
    'account,time,text,,comment',
    'Kelp,2031-05-20 09:00,Hello,lost,',
    'Kelp,2031-05-20 09:00,Hello,,,lost',
    'Kelp,2031-05-20 09:00,“Hello, you”',
    'Kelp,2031-05-20 09:00,„Hello,,you“',
    'Kelp,2031-05-20 09:00,“Hello”,,“you”',
  ];
  const { problems } = await check(await startWith('Kelp'), rows.join('\n'));
  expect(problems).toEqual([
    expect.stringMatching(/^2 null The row has a cell in column 4, for which the header has no name\./),
    expect.stringMatching(/^3 null The row has a cell in column 6, for which the header has no name\./),
    expect.stringMatching(/^4 null The row has a cell in column 4, for which the header has no name\./),
    expect.stringMatching(/^4 null The row has cells in curly quotation marks/),
    expect.stringMatching(/^5 null The row has cells in curly quotation marks/),
  ]);
});

const rowsAt = (times: readonly (readonly [time: string, said: string])[]) => [
  HEADER,
  ...times.map(([time]) => ['Kelp', time, 'a']),
];

test('times are read as spreadsheet programs write them, where they mean one thing', async () => {
  const times = [
    ['2030-01-15 09:00:00.000', '2030-01-15T09:00'],
    ['2030/1/5 9:00', '2030-01-05T09:00'],
    ['15.1.2030 9.00', '2030-01-15T09:00'],
    ['15.01.2030, 09:00:00', '2030-01-15T09:00'],
    ['Tue 15 Jan 2030 9:05 PM', '2030-01-15T21:05'],
    ['Tuesday, January 15, 2030 at 9:05\u202FAM', '2030-01-15T09:05'],
    ['\u200E15 Sept. 2030\u00A012:00 AM', '2030-09-15T00:00'],
    ['15-Jan-2030 12:00 p.m.', '2030-01-15T12:00'],
    ['2030-01-15 09:00:00\u00A0+0100', '2030-01-15T08:00Z'],
    ['2030-01-15t09:00z', '2030-01-15T09:00Z'],
  ] as const;
  const { report, problems } = await check(await startWith('Kelp'), rowsAt(times));
  expect(problems).toEqual([]);
  expect(report.rows.map((row) => row.times)).toEqual(times.map(([, instant]) => [instant]));
});

const INVALID = 'is not a valid date and time of day, or is not in a supported format.';

test('a time that is wrong in any part, or can be read in two ways, is refused', async () => {
  const times = [
    ['Fri 15 Jan 2030 09:00', INVALID],
    ['Friday, January 15, 2030 9:00 AM', INVALID],
    ['ti 15 Jan 2030 09:00', INVALID],
    ['15 marraskuu 2030 09:00', INVALID],
    ['15 Mai 2030 09:00', INVALID],
    ['1/2/2030 09:00', 'is ambiguous'],
    ['01-02-2030 09.00', 'is ambiguous'],
    ['Tue 1/15/30, 9:00 AM', 'is ambiguous'],
    ['15-Jan-30 09:00', INVALID],
    ['47498.375', 'is the number that a spreadsheet program stores'],
    ['47498,375', 'is the number that a spreadsheet program stores'],
    ['2030-01-15', INVALID],
    ['15.01.2030', INVALID],
    ['09:00', INVALID],
    ['2030-01-15 24:00', INVALID],
    ['2030-01-15T24:00Z', INVALID],
    ['2030-02-30T09:00Z', INVALID],
    ['2030-01-15T09:00+25:00', INVALID],
    ['15.01.2030 0:30 AM', INVALID],
    ['2030-01-15 13:00 PM', INVALID],
    ['2030-01-15 09:00:30', INVALID],
    ['2030-01-15T09:00:00.500Z', INVALID],
    ['2030-01-15 09:00|15 Jan 2030 25:00', `"15 Jan 2030 25:00" ${INVALID}`],
    ['#VALUE!', 'The cell contains a spreadsheet error'],
    ['#NV', 'The cell contains a spreadsheet error'],
    ['########', 'The cell contains only # signs'],
    ['=A1+7', 'The cell contains a formula'],
    ["'2030-01-15 09:00", INVALID],
    ['NULL', 'The cell contains a database placeholder for an empty value'],
    ['|', 'The time is missing.'],
    ['2030-01-15 09:00|2030-01-15T09:00Z', 'The times of a row must all have an offset'],
  ] as const;
  const { problems } = await check(await startWith('Kelp'), rowsAt(times));
  expect(problems).toEqual(
    times.map(([time, words], index) => {
      const value = words.startsWith('The') || words.startsWith('"') ? '' : `${JSON.stringify(time)} `;
      return expect.stringContaining(`${index + 2} time ${value}${words}`);
    }),
  );
});

const USUAL = { account: 'Kelp', placement: 'queue', text: 'Hello' };

test('a cell that does not hold what its author wrote is refused, and what only looks like it is not', async () => {
  const header = ['account', 'placement', 'text', 'comment', 'tags', 'media', 'link:youtube'];
  const wrong = [
    ['text', '#NAME?', 'The cell contains a spreadsheet error'],
    ['text', '#¿NOMBRE?', 'The cell contains a spreadsheet error'],
    ['comment', '#N/A', 'The cell contains a spreadsheet error'],
    ['comment', 'Err:508', 'The cell contains a spreadsheet error'],
    ['text', '="Hello"', 'The cell contains a formula'],
    ['text', '=CONCAT(A1;B1)', 'The cell contains a formula'],
    ['link:youtube', '=HYPERLINK("https://a.example/")', 'The cell contains a formula'],
    ['text', "'@kelp says hello", 'The cell begins with the apostrophe'],
    ['comment', 'NULL', 'The cell contains a database placeholder'],
    ['comment', String.raw`\N`, 'The cell contains a database placeholder'],
    ['text', 'Caf\uFFFD', 'Some characters of the cell were lost'],
    ['text', 'One_x000D_two', 'The cell contains a code such as _x000D_'],
    ['tags', '7,0', '"7,0" is not the id of a tag'],
    ['tags', '7|1.0', '"1.0" is not the id of a tag'],
    ['tags', '1,23E+11', 'The cell contains a number that the spreadsheet program shortened'],
    ['media', '1.23E+11', 'The cell contains a number that the spreadsheet program shortened'],
    ['account', '4.10202E+05', 'The cell contains a number that the spreadsheet program shortened'],
    ['account', '="410202"', 'The cell contains a formula'],
    ['account', '410,202', 'No account matches "410,202"'],
  ] as const;
  const right = [
    ['text', "'Tis the season"],
    ['text', '#Hello!'],
    ['text', '= love'],
    ['text', 'Null and void'],
    ['text', '“Hello'],
    ['comment', '+1'],
  ] as const;
  const rows = [...wrong, ...right].map(([column, cell]) => {
    const cells: Readonly<Record<string, string>> = { ...USUAL, [column]: cell };
    return header.map((name) => cells[name] ?? '');
  });
  const { problems } = await check(await startWith('Kelp'), [header, ...rows]);
  const said = wrong.map(([column, , words], index) => `${index + 2} ${column} ${words}`);
  expect(problems).toEqual(said.map((start) => expect.stringContaining(start)));
});

test('an account whose name contains the separator is found before its parts are', async () => {
  const place = await startWith('Acme', 'Berlin', 'Acme | Berlin', 'A|B|C', 'Twins | Ltd', 'Twins | Ltd');
  const cells = [
    ['Acme | Berlin', ['Acme | Berlin']],
    [' acme |  BERLIN\u00A0', ['Acme | Berlin']],
    ['Acme|Berlin', ['Acme', 'Berlin']],
    ['Berlin | Acme | Berlin | A|B|C', ['Berlin', 'Acme | Berlin', 'A|B|C']],
    ['|Acme||', ['Acme']],
  ] as const;
  const rows = [...cells.map(([cell]) => cell), 'Twins | Ltd'].map((cell) => [cell, AHEAD, 'a']);
  const { report, problems } = await check(place, [HEADER, ...rows]);
  expect(problems).toEqual([expect.stringMatching(/^7 account "Twins \| Ltd" matches 2 accounts/)]);
  expect(report.rows.slice(0, -1).map(({ accounts }) => accounts)).toEqual(cells.map(([, names]) => names));
});

test('all problems of a row are reported at once, also beside an account or a time that can’t be read', async () => {
  const place = await startWith('Kelp');
  place.owner.insertAccount(0, { state: 'paused', username: 'On holiday' });
  const header = ['account', 'time', 'text', 'tags', 'link:youtube', 'instagram-post-type'];
  const past = '2020-01-01 09:00';
  const rows = [
    ['Nobody', past, 'a', 'red', 'no address', 'film'],
    ['Nobody|On holiday|Kelp|Kelp', `${past}|soon`, 'a', '7', '', ''],
    ['Kelp', 'soon', '', 'red', '', ''],
    ['Nobody', past, 'a', '7', '', '', 'cut off'],
    ['', '', '', '', '', 'film'],
    ['Nobody', AHEAD, 'a', '', '', ''],
    ['Nobody', AHEAD, 'a', '', '', ''],
  ];
  const { report, problems } = await check(place, [header, ...rows]);
  const expected = [
    '2 account No account matches "Nobody"',
    '2 instagram-post-type The cell must be post, reels, story or empty',
    '2 link:youtube The link is not an absolute URL',
    '2 tags "red" is not the id of a tag',
    '2 time 09:00 on 1 January 2020 is in the past',
    '3 account No account matches "Nobody"',
    '3 account On holiday cannot publish because it is paused',
    '3 account The same account was chosen twice.',
    '3 time "soon" is not a valid',
    '3 time 09:00 on 1 January 2020 is in the past',
    '4 tags "red" is not the id of a tag',
    '4 text The post has no text and no media.',
    '4 time "soon" is not a valid',
    '5 account No account matches "Nobody"',
    '5 null The row has a cell in column 7',
    '5 time 09:00 on 1 January 2020 is in the past',
    '6 account Choose at least one account.',
    '6 instagram-post-type The cell must be',
    '6 text The post has no text and no media.',
    '6 time The row needs either a time or a placement',
    '7 account No account matches "Nobody"',
    '8 account No account matches "Nobody"',
  ];
  expect(problems.toSorted()).toEqual(expected.map((start) => expect.stringContaining(start)));
  expect(report.rows).toMatchObject(rows.map((_, index) => ({ line: index + 2, state: 'INVALID' })));
  expect(report.warnings.filter(({ code }) => code === 'SAME_AS_ANOTHER_ROW')).toEqual([]);
});
