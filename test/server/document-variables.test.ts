import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  type GraphQLInputType,
} from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { startGraph } from '../support/graph.ts';
import { refusalsIn } from '../support/refusals.ts';
import { send } from '../support/raw-http.ts';
import { openTransport, TRANSPORTS } from '../support/transports.ts';

const QUERY = 'query ($f: AccountFilter) { accounts(filter: $f) { totalCount } }';
const nested = (depth: number, [open, close]: readonly [string, string]): string =>
  `${open.repeat(depth)}1${close.repeat(depth)}`;

/** Variables that ask for too much, as the text of a body. */
const HOSTILE: Readonly<Record<string, string>> = {
  'lists 200,000 deep': nested(200_000, ['[', ']']),
  'objects 80,000 deep': nested(80_000, ['{"a":', '}']),
  'lists 21 deep': nested(21, ['[', ']']),
  '10,001 elements': `[${'1,'.repeat(10_000)}1]`,
  '20,000 keys': `{${Array.from({ length: 20_000 }, (_, index) => `"k${index}":1`).join(',')}}`,
};

test.each(Object.entries(HOSTILE))(
  'variables with %s are refused, and the server lives on',
  async (_name, value) => {
    const graph = await startGraph();
    const body = `{"query":${JSON.stringify(QUERY)},"variables":{"f":${value}}}`;
    const headers = {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
      ...graph.caller.both,
    };
    const reply = await send(`${graph.url}/graphql`, { method: 'POST', headers, body });
    expect(reply.status).toBe(400);
    expect(reply.text).toMatch(/(?:values in|depth of) the variables, \d+ allowed, \d+ found/);
    expect(graph.sandbox.requests.all).toEqual([]);
    expect((await openTransport('HTTP', graph.url)({ query: '{ __typename }' })).data).toEqual({
      __typename: 'Query',
    });
  },
);

test('the limits of variables hold on every transport, and are those that are set', async () => {
  const graph = await startGraph();
  const weak = await startGraph({
    environment: { MAX_VARIABLE_DEPTH: '1000', MAX_VARIABLE_VALUES: '100000' },
  });
  const deep = JSON.parse(nested(25, ['[', ']'])) as unknown;
  const wide = Array.from({ length: 10_001 }, () => 1);
  for (const transport of TRANSPORTS) {
    const run = openTransport(transport, graph.url, graph.caller.both);
    expect(refusalsIn(await run({ query: QUERY, variables: { f: deep } }))).toBe(
      'depth of the variables: 21 of 20',
    );
    expect(refusalsIn(await run({ query: QUERY, variables: { f: wide } }))).toBe(
      'values in the variables: 10002 of 10000',
    );
    const open = openTransport(transport, weak.url, weak.caller.both);
    for (const f of [deep, wide]) {
      const { errors } = await open({ query: QUERY, variables: { f } });
      expect(errors[0]?.extensions['code']).toBe('BAD_USER_INPUT');
    }
  }
});

/** Variables that are odd in what they hold, as the text of a body; `$f` is an AccountFilter. */
const ODD: readonly string[] = [
  '{"f":{"__proto__":{"name":"x"}}}',
  '{"__proto__":{"f":{"name":"x"}}}',
  '{"f":{"constructor":{"prototype":{"polluted":true}}}}',
  '{"constructor":1,"f":null}',
  '{"f":{"name":"\\ud800"}}',
  '{"f":{"platformIds":[1e400]}}',
  '{"f":{"platformIds":[9007199254740993,-0,1.5]}}',
  '{"f":{"name":"one","name":"two"}}',
  '{"f":{"name":null},"f":{"name":"again"}}',
  '{"f":{"toString":1}}',
  '[]',
  '"text"',
  '12',
  'true',
];

test('odd variables are answered or refused, and change nothing of the process', async () => {
  const graph = await startGraph();
  const before = Object.getOwnPropertyNames(Object.prototype).toSorted();
  for (const variables of ODD) {
    const body = `{"query":${JSON.stringify(QUERY)},"variables":${variables}}`;
    const headers = { 'content-type': 'application/json', ...graph.caller.both };
    const { status, text } = await send(`${graph.url}/graphql`, { method: 'POST', headers, body });
    expect([200, 400], variables).toContain(status);
    expect(text).not.toContain('INTERNAL_SERVER_ERROR');
  }
  expect(Object.getOwnPropertyNames(Object.prototype).toSorted()).toEqual(before);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('a text of 10 MB in a variable is refused as a body, 400 KB are read', async () => {
  const graph = await startGraph();
  const headers = { 'content-type': 'application/json', ...graph.caller.both };
  const sendText = (length: number) =>
    send(`${graph.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: QUERY, variables: { f: { name: 'x'.repeat(length) } } }),
    });
  expect((await sendText(10_000_000)).status).toBe(413);
  expect([200, 400]).toContain((await sendText(400_000)).status);
});

/** Values of which each is wrong for most inputs. */
const WRONG: readonly unknown[] = [
  0,
  -1,
  1.5,
  '',
  'x',
  true,
  [],
  [[]],
  {},
  { a: 1 },
  null,
  1e308,
  '2026-13-45',
];

test('wrong types for every field of every input are refused in plain words', async () => {
  const graph = await startGraph({ environment: { MAX_COST: '1000000' } });
  const run = openTransport('HTTP', graph.url, graph.caller.both);
  const attempts = wrongInputs();
  expect(attempts.length).toBeGreaterThan(200);
  for (const { name, type, field, value } of attempts) {
    const query = `mutation ($input: ${type}!) { ${name}(input: $input) { outcome } }`;
    const { status, errors, data } = await run({ query, variables: { input: { [field]: value } } });
    expect([status, data], `${name} ${field} ${JSON.stringify(value)}`).toEqual([400, undefined]);
    for (const { extensions } of errors) expect(extensions['code']).toBe('BAD_USER_INPUT');
  }
  expect(graph.sandbox.requests.all).toEqual([]);
});

// Each field of each mutation's input with each value that is wrong for it.
function wrongInputs() {
  return Object.values(schema.getMutationType()?.getFields() ?? {}).flatMap(({ name, args: [input] }) => {
    const type = input && getNamedType(input.type);
    if (!isInputObjectType(type)) return [];
    return Object.values(type.getFields()).flatMap((field) =>
      WRONG.filter((value) => !fits(field.type, value)).map((value) => ({
        name,
        type: type.name,
        field: field.name,
        value,
      })),
    );
  });
}

// True where a value alone may be right; then other fields of the input decide.
function fits(type: GraphQLInputType, value: unknown): boolean {
  if (isNonNullType(type)) return value !== null && fits(type.ofType, value);
  if (value === null) return true;
  if (isListType(type))
    return Array.isArray(value) ? value.every((one) => fits(type.ofType, one)) : fits(type.ofType, value);
  if (isEnumType(type)) return typeof value === 'string' && type.getValue(value) !== undefined;
  if (isInputObjectType(type))
    return typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0;
  return isLeafType(type) && (type.name === 'JSON' || parses(type, value));
}

function parses(type: { parseValue(value: unknown): unknown }, value: unknown): boolean {
  try {
    return type.parseValue(value) !== undefined;
  } catch {
    return false;
  }
}
