import { whole } from './setting.ts';

/** How much one operation may request, checked before anything is executed, and how much it may return. */
export interface DocumentLimits {
  /** Largest document, in bytes of UTF-8; a larger one is rejected before it is parsed. */
  readonly documentBytes: number;
  readonly tokens: number;
  /** How deep fields may be nested, with fragments expanded. */
  readonly depth: number;
  /** The same limit below `__schema` and `__type`, counted from there. */
  readonly introspectionDepth: number;
  /** Under how many names an operation may select one field of one parent, with fragments expanded. */
  readonly aliases: number;
  /** How many root fields a query or subscription may select, with fragments expanded. */
  readonly rootFields: number;
  readonly mutationFields: number;
  readonly directives: number;
  /** How many fields and fragments a document may select in total, with fragments expanded at every spread. */
  readonly selections: number;
  /** How deep lists and objects may be nested in variables. */
  readonly variableDepth: number;
  /** How many elements and fields the variables may have in total. */
  readonly variableValues: number;
  /** How many errors are reported for a document. */
  readonly documentErrors: number;
  /** How many calls to the service an operation may be estimated to cost. */
  readonly cost: number;
  /** How many ids a list argument may hold, such as `nodes(ids:)`. */
  readonly listIds: number;
  /** How many ids all list arguments of a query may hold, counted at every use of a variable. */
  readonly ids: number;
  /** How many values all arguments of an operation may hold, counted at every use of a variable. */
  readonly argumentValues: number;
  /** How many fields the result of an operation may be estimated to have. */
  readonly estimatedFields: number;
  /** How many fields a result may have; beyond this or the next two limits, the whole operation fails. */
  readonly resultFields: number;
  readonly resultErrors: number;
  /** Largest result, in bytes of JSON. */
  readonly resultBytes: number;
}

const LARGEST = 1_000_000;
const LARGEST_RESULT_BYTES = 100_000_000;

/** The environment variables for the limits. */
export const limitSettings = {
  MAX_DOCUMENT_BYTES: limit(16_384, 'maximum size of a document, in bytes'),
  MAX_TOKENS: limit(1_000, 'maximum number of tokens in a document'),
  MAX_DEPTH: limit(10, 'maximum depth of nested fields'),
  MAX_INTROSPECTION_DEPTH: limit(30, 'maximum depth of nested fields below __schema and __type'),
  MAX_ALIASES: limit(30, 'maximum number of aliases for one field of one parent'),
  MAX_ROOT_FIELDS: limit(50, 'maximum number of root fields in a query'),
  MAX_MUTATION_FIELDS: limit(5, 'maximum number of root fields in a mutation'),
  MAX_DIRECTIVES: limit(20, 'maximum number of directives in an operation'),
  MAX_SELECTIONS: limit(600, 'maximum number of selections in a document, with fragments expanded'),
  MAX_VARIABLE_DEPTH: limit(20, 'maximum depth of nested values in variables'),
  MAX_VARIABLE_VALUES: limit(10_000, 'maximum number of values in variables'),
  MAX_DOCUMENT_ERRORS: limit(10, 'maximum number of errors reported for a document'),
  MAX_COST: limit(1_000, 'maximum estimated number of calls to the service for an operation'),
  MAX_LIST_IDS: limit(100, 'maximum number of ids in one list argument'),
  MAX_IDS: limit(200, 'maximum number of ids in all list arguments of a query'),
  MAX_ARGUMENT_VALUES: limit(10_000, 'maximum number of values in all arguments of an operation'),
  MAX_ESTIMATED_FIELDS: limit(250_000, 'maximum estimated number of fields in a result'),
  MAX_RESULT_FIELDS: limit(25_000, 'maximum number of fields in a result'),
  MAX_RESULT_ERRORS: limit(500, 'maximum number of errors in a result'),
  MAX_RESULT_BYTES: whole(1, LARGEST_RESULT_BYTES)
    .default(4_000_000)
    .describe('maximum size of a result, in bytes of JSON'),
};

/** Builds the limits from the variables. */
export function limitsOf(values: Readonly<Record<keyof typeof limitSettings, number>>): DocumentLimits {
  return {
    documentBytes: values.MAX_DOCUMENT_BYTES,
    tokens: values.MAX_TOKENS,
    depth: values.MAX_DEPTH,
    introspectionDepth: values.MAX_INTROSPECTION_DEPTH,
    aliases: values.MAX_ALIASES,
    rootFields: values.MAX_ROOT_FIELDS,
    mutationFields: values.MAX_MUTATION_FIELDS,
    directives: values.MAX_DIRECTIVES,
    selections: values.MAX_SELECTIONS,
    variableDepth: values.MAX_VARIABLE_DEPTH,
    variableValues: values.MAX_VARIABLE_VALUES,
    documentErrors: values.MAX_DOCUMENT_ERRORS,
    cost: values.MAX_COST,
    listIds: values.MAX_LIST_IDS,
    ids: values.MAX_IDS,
    argumentValues: values.MAX_ARGUMENT_VALUES,
    estimatedFields: values.MAX_ESTIMATED_FIELDS,
    resultFields: values.MAX_RESULT_FIELDS,
    resultErrors: values.MAX_RESULT_ERRORS,
    resultBytes: values.MAX_RESULT_BYTES,
  };
}

function limit(unset: number, description: string) {
  return whole(1, LARGEST).default(unset).describe(description);
}
