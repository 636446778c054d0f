import { expect, test } from 'vitest';
import { createCurrentClient } from '../../src/sources/current/client.ts';
import { RECORD_READ, type Endpoint } from '../../src/sources/endpoint.ts';
import { HttpAnswer } from '../../src/sources/http-answer.ts';
import { pathTo, REDACTED, SealedRecord } from '../../src/sources/redact.ts';

const SECRET = 'abcdef0123456789QWERTYU';
const RECORD = { extra: { inner: { accessToken: SECRET } }, note: `my ${SECRET}` };
const CLEAN = { extra: { inner: {} }, note: `my ${REDACTED}` };
const ENDPOINT: Endpoint = {
  name: 'GET /shared',
  surface: 'current',
  method: 'GET',
  path: '/shared',
  ...RECORD_READ,
};

/** A client to whom every call answers the same, as one answer that many share. */
function clientOf(response: object) {
  const answer = new HttpAnswer({ status: 200, headers: {}, text: JSON.stringify({ response }) });
  return createCurrentClient({
    http: { send: async () => answer },
    credential: 'key',
    caller: 'caller',
    onDrift: () => undefined,
    onCall: () => undefined,
  });
}

const stepInto = (value: unknown, key: string): unknown => (value as Record<string, unknown>)[key];

/** Reads a nested part of a sealed record, which takes its secret out in place. */
function readPart(sealed: unknown): void {
  if (!(sealed instanceof SealedRecord)) throw new Error('not sealed');
  expect(sealed.read(pathTo('extra'), stepInto)).toEqual(CLEAN.extra);
}

test('a record of an answer that is read as a view first, and as a whole then, shows no secret', async () => {
  const client = clientOf(RECORD);
  readPart((await client.read(ENDPOINT, {})).response);
  for (let reader = 0; reader < 2; reader += 1) {
    expect((await client.call(ENDPOINT)).response).toEqual(CLEAN);
    const { response } = await client.read(ENDPOINT, {});
    expect((response as SealedRecord).open()).toEqual(CLEAN);
  }
});

test('so does each record of a page, and what stands around them', async () => {
  const client = clientOf({ ...RECORD, list: [RECORD, RECORD] });
  const { list } = (await client.read(ENDPOINT, {})).response as { readonly list: readonly unknown[] };
  readPart(list[0]);
  for (let reader = 0; reader < 2; reader += 1)
    expect((await client.call(ENDPOINT)).response).toEqual({ ...CLEAN, list: [CLEAN, CLEAN] });
});
