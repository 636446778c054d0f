import type { RecordContext } from './context.ts';
import { assertUnreadable } from '../lists/errors.ts';
import { readAccount, type AccountField, type AccountRecord } from './account.ts';

/** Whether access to one part of an account is granted. */
export type PermissionState = 'GRANTED' | 'DENIED' | 'UNKNOWN';

/** The parts of an account to which access is granted, with the fields of the list and of the detail that state it. */
const FACTS = {
  publishing: ['publishingAccess'],
  inbox: ['isInboxGranted', 'inboxAccess'],
  analytics: ['isAnalyticsGranted', 'analyticsAccess'],
} as const satisfies Readonly<Record<string, readonly AccountField[]>>;
export type PermittedPart = keyof typeof FACTS;
type Fact = (typeof FACTS)[PermittedPart][number];

/** The value of one field: yes, no or nothing; or it is damaged, or cannot be read now. */
type Answer = boolean | null | 'unreadable';

/**
 * Returns the state of a permission: denied as soon as one field says no, granted if one says yes and all could be
 * read. Fields already loaded are checked first, so that a no among them costs no call.
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
  const told = await answerOf(() => readAccount(account, fact, context));
  if (told === null || typeof told !== 'object') return [told];
  return await Promise.all([answerOf(() => told.hasPermission), answerOf(() => told.hasTask)]);
}

async function answerOf<T>(read: () => T | Promise<T>): Promise<T | 'unreadable'> {
  try {
    return await read();
  } catch (error) {
    assertUnreadable(error);
    return 'unreadable';
  }
}
