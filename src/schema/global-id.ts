import { parseGlobalId, type GlobalId, type NodeType } from '../records/global-id.ts';
import { InputError } from './errors.ts';

/** Decodes a global id, of the given type if any. Throws an InputError that names the argument. */
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
 * Decodes the id of an account of the current surface, for features that only it has: `lack` completes the error about
 * the legacy surface. Throws an InputError that names the argument.
 */
export function loginIdOf(id: string, argument: string, lack: string): string {
  return currentIdOf(id, argument, { type: 'Account', lack });
}

/** Does the same for a group. */
export function groupIdOf(id: string, argument: string, lack: string): string {
  return currentIdOf(id, argument, { type: 'AccountGroup', lack });
}

function currentIdOf(
  id: string,
  argument: string,
  { type, lack }: { readonly type: 'Account' | 'AccountGroup'; readonly lack: string },
): string {
  const { surface, rawId } = decodeGlobalId(id, argument, type);
  const noun = type === 'Account' ? 'an account' : 'a group';
  if (surface === 'legacy')
    throw new InputError(`${argument} is the ID of ${noun} of the legacy surface, which ${lack}.`);
  return rawId;
}
