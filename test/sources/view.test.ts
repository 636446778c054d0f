import { expect, test } from 'vitest';
import { flag, text, undocumented } from '../../src/sources/decode.ts';
import { fillPath } from '../../src/sources/endpoint.ts';
import type { Drift, Origin } from '../../src/sources/drift.ts';
import { defineView, field, inspected, record } from '../../src/sources/view.ts';

const drifts: Drift[] = [];
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

test('a view reads each field when it is asked for, by any of its names and at any depth', () => {
  expect(view({ title: 'x' }, ORIGIN).name).toBe('x');
  expect(view({ name: '', title: 'x' }, ORIGIN).name).toBe('x');
  expect(view({ a: { b: { c: 'x' } } }, ORIGIN).deep).toBe('x');
  expect(view({ inner: { on: true } }, ORIGIN).inner?.isOn).toBe(true);
});

test.each([undefined, null, '', {}, { a: null }, { a: [] }, { a: { b: '' } }, { a: { b: [] } }])(
  'a field that lies below %j is absent',
  (a) => expect(view({ a }, ORIGIN).deep).toBeNull(),
);

test('a field that is not as documented spoils nothing but itself, and is told without its value', () => {
  drifts.length = 0;
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

test('a field that is damaged in many records of an answer fails with one error and is told for each', () => {
  drifts.length = 0;
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
  expect(new Error('with a stack').stack).toContain('view.test.ts');
});

test('names that every object has are no fields of a record', () => {
  const odd = defineView({
    name: field('constructor', text),
    other: field('toString.name', text),
    prototype: field('__proto__', text),
    deeper: field('__proto__.constructor.name', text),
  });
  const seen = odd({}, ORIGIN);
  expect([seen.name, seen.other, seen.prototype, seen.deeper]).toEqual([null, null, null, null]);
  expect(odd(JSON.parse('{"constructor":"x","__proto__":"y"}'), ORIGIN)).toMatchObject({
    name: 'x',
    prototype: 'y',
  });
});

test('an undocumented field is reported by its name, unless the name may be a secret itself', () => {
  drifts.length = 0;
  const secret = 'abcdef0123456789';
  inspected(view, { name: 'x', apiKey: secret, [secret]: 1, mood: 'green' }, ORIGIN);
  expect(drifts.map(({ field: name }) => name)).toEqual(['apiKey', '(no name)', 'mood']);
});

test.each([7, 'text', [1]])('of %j, which is no record, each field is damaged', (wire) => {
  expect(() => inspected(view, wire, ORIGIN).name).toThrow('name is not an object');
});

test.each([null, [], 'null', ''])('of %j, which stands for no record, each field is absent', (wire) => {
  expect(inspected(view, wire, ORIGIN).name).toBeNull();
});

test('path segments are encoded, and those that would name another path are refused', () => {
  expect(fillPath('/accounts/view/{loginId}', { loginId: 'a/b ?#%\\é' })).toBe(
    '/accounts/view/a%2Fb%20%3F%23%25%5C%C3%A9',
  );
  for (const loginId of ['', '.', '..']) {
    expect(() => fillPath('/accounts/view/{loginId}', { loginId })).toThrow(RangeError);
  }
  expect(() => fillPath('/accounts/view/{loginId}', {})).toThrow(RangeError);
});

test('of a record with very many undocumented fields, a hundred are reported', () => {
  drifts.length = 0;
  const odd = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`extra${at}`, 1]));
  expect(inspected(view, { name: 'x', ...odd }, ORIGIN).name).toBe('x');
  expect(drifts).toHaveLength(100);
});

test('a field is read, and one within it too, from the same place', () => {
  const both = defineView({ whole: field('meta', undocumented), id: field('meta.id', text) });
  const seen = both({ meta: { id: 'x', other: 1 } }, ORIGIN);
  expect(seen.whole).toEqual({ id: 'x', other: 1 });
  expect(seen.id).toBe('x');
});
