import { ConnectionError, type AccountHealthState } from '../../../client/src/index.ts';

/** Why an account cannot publish, in a word or two; null if it can. */
export const STATE_WORDS: Readonly<Record<AccountHealthState, string | null>> = {
  HEALTHY: null,
  UNKNOWN: null,
  PAUSED: 'paused',
  LOCKED: 'locked',
  BLOCKED: 'blocked',
  DELETED: 'deleted',
  NEEDS_RECONNECT: 'disconnected',
};

/** The same after "it", as the graph writes it. */
export const CANNOT_PUBLISH_WORDS: Readonly<Record<AccountHealthState, string | null>> = {
  HEALTHY: null,
  UNKNOWN: null,
  PAUSED: 'is paused',
  LOCKED: 'is locked',
  BLOCKED: 'is blocked',
  DELETED: 'was deleted',
  NEEDS_RECONNECT: 'must be reconnected',
};

/** What is said of a server that does not respond. */
export const UNREACHABLE = 'This server cannot be reached.';

/** An error as a sentence for the page. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ConnectionError && error.status === null) return UNREACHABLE;
  return error instanceof Error ? error.message : 'Something unexpected happened.';
}

/** The plural of a noun that takes an s. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-GB')} ${noun}${count === 1 ? '' : 's'}`;
}

/** Names in a row, as in a sentence. */
export function listed(names: readonly string[]): string {
  return new Intl.ListFormat('en').format(names);
}

/** Whether two texts are equal but for white space. */
export function sameText(one: string, other: string): boolean {
  return one.replaceAll(/\s+/g, ' ').trim() === other.replaceAll(/\s+/g, ' ').trim();
}
