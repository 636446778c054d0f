import { readAccount, type AccountRecord } from '../records/account.ts';
import type { RecordContext } from '../records/context.ts';
import { encodeGlobalId } from '../records/global-id.ts';
import { networkOf, type SocialNetworkName } from '../records/network.ts';
import { SourceError } from '../sources/errors.ts';
import type { CreatePostInput, PostVariantInput } from './create-post.ts';
import { TEXT_LIMITS, type TextLimit } from './network-limits.ts';
import { checkable } from './problems.ts';

/** What a warning is about; a closed list. */
export const POST_WARNING_CODES = ['TEXT_LONGER_THAN_NETWORK_ALLOWS'] as const;
export type PostWarningCode = (typeof POST_WARNING_CODES)[number];

/** Something that may go wrong with a post once it has been created, and that does not keep it from being sent. */
export interface PostWarning {
  readonly code: PostWarningCode;
  readonly message: string;
  /** The argument that it is about, from `input` on; null where there is none. */
  readonly path: readonly string[] | null;
  /** Global ids of the accounts that it is about, in the order of the input; empty where it is about the whole post. */
  readonly accountIds: readonly string[];
}

/** Warns of texts that are longer than the networks of their accounts allow. */
export async function lengthWarnings(
  { variants }: Pick<CreatePostInput, 'variants'>,
  accounts: readonly AccountRecord[],
  context: RecordContext,
): Promise<readonly PostWarning[]> {
  const accountIdsOf = new Map<SocialNetworkName, string[]>();
  for (const account of accounts) {
    const network = await networkOfAccount(account, context);
    const id = encodeGlobalId({ type: 'Account', surface: account.surface, rawId: account.loginId });
    accountIdsOf.set(network, [...(accountIdsOf.get(network) ?? []), id]);
  }
  return [...accountIdsOf].flatMap(([network, accountIds]) => {
    const limit = TEXT_LIMITS[network];
    const warning = limit && warningOf(network, limit, checkable(variants));
    return warning ? [{ ...warning, accountIds }] : [];
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
): Omit<PostWarning, 'accountIds'> | null {
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

/** Where the content for a network is: in its own variant, or else in the original. */
function variantFor(network: SocialNetworkName, variants: readonly PostVariantInput[]): number {
  const own = variants.findIndex(({ variant }) => networkOf(variant) === network);
  return own >= 0 ? own : variants.findIndex(({ variant }) => variant === 'original');
}
