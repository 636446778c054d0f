import { SourceError, type Surface } from './errors.ts';
import { shownName } from './field-name.ts';
import type { Mismatch } from './mismatch.ts';
import type { Secrets } from './secrets.ts';

/** The origin of a record, used to report which field of which endpoint deviates from its documentation. */
export interface Origin {
  readonly surface: Surface;
  readonly endpoint: string;
  /** Called for each field that deviates from its documentation. */
  readonly onDrift: (drift: Drift) => void;
  /** The secrets of the whole response, if the record is part of one. */
  readonly secrets?: () => Secrets;
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

/** Reports a field that deviates from its documentation. */
export function reportDrift({ surface, endpoint, onDrift }: Origin, name: string, expected: string): void {
  onDrift({ surface, endpoint, field: shownName(name), expected });
}
