import { getIntrospectionQuery } from 'graphql';
import { serverAudits } from 'graphql-http';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { isDeep } from '../support/depth.ts';
import { send } from '../support/http.ts';
import { shareServer, startServer } from '../support/server.ts';
import { openTransport, TRANSPORTS } from '../support/transports.ts';

const closed = shareServer({ INTROSPECTION: 'off', GET_QUERIES: 'on' });
const open = shareServer({ INTROSPECTION: 'on', GET_QUERIES: 'on' });

const DISGUISES: readonly string[] = [
  '{ __schema { types { name } } }',
  '{ __type(name: "Account") { fields { name } } }',
  '{ ...F } fragment F on Query { __schema { types { name } } }',
  '{ ... on Query { __type(name: "Query") { name } } }',
  '{ __schema @include(if: true) { types { name } } }',
  'mutation { __schema { types { name } } }',
  'query A { surfaces { surface } } query B { __schema { types { name } } }',
  getIntrospectionQuery(),
];

/** Names of the schema that do not appear in these operations. */
const SECRETS = ['AccountConnection', 'queuedPostCount', 'GenerateAiTextInput', 'CURRENT'];

test('with introspection off, no form of it reveals a name of the schema, on any transport', async () => {
  for (const transport of TRANSPORTS) {
    const run = openTransport(transport, closed.url);
    for (const query of DISGUISES) {
      const operation = { query, ...(query.includes('query B') ? { operationName: 'B' } : {}) };
      const { data, errors } = await run(operation);
      expect(data).toBeUndefined();
      expect(errors.length).toBeGreaterThan(0);
      for (const name of SECRETS) expect(JSON.stringify(errors), query).not.toContain(name);
    }
    const told = await openTransport(transport, open.url)({ query: getIntrospectionQuery() });
    for (const name of SECRETS) expect(JSON.stringify(told.data)).toContain(name);
  }
  for (const query of DISGUISES) {
    const address = `/graphql?${new URLSearchParams({ query, operationName: query.includes('query B') ? 'B' : '' }).toString()}`;
    const headers = { 'graphql-require-preflight': '1' };
    const reply = await send(closed.url + address, { headers });
    for (const name of SECRETS) expect(reply.text).not.toContain(name);
  }
  const { text } = await send(`${open.url}/graphql?query=${encodeURIComponent(DISGUISES[0] ?? '')}`, {
    headers: { 'graphql-require-preflight': '1' },
  });
  expect(text).toContain('AccountConnection');
});

/** A name of the schema with two wrong letters. */
function misspelt(name: string, index: number): string {
  const at = index % name.length;
  return `${name.slice(0, at)}z${name.slice(at + 1)}z`;
}

/** A query with a misspelt name in each place where a name of the schema can be. */
const withName = (word: string): readonly string[] => [
  `{ ${word} }`,
  `{ accounts(${word}: 1) { totalCount } }`,
  `query ($v: ${word}) { __typename }`,
  `{ node(id: "x") { ... on ${word} { id } } }`,
  `{ accounts(surface: ${word}) { totalCount } }`,
];

test('with introspection off, a misspelt name is refused without the right one being suggested', async () => {
  const [strict, talkative] = [openTransport('HTTP', closed.url), openTransport('HTTP', open.url)];
  const types = Object.keys(schema.getTypeMap()).filter((name) => !name.startsWith('__'));
  const all = [...types, ...Object.keys(schema.getQueryType()?.getFields() ?? {})];
  const words = all.filter((_word, index) => isDeep || index % 4 === 0);
  const places = withName('').length;
  let suggestions = 0;
  // Each fourth name in one of the places, or each in all of them.
  for (const [index, word] of words.entries()) {
    const queries = withName(misspelt(word, index));
    const chosen = isDeep ? queries : queries.slice(index % places, (index % places) + 1);
    for (const query of chosen) {
      const { errors } = await strict({ query });
      expect(errors.length, query).toBeGreaterThan(0);
      expect(JSON.stringify(errors), query).not.toMatch(/did you mean/i);
      if (index < 50 && /Did you mean/.test(JSON.stringify(await talkative({ query })))) suggestions += 1;
    }
  }
  expect(suggestions).toBeGreaterThan(10);
});

test('in production, the audits of GraphQL over HTTP fail that use GET or introspection, and no others', async () => {
  const { endpoint } = await startServer({ INTROSPECTION: 'off', GRAPHIQL: 'off' });
  const audits = serverAudits({ url: endpoint, fetchFn: fetch });
  const results = await Promise.all(audits.map(async ({ id, fn }) => [id, (await fn()).status] as const));
  const failed = results.flatMap(([id, status]) => (status === 'ok' ? [] : [id]));
  expect(failed.toSorted()).toEqual(['28B9', '2EA1', '5A70', '6A70', 'D6D5']);
});
