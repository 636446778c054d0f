import { expect, test } from 'vitest';
import { valuesIn } from '../src/cells.ts';
import { readRow } from '../src/rows.ts';
import { readTable } from '../src/table.ts';
import { csvOf } from './tables.ts';

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
  // The graph refuses it.
  expect(inputOf({ text: 'All', link: 'https://a.example/' })).toMatchObject({
    variants: [{ variant: 'ORIGINAL', linkUrl: 'https://a.example/' }],
  });
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
