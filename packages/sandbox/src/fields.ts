import { badParameter } from './refusal.ts';

/** A field of a JSON object that the sandbox's own paths take. */
export interface Field {
  readonly isRequired: boolean;
  /** The accepted values, as a phrase that follows "must be". */
  readonly accepts: string;
  readonly admits: (value: unknown) => boolean;
}

/** The fields of one kind of request, by name. */
export type Fields = Readonly<Record<string, Field>>;

/** Creates a field that takes a whole number within bounds. */
export function whole(least: number, most: number = Number.MAX_SAFE_INTEGER): Field {
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  return {
    isRequired: false,
    accepts: `a whole number ${range}`,
    admits: (value) =>
      typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most,
  };
}

/** Creates a field that takes one of the listed words. */
export function oneOfWords(words: readonly string[]): Field {
  return {
    isRequired: false,
    accepts: words.map((word) => JSON.stringify(word)).join(' or '),
    admits: (value) => typeof value === 'string' && words.includes(value),
  };
}

/** Makes a field required. */
export const required = (field: Field): Field => ({ ...field, isRequired: true });

export const text: Field = {
  isRequired: false,
  accepts: 'text',
  admits: (value) => typeof value === 'string',
};

/**
 * Reads a JSON object whose `kind` decides which fields it takes.
 *
 * @param fieldsOf - Returns the fields of a kind; throws for an unknown one.
 * @throws Refusal with status 400, which names the first invalid field.
 */
export function readFieldsOf(
  value: unknown,
  fieldsOf: (kind: unknown) => Fields,
): ReadonlyMap<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badParameter('body', 'must be a JSON object with a "kind".');
  const given = new Map<string, unknown>(Object.entries(value));
  const kind = given.get('kind');
  const known = fieldsOf(kind);
  for (const name of given.keys()) {
    if (name !== 'kind' && !Object.hasOwn(known, name)) throw unknownField(name, String(kind), known);
  }
  for (const [name, field] of Object.entries(known)) checkField(name, field, given.get(name));
  return given;
}

function checkField(name: string, field: Field, value: unknown): void {
  if (value === undefined && !field.isRequired) return;
  if (value !== undefined && field.admits(value)) return;
  throw badParameter(name, `must be ${field.accepts}${instead(value)}.`);
}

function unknownField(name: string, kind: string, known: Fields) {
  const names = Object.keys(known).join(', ');
  return badParameter(name, `is not a field of the kind ${kind}, which takes ${names}.`);
}

/** Creates the refusal of a kind that does not exist. */
export function unknownKind(kind: unknown, known: readonly string[]) {
  return badParameter('kind', `must be one of ${known.join(', ')}${instead(kind)}.`);
}

/** Returns the value that was sent instead, shortened because it may be of any size. */
function instead(value: unknown): string {
  return value === undefined ? '; it is missing' : `, not ${JSON.stringify(value).slice(0, 60)}`;
}
