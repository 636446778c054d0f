import type { Random } from './data/random.ts';

/** The kinds of secrets that the sandbox distinguishes. */
export type SecretGroup =
  | 'accountTokens'
  | 'nested'
  | 'apiKeys'
  | 'accessTokens'
  | 'clientSecrets'
  | 'passwords'
  | 'authorizationCodes'
  | 'billingSessions';

/**
 * Everything that must never leak, group by group, for tests that scan output.
 *
 * `accountTokens` (tokens of the connected networks) and `nested` (the same kind, hidden in undocumented shapes) are
 * planted in records; the others are credentials. `accessTokens`, `authorizationCodes` and `billingSessions` grow as
 * the sandbox issues them.
 */
export type Secrets = Readonly<Record<SecretGroup, readonly string[]>> & {
  /** The secrets planted in records: no part of any response may contain one. */
  readonly planted: readonly string[];
  /** Every group in one list. */
  all(): string[];
};

/** Creates and records secrets. */
export interface SecretBook {
  readonly secrets: Secrets;
  /** Creates a unique, recognisable text and records it. */
  plant(group: 'accountTokens' | 'nested', owner: string, label: string): string;
  /** Records a secret that was created elsewhere, and returns it. */
  note(group: SecretGroup, value: string): string;
}

/** Creates an empty book; `random` makes the planted texts reproducible. */
export function createSecretBook(random: Random): SecretBook {
  const groups: Record<SecretGroup, string[]> = {
    accountTokens: [],
    nested: [],
    apiKeys: [],
    accessTokens: [],
    clientSecrets: [],
    passwords: [],
    authorizationCodes: [],
    billingSessions: [],
  };
  const note = (group: SecretGroup, value: string) => {
    groups[group].push(value);
    return value;
  };
  let count = 0;
  return {
    note,
    plant(group, owner, label) {
      count += 1;
      return note(group, `planted-${owner}-${label}-${count}-${random.hex(16)}`);
    },
    secrets: {
      ...groups,
      get planted() {
        return [...groups.accountTokens, ...groups.nested];
      },
      all: () => Object.values(groups).flat(),
    },
  };
}
