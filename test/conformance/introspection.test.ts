import { buildClientSchema, getIntrospectionQuery, lexicographicSortSchema, printSchema } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { openTransport, TRANSPORTS, type Outcome, type Transport } from '../support/transports.ts';
import { shareServer } from '../support/server.ts';

const OPTIONS = { specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true, oneOf: true };
/** What graphql 16 asks for, which is installed. */
const OF_16 = getIntrospectionQuery({ ...OPTIONS, inputValueDeprecation: true });
// Names that graphql 15 has otherwise or not at all, and what graphql 17 asks for beside them.
const OF_15 = OF_16.replace('specifiedByURL', 'specifiedByUrl').replace('isOneOf', '');
const OF_17 = OF_16.replace(
  'directives {',
  'directives(includeDeprecated: true) { isDeprecated deprecationReason',
);
/** What graphql 17 writes with a depth of types of its own. */
const DEEP = OF_17.replace(
  /(fragment TypeRef on __Type \{\s+kind\s+name)[^]*$/,
  (_all, start: string) => `${start}${' ofType { name kind'.repeat(20)}${' }'.repeat(21)}`,
);

const QUERIES: readonly (readonly [name: string, query: string, transports: readonly Transport[]])[] = [
  ['graphql 15', OF_15, ['HTTP']],
  ['graphql 16', OF_16, ['HTTP']],
  ['graphql 17', OF_17, TRANSPORTS],
  ['graphql 17 with deeper types', DEEP, ['HTTP']],
];

const server = shareServer();

const printed = ({ data }: Outcome): string => printSchema(lexicographicSortSchema(buildClientSchema(data)));

/** A schema without what graphql 15 asks for under another name, or not at all. */
const asOf15 = (text: string): string => text.replaceAll(/ @(?:oneOf|specifiedBy\(url: "[^"]+"\))/g, '');

test.each(QUERIES)('the query of %s reads the whole schema by default', async (name, query, transports) => {
  const asked = name === 'graphql 15' ? asOf15 : (text: string): string => text;
  for (const transport of transports) {
    const outcome = await openTransport(transport, server.url)({ query });
    expect(outcome.errors).toEqual([]);
    expect(printed(outcome)).toBe(asked(printSchema(lexicographicSortSchema(schema))));
  }
});

test('graphql 15 finds where scalars are specified, under the name that it asks for', async () => {
  const run = openTransport('HTTP', server.url);
  const specified = 'specifiedByUrl specifiedByURL other: specifiedByUrl';
  const { data } = await run({ query: `{ __type(name: "JSON") { ${specified} } }` });
  expect(Object.keys(data['__type'])).toEqual(['specifiedByUrl', 'specifiedByURL', 'other']);
  const [address, ...others] = Object.values(data['__type']);
  expect(address).toMatch(/^http/);
  expect(others).toEqual([address, address]);
});
