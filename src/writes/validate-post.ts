import type { WriteContext } from './context.ts';
import { findAccount, healthOf, type AccountRecord } from '../records/account.ts';
import { parseGlobalId } from '../records/global-id.ts';
import { checkPost, type CreatePostInput } from './create-post.ts';
import type { UserError } from './outcome.ts';
import { lengthWarnings, type PostWarning } from './post-warnings.ts';
import { checkable, type Problems } from './problems.ts';

/** What stands in the way of a post, and what may go wrong with it later. */
export interface PostValidation {
  readonly userErrors: readonly UserError[];
  readonly warnings: readonly PostWarning[];
  /** In the order of the input's ids; null for one that is not there. */
  readonly accounts: readonly (AccountRecord | null)[];
}

/** Checks a post as its creation would, and looks its accounts and their health up; nothing with an effect is sent. */
export async function validatePost(context: WriteContext, input: CreatePostInput): Promise<PostValidation> {
  const { problems } = checkPost(context, input);
  const accounts = await Promise.all(
    checkable(input.accountIds).map((id, index) => look(id, index, { problems, context })),
  );
  const found = accounts.filter((account) => account !== null);
  const warnings = await lengthWarnings(input, found, context);
  return { userErrors: problems.list, warnings, accounts };
}

async function look(
  id: string,
  index: number,
  { problems, context }: { readonly problems: Problems; readonly context: WriteContext },
): Promise<AccountRecord | null> {
  const decoded = parseGlobalId(id);
  if (decoded?.type !== 'Account') return null;
  const account = await findAccount(decoded.surface, decoded.rawId, context);
  if (account === null) {
    problems.add(['accountIds', index], 'is no account of this owner.', 'UNKNOWN_ACCOUNT');
    return null;
  }
  const state = await healthOf(account, context);
  if (state !== 'HEALTHY' && state !== 'UNKNOWN') {
    problems.add(['accountIds', index], `can’t publish: its state is ${state}.`, 'ACCOUNT_UNAVAILABLE');
  }
  return account;
}
