import type { Item } from '../watch/observation.ts';
import { loginIdOf } from './arguments.ts';
import { builder } from './builder.ts';
import { InputError } from './errors.ts';

/** The filter of both watched lists. */
export const WatchFilter = builder.inputType('WatchFilter', {
  description: 'Filters for the watched accounts and posts.',
  fields: (t) => ({
    accountIds: t.idList({
      description: 'IDs of accounts on the current surface (at most 100).',
    }),
  }),
});

const MAX_ACCOUNTS = 100;
const everything = (): true => true;

/** Returns the predicate of a watch filter. Throws an InputError if an id is not an account id. */
export function wantedBy<R>(
  filter: typeof WatchFilter.$inferInput | null | undefined,
  accountOf: (record: R) => string | null,
): (item: Item<R>) => boolean {
  const accountIds = filter?.accountIds;
  if (accountIds == null) return everything;
  if (accountIds.length === 0 || accountIds.length > MAX_ACCOUNTS)
    throw new InputError(`filter.accountIds must contain 1 to ${MAX_ACCOUNTS} IDs.`);
  const wanted = new Set(
    accountIds.map((id, index) => loginIdOf(id, `filter.accountIds[${index}]`, 'cannot be watched')),
  );
  return ({ record }) => wanted.has(accountOf(record) ?? '');
}
