import { getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { startGraph } from '../support/graph.ts';
import { send } from '../support/raw-http.ts';
import { openTransport, TRANSPORTS } from '../support/transports.ts';

const DISGUISES: readonly string[] = [
  '{ __schema { types { name } } }',
  '{ __type(name: "Account") { fields { name } } }',
  '{ a: __schema { queryType { name } } }',
  '{ ...F } fragment F on Query { __schema { types { name } } }',
  '{ ... on Query { __type(name: "Query") { name } } }',
  '{\n#x\n__schema\n{types{name}}}',
  '{ __schema @include(if: true) { types { name } } }',
  'subscription { __schema { types { name } } }',
  'mutation { __schema { types { name } } }',
  'query A { surfaces { surface } } query B { __schema { types { name } } }',
  '{ surfaces { surface } b: __type(name: "Surface") { enumValues { name } } }',
  getIntrospectionQuery(),
];

/** Names of the schema that no caller of these operations has said. */
const SECRETS = ['AccountConnection', 'queuedPostCount', 'GenerateAiTextInput', 'CURRENT'];

test('where the schema is not shown, no disguise of introspection reveals a name of it, on any transport', async () => {
  const closed = await startGraph({ environment: { INTROSPECTION: 'off', GET_QUERIES: 'on' } });
  const open = await startGraph({ environment: { INTROSPECTION: 'on', GET_QUERIES: 'on' } });
  for (const transport of TRANSPORTS) {
    for (const query of DISGUISES) {
      const operation = { query, ...(query.includes('query B') ? { operationName: 'B' } : {}) };
      const { data, errors } = await openTransport(transport, closed.url)(operation);
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

/** Names of the schema with one letter wrong. */
function misspelt(name: string, index: number): string {
  const at = index % name.length;
  return `${name.slice(0, at)}z${name.slice(at + 1)}z`;
}

test('1,000 misspelt names are answered without the right one', async () => {
  const closed = await startGraph({ environment: { INTROSPECTION: 'off' } });
  const open = await startGraph({ environment: { INTROSPECTION: 'on' } });
  const [strict, talkative] = [openTransport('HTTP', closed.url), openTransport('HTTP', open.url)];
  const names = Object.keys(schema.getTypeMap()).filter((name) => !name.startsWith('__'));
  const fields = Object.keys(schema.getQueryType()?.getFields() ?? {});
  const words = [...names, ...fields];
  let suggestions = 0;
  for (let index = 0; index < 1_000; index += 1) {
    const word = misspelt(words[index % words.length] ?? '', index);
    const query =
      [
        `{ ${word} }`,
        `{ accounts(${word}: 1) { totalCount } }`,
        `query ($v: ${word}) { __typename }`,
        `{ node(id: "x") { ... on ${word} { id } } }`,
        `{ accounts(surface: ${word}) { totalCount } }`,
      ][index % 5] ?? '';
    const { errors } = await strict({ query });
    expect(errors.length).toBeGreaterThan(0);
    expect(JSON.stringify(errors)).not.toMatch(/did you mean/i);
    if (index < 200 && /Did you mean/.test(JSON.stringify(await talkative({ query })))) suggestions += 1;
  }
  expect(suggestions).toBeGreaterThan(50);
});
