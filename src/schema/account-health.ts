import { healthOf, type AccountRecord } from '../records/account.ts';
import { readsAccount } from './account-cost.ts';
import { reading } from './account-field.ts';
import { builder } from './builder.ts';

const AccountHealthState = builder.enumType('AccountHealthState', {
  description:
    'Whether an account can publish. The worst that applies counts; the values stand in that order.',
  values: {
    DELETED: { description: 'Marked as deleted.' },
    BLOCKED: { description: 'The service marks it so; why, it does not document.' },
    LOCKED: { description: 'Locked by the service.' },
    NEEDS_RECONNECT: { description: 'Its connection to the network must be made again.' },
    PAUSED: { description: 'Publishing is paused; `resumeAccount` ends that.' },
    HEALTHY: { description: 'None of the above.' },
    UNKNOWN: { description: 'This side of the service can’t tell, or could not be asked.' },
  } as const,
});

export const AccountHealth = builder.objectRef<AccountRecord>('AccountHealth');

AccountHealth.implement({
  description:
    'The state of an account’s connection. On the current side most of it costs one further call an account.',
  fields: (t) => ({
    state: t.field({
      type: AccountHealthState,
      nullable: false,
      description:
        'The state in one word. An account that a list or group shows counts as not deleted. The legacy side knows `PAUSED` only.',
      resolve: (account, _args, context) => healthOf(account, context),
      // Only the detail tells whether an account is deleted, and with it all else that decides.
      ...readsAccount('isDeleted'),
    }),
    needsReconnect: t.boolean({
      description: 'Whether the connection must be made again.',
      ...reading('needsReconnect'),
    }),
    reconnectKind: t.string({
      description: 'The service’s own word for how to connect again.',
      ...reading('reconnectKind'),
    }),
    credentialExpiresAt: t.field({
      type: 'DateTime',
      description: 'When the account’s own credential with its network ends.',
      ...reading('credentialExpiresAt'),
    }),
    disconnectReason: t.string({
      description: 'The service’s own word for why the connection was lost.',
      ...reading('disconnectReason'),
    }),
    disconnectedAt: t.field({
      type: 'DateTime',
      description: 'When the connection was last lost.',
      ...reading('disconnectedAt'),
    }),
    areCredentialsEncrypted: t.boolean({
      description: 'Whether the service says that it keeps the account’s credentials encrypted.',
      ...reading('areCredentialsEncrypted'),
    }),
  }),
});
