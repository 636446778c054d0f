import { ConnectionError, GraphError, type AccountHealthState } from '../../../client/src/index.ts';

/** Why an account cannot publish, in a word or two; null if it can. */
export const STATE_WORDS: Readonly<Record<AccountHealthState, string | null>> = {
  HEALTHY: null,
  UNKNOWN: null,
  PAUSED: 'paused',
  LOCKED: 'locked',
  BLOCKED: 'blocked',
  DELETED: 'deleted',
  NEEDS_RECONNECT: 'reconnect',
};

/** What that means, for the list of what needs somebody. */
export const STATE_SENTENCES: Readonly<Record<AccountHealthState, string>> = {
  HEALTHY: 'Nothing is wrong.',
  UNKNOWN: 'The service does not report its state.',
  PAUSED: 'Publishing is paused.',
  LOCKED: 'The service has locked this account.',
  BLOCKED: 'The service has blocked this account.',
  DELETED: 'The account is deleted.',
  NEEDS_RECONNECT: 'The network has ended the connection.',
};

/** An error as a sentence for the page. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ConnectionError && error.status === null) return 'This server cannot be reached.';
  if (error instanceof GraphError || error instanceof Error) return error.message;
  return 'Something unexpected happened.';
}

/** The plural of a noun that takes an s. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-GB')} ${noun}${count === 1 ? '' : 's'}`;
}
