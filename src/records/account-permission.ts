import type { RecordContext } from './context.ts';
import { PagingError } from '../lists/errors.ts';
import { SourceError } from '../sources/errors.ts';
import { readAccount, type AccountField, type AccountRecord } from './account.ts';

/** Whether access to one part of an account is granted. */
export type PermissionState = 'GRANTED' | 'DENIED' | 'UNKNOWN';

/** The parts of an account that access is granted to, and the fields that tell of each: of the list, and of the detail. */
const FACTS = {
  publishing: ['publishingAccess'],
  inbox: ['isInboxGranted', 'inboxAccess'],
  analytics: ['isAnalyticsGranted', 'analyticsAccess'],
} as const satisfies Readonly<Record<string, readonly AccountField[]>>;
export type PermittedPart = keyof typeof FACTS;
type Fact = (typeof FACTS)[PermittedPart][number];

/** The fields that tell of a permission. */
export function factsOf(part: PermittedPart): readonly Fact[] {
  return FACTS[part];
}

/** What a fact says: yes, no or nothing; or else it is damaged, or can't be read now. */
type Answer = boolean | null | 'unreadable';

/**
 * The state of a permission: denied as soon as one fact says no, granted when one says yes and all could be read. What is
 * in hand is looked at first, so that a no costs no call where it is there.
 */
export async function permissionOf(
  account: AccountRecord,
  part: PermittedPart,
  context: RecordContext,
): Promise<PermissionState> {
  if (account.surface === 'legacy') return 'UNKNOWN';
  const isFar = (fact: Fact): number => Number(!(fact in account.part));
  const answers: Answer[] = [];
  for (const fact of FACTS[part].toSorted((one, other) => isFar(one) - isFar(other))) {
    answers.push(...(await answersOf(account, fact, context)));
    if (answers.includes(false)) return 'DENIED';
  }
  return answers.includes(true) && !answers.includes('unreadable') ? 'GRANTED' : 'UNKNOWN';
}

async function answersOf(account: AccountRecord, fact: Fact, context: RecordContext): Promise<Answer[]> {
  try {
    const told = await readAccount(account, fact, context);
    if (told === null || typeof told === 'boolean') return [told];
    return [answer(() => told.hasPermission), answer(() => told.hasTask)];
  } catch (error) {
    return [unreadable(error)];
  }
}

function answer(read: () => boolean | null): Answer {
  try {
    return read();
  } catch (error) {
    return unreadable(error);
  }
}

function unreadable(error: unknown): 'unreadable' {
  if (error instanceof SourceError || error instanceof PagingError) return 'unreadable';
  throw error;
}
