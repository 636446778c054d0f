import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { REDACTED } from '../../src/sources/blank-runs.ts';
import { createCurrentClient, readPage } from '../../src/sources/current/client.ts';
import { listOf, text, undocumented, undocumentedObject } from '../../src/sources/decode.ts';
import { RECORD_READ, type Endpoint } from '../../src/sources/endpoint.ts';
import { HttpAnswer } from '../../src/sources/http-answer.ts';
import { defineView, field, inspected, mapOf, record, wireOf } from '../../src/sources/view.ts';

const SECRET = 'abcdef0123456789QWERTYU';
const RECORD = {
  extra: { inner: { accessToken: SECRET }, said: SECRET },
  note: `my ${SECRET}`,
  notes: [`1 ${SECRET}`, 'x'],
  people: { [`p-${SECRET}`]: [{ of: SECRET }], accessToken: ['x'] },
  nested: { name: `in ${SECRET}`, link: `https://x.example/?access_token=other&x=${SECRET}` },
};
const CLEAN = {
  extra: { inner: {}, said: REDACTED },
  note: `my ${REDACTED}`,
  notes: [`1 ${REDACTED}`, 'x'],
  people: { [`p-${REDACTED}`]: [{ of: REDACTED }] },
  nested: { name: `in ${REDACTED}`, link: `https://x.example/?access_token=${REDACTED}&x=${REDACTED}` },
};

const nested = defineView({ name: field('name', text), link: field('link', text) });
const view = defineView({
  extra: field('extra', undocumentedObject),
  note: field('note', text),
  notes: field('notes', listOf(text)),
  people: field('people', mapOf(listOf(undocumented))),
  nested: field('nested', record(nested)),
  deepName: field('nested.name', text),
});

/** What each field shows: the documented fields as views do, the whole record as a copy. */
const READ: Readonly<Record<string, readonly [(seen: ReturnType<typeof view>) => unknown, unknown]>> = {
  extra: [({ extra }) => extra, CLEAN.extra],
  note: [({ note }) => note, CLEAN.note],
  notes: [({ notes }) => notes, CLEAN.notes],
  people: [({ people }) => people, [{ key: `p-${REDACTED}`, value: [{ of: REDACTED }] }]],
  nested: [(seen) => ({ name: seen.nested?.name, link: seen.nested?.link }), CLEAN.nested],
  deepName: [({ deepName }) => deepName, CLEAN.nested.name],
  whole: [wireOf, CLEAN],
};

const ENDPOINT: Endpoint = {
  name: 'GET /shared',
  surface: 'current',
  method: 'GET',
  path: '/shared',
  ...RECORD_READ,
};

/** A client for whom every call receives the same response, which all callers share. */
function clientOf(response: object) {
  const answer = new HttpAnswer({ status: 200, headers: {}, text: JSON.stringify({ response }) });
  return createCurrentClient({
    http: { send: async () => answer },
    credential: 'key',
    credentials: ['key'],
    caller: 'caller',
    onDrift: () => undefined,
    onServerError: () => undefined,
    onCall: () => undefined,
  });
}

const anyOrder = fc.shuffledSubarray(Object.keys(READ), { minLength: 1 });

test('whoever shares a response and whatever they read first, nobody sees a secret and nobody changes it', async () => {
  const client = clientOf(RECORD);
  await fc.assert(
    fc.asyncProperty(fc.array(anyOrder, { minLength: 1, maxLength: 3 }), async (readers) => {
      for (const names of readers) {
        const { response, origin } = await client.read(ENDPOINT, {});
        const seen = inspected(view, response, origin);
        for (const name of names) expect(READ[name]?.[0](seen)).toEqual(READ[name]?.[1]);
        expect(response).toEqual(RECORD);
      }
    }),
    { numRuns: 50 },
  );
});

test('a record of a page keeps out the secrets of the others too', async () => {
  const other = { note: `yours is ${SECRET}` };
  const client = clientOf({ currentPage: 1, pageLimit: 2, totalRecords: 2, list: [RECORD, other] });
  const { rows } = await readPage(client, ENDPOINT, { page: 1, parameters: {} }, view);
  expect(rows.map(({ note }) => note)).toEqual([CLEAN.note, `yours is ${REDACTED}`]);
});

test('a view shows nothing that it does not name, as text or as an object of its own', async () => {
  const { response, origin } = await clientOf(RECORD).read(ENDPOINT, {});
  const seen = view(response, origin);
  expect(JSON.stringify(seen)).toBe('{}');
  expect(Object.keys(seen)).toEqual([]);
  expect('accessToken' in seen).toBe(false);
});
