import {
  buildSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  type GraphQLNamedType,
} from 'graphql';
import { expect, test } from 'vitest';
import { printedSchema, schema } from '../../src/schema/index.ts';

const TYPES = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);

interface Element {
  /** Where it stands, such as `Account.groups`. */
  readonly path: string;
  readonly name: string;
  readonly description: string | null | undefined;
}

/** Every element of the graph that a reader meets: types, fields, arguments, input fields, enum values. */
const ELEMENTS: readonly Element[] = TYPES.flatMap((type) => [
  { path: type.name, name: type.name, description: type.description },
  ...elementsOf(type),
]);

function elementsOf(type: GraphQLNamedType): Element[] {
  const within = (
    parts: readonly { readonly name: string; readonly description?: string | null | undefined }[],
  ) => parts.map(({ name, description }) => ({ path: `${type.name}.${name}`, name, description }));
  if (isEnumType(type)) return within(type.getValues());
  if (isInputObjectType(type)) return within(Object.values(type.getFields()));
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  const fields = Object.values(type.getFields());
  const args = fields.flatMap((field) =>
    field.args.map(({ name, description }) => ({
      path: `${type.name}.${field.name}(${name})`,
      name,
      description,
    })),
  );
  return [...within(fields), ...args];
}

test('the printed schema is a whole schema', () => {
  expect(() => buildSchema(printedSchema(), { assumeValid: false })).not.toThrow();
});

test('every element has a description', () => {
  expect(ELEMENTS.length).toBeGreaterThan(150);
  expect(ELEMENTS.filter(({ description }) => !description?.trim()).map(({ path }) => path)).toEqual([]);
});

const FILLERS = new Set(['a', 'an', 'the', 'of', 'its', 'it', 'this', 'is', 'which', 'whether', 's', 'in']);

function wordsOf(text: string): string[] {
  const words = text
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return (words ?? []).filter((word) => !FILLERS.has(word));
}

test('no description just repeats the name of its element', () => {
  const repeating = ELEMENTS.filter(({ name, description }) => {
    const ofName = new Set(wordsOf(name));
    return wordsOf(description ?? '').every((word) => ofName.has(word));
  });
  expect(repeating.map(({ path, description }) => `${path}: ${description}`)).toEqual([]);
});

test('descriptions are sentences of product text', () => {
  for (const { path, description } of ELEMENTS) {
    expect(description, path).toMatch(/^[A-Z`“].*[.!?)]$/s);
    expect(description, path).not.toMatch(/TODO|FIXME|\bundefined\b|\bGET \/|\/oauth\//);
  }
});

/** Root fields that are answered without asking the service, whatever their own fields ask. */
const LOCAL = ['surfaces', 'viewer'];

test('every root field that needs the service is nullable, or a list of nullable records', () => {
  const roots = [schema.getQueryType(), schema.getSubscriptionType()].filter((type) => type != null);
  const strict = roots.flatMap((root) =>
    Object.values(root.getFields())
      .filter(({ name }) => !LOCAL.includes(name))
      .filter(({ type }) => {
        const inner = getNullableType(type);
        return isNonNullType(type) && !(isListType(inner) && !isNonNullType(inner.ofType));
      })
      .map(({ name }) => name),
  );
  expect(strict).toEqual([]);
});

test('a record within a list may be missing alone: nodes of connections are nullable', () => {
  for (const type of TYPES.filter(({ name }) => name.endsWith('Connection'))) {
    if (!isObjectType(type)) throw new Error(`${type.name} is no object`);
    const { nodes, edges } = type.getFields();
    expect(String(nodes?.type), type.name).toMatch(/^\[\w+\]!?$/);
    const edge = edges && getNamedType(edges.type);
    expect(isObjectType(edge) && String(edge.getFields()['node']?.type)).toMatch(/^\w+$/);
  }
});

test('every connection takes the four arguments of a window', () => {
  const connections = TYPES.filter((type) => isObjectType(type)).flatMap((type) =>
    Object.values(type.getFields()).filter(({ type: result }) =>
      getNamedType(result).name.endsWith('Connection'),
    ),
  );
  expect(connections.length).toBeGreaterThanOrEqual(3);
  for (const { name, args } of connections) {
    expect(
      args.map((arg) => arg.name),
      name,
    ).toEqual(expect.arrayContaining(['after', 'before', 'first', 'last']));
  }
});

test('no element carries a credential of a connected account', () => {
  const named = ELEMENTS.filter(({ name }) => /(?:page)?access_?token|access_?secret/i.test(name));
  // The access token of the service itself is what the caller asked for.
  expect(
    named.map(({ path }) => path).filter((path) => !path.startsWith('ExchangeAuthorizationCode')),
  ).toEqual([]);
});

test('names are in the graph’s own spelling', () => {
  for (const { path, name } of ELEMENTS) {
    if (!path.includes('.')) expect(name).toMatch(/^[A-Z][A-Za-z]+$/);
    else if (/^[A-Z][A-Z\d_]*$/.test(name)) expect(name).not.toMatch(/__/);
    else expect(name, path).toMatch(/^[a-z][A-Za-z]*$/);
  }
});

test('what the service spells wrong is spelt right here', () => {
  expect(printedSchema()).not.toMatch(/pralType|palnType|praposed|Audiance|formatedPost|Runing/);
});

test('Account and AccountGroup are nodes', () => {
  for (const name of ['Account', 'AccountGroup']) {
    const type = schema.getType(name);
    expect(isObjectType(type) && type.getInterfaces().map(String)).toEqual(['Node']);
  }
});
