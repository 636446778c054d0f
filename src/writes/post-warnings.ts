import { readAccount, type AccountRecord } from '../records/account.ts';
import type { RecordContext } from '../records/context.ts';
import { encodeGlobalId } from '../records/global-id.ts';
import { networkOf, type SocialNetworkName } from '../records/network.ts';
import { SourceError } from '../sources/errors.ts';
import type { CreatePostInput, PostVariantInput } from './create-post.ts';
import { TEXT_LIMITS, type TextLimit } from './network-limits.ts';
import { checkable } from './problems.ts';

/** What a warning is about; a closed list. */
export const POST_WARNING_CODES = [
  'TEXT_LONGER_THAN_NETWORK_ALLOWS',
  'SAME_TEXT_IN_QUEUE',
  'SAME_MINUTE_AS_QUEUED_POST',
  'QUEUE_NEAR_LIMIT',
  'TIME_OUTSIDE_SCHEDULE',
] as const;
export type PostWarningCode = (typeof POST_WARNING_CODES)[number];

/** Something that may go wrong with a post once it has been created, and that does not keep it from being sent. */
export interface PostWarning {
  readonly code: PostWarningCode;
  readonly message: string;
  /** The argument that it is about, from `input` on; null where there is none. */
  readonly path: readonly string[] | null;
  /** Global ids of the accounts that it is about, in the order of the input; empty where it is about the whole post. */
  readonly accountIds: readonly string[];
  /** Global ids of posts of the queue that it is about, a few of them; empty where it is about none. */
  readonly queuedPostIds: readonly string[];
}

/** An account that a post is for, and its network. */
export interface PostTarget {
  readonly account: AccountRecord;
  readonly network: SocialNetworkName;
}

/** The accounts that a post is for, with their networks; `UNKNOWN` where the service's answer does not give it. */
export function targetsOf(accounts: readonly AccountRecord[], context: RecordContext): Promise<PostTarget[]> {
  return Promise.all(
    accounts.map(async (account) => ({ account, network: await networkOfAccount(account, context) })),
  );
}

/** The global ids of the accounts that a post is for. */
export function idsOf(targets: readonly PostTarget[]): string[] {
  return targets.map(({ account: { surface, loginId } }) =>
    encodeGlobalId({ type: 'Account', surface, rawId: loginId }),
  );
}

/** Warns of texts that are longer than the networks of their accounts allow. */
export function lengthWarnings(
  { variants }: Pick<CreatePostInput, 'variants'>,
  targets: readonly PostTarget[],
): readonly PostWarning[] {
  const networks = new Set(targets.map(({ network }) => network));
  return [...networks].flatMap((network) => {
    const limit = TEXT_LIMITS[network];
    const warning = limit && warningOf(network, limit, checkable(variants));
    const accountIds = idsOf(targets.filter((target) => target.network === network));
    return warning ? [{ ...warning, accountIds, queuedPostIds: [] }] : [];
  });
}

// Damage of the service's answer is told by the account's own field, and keeps no post from being checked.
async function networkOfAccount(account: AccountRecord, context: RecordContext): Promise<SocialNetworkName> {
  try {
    return networkOf(await readAccount(account, 'platformCode', context));
  } catch (error) {
    if (error instanceof SourceError) return 'UNKNOWN';
    throw error;
  }
}

function warningOf(
  network: SocialNetworkName,
  { field, most }: TextLimit,
  variants: readonly PostVariantInput[],
): Omit<PostWarning, 'accountIds' | 'queuedPostIds'> | null {
  const index = variantFor(network, variants);
  const length = codePointsOf(variants[index]?.[field] ?? '');
  if (length <= most) return null;
  const path = ['input', 'variants', String(index), field];
  const message = `${path.join('.')} has ${length} characters, counted as code points; ${network} allows ${most}.`;
  return { code: 'TEXT_LONGER_THAN_NETWORK_ALLOWS', message, path };
}

function codePointsOf(text: string): number {
  return text.match(/[^]/gu)?.length ?? 0;
}

/** Where the content for a network is: in its own variant, or else in the original; -1 where it is in neither. */
export function variantFor(network: SocialNetworkName, variants: readonly PostVariantInput[]): number {
  const own = variants.findIndex(({ variant }) => networkOf(variant) === network);
  return own >= 0 ? own : variants.findIndex(({ variant }) => variant === 'original');
}
