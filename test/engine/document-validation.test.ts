import { parse, validate, type DocumentNode, type ValidationRule } from 'graphql';
import { expect, test } from 'vitest';
import { readConfig, type DocumentLimits } from '../../src/config.ts';
import { shapeErrors } from '../../src/engine/limits/shape.ts';
import { parseWithin } from '../../src/engine/prepared.ts';
import { validateWithin } from '../../src/engine/limits/validation.ts';
import { schema } from '../../src/schema/index.ts';
import { jsonOf, postJson } from '../support/http.ts';
import { openTransport } from '../support/transports.ts';
import { shareServer, startServer } from '../support/server.ts';

const server = shareServer();

const times = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join(' ');

/** Levels of fragments that each spread the next one twice: 2 to the power of the levels fields. */
const fanOut = (levels: number): string =>
  `{ ...F0 } ${times(levels, (level) => `fragment F${level} on Query { ...F${level + 1} ...F${level + 1} }`)}
  fragment F${levels} on Query { __typename }`;

/** Documents whose validation takes time that grows with the square of their size, or faster. */
const EXPENSIVE: Readonly<Record<string, string>> = {
  'the same field 300 times': `{ accounts { ${'totalCount '.repeat(299)} } }`,
  'the same field 2,000 times': `{ ${'__typename '.repeat(2_000)} }`,
  'the same name with 3,000 arguments': `{ ${times(3_000, (index) => `a: accounts(first: ${index}) { totalCount }`)} }`,
  'a fan-out of fragments': fanOut(18),
  '250 fragments that overlap': `{ ${times(250, (index) => `...F${index}`)} } ${times(
    250,
    (index) => `fragment F${index} on Query { surfaces { surface } }`,
  )}`,
  'fragments that hold each other': `{ ...A } fragment A on Query { ...B ...B } fragment B on Query { ...A ...A }`,
  'a fragment that holds itself': '{ ...A } fragment A on Query { a: surfaces { ...A } ...A }',
  'nested conflicts': `{ ${times(9, () => `a: accounts { nodes { b: groups { accounts { nodes { c: id c: surface } } } } }`)} }`,
};

/** How many nodes the rules of validation enter in a document; 0 for one that is refused before they see it. */
function stepsOf(query: string, limits: DocumentLimits): number {
  let steps = 0;
  const count: ValidationRule = () => ({ enter: () => void (steps += 1) });
  let document: DocumentNode;
  try {
    document = parseWithin(query, limits);
  } catch (error) {
    expect(error).toMatchObject({ extensions: { code: 'LIMIT_EXCEEDED' } });
    return 0;
  }
  validateWithin(schema, document, { limits, rules: [count], introspection: true });
  return steps;
}

test('a document whose validation takes quadratic time is refused before the rules see it, or is small', async () => {
  const { limits } = readConfig({});
  const { endpoint } = server;
  for (const [name, query] of Object.entries(EXPENSIVE)) {
    // 1,000 tokens make fewer nodes than that.
    expect(stepsOf(query, limits), name).toBeLessThan(1_000);
    const { status, text } = await postJson(endpoint, { query });
    expect([200, 400], name).toContain(status);
    expect(text.length, name).toBeLessThan(8_192);
  }
  // All others are refused for their size alone.
  const small = Object.keys(EXPENSIVE).filter((name) => stepsOf(EXPENSIVE[name] ?? '', limits) > 0);
  expect(small).toEqual([
    'the same field 300 times',
    'fragments that hold each other',
    'a fragment that holds itself',
    'nested conflicts',
  ]);
});

const refusalsOf = (query: string, changed: Partial<DocumentLimits> = {}): string[] =>
  shapeErrors(parse(query), { ...readConfig({}).limits, ...changed }).map(({ message }) => message);

test('counting a fan-out of fragments stops at twice the allowed selections', () => {
  const [refusal] = refusalsOf(fanOut(18));
  expect(refusal).toMatch(/selections, with fragments expanded: 1201 \(maximum 600\)/);
  const circular = fanOut(18).replace('F18 on Query { __typename }', 'F18 on Query { ...F0 ...F0 }');
  expect(refusalsOf(circular)).not.toEqual([]);
});

