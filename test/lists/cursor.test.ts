import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeCursor, encodeCursor, fingerprintOf, type Cursor } from '../../src/lists/cursor.ts';
import { PagingError } from '../../src/lists/errors.ts';
import { windowOf, type Window, type WindowArguments } from '../../src/lists/window.ts';
import { anyText } from '../support/cases.ts';
import { type Answer, shareGraph } from '../support/graph.ts';

const LIST = fingerprintOf('accounts', {});

/** What decoding a text gives: a cursor, or the code of the error; any other error is thrown. */
function outcome(text: string, fingerprint = LIST): Cursor | string {
  try {
    return decodeCursor(text, fingerprint, 'after');
  } catch (error) {
    if (error instanceof PagingError) return error.code;
    throw error;
  }
}

const base64Of = (text: string): string => Buffer.from(text).toString('base64url');
const textOf = (value: unknown): string => base64Of(JSON.stringify(value));

describe('a cursor', () => {
  const anyKey = fc.oneof(anyText(40), fc.constantFrom('__proto__', 'constructor', '', '"', '\uD800'));
  const anyCursor: fc.Arbitrary<Cursor> = fc
    .record({
      total: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      part: fc.double({ min: 0, max: 0.999, noNaN: true }),
      key: fc.option(anyKey),
    })
    .map(({ total, part, key }) => ({ total, position: Math.floor(part * total), key }));

  test('is one word for a URL, and comes back as it was made', () => {
    fc.assert(
      fc.property(anyCursor, (cursor) => {
        const text = encodeCursor(cursor, LIST);
        expect(text).toMatch(/^[\w-]+$/);
        expect(outcome(text)).toEqual(cursor);
      }),
    );
  });

  test('belongs to a list with its arguments in any order, also in later versions', () => {
    expect(LIST).toBe('0FS3QXIoXrk');
    const args = { name: 'a', sortBy: [['loginId', 'ASC']] };
    for (const same of [args, Object.fromEntries(Object.entries(args).toReversed())])
      expect(fingerprintOf('accounts', same)).toBe('h_vRaZxs25h');
  });

  test('is never longer than what is accepted, however long the key of its record', () => {
    const cursor = { position: 3, key: '\u0000'.repeat(5_000), total: 9 };
    const text = encodeCursor(cursor, LIST);
    expect(text.length).toBeLessThan(2_049);
    expect(outcome(text)).toEqual({ ...cursor, key: null });
  });

  const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. "\u0000é';
  const anyCharacter = fc.constantFrom(...ALPHABET.split(''));

  test('is invalid wherever it was cut, and with any one character changed', () => {
    fc.assert(
      fc.property(anyCursor, fc.nat(), anyCharacter, (cursor, place, character) => {
        const text = encodeCursor(cursor, LIST);
        const index = place % text.length;
        expect(outcome(text.slice(0, index))).toBe('INVALID_CURSOR');
        fc.pre(text[index] !== character);
        expect(outcome(text.slice(0, index) + character + text.slice(index + 1))).toBe('INVALID_CURSOR');
      }),
    );
  });

  test('is no text that was not made here', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.jsonValue().map(textOf)), (text) => {
        expect(outcome(text)).toBe('INVALID_CURSOR');
      }),
    );
  });

  // These have a true check, as if somebody had read the code, and still have to make sense.
  test.each<[string, Cursor]>([
    ['a position that is no safe number', { position: 1e308, key: '17', total: 9 }],
    ['a negative position', { position: -1, key: '17', total: 9 }],
    ['half a position', { position: 0.5, key: '17', total: 9 }],
    ['a position outside its list', { position: 9, key: '17', total: 9 }],
    ['a negative length', { position: 0, key: '17', total: -1 }],
  ])('with %s is invalid', (_name, cursor) => {
    expect(outcome(encodeCursor(cursor, LIST))).toBe('INVALID_CURSOR');
  });

  test('of another kind, of another version or of a huge size is invalid, and reaches nobody’s prototype', () => {
    const values = [{}, [1], [1, LIST, '0', '17', 9, ''], [2, LIST, 0, '17', 9, 'whatever', 'comes']];
    const texts = ['[1,"__proto__",0,"k",1]', '{"__proto__":{"position":0}}', '['.repeat(1_500)];
    for (const text of [...values.map(textOf), ...texts.map(base64Of), 'A'.repeat(5_000_000)])
      expect(outcome(text)).toBe('INVALID_CURSOR');
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('the arguments of a connection', () => {
  const anchor = { position: 4, key: '17', total: 9 };
  const cursor = encodeCursor(anchor, LIST);

  test.each<[WindowArguments, Window['direction'], count: number, Cursor | null]>([
    [{}, 'forward', 20, null],
    [{ first: null, after: null, last: null, before: null }, 'forward', 20, null],
    [{ after: '', before: '' }, 'forward', 20, null],
    [{ first: 7, after: '', before: '' }, 'forward', 7, null],
    [{ after: cursor }, 'forward', 20, anchor],
    [{ first: 100, after: cursor }, 'forward', 100, anchor],
    [{ last: 0, after: '' }, 'backward', 0, null],
    [{ before: cursor, after: '' }, 'backward', 20, anchor],
    [{ last: 7, before: cursor, first: null }, 'backward', 7, anchor],
  ])('%j are a window that goes %s', (args, direction, count, place) => {
    expect(windowOf(args, { fingerprint: LIST })).toEqual({ direction, count, anchor: place });
  });

  const graph = shareGraph();

  /** Asks for a list in each of these ways; gives the code and message of each error by the place of its way. */
  async function refusalsOf(fields: readonly string[]): Promise<unknown[]> {
    graph.sandbox.requests.clear();
    const aliased = fields.map((field, index) => `w${index}: ${field} { totalCount }`);
    const { data, errors }: Answer = await graph.query(`{ ok: __typename ${aliased.join(' ')} }`);
    expect(data).toEqual({
      ok: 'Query',
      ...Object.fromEntries(fields.map((_, index) => [`w${index}`, null])),
    });
    expect(graph.sandbox.requests.count()).toBe(0);
    const byPath = new Map(errors.map((error) => [error.path?.join('.'), error]));
    return fields.map((_, index) => {
      const { extensions, message } = byPath.get(`w${index}`) ?? {};
      return `${String(extensions?.['code'])}: ${message}`;
    });
  }

  test('that contradict each other are BAD_USER_INPUT without a call, and name what is wrong', async () => {
    const wrong = [
      ['first: 101', 'first must be from 0 to 100.'],
      ['first: -1', 'first must be from 0 to 100.'],
      ['last: -1', 'last must be from 0 to 100.'],
      ['last: 101', 'last must be from 0 to 100.'],
      ['first: 1, last: 1', 'first cannot be combined with last or before.'],
      ['first: 1, before: "x"', 'before cannot be combined with first or after.'],
      ['last: 1, after: "x"', 'after cannot be combined with last or before.'],
      ['after: "x", before: "x"', 'after cannot be combined with last or before.'],
    ] as const;
    const fields = wrong.map(([args]) => `accounts(${args})`);
    expect(await refusalsOf(fields)).toEqual(wrong.map(([, message]) => `BAD_USER_INPUT: ${message}`));
  });

  test('with a cursor that is damaged, or of another list, filter, order or surface, are INVALID_CURSOR without a call', async () => {
    const { data } = await graph.query(
      `{ accounts(first: 2) { pageInfo { endCursor } } groups: accountGroups(first: 2) { pageInfo { endCursor } }
         legacy: accounts(surface: LEGACY) { pageInfo { endCursor } } }`,
    );
    const of = (name: string): string => data[name].pageInfo.endCursor;
    const refusals = await refusalsOf([
      'accounts(last: 1, before: "%%%")',
      `accounts(after: "${of('accounts').slice(0, -1)}")`,
      `accounts(after: "${of('groups')}")`,
      `accounts(after: "${of('legacy')}")`,
      `accounts(after: "${of('accounts')}", filter: { displayName: "a" })`,
      `accounts(after: "${of('accounts')}", orderBy: [{ field: LOGIN_ID }])`,
      `accounts(after: "${of('accounts')}", surface: LEGACY)`,
      `accounts(after: "${of('legacy')}", surface: LEGACY, filter: { displayName: "a" })`,
      `accountGroups(before: "${of('accounts')}")`,
    ]);
    for (const refusal of refusals) expect(refusal).toMatch(/^INVALID_CURSOR: (?:after|before) is /);
    for (const refusal of refusals.slice(2))
      expect(refusal).toContain('is a cursor for a different list, filter or order.');
  });

  test.each(['CURRENT', 'LEGACY'])(
    'are the same in any order, and with those that say nothing left out or not: %s',
    async (surface) => {
      const { data } = await graph.query(
        `{ accounts(surface: ${surface}, first: 1, orderBy: [{ field: LOGIN_ID }]) { pageInfo { endCursor } } }`,
      );
      const same = await graph.query(
        `{ accounts(orderBy: [{ direction: null, field: LOGIN_ID }], filter: { networks: null, displayName: null },
             after: "${data.accounts.pageInfo.endCursor}", surface: ${surface}) { totalCount } }`,
      );
      expect(same.errors).toEqual([]);
    },
  );

  test('with a cursor of the accounts of one group are INVALID_CURSOR in another', async () => {
    const { data } = await graph.query(
      '{ accountGroups(first: 1) { nodes { accounts(first: 1) { pageInfo { endCursor } } } } }',
    );
    const after: string = data.accountGroups.nodes[0].accounts.pageInfo.endCursor;
    const { errors } = await graph.query(
      `{ accountGroups(first: 2) { nodes { groupId accounts(after: "${after}") { totalCount } } } }`,
    );
    expect(errors).toMatchObject([
      { path: ['accountGroups', 'nodes', 1, 'accounts'], extensions: { code: 'INVALID_CURSOR' } },
    ]);
  });
});
