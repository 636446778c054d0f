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
import { isDeep } from '../support/depth.ts';
import { startGraph } from '../support/graph.ts';
import { refusalsIn } from '../support/refusals.ts';
import { send } from '../support/raw-http.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { openTransport, TRANSPORTS } from '../support/transports.ts';

const graph = shareGraph({ environment: { MAX_COST: '1000000' } });

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

test('variables that are too deep or too many are refused, and the server lives on', async () => {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/graphql-response+json',
    ...graph.caller.both,
  };
  for (const [name, value] of Object.entries(HOSTILE)) {
    const body = `{"query":${JSON.stringify(QUERY)},"variables":{"f":${value}}}`;
    const reply = await send(`${graph.url}/graphql`, { method: 'POST', headers, body });
    expect(reply.status, name).toBe(400);
    expect(reply.text, name).toMatch(/(?:values in|depth of) the variables: \d+ \(maximum \d+\)/);
    expect((await openTransport('HTTP', graph.url)({ query: '{ __typename }' })).data, name).toEqual({
      __typename: 'Query',
    });
  }
  expect(graph.sandbox.requests.all).toEqual([]);
});

test('the configured limits on variables hold on every transport', async () => {
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
  '{"f":{"__proto__":{"displayName":"x"}}}',
  '{"__proto__":{"f":{"displayName":"x"}}}',
  '{"f":{"constructor":{"prototype":{"polluted":true}}}}',
  '{"constructor":1,"f":null}',
  '{"f":{"displayName":"\\ud800"}}',
  '{"f":{"platformIds":[1e400]}}',
  '{"f":{"platformIds":[9007199254740993,-0,1.5]}}',
  '{"f":{"displayName":"one","displayName":"two"}}',
  '{"f":{"displayName":null},"f":{"displayName":"again"}}',
  '{"f":{"toString":1}}',
  '[]',
  '"text"',
  '12',
  'true',
];

test('odd variables are answered or refused, and pollute no prototype', async () => {
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

test('a body with a variable of 10 MB is refused, and one of 400 KB is read', async () => {
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

/** Values that are wrong for most inputs. */
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

test('a value of the wrong type for any field of any input is refused with BAD_USER_INPUT, and nothing is sent', async () => {
  const run = openTransport('HTTP', graph.url, graph.caller.both);
  const attempts = wrongInputs();
  expect(attempts.length).toBeGreaterThan(30);
  for (const [index, { name, type, field, values }] of attempts.entries()) {
    const chosen = isDeep ? values : [0, 5].map((step) => values[(index + step) % values.length]);
    for (const value of chosen) {
      const query = `mutation ($input: ${type}!) { ${name}(input: $input) { outcome } }`;
      const { status, errors, data } = await run({ query, variables: { input: { [field]: value } } });
      expect([status, data], `${name} ${field} ${JSON.stringify(value)}`).toEqual([400, undefined]);
      for (const { extensions } of errors) expect(extensions['code']).toBe('BAD_USER_INPUT');
    }
  }
  expect(graph.sandbox.requests.all).toEqual([]);
});

// The fields of every mutation's input, each with all values that are wrong for it.
function wrongInputs() {
  return Object.values(schema.getMutationType()?.getFields() ?? {}).flatMap(({ name, args: [input] }) => {
    const type = input && getNamedType(input.type);
    if (!isInputObjectType(type)) return [];
    return Object.values(type.getFields()).flatMap((field) => {
      const values = WRONG.filter((value) => !fits(field.type, value));
      return values.length > 0 ? [{ name, type: type.name, field: field.name, values }] : [];
    });
  });
}

// Whether the value may be right by itself; other fields of the input decide then.
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
