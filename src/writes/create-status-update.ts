import type { WriteContext } from './context.ts';
import { assertSourceError } from '../sources/errors.ts';
import { listLegacyAccounts, type LegacyAccount } from '../sources/legacy/accounts.ts';
import { byId } from '../sources/legacy/by-id.ts';
import { listLegacyGroups, type LegacyGroup } from '../sources/legacy/groups.ts';
import {
  createStatusUpdate as sendUpdate,
  createStatusUpdateWithImage as sendUpdateWithImage,
  type CreatedStatusUpdate,
  type NewStatusUpdate,
} from '../sources/legacy/posts.ts';
import { markOf } from './create-post.ts';
import { completed, refused, resultOfLookup, type UserError, type WriteResult } from './outcome.ts';
import { Problems } from './problems.ts';
import { timesOf } from './timing.ts';
import { checkChosen, membersOf, NO_MEMBERS, type Chosen, type ChosenAccounts } from './several-accounts.ts';
import { performWrite, type KeyedResult } from './write.ts';

/** The input of a status update. */
interface CreateStatusUpdateInput extends ChosenAccounts {
  readonly idempotencyKey?: string | null | undefined;
  readonly text: string;
  readonly timing?:
    | {
        readonly placement?: 'queue' | 'now' | null | undefined;
        readonly scheduledAtLocal?: string | null | undefined;
        readonly scheduledAt?: Date | null | undefined;
      }
    | null
    | undefined;
  readonly preview?: NewStatusUpdate['preview'];
  readonly imageUrl?: string | null | undefined;
}

const WHERE_TO_LOOK = 'Look for the status update on the accounts and in their queues in the service.';

/** Creates a status update on the legacy surface: validates it, also against its lists, then sends it once. */
export async function createStatusUpdate(
  context: WriteContext,
  input: CreateStatusUpdateInput,
): Promise<KeyedResult<CreatedStatusUpdate>> {
  const { update, chosen, problems } = checkUpdate(context, input);
  return await performWrite(context, {
    mutation: 'createStatusUpdate',
    problems: problems.list,
    surface: 'legacy',
    input,
    whereToLook: WHERE_TO_LOOK,
    resembles: resembledBy(context, update),
    send: async () => {
      // The service silently ignores unknown ids, so they are looked up first.
      const accountIds = await lookUp(context, chosen);
      if ('outcome' in accountIds) return accountIds;
      return completed(await send(context, input, { ...update, accountIds }));
    },
  });
}

// It is in the queue of the current surface as a post of the same text, for callers who also have a key.
function resembledBy({ readsBeforeWrites, writes }: WriteContext, { text }: Update) {
  if (!readsBeforeWrites) return null;
  try {
    writes.sources.current();
  } catch (error) {
    assertSourceError(error);
    return null;
  }
  return { surface: 'current', marks: [markOf(text)] } as const;
}

/**
 * Validates a status update, including its accounts and groups. Throws the SourceError of a list of the legacy surface
 * that cannot be read.
 */
export async function validateStatusUpdate(
  context: WriteContext,
  input: CreateStatusUpdateInput,
): Promise<readonly UserError[]> {
  const { chosen, problems } = checkUpdate(context, input);
  if (problems.any) return problems.list;
  const [accounts, groups] = await Promise.all([
    context.loaders.legacyAccounts(),
    chosen.groups.length === 0 ? [] : context.loaders.legacyGroups(),
  ]);
  expand({ accounts, groups }, chosen, problems);
  return problems.list;
}

type Update = Omit<NewStatusUpdate, 'accountIds' | 'preview'>;

function checkUpdate(
  context: WriteContext,
  input: CreateStatusUpdateInput,
): { readonly update: Update; readonly chosen: Chosen; readonly problems: Problems } {
  const problems = Problems.of(input);
  problems.text(['text'], input.text);
  const chosen = checkChosen(input, problems, { surface: 'legacy' });
  if (input.imageUrl != null && input.preview != null)
    problems.add(['preview'], 'A link preview cannot be combined with an image.');
  const timing = input.timing ?? { placement: 'queue' };
  const [scheduledAt] = timesOf(timing, context, problems) ?? [];
  const now = timing.placement === 'now' ? { now: context.legacyTrue } : {};
  const update = { text: input.text, ...(scheduledAt === undefined ? now : { scheduledAt }) };
  return { update, chosen, problems };
}

// A failed look-up is unambiguous: the write was not sent.
async function lookUp(
  context: WriteContext,
  chosen: Chosen,
): Promise<readonly string[] | WriteResult<never>> {
  const problems = new Problems();
  try {
    const legacy = context.writes.sources.legacy();
    const [accounts, groups] = await Promise.all([
      listLegacyAccounts(legacy),
      chosen.groups.length === 0 ? [] : listLegacyGroups(legacy),
    ]);
    const accountIds = expand({ accounts, groups }, chosen, problems);
    return problems.any ? refused(problems.list) : accountIds;
  } catch (error) {
    assertSourceError(error);
    return resultOfLookup(error, 'its accounts and groups');
  }
}

/** The owner's lists on the legacy surface. */
interface Listed {
  readonly accounts: readonly LegacyAccount[];
  readonly groups: readonly LegacyGroup[];
}

function expand({ accounts, groups }: Listed, chosen: Chosen, problems: Problems): readonly string[] {
  const findAccount = byId(accounts, (account) => account.loginId);
  const findGroup = byId(groups, (group) => group.groupId);
  const wanted = new Set<string>();
  const want = (loginId: string, path: readonly (string | number)[], whose = ''): void => {
    if (findAccount(loginId) !== null) wanted.add(loginId);
    else
      problems.add(
        path,
        `Account ${loginId}${whose} was not found on the legacy surface.`,
        'UNKNOWN_ACCOUNT',
      );
  };
  for (const [index, { rawId }] of chosen.accounts.entries()) want(rawId, ['accountIds', index]);
  for (const [index, id] of chosen.groups.entries()) {
    for (const loginId of membersOf(findGroup(id.rawId), id, { index, problems }))
      want(loginId, ['accountGroupIds', index], ' of the group');
  }
  if (!problems.any && wanted.size === 0) problems.add(['accountGroupIds'], NO_MEMBERS, 'UNKNOWN_ACCOUNT');
  return [...wanted];
}

async function send(
  context: WriteContext,
  { preview, imageUrl }: CreateStatusUpdateInput,
  update: NewStatusUpdate,
): Promise<CreatedStatusUpdate> {
  const client = context.writes.sources.legacy();
  if (imageUrl != null) return await sendUpdateWithImage(client, { ...update, imageUrl });
  return await sendUpdate(client, { ...update, preview });
}
