import {
  defaultFieldResolver,
  GraphQLError,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
} from 'graphql';
import { Random } from './random.ts';

/** What resolvers do in one execution: everything follows from the seed and the place of a field. */
export interface World {
  readonly seed: string;
  readonly schema: GraphQLSchema;
  /** Probability of an error, a null or a value that does not fit, at each place. */
  readonly damage: number;
  /** Probability of a promise, at each place. */
  readonly asynchrony: number;
  /** Every call of a resolver, in order. */
  readonly log: unknown[];
  /** The fields that were resolved, and what resolvers did. */
  readonly seen: { readonly fields: Set<string>; readonly outcomes: string[] };
}

const SCALARS: Readonly<Record<string, readonly unknown[]>> = {
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

const WRONG_SCALARS = ['wrong', 5, 3.7, 2 ** 40, NaN, Infinity, true];
const WRONG_OBJECTS = [{}, [], [[]], { __typename: 'Nowhere' }, new Date(NaN)];
const WRONG: readonly unknown[] = [...WRONG_SCALARS, ...WRONG_OBJECTS];
const WRONG_NAMES = ['Nowhere', 'Int', 'Query', 'Person', undefined];

/** What a resolver of a type returns at a place; it may throw. */
function resolvedValue(world: World, type: GraphQLOutputType, place: string): unknown {
  const random = new Random(`${world.seed} ${place}`);
  const make = () => outcome(world, random, type, place);
  return random.chance(world.asynchrony) ? promised(world, random, make) : make();
}

function promised({ seen }: World, random: Random, make: () => unknown): unknown {
  const choice = random.below(8);
  const ticks = random.below(6);
  seen.outcomes.push(choice === 0 ? 'thenable' : choice === 1 ? 'thenable that returns nothing' : 'promise');
  const later = async (): Promise<unknown> => {
    for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
    return make();
  };
  // An executor that stops at an error need not look at every item; what it makes of a promise, it must see to.
  const quiet = (): Promise<unknown> => {
    const promise = later();
    promise.catch(() => {});
    return promise;
  };
  if (choice > 1) return quiet();
  return {
    // oxlint-disable-next-line unicorn/no-thenable -- executors must accept what is no Promise
    then(done: (value: unknown) => unknown, failed: (error: unknown) => unknown) {
      // oxlint-disable-next-line promise/no-callback-in-promise -- this is what a thenable does
      const next = quiet().then(done, failed);
      if (choice === 0) return next;
      next.catch(() => {});
      return undefined;
    },
  };
}

/** What a resolver may do instead of what it should. */
const FAILURES: Readonly<Record<string, (place: string, random: Random) => unknown>> = {
  null: () => null,
  undefined: () => undefined,
  'throws an Error': (place) => fail(new Error(`Failed at ${place}`)),
  'throws a GraphQLError': (place) =>
    fail(new GraphQLError('Refused', { extensions: { code: 'REFUSED', place } })),
  'throws a located GraphQLError': () => fail(new GraphQLError('Located', { path: ['elsewhere', 1] })),
  'throws a text': (place) => fail(`text at ${place}`),
  'throws undefined': () => fail(undefined),
  'returns an Error': (place) => new Error(`Returned at ${place}`),
  'wrong value': (_place, random) => random.pick(WRONG),
};

/** Everything that resolvers do beside returning what fits. */
export const OUTCOMES: readonly string[] = [
  ...Object.keys(FAILURES),
  'promise',
  'thenable',
  'thenable that returns nothing',
  'misleading __typename',
];

function fail(error: unknown): never {
  throw error;
}

function outcome(world: World, random: Random, type: GraphQLOutputType, place: string): unknown {
  if (!random.chance(world.damage)) return fitting(world, random, type, place);
  const [name, make] = random.pick(Object.entries(FAILURES));
  world.seen.outcomes.push(name);
  return make(place, random);
}

function fitting(world: World, random: Random, type: GraphQLOutputType, place: string): unknown {
  if (isNonNullType(type)) return fitting(world, random, type.ofType, place);
  if (random.chance(0.05)) return null;
  if (isListType(type)) return list(world, random, type.ofType, place);
  if (isEnumType(type)) return random.pick(type.getValues()).value;
  if (isLeafType(type)) return random.pick(SCALARS[type.name] ?? ['a']);
  const one = isObjectType(type) ? type : random.pick(world.schema.getPossibleTypes(type));
  return object(world, random, one, place);
}

function list(world: World, random: Random, type: GraphQLOutputType, place: string): unknown {
  const items = Array.from({ length: random.below(4) }, (_, index) => {
    try {
      return resolvedValue(world, type, `${place}.${index}`);
    } catch (error) {
      return error;
    }
  });
  const generated = (function* generate() {
    yield* items;
  })();
  return [new Set(items), items.values(), generated][random.below(8)] ?? items;
}

function object(world: World, random: Random, type: GraphQLObjectType, place: string): object {
  const isMisleading = random.chance(world.damage);
  const typename = isMisleading ? random.pick(WRONG_NAMES) : type.name;
  if (isMisleading) world.seen.outcomes.push('misleading __typename');
  const typeMode = random.below(10);
  const made = { __typename: typename, type: typename, typeMode, isWrong: random.chance(world.damage) };
  for (const field of Object.values(type.getFields())) {
    if (field.resolve && field.resolve !== defaultFieldResolver) continue;
    const at = `${place}.${field.name}`;
    const how = random.chance(0.3)
      ? { value: method, writable: true }
      : { get: () => resolvedValue(world, field.type, at) };
    Object.defineProperty(made, field.name, { enumerable: true, ...how });
  }
  return made;
}

type Args = Readonly<Record<string, unknown>>;

/** A method of a source: called by the default resolver. */
function method(args: Args, world: World, info: GraphQLResolveInfo): unknown {
  return resolve(undefined, args, world, info);
}

/** A resolver of any field. It writes down all that it is told. */
export function resolve(_source: unknown, args: Args, world: World, info: GraphQLResolveInfo): unknown {
  const { fieldName, fieldNodes, returnType, parentType, operation } = info;
  const path: string[] = [];
  for (let at: GraphQLResolveInfo['path'] | undefined = info.path; at; at = at.prev)
    path.unshift(`${at.typename ?? ''}:${at.key}`);
  world.seen.fields.add(`${String(parentType)}.${fieldName}`);
  world.log.push([
    path.join('.'),
    args,
    [fieldName, String(returnType), String(parentType), Object.keys(info.fragments), operation.name?.value],
    fieldNodes.map((node) => node.loc?.start),
    [info.schema === world.schema, info.rootValue === undefined, info.variableValues],
  ]);
  return resolvedValue(world, returnType, `${path.join('.')} ${JSON.stringify(args)}`);
}

/** The root value of an operation. */
export function rootSource(world: World, type: GraphQLObjectType): object {
  return object({ ...world, damage: 0 }, new Random(world.seed), type, 'root');
}
