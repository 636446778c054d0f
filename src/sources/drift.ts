import { SourceError, type Surface } from './errors.ts';
import { blankTokens } from './secret-texts.ts';

/** Thrown by a decoder. States what was expected, never what was received. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';

  // A response may cause a million of these, and an unused stack costs twenty times as much as the rest.
  constructor(expected: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(expected);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The origin of a record, used to report which field of which endpoint deviates from its documentation. */
export interface Origin {
  readonly surface: Surface;
  readonly endpoint: string;
  /** Called for each field that deviates from its documentation. */
  readonly onDrift: (drift: Drift) => void;
}

/** A field of an endpoint that deviates from the documented interface. */
export interface Drift {
  readonly surface: Surface;
  readonly endpoint: string;
  /** The service's own name for the field. */
  readonly field: string;
  readonly expected: string;
}

/** The errors of each response, because the same field may be damaged in each of its records. */
const driftErrors = new WeakMap<Origin, Map<string, SourceError>>();

/** Reports a field that deviates from its documentation and returns its error, one for all records of a response. */
export function driftError(origin: Origin, wire: string, { message: expected }: Mismatch): SourceError {
  const { surface, endpoint } = origin;
  origin.onDrift({ surface, endpoint, field: wire, expected });
  const message = `${endpoint}: ${wire} is not ${expected}`;
  const known = driftErrors.get(origin)?.get(message);
  if (known !== undefined) return known;
  const error = new SourceError('malformed', surface, message, { endpoint });
  driftErrors.set(origin, (driftErrors.get(origin) ?? new Map()).set(message, error));
  return error;
}

/** Reports a field that deviates from its documentation; a name that the service chose must be given by `shownName`. */
export function reportDrift({ surface, endpoint, onDrift }: Origin, field: string, expected: string): void {
  onDrift({ surface, endpoint, field, expected });
}

const NAME = /^[A-Za-z_][\w-]{0,39}$/;
const MOST_DIGITS = 4;
/** Shorter names cannot be secrets, whatever they look like. */
const LONG = 12;
const LONGEST_WORD = 16;
const SHORTEST_WORDS = 3;

/** Returns a name used by the service, for the log. A text that does not look like a field name could be a secret. */
export function shownName(name: string): string {
  return isFieldName(name) ? name : '(no name)';
}

// Tokens have many digits, random capitals, or very long words; names consist of words in camel or snake case.
function isFieldName(name: string): boolean {
  if (!NAME.test(name) || name.replaceAll(/\D/g, '').length > MOST_DIGITS) return false;
  if (name.length <= LONG) return true;
  if (blankTokens(name) !== name) return false;
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  const letters = words.join('').length;
  return letters >= words.length * SHORTEST_WORDS && words.every(({ length }) => length <= LONGEST_WORD);
}
