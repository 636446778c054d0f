import { expect, test } from 'vitest';
import { valuesIn } from '../src/cells.ts';
import { readRow } from '../src/rows.ts';
import { readTable } from '../src/table.ts';
import { readTime } from '../src/times.ts';
import { csvOf } from './tables.ts';
import { eachCase } from '../../../test/support/each-case.ts';

/** Accounts by the name that a cell has for them; all others are unknown. */
const DIRECTORY = {
  find: (cell: string) =>
    valuesIn(cell).map((reference) =>
      reference.startsWith('A') ? { id: `id of ${reference}` } : { problem: 'names no account.' },
    ),
  labelOf: (id: string) => id,
};

function rowOf(cells: Readonly<Record<string, string>>) {
  const filled = { account: 'A1', placement: 'queue', ...cells };
  const { rows, problems } = readTable(Buffer.from(csvOf([Object.keys(filled), Object.values(filled)])));
  expect(problems).toEqual([]);
  const [row] = rows;
  if (row === undefined) throw new Error('the row is empty');
  return readRow(row, DIRECTORY);
}

const inputOf = (cells: Readonly<Record<string, string>>) => {
  const { input, problems } = rowOf(cells);
  expect(problems).toEqual([]);
  return input;
};
const problemsOf = (cells: Readonly<Record<string, string>>) =>
  rowOf(cells).problems.map(({ column, message }) => `${column} ${message}`);

test('a row is a post: accounts, placement, and a text with what belongs to it', () => {
  expect(
    inputOf({ account: 'A1 | A2', text: 'Hello\nyou ', comment: 'First!', tags: '7|8', media: 'm1 | m2' }),
  ).toEqual({
    accountIds: ['id of A1', 'id of A2'],
    timing: { placement: 'QUEUE' },
    variants: [
      {
        variant: 'ORIGINAL',
        instagramPostType: 'POST',
        text: 'Hello\nyou ',
        comment: 'First!',
        tagIds: ['7', '8'],
        mediaIds: ['m1', 'm2'],
      },
    ],
  });
});

test('a column for one network makes a variant, which has everything else from the columns for all', () => {
  expect(
    inputOf({
      text: 'All',
      'text:x': 'Short',
      comment: 'Shared',
      'comment:linkedin': 'Other',
      'instagram-post-type': 'Reels',
    }),
  ).toMatchObject({
    variants: [
      { variant: 'ORIGINAL', text: 'All', comment: 'Shared', instagramPostType: 'REELS' },
      { variant: 'X', text: 'Short', comment: 'Shared' },
      { variant: 'LINKEDIN', text: 'All', comment: 'Other' },
    ],
  });
});

test('without a text for all there is no original', () => {
  expect(inputOf({ text: '', 'text:x': 'Short' })).toMatchObject({ variants: [{ variant: 'X' }] });
});

test('title, link and long text belong to Google Business and YouTube alone', () => {
  expect(inputOf({ text: 'All', title: 'T', 'link:google-business': ' https://a.example/b ' })).toMatchObject(
    {
      variants: [
        { variant: 'ORIGINAL', text: 'All' },
        { variant: 'GOOGLE_BUSINESS', text: 'All', title: 'T', linkUrl: 'https://a.example/b' },
      ],
    },
  );
  expect(problemsOf({ text: 'All', link: 'https://a.example/' })).toEqual([
    expect.stringMatching(
      /^link Only Google Business and YouTube support this: use the column link:google-business/,
    ),
  ]);
});

test('times are local ones or instants, several with a bar between', () => {
  const times = (time: string) => inputOf({ text: 'a', placement: '', time });
  expect(times('2030-01-15 09:00|2030-01-16T10:00')).toMatchObject({
    timing: { scheduledAtLocal: ['2030-01-15T09:00', '2030-01-16T10:00'] },
  });
  expect(times('2030-01-15T09:00+02:00')).toMatchObject({
    timing: { scheduledAt: ['2030-01-15T07:00:00.000Z'] },
  });
});

test('times are read in the forms that can mean one thing only', () =>
  eachCase(
    [
      ['2030-01-15 09:00', '2030-01-15T09:00'],
      ['2030-01-15T09:00:00', '2030-01-15T09:00'],
      ['15.01.2030 9:00', '2030-01-15T09:00'],
      ['5.1.2030, 09:00:00', '2030-01-05T09:00'],
      ['15 Jan 2030 9:05 PM', '2030-01-15T21:05'],
      ['2030/01/15\u00A009:00', '2030-01-15T09:00'],
    ],
    ([cell, local]) => expect(readTime(cell)).toEqual({ local }),
  ));

test('other times are refused, with the reason', () =>
  eachCase(
    [
      ['01/02/2030 09:00', 'is ambiguous'],
      ['1-2-2030 09:00', 'is ambiguous'],
      ['31.02.2030 09:00', 'not a time'],
      ['2030-01-15', 'without a time of day'],
      ['2030-01-15 09:00:30', 'whole minute'],
      ['2030-13-15T09:00Z', 'not a time'],
      ['45292.375', 'stores for a time'],
    ],
    ([cell, words]) => expect(readTime(cell)).toMatchObject({ problem: expect.stringContaining(words) }),
  ));

test('everything that is wrong with a row is told at once, each with its column', () => {
  expect(
    problemsOf({
      account: 'A1|nobody|A1',
      placement: 'later',
      text: 'a',
      'link:youtube': 'no address',
      'instagram-post-type': 'film',
    }).map((problem) => problem.split(/[;.]/)[0]),
  ).toEqual([
    'account names no account',
    'account id of A1 is given twice',
    'placement The placement must be queue, now, next or empty',
    'instagram-post-type The Instagram post type must be post, reels, story or empty',
    'link:youtube The link is not an absolute URL',
  ]);
});

test.each([
  [{ text: 'a', placement: '' }, 'time The row needs a time or a placement'],
  [{ text: 'a', time: '2030-01-15 09:00' }, 'placement A row cannot have both a time and a placement'],
  [
    { text: 'a', placement: '', time: '2030-01-15 09:00|2030-01-15T09:00Z' },
    'time The times of a row must all have an offset',
  ],
  [{ account: ' ', text: 'a' }, 'account The account is missing'],
])('%j is refused', (cells, words) => {
  expect(problemsOf(cells).join('\n')).toContain(words);
});

test('a post may be media alone: it has no text, not an empty one', () => {
  expect(inputOf({ media: 'm1' })).toHaveProperty('variants', [
    { variant: 'ORIGINAL', instagramPostType: 'POST', mediaIds: ['m1'] },
  ]);
});

test('a long text goes to YouTube, and to no variant that may not have one', () => {
  expect(inputOf({ text: 'All', 'text:youtube': 'Short', 'long-text': 'At length' })).toHaveProperty(
    'variants',
    [
      { variant: 'ORIGINAL', instagramPostType: 'POST', text: 'All' },
      { variant: 'YOUTUBE', instagramPostType: 'POST', text: 'Short', longText: 'At length' },
    ],
  );
});