test('a fragment that no operation spreads is measured too', () => {
  const document = '{ __typename } fragment F on Query { a: surfaces { b: surface } }';
  expect(refusalsOf(document, { depth: 2, selections: 3 })).toEqual([]);
  expect(refusalsOf(document, { depth: 1, selections: 2 })).toEqual([
    'The operation exceeds the limit for depth of fields: 2 (maximum 1).',
    'The operation exceeds the limit for selections, with fragments expanded: 3 (maximum 2).',
  ]);
});

test('introspection within introspection counts in full', () => {
  const document = '{ __schema { __schema { __type { a { b } } } } }';
  expect(refusalsOf(document, { depth: 1, introspectionDepth: 4, selections: 4 })).toEqual([]);
  expect(refusalsOf(document, { introspectionDepth: 3, selections: 3 })).toEqual([
    'The operation exceeds the limit for depth of introspection: 4 (maximum 3).',
    'The operation exceeds the limit for selections of introspection, with fragments expanded: 4 (maximum 3).',
  ]);
});

test('of many errors ten are told, cut at 300 characters, in 8 KB', async () => {
  const { endpoint, url } = await startServer({ MAX_ALIASES: '300', MAX_ROOT_FIELDS: '300' });
  const long = 'n'.repeat(60);
  const queries = [
    `{ ${times(150, (index) => `${long}${index}`)} }`,
    `{ accounts(filter: ${'['.repeat(450)}${']'.repeat(450)}) { totalCount } }`,
    `{ ${times(60, (index) => `a: accounts(first: ${index}) { totalCount }`)} }`,
    `query (${times(60, (index) => `$v${index}: Nothing${index}`)}) { __typename }`,
    `{ node(id: { a: "${'\\u0001'.repeat(1_500)}" }) { id } }`,
    `{ ${times(15, (index) => `a${index}: node(id: { a: "${'\\u0001'.repeat(150)}" }) { id }`)} }`,
    `{ ${times(15, (index) => `a${index}: node(id: { a: "${'\u{1f600}'.repeat(100)}" }) { id }`)} }`,
  ];
  for (const query of queries) {
    const reply = await postJson(endpoint, { query });
    const { errors } = jsonOf(reply);
    expect(reply.body.length).toBeLessThanOrEqual(8_192);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.length).toBeLessThanOrEqual(10);
    for (const { message, locations = [], extensions } of errors) {
      expect(message.length).toBeLessThanOrEqual(300);
      expect(locations.length).toBeLessThanOrEqual(4);
      expect(extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    }
    const overSocket = await openTransport('WebSocket', url)({ query });
    expect(overSocket.errors.map(({ message }) => message)).toEqual(
      errors.map(({ message }: Error) => message),
    );
  }
  const weak = await startServer({ MAX_DOCUMENT_ERRORS: '1000' });
  const { errors } = jsonOf(
    await postJson(weak.endpoint, { query: `{ ${times(15, (index) => `n${index}`)} }` }),
  );
  expect(errors).toHaveLength(15);
});

test('unknown directives make one error, however many and whatever their names, and so do repeated ones', async () => {
  const { endpoint } = server;
  const queries = [
    `{ __typename ${'@aa'.repeat(10)} }`,
    `{ __typename ${times(10, (index) => `@a${index}`)} }`,
    `{ ${times(10, (index) => `__typename @a${index}`)} }`,
    `{ surfaces @a { surface @b } }`,
  ];
  for (const query of queries) {
    const { errors } = jsonOf(await postJson(endpoint, { query }));
    expect(errors.map(({ message }: Error) => message)).toHaveLength(1);
    expect(errors[0].message).toMatch(/^Unknown directive/);
  }
  const repeated = { query: `{ __typename ${'@skip(if: true)'.repeat(15)} }` };
  expect(jsonOf(await postJson(endpoint, repeated)).errors).toHaveLength(1);
  // The reference implementation makes ten of the same.
  const document: DocumentNode = parse(queries[0] ?? '');
  expect(validate(schema, document)).toHaveLength(10);
});
