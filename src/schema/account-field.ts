import type { OperationContext } from '../operation/operation.ts';
import { readAccount, type AccountField, type AccountRecord } from '../records/account.ts';

/** Returns the resolver of one account field, which uses loaded data or a shared call, and its cost. */
export function reading<K extends AccountField>(name: K) {
  return {
    resolve: (account: AccountRecord, _args: object, context: OperationContext) =>
      readAccount(account, name, context),
    extensions: { shows: name },
  };
}
