import { describe, expect, test } from 'vitest';
import {
  bareResult,
  hasText,
  aiRelayedResult,
  isOfAnother,
  joinResults,
} from '../../src/sources/current/openai.ts';

const ISO = '2026-11-20T08:00:01.234Z';
const MINUTE = '20-Nov-2026 08:00 AM';

describe('two records of one generation', () => {
  test('are one, with what the later says and what only the earlier says', () => {
    const earlier = { contentId: 'a', totalCredit: 7, aiResponse: 'half', tone: 'Warm' };
    const later = { contentId: 'a', aiResponse: 'whole', tone: '', ownerId: 5, templateUsed: null };
    expect(joinResults(earlier, later)).toEqual({
      contentId: 'a',
      totalCredit: 7,
      aiResponse: 'whole',
      tone: 'Warm',
      ownerId: 5,
    });
  });

  test.each([
    { earlier: ISO, later: MINUTE, joined: ISO },
    { earlier: MINUTE, later: ISO, joined: ISO },
    { earlier: MINUTE, later: '21-Nov-2026 08:00 AM', joined: '21-Nov-2026 08:00 AM' },
    { earlier: ISO, later: '2026-11-20T08:00:09.000Z', joined: '2026-11-20T08:00:09.000Z' },
    { earlier: ISO, later: undefined, joined: ISO },
    { earlier: undefined, later: MINUTE, joined: MINUTE },
    { earlier: ISO, later: '2026-11-20T08:00:09', joined: ISO },
    { earlier: '2026-11-20T08:00:09', later: ISO, joined: ISO },
    { earlier: '2026-11-20T08:00:09', later: MINUTE, joined: MINUTE },
  ])('of $earlier and $later have the time $joined', ({ earlier, later, joined }) => {
    expect(joinResults({ createdOn: earlier }, { createdOn: later })).toEqual({ createdOn: joined });
  });

  test.each([
    [{ ownerId: 1 }, { ownerId: 2 }, true],
    [{ ownerId: 1 }, { ownerId: '2' }, true],
    [{ ownerId: 1 }, { ownerId: '1' }, false],
    [{ ownerId: 1 }, {}, false],
    [{}, { ownerId: 2 }, false],
    [{ ownerId: 1 }, { ownerId: null }, false],
    [{ ownerId: 1 }, { ownerId: { of: 'no kind' } }, false],
    [{ ownerId: 1 }, null, false],
  ])('%j and %j are of different owners: %s', (ours, other, expected) => {
    expect(isOfAnother(ours, other)).toBe(expected);
  });
});

test.each([
  ['Some words.', true],
  ['', false],
  [null, false],
  [undefined, false],
  [{ of: 'no kind' }, true],
])('a text of %j counts as there: %s', (aiResponse, expected) => {
  const origin = { surface: 'current', endpoint: 'test', onDrift: () => undefined } as const;
  expect(hasText(aiRelayedResult({ ...bareResult('a'), aiResponse }, origin))).toBe(expected);
});
