import { beforeEach, expect, test } from 'vitest';
import { assertUnreadable, PagingError } from '../../src/lists/errors.ts';
import { flag, text } from '../../src/sources/decode.ts';
import { shownName, type Drift, type Origin } from '../../src/sources/drift.ts';
import { pathOf } from '../../src/sources/client.ts';
import { endpoint, RECORD_READ } from '../../src/sources/endpoint.ts';
import { assertSourceError, SourceError } from '../../src/sources/errors.ts';
import { defineView, field, inspected, readable, record } from '../../src/sources/view.ts';

let drifts: Drift[];
beforeEach(() => (drifts = []));
const ORIGIN: Origin = {
  surface: 'current',
  endpoint: 'GET /accounts/list',
  onDrift: (drift) => drifts.push(drift),
};

const view = defineView({
  name: field(['name', 'title'], text),
  deep: field('a.b.c', text),
  inner: field('inner', record(defineView({ isOn: field('on', flag) }))),
});

test.each([undefined, null, '', {}, { a: null }, { a: [] }, { a: { b: '' } }, { a: { b: [] } }])(
  'a field that lies below %j is absent',
  (a) => expect(view({ a }, ORIGIN).deep).toBeNull(),
);

test('a field that is not as documented fails alone, and is reported without its value', () => {
  const seen = view({ name: 'x', a: { b: { c: 7 } }, inner: { on: 'planted' } }, ORIGIN);
  expect(seen.name).toBe('x');
  expect(() => seen.deep).toThrow(
    expect.objectContaining({ name: 'SourceError', kind: 'malformed' }) as Error,
  );
  expect(() => seen.inner?.isOn).toThrow(/on is not true or false/);
  expect(drifts).toEqual([
    { surface: 'current', endpoint: 'GET /accounts/list', field: 'a.b.c', expected: 'text' },
    { surface: 'current', endpoint: 'GET /accounts/list', field: 'on', expected: 'true or false' },
  ]);
});

test('a field that is damaged in many records fails with one error, and is reported for each', () => {
  const origin = { ...ORIGIN };
  const errors = Array.from({ length: 1_000 }, (): unknown => {
    try {
      return view({ name: 7 }, origin).name;
    } catch (error) {
      return error;
    }
  });
  expect(new Set(errors).size).toBe(1);
  expect(errors[0]).toMatchObject({ kind: 'malformed', message: 'GET /accounts/list: name is not text' });
  expect(drifts).toHaveLength(1_000);
  expect(() => view({ name: 7 }, { ...ORIGIN, endpoint: 'GET /group/list' }).name).toThrow('GET /group/list');
});

test('names that every object inherits are not fields of a record', () => {
  const odd = defineView({
    name: field('constructor', text),
    other: field('toString.name', text),
    prototype: field('__proto__', text),
    deeper: field('__proto__.constructor.name', text),
  });
  const seen = odd({}, ORIGIN);
  expect([seen.name, seen.other, seen.prototype, seen.deeper]).toEqual([null, null, null, null]);
  const own: unknown = JSON.parse('{"constructor":"x","__proto__":"y"}');
  expect(odd(own, ORIGIN)).toMatchObject({ name: 'x', prototype: 'y' });
});

test('an undocumented field is reported by its name, unless the name may be a secret itself', () => {
  const secret = 'abcdef0123456789';
  inspected(view, { name: 'x', apiKey: secret, [secret]: 1, mood: 'green' }, ORIGIN);
  expect(drifts.map(({ field: name }) => name)).toEqual(['apiKey', '(no name)', 'mood']);
  const odd = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`extra${at}`, 1]));
  inspected(view, odd, ORIGIN);
  expect(drifts).toHaveLength(3 + 100);
});

const wordsOf = (list: string): string[] => list.trim().split(/\s+/);

test('a name is reported if it looks like the name of a field', () => {
  const secrets = wordsOf(`EAABsbCS1iHgBO0123456789 eyJhbGciOiJIUzI1NiJ9 EAABwzLixnjYBAKqRsTuVwXyZaBcDeFg
    sk_live_0123456789abcdef ghp_0123456789abcdefABCD 4f2a9c0e7b5d4f2a a4f2a9c0e7b5d4f2a
    planted-harbour-accessToken-1-9d1aa9ecaff99985 550e8400-e29b-41d4-a716-446655440000
    QWxhZGRpbjpvcGVuIHNlc2FtZQ AKIAIOSFODNN7EXAMPLE xoxb-123456789012 abcdefghijklmnopqrstuvwxyzabcdefghij
    user@x.example https://x.example/a a${'b'.repeat(40)}`);
  for (const name of [...secrets, 'with a space', '']) expect(shownName(name), name).toBe('(no name)');
  const names = wordsOf(`moodRing is_new X-Rate-Limit loginId2 profileUniqueId scheduleDateTimeInUserTimezone
    fbAudianceTargeting isInstagramDirectPostingEnabled HTMLBody URL utm_source og_image_height a _id oauth2Version
    linkedInOrganizationUrn`);
  for (const name of names) expect(shownName(name)).toBe(name);
});

test.each([7, 'text', [1]])('in %j, which is not a record, each field is damaged', (wire) => {
  expect(() => inspected(view, wire, ORIGIN).name).toThrow('name is not an object');
});

test.each([null, [], 'null', ''])(
  'in %j, which means that there is no record, each field is absent',
  (wire) => {
    expect(inspected(view, wire, ORIGIN).name).toBeNull();
  },
);

test('path segments are encoded, and those that would name another path are refused', () => {
  const account = endpoint('current', 'GET /accounts/view/{loginId}', RECORD_READ);
  expect(pathOf(account, { loginId: 'a/b ?#%\\é' })).toBe('/accounts/view/a%2Fb%20%3F%23%25%5C%C3%A9');
  for (const loginId of ['', '.', '..']) expect(() => pathOf(account, { loginId })).toThrow(SourceError);
});

const raise = (error: Error) => (): never => {
  throw error;
};

test('a failure of the service, or a list that is too long, is never confused with a mistake of this program', () => {
  const failed = new SourceError('timeout', 'current', 'no answer');
  const tooLong = new PagingError('SCAN_LIMIT_REACHED', 'The list is too long.');
  const mistake = new TypeError('a mistake of this program');
  assertSourceError(failed);
  for (const error of [tooLong, mistake]) expect(() => assertSourceError(error)).toThrow(error);
  for (const error of [failed, tooLong]) assertUnreadable(error);
  expect(() => assertUnreadable(mistake)).toThrow(mistake);
  expect(readable(raise(failed))).toBeNull();
  expect(() => readable(raise(mistake))).toThrow(mistake);
});
