import { setImmediate as tick } from 'node:timers/promises';
import {
  execute,
  GraphQLError,
  Kind,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import { expect, inject, test } from 'vitest';
import { compile } from '../src/compile.ts';
import { schema as serverSchema } from '../../../src/schema/index.ts';
import { cases } from '../../../test/support/depth.ts';
import { randomOperation, type RandomOperation } from './random/documents.ts';
import { Random } from './random/random.ts';
import { everyKindOfSchema, mockedSchema } from './random/schemas.ts';
import { OUTCOMES, rootSource, type World } from './random/values.ts';

const SCHEMAS: readonly GraphQLSchema[] = [everyKindOfSchema(), mockedSchema(serverSchema)];

interface Args {
  readonly rootValue: unknown;
  readonly contextValue: World;
  readonly variableValues: Record<string, unknown> | undefined;
}
type Execute = (args: Args) => ExecutionResult | Promise<ExecutionResult>;
/** Prepares a document for being executed several times. */
type Prepare = (
  schema: GraphQLSchema,
  document: DocumentNode,
  options: { readonly operationName: string | undefined; readonly hideSuggestions: boolean },
) => Execute;

const byGraphqlJs: Prepare = (schema, document, options) => (args) =>
  execute({ schema, document, ...options, ...args });
const byCompiling: Prepare = (schema, document, options) => {
  const compiled = compile(schema, document, options);
  return 'errors' in compiled ? () => compiled : (args) => compiled.execute(args);
};

const FEATURES: Readonly<Record<string, RegExp>> = {
  'documents: mutation': /^mutation/,
  'documents: subscription': /^subscription/,
  'documents: @skip with a variable': /@skip\(if: \$/,
  'documents: @include with a variable': /@include\(if: \$/,
  'documents: @skip or @include with a literal': /@(?:skip|include)\(if: [tf]/,
  'documents: inline fragment': /\.\.\. on /,
  'documents: inline fragment without a type': /\.\.\.(?: @\w+\(.*?\))? \{/,
  'documents: named fragment': /\bfragment F/,
  'documents: fragment spread twice': /\.\.\.(F\d+)\b.*\.\.\.\1\b/,
  'documents: alias': /\w+_\d: /,
  'documents: alias __proto__': /__proto__: /,
  'documents: introspection': /\b__(?:schema|type)\b/,
  'documents: several operations': /query Other/,
};
const RESULTS: Readonly<Record<string, RegExp>> = {
  'results: with promises': /^promise /,
  'results: without promises': /^value /,
  'results: with data and errors': /"errors":\[\{.*"data":\{/s,
  'results: data null': /"data":null/,
  'results: no data': /^\w+ (?!.*"data":)/s,
};

/** How often each of these came, and which fields of each schema were resolved. */
const counts = new Map<string, number>();
const fields = SCHEMAS.map(() => new Set<string>());

const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
function countMatches(patterns: Readonly<Record<string, RegExp>>, text: string): void {
  for (const [name, pattern] of Object.entries(patterns)) if (pattern.test(text)) count(name);
}

let unhandled = 0;

// Graphql-js itself leaves rejections unhandled where one item of a list with non-null items is null and another is a
// promise that fails: such rejections are counted, and must not end the process.
async function countingUnhandled(run: () => Promise<void>): Promise<void> {
  const listeners = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', () => void (unhandled += 1));
  await run();
  process.removeAllListeners('unhandledRejection');
  for (const listener of listeners) process.on('unhandledRejection', listener);
}

/** What differs between the two executors for the operation of a seed, if anything does. */
async function difference(index: number, seed: string): Promise<string | null> {
  const schema = SCHEMAS[index % SCHEMAS.length];
  if (!schema) throw new Error('no schema');
  const operation = randomOperation(schema, seed);
  const random = new Random(`${seed} worlds`);
  const hideSuggestions = random.chance(0.5);
  const requests = operation.variables.map((variableValues, at) => ({
    variableValues,
    seed: `${seed} ${at}`,
    damage: random.pick([0, 0.01, 0.03, 0.1]),
    asynchrony: random.pick([0, 0, 0.05, 0.3]),
  }));
  const seen = { fields: fields[index % SCHEMAS.length] ?? new Set<string>(), outcomes: [] as string[] };
  const observe = async (prepare: Prepare) => {
    const before = unhandled;
    const { document, operationName } = operation;
    const run = prepare(schema, document, { operationName, hideSuggestions });
    // Both at once: executions of one operation must not meet.
    const texts = await Promise.all(
      requests.map(({ variableValues, ...settings }) =>
        observed(run, operation, { world: { ...settings, schema, log: [], seen }, variableValues }),
      ),
    );
    await tick();
    return { texts, unhandled: unhandled - before };
  };
  const [ours, theirs] = [await observe(byCompiling), await observe(byGraphqlJs)];
  countMatches(FEATURES, operation.source);
  for (const text of theirs.texts) countMatches(RESULTS, text);
  seen.outcomes.forEach(count);
  const context = `seed ${seed}\n${operation.source}\n${JSON.stringify(requests)}`;
  if (ours.unhandled > 0) return `${context}\n${ours.unhandled} unhandled rejections`;
  const at = ours.texts.findIndex((text, place) => text !== theirs.texts[place]);
  return at === -1 ? null : `${context}\n- ${theirs.texts[at]}\n+ ${ours.texts[at]}`;
}

/** What an execution did, as text. */
async function observed(
  run: Execute,
  { document }: RandomOperation,
  { world, variableValues }: Pick<Args, 'variableValues'> & { readonly world: World },
): Promise<string> {
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  const root = operation && world.schema.getRootType(operation.operation);
  try {
    const rootValue = root ? rootSource(world, root) : undefined;
    const result = run({ rootValue, contextValue: world, variableValues });
    const kind = result instanceof Promise ? 'promise' : 'value';
    const settled = await result;
    return `${kind} ${JSON.stringify(settled)}\n${canonical(settled)}\n${canonical(world.log)}`;
  } catch (error) {
    return `throws ${String(error)}`;
  }
}

/** A value as text in which nothing is equal that is not: order of keys, undefined, -0, dates, errors with all they carry. */
function canonical(value: unknown): string {
  if (value instanceof GraphQLError) {
    const { message, path, locations, extensions, originalError, name } = value;
    return `GraphQLError${canonical([name, message, path, locations, extensions, originalError])}`;
  }
  if (value instanceof Error) return `${value.name}(${value.message})`;
  if (Array.isArray(value)) return `[${Array.from(value, canonical).join(',')}]`;
  if (value instanceof Date || value instanceof URL) return `${value.constructor.name}(${String(value)})`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, one]) => `${key}:${canonical(one)}`)
      .join(',')}}`;
  return Object.is(value, -0) ? '-0' : typeof value === 'string' ? JSON.stringify(value) : String(value);
}

test(
  'a random operation has the result, order of errors and calls of resolvers that it has with graphql-js',
  () =>
    countingUnhandled(async () => {
      const differences: string[] = [];
      for (let index = 0; index < cases(400, 20_000) && differences.length < 5; index += 1)
        differences.push(
          ...[await difference(index, `${inject('seed')}/${index}`)].filter((one) => one !== null),
        );
      expect(differences).toEqual([]);
    }),
  600_000,
);

test('the comparison covers every form of documents, results and resolvers', () => {
  const expected = [...Object.keys(FEATURES), ...Object.keys(RESULTS), ...OUTCOMES];
  expect(expected.filter((name) => (counts.get(name) ?? 0) < cases(2, 5))).toEqual([]);
  for (const resolved of fields) expect(resolved.size).toBeGreaterThan(100);
});
