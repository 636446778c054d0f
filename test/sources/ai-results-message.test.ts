import { anything, assert, json, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resultsIn } from '../../src/sources/ai-results/push.ts';
import { costOf, MOST_GROWTH } from '../support/cpu.ts';

const RESULT = { contentId: 'abc', aiResponse: 'A text.' };

describe('a result is found', () => {
  test.each<[string, unknown]>([
    ['bare', RESULT],
    ['as JSON', JSON.stringify(RESULT)],
    ['as JSON within JSON', JSON.stringify(JSON.stringify(RESULT))],
    ['after blanks', `\n  ${JSON.stringify(RESULT)}\n`],
    ['under response', { message: 'Success', response: RESULT }],
    ['under data', { event: 'aiResponse', data: RESULT }],
    ['under payload', { type: 'aiResponse', payload: RESULT }],
    ['as JSON under data', { data: JSON.stringify(RESULT) }],
    ['in an envelope within an envelope', { payload: { response: RESULT } }],
    ['in an array, after its name', ['aiResponse', RESULT]],
    ['beside other things', [null, 7, 'words', [], {}, RESULT, { data: null }]],
  ])('%s', (_where, message) => {
    expect(resultsIn(message)).toEqual([RESULT]);
  });

  test('more than once in a message, a hundred times at most', () => {
    expect(resultsIn([RESULT, { data: { ...RESULT, contentId: 'def' } }])).toMatchObject([
      { contentId: 'abc' },
      { contentId: 'def' },
    ]);
    expect(resultsIn(Array.from({ length: 1_000 }, () => RESULT))).toHaveLength(100);
  });

  test('with an id that is a number, to the last digit', () => {
    expect(resultsIn('{"contentId":12345678901234567890}')).toEqual([{ contentId: '12345678901234567890' }]);
  });
});

describe('no result is found', () => {
  test.each<[string, unknown]>([
    ['in nothing', null],
    ['in what is not there', undefined],
    ['in words', 'Your text is ready.'],
    ['in broken JSON', '{"contentId":"abc"'],
    ['without an id', { aiResponse: 'A text.' }],
    ['with an empty id', { contentId: '' }],
    ['under any other name', { result: RESULT, constructor: RESULT }],
    ['in what an object has from elsewhere', Object.create({ data: RESULT })],
    ['deeper than six steps', [[[[[[RESULT]]]]]]],
    ['within 100,000 levels', '['.repeat(100_000) + JSON.stringify(RESULT) + ']'.repeat(100_000)],
    ['in a function', () => RESULT],
  ])('%s', (_where, message) => {
    expect(resultsIn(message)).toEqual([]);
  });

  test('and nothing is thrown, in whatever comes', () => {
    assert(
      property(anything({ withBigInt: true, withDate: true, withMap: true }), (message) => {
        expect(Array.isArray(resultsIn(message))).toBe(true);
      }),
    );
    assert(property(json({ maxDepth: 8 }), (text) => void resultsIn(text)));
  });
});

test('half a character in a result comes as U+FFFD, whoever has parsed the message', () => {
  const message = { data: { ...RESULT, aiResponse: 'Half \ud83d' } };
  for (const form of [message, JSON.stringify(message), { data: JSON.stringify(message) }])
    expect(resultsIn(form)).toEqual([{ ...RESULT, aiResponse: 'Half \ufffd' }]);
});

test('of a result, only the documented fields are kept', () => {
  const message = { response: { ...RESULT, access_token: 'tok-12345678901234567890', meta: { a: 1 } } };
  expect(resultsIn(message)).toEqual([RESULT]);
});

test('empty arrays before a result take time in proportion to their number', () => {
  const messageOf = (count: number) => `[${'[],'.repeat(count)}${JSON.stringify(RESULT)}]`;
  // A mebibyte, which is the most that a message may have.
  expect(resultsIn(messageOf(349_000))).toEqual([RESULT]);
  expect(costOf((count) => resultsIn(messageOf(count)), 200_000).growth).toBeLessThan(MOST_GROWTH);
});
