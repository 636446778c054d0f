import { getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { isDeep } from '../support/depth.ts';
import { send } from '../support/http.ts';
import { shareServer } from '../support/server.ts';
import { openTransport, TRANSPORTS, type Operation } from '../support/transports.ts';

const closed = shareServer({ INTROSPECTION: 'off', GET_QUERIES: 'on' });
const open = shareServer({ INTROSPECTION: 'on', GET_QUERIES: 'on' });

const BY_GET = { headers: { 'graphql-require-preflight': '1' } };

const DISGUISES: readonly Operation[] = [
  { query: '{ __schema { types { name } } }' },
  { query: '{ __type(name: "Account") { fields { name } } }' },
  { query: '{ __type(name: "JSON") { specifiedByUrl fields { name } } }' },
  { query: '{ ...F } fragment F on Query { __schema { types { name } } }' },
  { query: '{ ... on Query { __type(name: "Query") { name } } }' },
  { query: '{ __schema @include(if: true) { types { name } } }' },
  { query: 'mutation { __schema { types { name } } }' },
  { query: 'query A { surfaces { surface } } query B { __schema { types { name } } }', operationName: 'B' },
  { query: getIntrospectionQuery() },
];

/** Names of the schema that do not appear in these operations. */
const SECRETS = ['AccountConnection', 'queuedPostCount', 'GenerateAiTextInput', 'CURRENT'];

test('with introspection off, no form of it reveals a name of the schema, on any transport', async () => {
  for (const transport of TRANSPORTS) {
    const run = openTransport(transport, closed.url);
    for (const operation of DISGUISES) {
      const { data, errors } = await run(operation);
      expect(data).toBeUndefined();
      expect(errors.length).toBeGreaterThan(0);
      for (const name of SECRETS) expect(JSON.stringify(errors), operation.query).not.toContain(name);
    }
    const told = await openTransport(transport, open.url)({ query: getIntrospectionQuery() });
    for (const name of SECRETS) expect(JSON.stringify(told.data)).toContain(name);
  }
  for (const { query, operationName = '' } of DISGUISES) {
    const search = new URLSearchParams({ query, operationName });
    const { text } = await send(`${closed.endpoint}?${search}`, BY_GET);
    for (const name of SECRETS) expect(text).not.toContain(name);
  }
  const search = new URLSearchParams({ query: getIntrospectionQuery() });
  expect((await send(`${open.endpoint}?${search}`, BY_GET)).text).toContain('AccountConnection');
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

/** Names of other kinds that are misspelt. */
const ELSEWHERE: readonly Operation[] = [
  { query: '{ accounts @skp(if: true) { totalCount } }' },
  { query: '{ accounts(filter: { nam: "x" }) { totalCount } }' },
  { query: '{ node(id: "x") { displayName } }' },
  {
    query: 'query ($f: AccountFilter) { accounts(filter: $f) { totalCount } }',
    variables: { f: { nam: 'x' } },
  },
  { query: 'query ($s: Surface) { accounts(surface: $s) { totalCount } }', variables: { s: 'LEGACI' } },
];

test('with introspection off, a misspelt name is refused without the right one being suggested', async () => {
  const [strict, talkative] = [openTransport('HTTP', closed.url), openTransport('HTTP', open.url)];
  const overSocket = openTransport('WebSocket', closed.url);
  for (const operation of ELSEWHERE)
    for (const run of [strict, overSocket]) {
      const { errors } = await run(operation);
      expect(errors.length).toBeGreaterThan(0);
      expect(JSON.stringify(errors), operation.query).not.toMatch(/did you mean|one of/i);
    }
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
      expect(JSON.stringify(errors), query).not.toMatch(/did you mean|one of/i);
      if (index < 50 && /Did you mean/.test(JSON.stringify(await talkative({ query })))) suggestions += 1;
    }
  }
  expect(suggestions).toBeGreaterThan(10);
});
