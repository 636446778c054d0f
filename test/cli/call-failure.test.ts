import { expect, test } from 'vitest';
import { callFailureOf } from '../../src/cli/failure.ts';
import { SourceError, type SourceErrorDetails, type SourceErrorKind } from '../../src/sources/errors.ts';

const reasonOf = (kind: SourceErrorKind, details: SourceErrorDetails = {}): string =>
  callFailureOf(new SourceError(kind, 'current', 'planted', details)).reason;

const withCode = (code: string): Error => Object.assign(new Error('planted'), { code });

test.each([
  ['ENOTFOUND', 'the host name was not found'],
  ['EAI_AGAIN', 'the host name was not found'],
  ['ECONNREFUSED', 'the connection was refused: nothing is listening at this address'],
  ['UND_ERR_CONNECT_TIMEOUT', 'the connection timed out'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another host name'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', expect.stringContaining('its certificate is not trusted')],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', expect.stringContaining('its certificate is not trusted')],
  ['EPROTO', 'it does not speak TLS at this address'],
])('%s is told as "%s", however deep it lies', (code, reason) => {
  expect(reasonOf('unreachable', { cause: withCode(code) })).toEqual(reason);
  const nested = new Error('fetch failed', { cause: new AggregateError([withCode(code)]) });
  expect(reasonOf('unreachable', { cause: nested })).toEqual(reason);
});

test('where no code tells more, the kind of the failure is put in words, with status and the service’s own', () => {
  expect(reasonOf('timeout')).toBe('the request timed out');
  expect(reasonOf('unauthenticated', { status: 401 })).toBe('the credential was rejected; status 401');
  expect(reasonOf('rejected', { status: 422, serviceMessage: 'No plan.' })).toBe(
    'it rejected the request; status 422; No plan.',
  );
  const publicMessage = 'The current surface redirects to /login (HTTP 302). Correct its base URL.';
  expect(reasonOf('malformed', { status: 302, publicMessage })).toBe(publicMessage);
});
