import * as fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { cases, isDeep } from '../support/depth.ts';
import { generateOperation, hostileDocument, NO_OPERATIONS } from '../support/documents.ts';
import { shareGraph, UNDISTURBED } from '../support/graph.ts';
import { send, type HttpReply } from '../support/http.ts';
import { openServer } from '../support/server.ts';
import { shared } from '../support/shared.ts';

// A plain POST is answered without Yoga. Nobody may be able to tell: two servers in front of one sandbox, of which one
// answers everything through Yoga, give the same responses.

const graph = shareGraph();
const byYoga = shared(
  () => {
    const addresses = { CURRENT_API_URL: graph.sandbox.url, LEGACY_API_URL: graph.sandbox.url };
    return openServer({ ...UNDISTURBED, ...addresses }, { shortPath: false });
  },
  ({ close }) => close(),
);

interface Post {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The response of each server, without what differs from one response to the next. */
async function responsesTo({ body, headers }: Post): Promise<unknown[]> {
  const call = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
  const urls = [graph.url, byYoga().url];
  return await Promise.all(urls.map(async (url) => comparable(await send(`${url}/graphql`, call))));
}

function comparable({ status, headers, text }: HttpReply): unknown {
  const { date: _date, 'x-request-id': id, 'retry-after': _retryAfter, ...others } = headers;
  // When the queue was read, under whatever alias.
  const readAt = /"\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z"/g;
  const timeless = text.replaceAll(String(id), 'request-id').replaceAll(readAt, '""');
  return { status, headers: others, text: timeless };
}

const ACCEPTS = [
  undefined,
  '*/*',
  '',
  'application/json',
  'application/graphql-response+json',
  'application/graphql-response+json, application/json;q=0.9',
  'application/json, application/graphql-response+json',
  'text/event-stream, application/json',
  'application/json; charset=utf-8',
  'application/json; charset=utf-16, application/graphql-response+json',
  'application/*',
  'text/*, */*;q=0.1',
  'text/event-stream',
  'Application/JSON',
];

const ODD_PARAMETERS: readonly object[] = [
  ...NO_OPERATIONS,
  { query: '{ __typename }', operationName: '' },
  { query: 'query A { __typename } query B { surfaces { surface } }', operationName: 'B' },
  { query: '{ __typename }', id: 'x' },
  { query: 'query ($id: ID!) { account(id: $id) { id } }', variables: { id: null } },
  { query: 'subscription { aiGenerationUpdated(id: "x") { id } }' },
  { query: 'mutation { pauseAccount(input: { accountId: "x" }) { outcome userErrors { code path } } }' },
  { query: '{ __schema { queryType { name } } }' },
  { extensions: { persistedQuery: { version: 1, sha256Hash: 'abc' } } },
];

const anAccept = () => fc.constantFrom(...ACCEPTS);
const aCredential = () => fc.constantFrom(...(['both', 'key', 'token'] as const));
const someParameters = () =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant('valid' as const) },
    { weight: 2, arbitrary: hostileDocument.map((query) => ({ query })) },
    { weight: 2, arbitrary: fc.constantFrom(...ODD_PARAMETERS) },
  );

const anyPost = fc.gen().map((g): Post => {
  const accept = g(anAccept);
  const credential = g(aCredential);
  const parameters = g(someParameters);
  const operation = parameters === 'valid' ? generateOperation(g) : parameters;
  const text = JSON.stringify(operation);
  return {
    body: g(fc.nat, { max: 19 }) === 0 ? text.slice(0, -1) : text,
    headers: { ...graph.caller[credential], ...(accept === undefined ? {} : { accept }) },
  };
});

test('a plain POST is answered as Yoga answers it, whatever is asked', async () => {
  const statuses = new Map<unknown, number>();
  await fc.assert(
    fc.asyncProperty(anyPost, async (post) => {
      const [short, slow] = await responsesTo(post);
      expect(short, `${JSON.stringify(post.headers)} ${post.body}`).toEqual(slow);
      const { status } = short as HttpReply;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }),
    { numRuns: cases(100, 10_000), endOnFailure: true },
  );
  // The comparison is worth something only if there was something to compare.
  expect(statuses.get(200), `seed ${inject('seed')}`).toBeGreaterThan(30);
  expect(statuses.get(400)).toBeGreaterThan(6);
});

test.each(ODD_PARAMETERS)('%j is answered as Yoga answers it', async (parameters) => {
  const accepts = isDeep ? ACCEPTS : [undefined, 'application/graphql-response+json', 'text/event-stream'];
  for (const accept of accepts) {
    const headers = { ...graph.caller.both, ...(accept === undefined ? {} : { accept }) };
    const [short, slow] = await responsesTo({ body: JSON.stringify(parameters), headers });
    expect(short, `accept: ${accept}`).toEqual(slow);
  }
});
