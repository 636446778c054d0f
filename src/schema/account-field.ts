import type { OperationContext } from '../operation/operation.ts';
import { readAccount, type AccountField, type AccountRecord } from '../records/account.ts';
import { readsAccount } from './account-cost.ts';

/** How one field of an account is read, from what is in hand or with a shared call, and what that costs. */
export function reading<K extends AccountField>(name: K) {
  return {
    resolve: (account: AccountRecord, _args: object, context: OperationContext) =>
      readAccount(account, name, context),
    ...readsAccount(name),
  };
}
