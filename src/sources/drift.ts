import { SourceError, type Surface } from './errors.ts';
import { shownName } from './field-name.ts';
import type { Mismatch } from './mismatch.ts';
import type { Secrets } from './secrets.ts';

/** Where a record came from, to report which field of which endpoint was not as documented. */
export interface Origin {
  readonly surface: Surface;
  readonly endpoint: string;
  /** Called for each field that was not as documented. */
  readonly onDrift: (drift: Drift) => void;
  /** The secrets of the whole answer, where the record is a part of one. */
  readonly secrets?: () => Secrets;
}

/** A field of an endpoint that did not hold what the interface documents. */
export interface Drift {
  readonly surface: Surface;
  readonly endpoint: string;
  /** The service's own name of the field. */
  readonly field: string;
  readonly expected: string;
}

/** The errors of each answer: one field may be damaged in each of its records. */
const driftErrors = new WeakMap<Origin, Map<string, SourceError>>();

/** The error of a field that is not as documented, which is reported; one for all records of an answer. */
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

/** Reports a field that is not as documented. */
export function reportDrift({ surface, endpoint, onDrift }: Origin, name: string, expected: string): void {
  onDrift({ surface, endpoint, field: shownName(name), expected });
}
