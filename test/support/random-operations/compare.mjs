import { execute, GraphQLError, Kind } from 'graphql';
import { randomOperation } from './documents.mjs';
import { Random } from './random.mjs';
import { rootSource } from './values.mjs';

/** @import { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql' */
/** @import { World } from './values.mjs' */

/**
 * Executes an operation, as the executor under test or as graphql-js.
 *
 * @callback Execute
 * @param {object} args
 * @param {unknown} args.rootValue
 * @param {unknown} args.contextValue
 * @param {Record<string, unknown> | undefined} args.variableValues
 * @returns {ExecutionResult | Promise<ExecutionResult>}
 */

/**
 * Prepares a document for being executed several times.
 *
 * @callback Prepare
 * @param {GraphQLSchema} schema
 * @param {DocumentNode} document
 * @param {{ operationName: string | undefined, hideSuggestions: boolean }} options
 * @returns {Execute}
 */

/**
 * What an execution did, as text.
 *
 * @typedef {{ readonly text: string, readonly isAsync: boolean, readonly unhandled: number }} Observed
 */

/** What has been covered, so that one sees that the comparison means something. */
export class Coverage {
  constructor() {
    /** @type {Map<string, number>} */
    this.counts = new Map();
    /** @type {Map<string, Set<string>>} */
    this.fields = new Map();
    /** @type {Map<string, number>} */
    this.outcomes = new Map();
  }

  /** @param {string} name @param {number} [count] */
  add(name, count = 1) {
    this.counts.set(name, (this.counts.get(name) ?? 0) + count);
  }

  /** @param {string} schemaName @param {World} world */
  addWorld(schemaName, { log, outcomes }) {
    const fields = this.fields.get(schemaName) ?? new Set();
    this.fields.set(schemaName, fields);
    for (const entry of log) {
      const [, , [fieldName, , parentType]] = /** @type {[string, unknown, string[]]} */ (entry);
      fields.add(`${parentType}.${fieldName}`);
    }
    for (const [name, count] of outcomes) this.outcomes.set(name, (this.outcomes.get(name) ?? 0) + count);
  }

  toString() {
    const lines = [...this.counts, ...this.outcomes].map(([name, count]) => `  ${name}: ${count}`);
    const fields = [...this.fields].map(([name, { size }]) => `  fields resolved in ${name}: ${size}`);
    return [...fields, ...lines].join('\n');
  }
}

/**
 * Compares an executor with graphql-js over random operations.
 *
 * @param {object} options
 * @param {Readonly<Record<string, GraphQLSchema>>} options.schemas
 * @param {Prepare} options.prepare the executor under test
 * @param {string} options.seed
 * @param {number} options.cases
 * @param {Coverage} [options.coverage]
 * @returns {Promise<string[]>} what differs
 */
export async function compareAtRandom({ schemas, prepare, seed, cases, coverage = new Coverage() }) {
  /** @type {string[]} */
  const differences = [];
  const names = Object.keys(schemas);
  const stopCounting = countUnhandled();
  for (let index = 0; index < cases && differences.length < 5; index += 1) {
    const name = /** @type {string} */ (names[index % names.length]);
    const schema = /** @type {GraphQLSchema} */ (schemas[name]);
    const difference = await compareOne({ name, schema, prepare, seed: `${seed}/${index}`, coverage });
    if (difference) differences.push(difference);
  }
  stopCounting();
  return differences;
}

let unhandled = 0;

// Graphql-js itself leaves rejections unhandled where one item of a list with non-null items is null and another is a
// promise that fails: such rejections are counted, and must not end the process.
function countUnhandled() {
  const listeners = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  const count = () => {
    unhandled += 1;
  };
  process.on('unhandledRejection', count);
  return () => {
    process.removeListener('unhandledRejection', count);
    for (const listener of listeners) process.on('unhandledRejection', listener);
  };
}

/** @type {Prepare} */
const prepareGraphqlJs = (schema, document, options) => (args) =>
  execute({ schema, document, ...options, ...args });

/**
 * @param {object} options
 * @param {string} options.name
 * @param {GraphQLSchema} options.schema
 * @param {Prepare} options.prepare
 * @param {string} options.seed
 * @param {Coverage} options.coverage
 */
