import { getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../src/schema/errors.ts';
import { jsonOf, postJson } from '../support/raw-http.ts';
import { startServer } from '../support/server.ts';
import { connectSocket } from '../support/web-sockets.ts';

const DISGUISES = [
  getIntrospectionQuery(),
  '{ __schema { types { name } } }',
  '{ __type(name: "Account") { fields { name } } }',
  '{ a: __schema { queryType { name } } }',
  '{ ...F } fragment F on Query { __schema { types { name } } }',
  '{ ... on Query { __type(name: "Query") { name } } }',
  '{ ... { __schema { directives { name } } } }',
  'query A { surfaces { surface } } query B { __schema { types { name } } }',
  '{\n#x\n__schema\n{types{name}}}',
  '{ __schema @skip(if: false) { types { name } } }',
  'query ($yes: Boolean = true) { __schema @include(if: $yes) { types { name } } }',
  '{ surfaces { surface } __type(name: "Surface") { enumValues { name } } }',
];

test('where introspection is off, no disguise of it reads the schema', async () => {
  const { endpoint, url } = await startServer({ INTROSPECTION: 'off' });
  for (const query of DISGUISES) {
    const { data, errors } = jsonOf(
      await postJson(endpoint, { query, operationName: query.includes('query B') ? 'B' : null }),
    );
    expect(data).toBeUndefined();
    for (const { extensions } of errors) expect(extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  }
  const socket = connectSocket(url);
  for (const query of DISGUISES) {
    const operationName = query.includes('query B') ? 'B' : undefined;
    const reason: unknown = await socket
      .run({ query, ...(operationName ? { operationName } : {}) })
      .catch((error) => error);
    expect(reason).toBeInstanceOf(Array);
    for (const { extensions } of reason as { extensions: object }[]) {
      expect(extensions).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED' });
    }
  }
});

test('where introspection is off, __typename still answers', async () => {
  const { endpoint } = await startServer({ INTROSPECTION: 'off' });
  const reply = await postJson(endpoint, { query: '{ __typename surfaces { __typename } }' });
  expect(jsonOf(reply).data).toEqual({
    __typename: 'Query',
    surfaces: [{ __typename: 'SurfaceStatus' }, { __typename: 'SurfaceStatus' }],
  });
});

/** Misspellings of which the reference implementation would name the neighbours. */
const MISSPELT: readonly { readonly query: string; readonly variables?: object }[] = [
  { query: '{ account { totalCount } }' },
  { query: '{ acounts { totalCount } }' },
  { query: '{ accounts { totalCout } }' },
  { query: '{ accounts(frist: 1) { totalCount } }' },
  { query: '{ accounts(surface: LEGACI) { totalCount } }' },
  { query: '{ accounts(filter: { nam: "x" }) { totalCount } }' },
  { query: '{ node(id: "x") { ... on Acount { id } } }' },
  { query: '{ accounts @skp(if: true) { totalCount } }' },
  { query: '{ node(id: "x") { displayName } }' },
  { query: 'query ($f: AccountFiltr) { accounts(filter: $f) { totalCount } }' },
  {
    query: 'query ($f: AccountFilter) { accounts(filter: $f) { totalCount } }',
    variables: { f: { nam: 'x' } },
  },
  { query: 'query ($s: Surface) { accounts(surface: $s) { totalCount } }', variables: { s: 'LEGACI' } },
];

test.each(MISSPELT)('where introspection is off, %j is answered without a suggestion', async (body) => {
  const { endpoint, url } = await startServer({ INTROSPECTION: 'off' });
  const { errors } = jsonOf(await postJson(endpoint, body));
  expect(errors.length).toBeGreaterThan(0);
  const overSocket = await connectSocket(url)
    .run(body as { query: string; variables?: Record<string, unknown> })
    .then(
      (result) => result.errors,
      (reason: unknown) => reason,
    );
  for (const { message } of [...errors, ...(overSocket as { message: string }[])]) {
    expect(message).not.toMatch(/did you mean/i);
  }
});

test('where introspection is on, the schema can be read and a misspelling is answered with a suggestion', async () => {
  const { endpoint } = await startServer({ INTROSPECTION: 'on' });
  const schema = jsonOf(await postJson(endpoint, { query: getIntrospectionQuery() }));
  expect(schema.errors).toBeUndefined();
  expect(schema.data['__schema'].types.length).toBeGreaterThan(20);
  const { errors } = jsonOf(await postJson(endpoint, { query: '{ acounts { totalCount } }' }));
  expect(errors[0].message).toMatch(/did you mean/i);
});

test('introspection follows the address that the server listens on, unless it is told', async () => {
  const cases = [
    [{}, true],
    [{ HOST: '0.0.0.0' }, false],
    [{ HOST: '0.0.0.0', INTROSPECTION: 'on' }, true],
    [{ INTROSPECTION: 'off' }, false],
  ] as const;
  for (const [environment, isOn] of cases) {
    const { endpoint } = await startServer(environment);
    const reply = await postJson(endpoint.replace('0.0.0.0', '127.0.0.1'), { query: DISGUISES[1] });
    expect(jsonOf(reply).data !== undefined).toBe(isOn);
  }
});

test('every code that a client can meet is in one closed list, spelt in capitals', () => {
  expect(new Set(ERROR_CODES).size).toBe(ERROR_CODES.length);
  for (const code of ERROR_CODES) expect(code).toMatch(/^[A-Z]+(?:_[A-Z]+)*$/);
});
