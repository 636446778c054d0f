import { buildSchema, isObjectType, lexicographicSortSchema, printSchema } from 'graphql';
import { expect, test } from 'vitest';
import { printedSchema, schema } from '../../src/schema/index.ts';
import { RULES } from '../support/schema-rules.ts';

/** What was decided otherwise than a rule has it, and why. */
const DECIDED: Readonly<Record<string, Readonly<Record<string, string>> | string>> = {
  'strict-id-in-types':
    'Only what can be read again by its id has one: the rule would give an id to connections, payloads and parts of records, which caches would then mix up.',
  'relay-edge-types (listTypeCanWrapOnlyEdgeType)':
    'Short lists that come whole with their record, such as the groups of an account, are lists, and connections have nodes beside edges.',
  'no-typename-prefix': {
    'Mention.mentionAccountId': 'accountId alone is the id of an Account everywhere',
    'Mention.mentionedId': 'the id of who is mentioned; id alone is a node’s',
    'Place.placeId': 'id alone is a node’s',
  },
  'require-nullable-result-in-root': {
    'Query.nodes': 'the Relay specification has it so; each element is nullable',
    'Query.viewer': 'is answered without asking anybody, and each of its fields fails alone',
    'Query.surfaces': 'is answered without asking anybody, and can’t fail',
  },
};

/** A schema in which every rule finds something. */
const BAD = buildSchema(
  `
  type Query { getIt(Arg: Int): String! items(first: Int): ItemConnection old: Int @deprecated(reason: "") }
  type Mutation { do(it: OneInput): Int make: Made }
  type Made { madeBy: [Made] }
  type ItemConnection { edges: Int }
  type ItemEdge { node: [Int] }
  type PageInfo { hasNextPage: Boolean }
  type lost { Wrong_Name: Int }
  "lower case" enum ThingEnum { value }
  input OneInput @oneOf { Value: Int! thing: ThingEnum }
`,
  { assumeValid: true },
);

test.each(Object.entries(RULES))('%s', (name, rule) => {
  expect(rule(BAD).length, 'the rule finds what is wrong').toBeGreaterThan(0);
  const found = rule(schema);
  const decided = DECIDED[name] ?? {};
  if (typeof decided === 'string') expect(found.length).toBeGreaterThan(0);
  else expect(found.toSorted()).toEqual(Object.keys(decided).toSorted());
});

test('what was decided otherwise is of a rule that there is, with a reason', () => {
  expect(Object.keys(DECIDED).filter((name) => !(name in RULES))).toEqual([]);
  const reasons = Object.values(DECIDED).flatMap((decided) =>
    typeof decided === 'string' ? [decided] : Object.values(decided),
  );
  expect(reasons.filter((reason) => reason.length < 20)).toEqual([]);
});

// Of @graphql-eslint: known-argument-names, known-directives, known-type-names, lone-schema-definition,
// possible-type-extension, provided-required-arguments and the seven unique-*, which graphql checks itself.
test('what graphql can check of a schema definition, it accepts', () => {
  expect(() => buildSchema(printedSchema())).not.toThrow();
  expect(() => buildSchema('type Query { a: Unknown }')).toThrow('Unknown type');
});

// Of @graphql-eslint: alphabetize and description-style; of graphql-schema-linter: the four that end in
// sorted-alphabetically.
test('the committed schema is sorted, with descriptions in blocks', () => {
  expect(printedSchema().trim()).toBe(
    printSchema(lexicographicSortSchema(buildSchema(printedSchema()))).trim(),
  );
  expect(printedSchema()).not.toMatch(/^ *"[^"]/m);
});

test('a root is a type of its own: Mutation and Subscription stand nowhere else, Query in payloads only', () => {
  const leading = Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields()).flatMap((field) =>
          /^(?:Query|Mutation|Subscription)!?$/.test(String(field.type))
            ? [`${type.name}.${field.name}`]
            : [],
        )
      : [],
  );
  expect(leading.length).toBeGreaterThan(10);
  expect(leading.filter((path) => !/^\w+Payload\.query$/.test(path))).toEqual([]);
});
