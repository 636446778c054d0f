import { healthOf, type AccountRecord } from '../records/account.ts';
import { builder, defineEnum } from './builder.ts';
import { boolean, dateTime, shown, string } from './data.ts';

export const AccountHealthState = defineEnum(
  'AccountHealthState',
  'State of an account, derived from the service’s flags. If several are set, the first of these applies: deleted, blocked, locked, needs reconnect, paused. This order is defined by this server.',
  {
    DELETED: 'The account is flagged as deleted.',
    BLOCKED: 'The account is flagged as blocked. The reason is undocumented by the service.',
    LOCKED: 'The account is flagged as locked.',
    NEEDS_RECONNECT: 'The account must be reconnected.',
    PAUSED: 'Publishing is paused. Use `resumeAccount` to resume it.',
    HEALTHY: 'No flag is set. This does not guarantee that the account can publish.',
    UNKNOWN: 'Not reported by the surface, or could not be read.',
  },
);

export const AccountHealth = builder.objectRef<AccountRecord>('AccountHealth');

AccountHealth.implement({
  description:
    'State of an account and its connection. On the current surface, most fields require one extra call per account.',
  fields: (t) =>
    shown(t, {
      state: t.field({
        type: AccountHealthState,
        nullable: false,
        description:
          'Overall state, for finding accounts that need attention. An account in a list or group counts as not deleted. The legacy surface reports only `PAUSED`.',
        resolve: (account, _args, context) => healthOf(account, context),
      }),
      needsReconnect: boolean('Whether the account must be reconnected.'),
      reconnectKind: string('Type of reconnection, as reported by the service.'),
      credentialExpiresAt: dateTime(
        'The service’s “header expiry” time. What expires then is undocumented by the service.',
      ),
      disconnectReason: string('Reason for the disconnection, as reported by the service.'),
      disconnectedAt: dateTime('When the account was last disconnected.'),
      areCredentialsEncrypted: boolean('Whether the account’s token is encrypted, according to the service.'),
    }),
});
