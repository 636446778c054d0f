import { whole } from './setting.ts';

/** How much one operation may ask for. What is beyond a limit is refused before anything is executed. */
export interface DocumentLimits {
  /** Largest document, in bytes of UTF-8; a larger one is refused before a single token is read. */
  readonly documentBytes: number;
  readonly tokens: number;
  /** How deep fields may be nested, fragments followed. */
  readonly depth: number;
  /** The same below `__schema` and `__type`, counted from there. */
  readonly introspectionDepth: number;
  /** How many fields an operation may rename, fragments followed. */
  readonly aliases: number;
  /** How many fields a query or subscription may ask for at its root, fragments followed. */
  readonly rootFields: number;
  readonly mutationFields: number;
  readonly directives: number;
  /** How many fields and fragments a document may select in all, fragments followed wherever they are spread. */
  readonly selections: number;
  /** How deep lists and objects may be nested in the variables. */
  readonly variableDepth: number;
  /** How many elements and fields the variables may have in all. */
  readonly variableValues: number;
  /** How many errors of a document are told. */
  readonly documentErrors: number;
  /** How many calls to the service an operation may be estimated to cost. */
  readonly cost: number;
}

const LARGEST = 1_000_000;

/** The variables of the environment that set the limits. */
export const limitSettings = {
  MAX_DOCUMENT_BYTES: limit(16_384, 'largest document of an operation, in bytes'),
  MAX_TOKENS: limit(1_000, 'most tokens of a document'),
  MAX_DEPTH: limit(10, 'how deep fields may be nested'),
  MAX_INTROSPECTION_DEPTH: limit(15, 'how deep fields may be nested below __schema and __type'),
  MAX_ALIASES: limit(15, 'most aliases of an operation'),
  MAX_ROOT_FIELDS: limit(20, 'most fields at the root of a query'),
  MAX_MUTATION_FIELDS: limit(5, 'most fields at the root of a mutation'),
  MAX_DIRECTIVES: limit(20, 'most directives of an operation'),
  MAX_SELECTIONS: limit(600, 'most fields and fragments of a document, fragments followed'),
  MAX_VARIABLE_DEPTH: limit(20, 'how deep values may be nested in variables'),
  MAX_VARIABLE_VALUES: limit(10_000, 'most values in variables'),
  MAX_DOCUMENT_ERRORS: limit(10, 'most errors that are told of a document'),
  MAX_COST: limit(1_000, 'most calls to the service that an operation may be estimated to cost'),
};

/** The limits that the variables of an environment set. */
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
  };
}

function limit(unset: number, description: string) {
  return whole(1, LARGEST).default(unset).describe(description);
}
