import type { Surface } from '../sources/errors.ts';

/** A caller's credential for one surface, as sent. */
export type Credential =
  | {
      readonly state: 'missing';
      /** True if the header was present, but in an unsupported form. */
      readonly isInOtherForm?: boolean;
    }
  /** Sent, but in a form that no credential has; it is not passed on. */
  | { readonly state: 'unusable' }
  | {
      readonly state: 'given';
      readonly value: string;
      /** True for the operator's own credential, used because the caller sent none. */
      readonly isOperators?: boolean;
    };

/** The caller's credentials: an API key for the current surface, an access token for the legacy one. */
export type Credentials = Readonly<Record<Surface, Credential>>;

/** Returns all credentials of a caller. */
export function givenIn({ current, legacy }: Credentials): readonly string[] {
  const given: string[] = [];
  if (current.state === 'given') given.push(current.value);
  if (legacy.state === 'given') given.push(legacy.value);
  return given;
}
