import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { ResumeAccount } from '../../../client/src/index.ts';
import { AccountTrouble, type AccountTroubleQuery } from '../documents.ts';
import type { LocalTime } from '../lib/local-time.ts';
import { stored } from '../lib/stored.ts';
import { sentenceOf, STATE_WORDS } from '../lib/words.ts';
import { accountById, accounts, states, type Account } from './accounts.ts';
import { posts, queueTotal, type Post } from './queue.ts';
import { client } from './session.ts';

/** An account that cannot publish, and what waits for it. */
export interface TroubledAccount {
  readonly account: Account;
  /** What the service says about its posts; null if it says nothing. */
  readonly reason: string | null;
  readonly waiting: number;
}

/** Why a post cannot go out, in words; null if nothing is known to be wrong. */
export function reasonOf(post: Post): string | null {
  const state = states.value.get(post.account?.id ?? '');
  const ofAccount = state === undefined ? null : STATE_WORDS[state];
  if (post.failureText !== null) return post.failureText;
  if (ofAccount !== null) return ofAccount;
  if (post.needsReconnect) return 'disconnected';
  if (post.isLocked) return 'locked';
  return post.isAccountPaused || post.isPaused ? 'paused' : null;
}

/** The accounts that cannot publish. */
const troubledAccounts = computed(() => {
  const byAccount = new Map<string, Post[]>();
  for (const post of posts.value) {
    const id = post.account?.id ?? '';
    byAccount.set(id, [...(byAccount.get(id) ?? []), post]);
  }
  return accounts.value.flatMap((account): TroubledAccount[] => {
    const state = states.value.get(account.id) ?? 'UNKNOWN';
    if (STATE_WORDS[state] === null) return [];
    const waiting = byAccount.get(account.id) ?? [];
    const reason = waiting.find(({ failureText }) => failureText !== null)?.failureText ?? null;
    return [{ account, reason, waiting: waiting.length }];
  });
});

/** The posts that cannot go out although their account could publish; the account may not have been read yet. */
const troubledPosts = computed(() =>
  posts.value.filter((post) => {
    const state = states.value.get(post.account?.id ?? '') ?? 'UNKNOWN';
    const isOfAccount = post.needsReconnect || post.isAccountPaused || STATE_WORDS[state] !== null;
    return !isOfAccount && reasonOf(post) !== null;
  }),
);

/** When each of them was noticed, in milliseconds; 0 for those that were there from the start. */
let noticed: ReadonlyMap<string, number> = new Map();

/** All that needs somebody, by its id; what is new comes first. */
export const troubles = computed(() => {
  const all = [
    ...troubledAccounts.value.map((one) => [one.account.id, one] as const),
    ...troubledPosts.value.map((one) => [one.id, one] as const),
  ];
  // A long queue arrives in parts.
  const at = noticed.size > 0 && posts.value.length >= queueTotal.value ? Date.now() : 0;
  const before = noticed;
  noticed = new Map(all.map(([id]) => [id, before.get(id) ?? at]));
  return all.toSorted(([one], [other]) => (noticed.get(other) ?? 0) - (noticed.get(one) ?? 0));
});

const written = stored<Readonly<Record<string, LocalTime>>>('written', () => ({}));

/** Returns when a failed post was written again from this tab; undefined or empty if it was not, or was rejected. */
export function writtenAgain({ id }: Post): LocalTime | undefined {
  return written.value[id];
}

/** Notes that a failed post was written again. It stays in the service's queue all the same. */
export function noteWritten(id: string, at: LocalTime): void {
  written.value = { ...written.value, [id]: at };
}

/** What was found out or done about an account. */
interface Attempt {
  readonly isBusy: boolean;
  readonly message: string | null;
  readonly detail: AccountTroubleQuery['account'];
}

const NONE: Attempt = { isBusy: false, message: null, detail: null };
/** What has been resumed last, in a sentence. */
const done = signal('');
const attempts = signal<ReadonlyMap<string, Attempt>>(new Map());

/** What has been resumed last, in a sentence; empty if nothing was. */
export const resumed: ReadonlySignal<typeof done.value> = done;

/** Returns what was found out or done about an account. */
export function attemptFor(accountId: string): Attempt {
  return attempts.value.get(accountId) ?? NONE;
}

/** Forgets all of it, for what has been read again. */
export function forgetAttempts(): void {
  attempts.value = new Map();
  done.value = '';
}

function note(accountId: string, attempt: Partial<Attempt>): void {
  attempts.value = new Map(attempts.value).set(accountId, { ...attemptFor(accountId), ...attempt });
}

/** Resumes publishing on an account. That it runs again is shown when the health of the account says so. */
export async function resume(accountId: string): Promise<void> {
  note(accountId, { isBusy: true, message: null });
  done.value = '';
  try {
    const result = await client.value?.request(ResumeAccount, { input: { accountId } });
    const [problem] = result?.resumeAccount?.userErrors ?? [];
    const name = accountById.value.get(accountId)?.label ?? 'The account';
    note(accountId, { isBusy: false, message: problem?.message ?? null });
    if (!problem) done.value = `${name} is running again.`;
  } catch (error) {
    note(accountId, { isBusy: false, message: sentenceOf(error) });
  }
}

/** Reads why an account has lost its connection. */
export async function lookInto(accountId: string): Promise<void> {
  note(accountId, { isBusy: true, message: null });
  try {
    const result = await client.value?.request(AccountTrouble, { id: accountId });
    note(accountId, { isBusy: false, detail: result?.account ?? null });
  } catch (error) {
    note(accountId, { isBusy: false, message: sentenceOf(error) });
  }
}
