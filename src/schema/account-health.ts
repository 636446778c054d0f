import { healthOf, type AccountRecord } from '../records/account.ts';
import { reading } from './account-field.ts';
import { builder } from './builder.ts';

export const AccountHealthState = builder.enumType('AccountHealthState', {
  description:
    'State of an account, derived from the service’s flags. If several are set, the first of these applies: deleted, blocked, locked, needs reconnect, paused. This order is defined by this server.',
  values: {
    DELETED: { description: 'The account is flagged as deleted.' },
    BLOCKED: { description: 'The account is flagged as blocked. The reason is undocumented by the service.' },
    LOCKED: { description: 'The account is flagged as locked.' },
    NEEDS_RECONNECT: { description: 'The account must be reconnected.' },
    PAUSED: { description: 'Publishing is paused. Use `resumeAccount` to resume it.' },
    HEALTHY: { description: 'No flag is set. This does not guarantee that the account can publish.' },
    UNKNOWN: { description: 'Not reported by the surface, or could not be read.' },
  } as const,
});

export const AccountHealth = builder.objectRef<AccountRecord>('AccountHealth');

AccountHealth.implement({
  description:
    'State of an account and its connection. On the current surface, most fields require one extra call per account.',
  fields: (t) => ({
    state: t.field({
      type: AccountHealthState,
      nullable: false,
      description:
        'Overall state, for finding accounts that need attention. An account in a list or group counts as not deleted. The legacy surface reports only `PAUSED`.',
      resolve: (account, _args, context) => healthOf(account, context),
      // Only the detail shows whether an account is deleted, and it has all other deciding fields too.
    }),
    needsReconnect: t.boolean({
      description: 'Whether the account must be reconnected.',
      ...reading('needsReconnect'),
    }),
    reconnectKind: t.string({
      description: 'Type of reconnection, as reported by the service.',
      ...reading('reconnectKind'),
    }),
    credentialExpiresAt: t.field({
      type: 'DateTime',
      description: 'The service’s “header expiry” time. What expires then is undocumented by the service.',
      ...reading('credentialExpiresAt'),
    }),
    disconnectReason: t.string({
      description: 'Reason for the disconnection, as reported by the service.',
      ...reading('disconnectReason'),
    }),
    disconnectedAt: t.field({
      type: 'DateTime',
      description: 'When the account was last disconnected.',
      ...reading('disconnectedAt'),
    }),
    areCredentialsEncrypted: t.boolean({
      description: 'Whether the account’s token is encrypted, according to the service.',
      ...reading('areCredentialsEncrypted'),
    }),
  }),
});