async function compareOne({ name, schema, prepare, seed, coverage }) {
  const operation = randomOperation(schema, seed);
  const { source, document, operationName, variables } = operation;
  const random = new Random(`${seed} worlds`);
  const hideSuggestions = random.chance(0.5);
  const requests = variables.map((variableValues, index) => ({
    variableValues,
    seed: `${seed} ${index}`,
    damage: random.pick([0, 0.01, 0.03, 0.1]),
    asynchrony: random.pick([0, 0, 0.05, 0.3]),
  }));
  /** @param {Prepare} by */
  const observe = async (by) => {
    const before = unhandled;
    const run = by(schema, document, { operationName, hideSuggestions });
    // Both at once: executions of one operation must not meet.
    const seen = requests.map((request) => observeOne(schema, document, run, request));
    const texts = await Promise.all(seen.map(({ text }) => text));
    await new Promise((resolve) => void setImmediate(resolve));
    return { texts, worlds: seen.map(({ world }) => world), unhandled: unhandled - before };
  };
  const ours = await observe(prepare);
  const theirs = await observe(prepareGraphqlJs);
  cover(coverage, name, operation, theirs);
  const context = `seed ${seed} in ${name}\n${source}\n${JSON.stringify(requests)}`;
  if (ours.unhandled > 0) return `${context}\n${ours.unhandled} unhandled rejections`;
  for (const [index, text] of ours.texts.entries()) {
    if (text !== theirs.texts[index]) return `${context}\n- ${theirs.texts[index]}\n+ ${text}`;
  }
  return null;
}

/**
 * @param {Coverage} coverage
 * @param {string} name
 * @param {import('./documents.mjs').RandomOperation} operation
 * @param {{ texts: string[], worlds: World[], unhandled: number }} observed
 */
function cover(coverage, name, { source, isValid }, { texts, worlds, unhandled: count }) {
  coverage.add(`documents for ${name}`);
  coverage.add('executions', texts.length);
  if (!isValid) coverage.add('invalid documents');
  if (count > 0) coverage.add('unhandled rejections of graphql-js', count);
  for (const [feature, pattern] of Object.entries(FEATURES)) if (pattern.test(source)) coverage.add(feature);
  for (const text of texts) {
    for (const [result, pattern] of Object.entries(RESULTS)) if (pattern.test(text)) coverage.add(result);
  }
  for (const world of worlds) coverage.addWorld(name, world);
}

const FEATURES = {
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
  'documents: variables': /\$/,
  'documents: introspection': /\b__(?:schema|type)\b/,
  'documents: several operations': /query Other/,
};

const RESULTS = {
  'results: with promises': /^promise /,
  'results: without promises': /^value /,
  'results: with errors': /"errors":\[\{/,
  'results: with data and errors': /"errors":\[\{.*"data":\{/s,
  'results: data null': /"data":null/,
  'results: no data': /^\w+ (?!.*"data":)/s,
};

/**
 * @param {GraphQLSchema} schema
 * @param {DocumentNode} document
 * @param {Execute} run
 * @param {{ variableValues: Record<string, unknown> | undefined, seed: string, damage: number, asynchrony: number }} request
 */
function observeOne(schema, document, run, { variableValues, ...settings }) {
  /** @type {World} */
  const world = { ...settings, schema, log: [], outcomes: new Map() };
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  const root = operation && schema.getRootType(operation.operation);
  const args = {
    rootValue: root ? rootSource(world, root) : undefined,
    contextValue: world,
    variableValues,
  };
  return { world, text: describe(world, () => run(args)) };
}

/** @param {World} world @param {() => ExecutionResult | Promise<ExecutionResult>} run */
async function describe(world, run) {
  try {
    const result = run();
    const kind = result instanceof Promise ? 'promise' : 'value';
    const settled = await result;
    return `${kind} ${JSON.stringify(settled)}\n${canonical(settled)}\n${canonical(world.log)}`;
  } catch (error) {
    return `throws ${String(error)}`;
  }
}

/**
 * A value as text in which nothing is equal that is not: order of keys, undefined, -0, dates, errors with all they carry.
 *
 * @param {unknown} value
 * @returns {string}
 */
function canonical(value) {
  if (value instanceof GraphQLError) {
    const { message, path, locations, extensions, originalError, name } = value;
    return `GraphQLError${canonical([name, message, path, locations, extensions, originalError])}`;
  }
  if (value instanceof Error) return `${value.name}(${value.message})`;
  if (Array.isArray(value)) return `[${Array.from(value, canonical).join(',')}]`;
  if (value instanceof Date || value instanceof URL) return `${value.constructor.name}(${String(value)})`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, one]) => `${key}:${canonical(one)}`)
      .join(',')}}`;
  }
  return Object.is(value, -0) ? '-0' : typeof value === 'string' ? JSON.stringify(value) : String(value);
}
