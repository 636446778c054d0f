import {
  defaultFieldResolver,
  GraphQLError,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { Random } from './random.mjs';

/** @import { GraphQLLeafType, GraphQLObjectType, GraphQLOutputType, GraphQLResolveInfo, GraphQLSchema } from 'graphql' */

/**
 * What resolvers do in one execution: everything follows from the seed and the place of a field.
 *
 * @typedef {object} World
 * @property {string} seed
 * @property {GraphQLSchema} schema
 * @property {number} damage probability of an error, a null or a value that does not fit, at each place
 * @property {number} asynchrony probability of a promise, at each place
 * @property {unknown[]} log every call of a resolver, in order
 * @property {Map<string, number>} outcomes how often resolvers did what
 */

/** @type {Readonly<Record<string, readonly unknown[]>>} */
const SCALARS = {
  Int: [0, 1, -7, -0, 2 ** 31 - 1, '12', true],
  Float: [0.5, -0, 3, '1.5', false],
  String: ['', 'a', 'text', 12, true],
  Boolean: [true, false, 1, 0],
  ID: ['1', 'x', 7],
  Even: [0, 2, 44],
  Any: ['text', 1, { a: [1, { b: null }] }, 'later', 'fails later', 'nothing', 'null', 'throws'],
  JSON: ['text', 1, { a: [1, { b: null }] }],
  DateTime: [new Date(0)],
  LocalDateTime: ['2026-01-02T03:04:05'],
  LocalTime: ['03:04:05'],
  URL: ['https://example.com/a', new URL('https://example.com/b')],
};

const WRONG = [
  'wrong',
  5,
  3.7,
  2 ** 40,
  NaN,
  Infinity,
  true,
  {},
  [],
  [[]],
  { __typename: 'Nowhere' },
  new Date(NaN),
];
const WRONG_NAMES = ['Nowhere', 'Int', 'Query', 'Person', undefined];

/**
 * What a resolver of a type returns at a place; it may throw.
 *
 * @param {World} world
 * @param {GraphQLOutputType} type
 * @param {string} place
 * @returns {unknown}
 */
export function resolvedValue(world, type, place) {
  const random = new Random(`${world.seed} ${place}`);
  const make = () => outcome(world, random, type, place);
  return random.chance(world.asynchrony) ? promised(world, random, make) : make();
}

/**
 * @param {World} world
 * @param {string} name
 */
function note({ outcomes }, name) {
  outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
}

/**
 * @param {World} world
 * @param {Random} random
 * @param {() => unknown} make
 */
function promised(world, random, make) {
  const choice = random.below(8);
  const ticks = random.below(6);
  const later = async () => {
    for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
    return make();
  };
  note(world, choice === 0 ? 'thenable' : choice === 1 ? 'thenable that returns nothing' : 'promise');
  // An executor that stops at an error need not look at every item; what it makes of a promise, it must see to.
  const quiet = () => {
    const promise = later();
    promise.catch(() => {});
    return promise;
  };
  if (choice > 1) return quiet();
  return {
    // oxlint-disable-next-line unicorn/no-thenable -- executors must accept what is no Promise
    then(/** @type {(value: unknown) => unknown} */ done, /** @type {(error: unknown) => unknown} */ failed) {
      // oxlint-disable-next-line promise/no-callback-in-promise -- this is what a thenable does
      const next = quiet().then(done, failed);
      if (choice === 0) return next;
      next.catch(() => {});
      return undefined;
    },
  };
}

/**
 * @param {World} world
 * @param {Random} random
 * @param {GraphQLOutputType} type
 * @param {string} place
 */
function outcome(world, random, type, place) {
  if (!random.chance(world.damage)) return fitting(world, random, type, place);
  const failures = [
    ['null', () => null],
    ['undefined', () => undefined],
    ['throws an Error', () => fail(new Error(`Failed at ${place}`))],
    [
      'throws a GraphQLError',
      () => fail(new GraphQLError('Refused', { extensions: { code: 'REFUSED', place } })),
    ],
    ['throws a located GraphQLError', () => fail(new GraphQLError('Located', { path: ['elsewhere', 1] }))],
    ['throws a text', () => fail(`text at ${place}`)],
    ['throws undefined', () => fail(undefined)],
    ['returns an Error', () => new Error(`Returned at ${place}`)],
    ['wrong value', () => random.pick(WRONG)],
  ];
  const [name, make] = /** @type {[string, () => unknown]} */ (random.pick(failures));
  note(world, name);
  return make();
}

/** @returns {never} */
function fail(/** @type {unknown} */ error) {
  throw error;
}

/**
 * @param {World} world
 * @param {Random} random
 * @param {GraphQLOutputType} type
 * @param {string} place
 * @returns {unknown}
 */
function fitting(world, random, type, place) {
  if (isNonNullType(type)) return fitting(world, random, type.ofType, place);
  if (random.chance(0.05)) return null;
  note(world, isListType(type) ? 'list' : isLeafType(type) ? 'leaf' : 'object');
  if (isListType(type)) return list(world, random, type.ofType, place);
  if (isLeafType(type)) return leaf(random, type);
  if (isObjectType(type)) return object(world, random, type, place);
  return object(world, random, random.pick(world.schema.getPossibleTypes(type)), place);
}

/** @param {Random} random @param {GraphQLLeafType} type */
function leaf(random, type) {
  if (isEnumType(type)) return random.pick(type.getValues()).value;
  return random.pick(SCALARS[type.name] ?? ['a']);
}

/**
 * @param {World} world
 * @param {Random} random
 * @param {GraphQLOutputType} type
 * @param {string} place
 */
function list(world, random, type, place) {
  const items = Array.from({ length: random.below(4) }, (_, index) => {
    try {
      return resolvedValue(world, type, `${place}.${index}`);
    } catch (error) {
      return error;
    }
  });
  const form = random.below(8);
  if (form === 0) return new Set(items);
  if (form === 1) return items.values();
  if (form === 2) {
    return (function* generate() {
      yield* items;
    })();
  }
  return items;
}

/**
 * @param {World} world
 * @param {Random} random
 * @param {GraphQLObjectType} type
 * @param {string} place
 * @returns {Record<string, unknown>}
 */
function object(world, random, type, place) {
  const mislead = random.chance(world.damage);
  const typename = mislead ? random.pick(WRONG_NAMES) : type.name;
  if (mislead) note(world, 'misleading __typename');
  /** @type {Record<string, unknown>} */
  const made = {
    __typename: typename,
    type: typename,
    typeMode: random.below(10),
    isWrong: random.chance(world.damage),
  };
  for (const field of Object.values(type.getFields())) {
    if (field.resolve && field.resolve !== defaultFieldResolver) continue;
    const at = `${place}.${field.name}`;
    if (random.chance(0.3)) {
      made[field.name] = resolver;
      continue;
    }
    Object.defineProperty(made, field.name, {
      enumerable: true,
      get: () => resolvedValue(world, field.type, at),
    });
  }
  return made;
}

/** A method of a source: called by the default resolver. */
function resolver(
  /** @type {any} */ args,
  /** @type {World} */ world,
  /** @type {GraphQLResolveInfo} */ info,
) {
  return resolve(undefined, args, world, info);
}

/**
 * A resolver of any field. It writes down all that it is told.
 *
 * @param {unknown} _source
 * @param {Record<string, unknown>} args
 * @param {World} world
 * @param {GraphQLResolveInfo} info
 */
export function resolve(_source, args, world, info) {
  const path = [];
  for (let at = /** @type {GraphQLResolveInfo['path'] | undefined} */ (info.path); at; at = at.prev) {
    path.unshift(`${at.typename ?? ''}:${at.key}`);
  }
  const {
    fieldName,
    fieldNodes,
    returnType,
    parentType,
    schema,
    fragments,
    rootValue,
    operation,
    variableValues,
  } = info;
  world.log.push([
    path.join('.'),
    args,
    [fieldName, String(returnType), String(parentType), Object.keys(fragments), operation.name?.value],
    fieldNodes.map((node) => node.loc?.start),
    [schema === world.schema, rootValue === undefined, variableValues],
  ]);
  return resolvedValue(world, returnType, `${path.join('.')} ${JSON.stringify(args)}`);
}

/** The root value of an operation. @param {World} world @param {GraphQLObjectType} type */
export function rootSource(world, type) {
  return object({ ...world, damage: 0 }, new Random(world.seed), type, 'root');
}
