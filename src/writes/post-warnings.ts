import { readAccount, type AccountRecord } from '../records/account.ts';
import type { RecordContext } from '../records/context.ts';
import { encodeGlobalId } from '../records/global-id.ts';
import { NETWORK_NAMES, networkOf, type SocialNetworkName } from '../records/network.ts';
import { assertSourceError } from '../sources/errors.ts';
import type { CreatePostInput, PostVariantInput } from './create-post.ts';
import { checkable, checkableText } from './problems.ts';
import { measure, TEXT_LIMITS, TEXT_UNITS } from './network-limits.ts';

/** The reasons for warnings; a closed list. */
export type PostWarningCode =
  | 'TEXT_LONGER_THAN_NETWORK_ALLOWS'
  | 'SAME_TEXT_IN_QUEUE'
  | 'SAME_MINUTE_AS_QUEUED_POST'
  | 'QUEUE_NEAR_LIMIT'
  | 'TIME_OUTSIDE_SCHEDULE';

/** Something that may go wrong with a created post, but does not prevent it from being sent. */
export interface PostWarning {
  readonly code: PostWarningCode;
  readonly message: string;
  /** Path of the argument concerned, starting with `input`; null if there is none. */
  readonly path: readonly string[] | null;
  /** Global ids of the accounts concerned, in the order of the input; empty if it concerns the whole post. */
  readonly accountIds: readonly string[];
  /** Global ids of some of the queued posts concerned; empty if there are none. */
  readonly queuedPostIds: readonly string[];
}

/** A target account of a post. */
export interface PostTarget {
  readonly account: AccountRecord;
  /** `UNKNOWN` if the service's response does not state it. */
  readonly network: SocialNetworkName;
  /** Index of the variant that it gets: that of its network, or else the original; -1 if there is neither. */
  readonly variantIndex: number;
}

/** Returns the target accounts of a post with their networks and variants. */
export async function targetsOf(
  accounts: readonly AccountRecord[],
  { variants }: Pick<CreatePostInput, 'variants'>,
  context: RecordContext,
): Promise<PostTarget[]> {
  const networks = await Promise.all(accounts.map((account) => networkOfAccount(account, context)));
  const indexes = new Map(networks.map((network) => [network, -1]));
  for (const network of indexes.keys()) indexes.set(network, variantFor(network, checkable(variants)));
  return accounts.map((account, index) => {
    const network = networks[index] ?? 'UNKNOWN';
    return { account, network, variantIndex: indexes.get(network) ?? -1 };
  });
}

/** Returns the global ids of the target accounts of a post. */
export function idsOf(targets: readonly PostTarget[]): string[] {
  return targets.map(({ account: { surface, loginId } }) =>
    encodeGlobalId({ type: 'Account', surface, rawId: loginId }),
  );
}

/** Warns of texts that exceed the limits of the target accounts' networks. */
export function lengthWarnings(
  { variants }: Pick<CreatePostInput, 'variants'>,
  targets: readonly PostTarget[],
): readonly PostWarning[] {
  return TEXT_LIMITS.flatMap(({ network, field, unit, max }) => {
    const concerned = targets.filter((target) => target.network === network);
    const index = concerned[0]?.variantIndex ?? -1;
    const length = measure(checkableText(variants[index]?.[field]) ?? '', unit);
    if (length <= max) return [];
    const name = NETWORK_NAMES[network];
    return [
      {
        code: 'TEXT_LONGER_THAN_NETWORK_ALLOWS',
        message: `The ${field} for ${name} has ${length} ${TEXT_UNITS[unit].name}; ${name} allows ${max}.`,
        path: ['input', 'variants', String(index), field],
        accountIds: idsOf(concerned),
        queuedPostIds: [],
      },
    ];
  });
}

// The account's own field reports a damaged response, which does not prevent a post from being checked.
async function networkOfAccount(account: AccountRecord, context: RecordContext): Promise<SocialNetworkName> {
  try {
    return networkOf(await readAccount(account, 'platformCode', context));
  } catch (error) {
    assertSourceError(error);
    return 'UNKNOWN';
  }
}

function variantFor(network: SocialNetworkName, variants: readonly PostVariantInput[]): number {
  const own = variants.findIndex(({ variant }) => networkOf(variant) === network);
  return own >= 0 ? own : variants.findIndex(({ variant }) => variant === 'original');
}
