import type { WriteContext } from './context.ts';
import { findAccount, healthOf, labelOf, type AccountRecord } from '../records/account.ts';
import { parseGlobalId } from '../records/global-id.ts';
import { checkPost, type CreatePostInput } from './create-post.ts';
import type { UserError } from './outcome.ts';
import { outlookOf, type PostOutlook } from './post-outlook.ts';
import { checkable, type Problems } from './problems.ts';

/** The problems of a post. */
export interface CheckedPost {
  readonly userErrors: readonly UserError[];
  /** In the order of the input's ids; null for one that does not exist. */
  readonly accounts: readonly (AccountRecord | null)[];
  /** Reads what may go wrong with it later, once. */
  readonly outlook: () => Promise<PostOutlook>;
}

/**
 * Validates a post as its creation would, and looks up its accounts and their health; no writes are sent. The outlook is
 * read on request only, because it takes the whole queue. For many posts validated in one context, the queue, the plan
 * and each account are read once.
 */
export async function validatePost(context: WriteContext, input: CreatePostInput): Promise<CheckedPost> {
  const { post, problems } = checkPost(context, input);
  const accounts = await Promise.all(
    checkable(input.accountIds).map((id, index) => look(id, index, { problems, context })),
  );
  const found = accounts.filter((account) => account !== null);
  const times = post.scheduleDateTimes?.map((time) => time.replace(' ', 'T')) ?? null;
  let outlook: Promise<PostOutlook> | undefined;
  return {
    userErrors: problems.list,
    accounts,
    outlook: () => (outlook ??= outlookOf(context, { input, times, accounts: found })),
  };
}

/** Why an account cannot publish, after "it". */
const REASONS = {
  DELETED: 'was deleted',
  BLOCKED: 'is blocked',
  LOCKED: 'is locked',
  NEEDS_RECONNECT: 'must be reconnected',
  PAUSED: 'is paused',
} as const;

async function look(
  id: string,
  index: number,
  { problems, context }: { readonly problems: Problems; readonly context: WriteContext },
): Promise<AccountRecord | null> {
  const decoded = parseGlobalId(id);
  if (decoded?.type !== 'Account') return null;
  const account = await findAccount(decoded.surface, decoded.rawId, context);
  if (account === null) {
    problems.add(['accountIds', index], `Account ${decoded.rawId} was not found.`, 'UNKNOWN_ACCOUNT');
    return null;
  }
  const state = await healthOf(account, context);
  if (state !== 'HEALTHY' && state !== 'UNKNOWN') {
    const message = `${labelOf(account)} cannot publish because it ${REASONS[state]}.`;
    problems.add(['accountIds', index], message, 'ACCOUNT_UNAVAILABLE');
  }
  return account;
}
