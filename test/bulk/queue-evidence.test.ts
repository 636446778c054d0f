import { expect, test } from 'vitest';
import { evidenceFor, type LostRow, type UnclaimedPost } from '../../src/bulk/queue-evidence.ts';

const TIME = '2030-01-15T09:00';

interface LostOptions {
  readonly accounts: readonly number[];
  /** Null for a post without a time of its own. */
  readonly time: string | null;
  readonly comment: string;
}

function lost(
  row: number,
  text: string,
  { accounts = [1], time = TIME, comment = '' }: Partial<LostOptions> = {},
): LostRow {
  const items = [{ type: 'original' as const, instagramPostType: 'post' as const, text, comment }];
  const post = { loginIds: accounts, items };
  return {
    row,
    post:
      time === null
        ? { ...post, share: 'queue' }
        : { ...post, share: 'schedule', scheduleDateTimes: [time.replace('T', ' ')] },
  };
}

const waiting = (postId: string, text: string, { account = '1', time = TIME } = {}): UnclaimedPost => ({
  postId,
  loginId: account,
  time,
  text,
});

const kinds = (rows: readonly LostRow[], posts: readonly UnclaimedPost[]) =>
  Object.fromEntries([...evidenceFor(rows, posts)].map(([row, { kind }]) => [row, kind]));

test('a row is found by account, time and text, and by nothing less', () => {
  const row = lost(1, 'a');
  expect(evidenceFor([row], [waiting('p', 'a')]).get(1)).toEqual({ kind: 'found', postIds: ['p'] });
  for (const other of [
    waiting('p', 'b'),
    waiting('p', 'a', { account: '2' }),
    waiting('p', 'a', { time: '2030-01-15T09:01' }),
  ])
    expect(kinds([row], [other])).toEqual({ 1: 'missing' });
});

test('a row without a text is found in no post: any of media alone could be it', () => {
  expect(kinds([lost(1, '')], [waiting('p', ''), waiting('q', 'a')])).toEqual({ 1: 'missing' });
});

test('a post without a time of its own is found at any time', () => {
  expect(kinds([lost(1, 'a', { time: null })], [waiting('p', 'a', { time: '2031-01-01T00:00' })])).toEqual({
    1: 'found',
  });
});

test('two equal rows share the posts that are there: one post is one row', () => {
  const rows = [lost(1, 'a'), lost(2, 'a')];
  expect(kinds(rows, [waiting('p', 'a')])).toEqual({ 1: 'found', 2: 'missing' });
  expect(evidenceFor(rows, [waiting('p', 'a'), waiting('q', 'a')])).toEqual(
    new Map([
      [1, { kind: 'found', postIds: ['p'] }],
      [2, { kind: 'found', postIds: ['q'] }],
    ]),
  );
});

test('which of two rows that only look alike made a post can’t be told; that both or none did, can', () => {
  const rows = [lost(1, 'a', { comment: 'one' }), lost(2, 'a', { comment: 'other' })];
  expect(kinds(rows, [waiting('p', 'a')])).toEqual({ 1: 'ambiguous', 2: 'ambiguous' });
  expect(kinds(rows, [])).toEqual({ 1: 'missing', 2: 'missing' });
  expect(kinds(rows, [waiting('p', 'a'), waiting('q', 'a')])).toEqual({ 1: 'found', 2: 'found' });
});

test('more posts than rows prove nothing: somebody else made one of them', () => {
  expect(kinds([lost(1, 'a')], [waiting('p', 'a'), waiting('q', 'a')])).toEqual({ 1: 'ambiguous' });
});

test('a post that could be a row with a time or one without is neither’s', () => {
  const rows = [lost(1, 'a'), lost(2, 'a', { time: null })];
  expect(kinds(rows, [waiting('p', 'a')])).toEqual({ 1: 'ambiguous', 2: 'ambiguous' });
});

test('a row on several accounts is found whole, in part or not at all', () => {
  const row = lost(1, 'a', { accounts: [1, 2] });
  const [one, other] = [waiting('p', 'a'), waiting('q', 'a', { account: '2' })];
  expect(evidenceFor([row], [one, other]).get(1)).toEqual({ kind: 'found', postIds: ['p', 'q'] });
  expect(evidenceFor([row], [other]).get(1)).toEqual({ kind: 'in part', postIds: ['q'], slots: 2 });
  expect(kinds([row], [])).toEqual({ 1: 'missing' });
});
