import { healthOf, type AccountRecord } from '../records/account.ts';
import { readsAccount } from './account-cost.ts';
import { reading } from './account-field.ts';
import { builder } from './builder.ts';

export const AccountHealthState = builder.enumType('AccountHealthState', {
  description:
    'The state of an account, derived from the service’s flags. If several are set, one counts: deleted before blocked, locked, needs reconnect and paused. This order is the graph’s own; the service documents none.',
  values: {
    DELETED: { description: 'Marked as deleted.' },
    BLOCKED: { description: 'Marked as blocked; the service does not document why.' },
    LOCKED: { description: 'Marked as locked.' },
    NEEDS_RECONNECT: { description: 'The account requires reconnection.' },
    PAUSED: { description: 'The account is paused; `resumeAccount` ends that.' },
    HEALTHY: { description: 'No flag is set. This does not mean that the account can publish.' },
    UNKNOWN: { description: 'Unknown: the surface does not report it, or could not be asked.' },
  } as const,
});

export const AccountHealth = builder.objectRef<AccountRecord>('AccountHealth');

AccountHealth.implement({
  description:
    'The state of an account and its connection. On the current surface most of it costs one further call an account.',
  fields: (t) => ({
    state: t.field({
      type: AccountHealthState,
      nullable: false,
      description:
        'The state in one word. An account that a list or group shows counts as not deleted. The legacy surface knows `PAUSED` only.',
      resolve: (account, _args, context) => healthOf(account, context),
      // Only the detail shows whether an account is deleted, and it has all other deciding fields too.
      ...readsAccount('isDeleted'),
    }),
    needsReconnect: t.boolean({
      description: 'Whether the account requires reconnection.',
      ...reading('needsReconnect'),
    }),
    reconnectKind: t.string({
      description: 'The service’s own word for the type of reconnection.',
      ...reading('reconnectKind'),
    }),
    credentialExpiresAt: t.field({
      type: 'DateTime',
      description: 'The service’s time of “header expiry”. What expires then is not documented.',
      ...reading('credentialExpiresAt'),
    }),
    disconnectReason: t.string({
      description: 'The service’s own word for the reason of a disconnect.',
      ...reading('disconnectReason'),
    }),
    disconnectedAt: t.field({
      type: 'DateTime',
      description: 'When the account was last disconnected.',
      ...reading('disconnectedAt'),
    }),
    areCredentialsEncrypted: t.boolean({
      description: 'Whether the service says that the account’s token is encrypted.',
      ...reading('areCredentialsEncrypted'),
    }),
  }),
});
