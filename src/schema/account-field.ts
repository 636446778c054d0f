import type { OperationContext } from '../context.ts';
import { readAccount, type AccountField, type AccountRecord } from '../records/account.ts';

/** A resolver that reads one field of an account, from what is in hand or with a shared call. */
export function reading<K extends AccountField>(name: K) {
  return (account: AccountRecord, _args: object, context: OperationContext) =>
    readAccount(account, name, context);
}
