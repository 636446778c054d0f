import { describe, expect, test } from 'vitest';
import { SourceError, type SourceErrorKind } from '../../src/sources/errors.ts';
import { completed, refused, resultOfFailure, resultOfLookup, unknown } from '../../src/writes/outcome.ts';

type Row = readonly [
  kind: SourceErrorKind,
  outcome: string,
  code: string,
  isRetryable: boolean,
  isSent: boolean,
];

// What a failed call means for the write that it was.
const TABLE: readonly Row[] = [
  ['rejected', 'REJECTED', 'UPSTREAM_REJECTED', false, true],
  ['unauthenticated', 'REJECTED', 'CREDENTIAL_REJECTED', false, false],
  ['credential-missing', 'REJECTED', 'CREDENTIAL_MISSING', false, false],
  ['not-configured', 'REJECTED', 'SURFACE_NOT_CONFIGURED', false, false],
  ['rate-limited', 'REJECTED', 'RATE_LIMITED', true, false],
  ['unreachable', 'REJECTED', 'SURFACE_UNAVAILABLE', true, false],
  ['overloaded', 'REJECTED', 'SURFACE_UNAVAILABLE', true, false],
  ['unavailable', 'UNKNOWN', 'OUTCOME_UNKNOWN', false, true],
  ['timeout', 'UNKNOWN', 'OUTCOME_UNKNOWN', false, true],
  ['malformed', 'UNKNOWN', 'OUTCOME_UNKNOWN', false, true],
  ['cancelled', 'UNKNOWN', 'OUTCOME_UNKNOWN', false, true],
];

describe('a call that fails as', () => {
  test.each(TABLE)('%s makes its write %s, with the code %s', (kind, outcome, code, isRetryable, isSent) => {
    const error = new SourceError(kind, 'legacy', 'for the log', { serviceMessage: 'Not like this.' });
    const result = resultOfFailure(error, 'Look there.');
    expect([result.outcome, result.data, result.isSent]).toEqual([outcome, null, isSent]);
    expect(result.userErrors).toMatchObject([{ code, retryable: isRetryable, path: null }]);
    expect(result.userErrors[0]?.message).not.toContain('for the log');
    if (outcome === 'UNKNOWN') expect(result.userErrors[0]?.message).toContain('Look there.');
    if (kind === 'rejected' || kind === 'malformed')
      expect(result.userErrors[0]?.message).toContain('Not like this.');
  });
});

describe('a look-up before a write that fails as', () => {
  test.each(TABLE)('%s leaves no doubt: nothing was sent', (kind, outcome, code) => {
    const result = resultOfLookup(new SourceError(kind, 'legacy', 'for the log'), 'the account');
    expect([result.outcome, result.isSent]).toEqual(['REJECTED', false]);
    const expected = outcome === 'UNKNOWN' ? 'SURFACE_UNAVAILABLE' : code;
    expect(result.userErrors).toMatchObject([{ code: expected }]);
    if (outcome === 'UNKNOWN') expect(result.userErrors[0]).toMatchObject({ retryable: true });
  });
});

test('what was done, refused or is unknown says whether it was sent', () => {
  expect([completed(1).isSent, refused([]).isSent, unknown('Look.').isSent]).toEqual([true, false, true]);
});
