import { parseGlobalId, type GlobalId, type NodeType } from '../records/global-id.ts';
import { InputError } from './errors.ts';

// Checks of arguments. Each throws an InputError that names the argument.

/** Decodes a global id, of the given type if any. */
export function decodeGlobalId(id: string, argument: string, type?: NodeType): GlobalId {
  const decoded = parseGlobalId(id);
  if (decoded === null)
    throw new InputError(`${argument} is not a valid ID; use the id of a record, not loginId or postId.`);
  if (type !== undefined && decoded.type !== type) {
    throw new InputError(`${argument} must be the ID of an object of type ${type}, not ${decoded.type}.`);
  }
  return decoded;
}

/**
 * Returns a decoder of ids of records of the current surface, for features that only it has: `lack` completes the error
 * about the legacy surface.
 */
export function currentIdOf(type: 'Account' | 'AccountGroup', lack: string) {
  const noun = type === 'Account' ? 'an account' : 'a group';
  return (id: string, argument: string): string => {
    const { surface, rawId } = decodeGlobalId(id, argument, type);
    if (surface === 'current') return rawId;
    throw new InputError(`${argument} is the ID of ${noun} of the legacy surface, which ${lack}.`);
  };
}

/** Maximum length of a text to search for, in characters. */
const MAX_SEARCH_TEXT = 400;

/** Returns a text to search for, if it is not too long. */
export function searchText(text: string | null | undefined, argument: string): string | null {
  if (text == null || text.length <= MAX_SEARCH_TEXT) return text ?? null;
  throw new InputError(`${argument} must have at most ${MAX_SEARCH_TEXT} characters.`);
}

/** Returns the elements of a filter list, each once, if it is not empty, since it would match nothing. */
export function distinct<T>(values: readonly T[] | null | undefined, argument: string): readonly T[] | null {
  checkNotEmpty(values, argument);
  return values ? [...new Set(values)] : null;
}

/** Reads each element of a filter list, if it is not empty. */
export function eachOf<T, R>(
  values: readonly T[] | null | undefined,
  argument: string,
  read: (value: T, argument: string) => R,
): readonly R[] | null {
  checkNotEmpty(values, argument);
  return values?.map((value, index) => read(value, `${argument}[${index}]`)) ?? null;
}

function checkNotEmpty(values: readonly unknown[] | null | undefined, argument: string): void {
  if (values?.length === 0) throw new InputError(`${argument} must not be empty; omit it to list all.`);
}

/** Returns a text for a list that the service takes as comma-separated text, with no way to escape a comma. */
export function withoutComma(value: string, argument: string): string {
  if (value.includes(','))
    throw new InputError(`${argument} contains a comma, which the service does not support.`);
  return value;
}

type Given<T> = { readonly [K in keyof T]?: NonNullable<T[K]> };

/** Returns those of several values that are given. */
export function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value != null)) as Given<T>;
}
