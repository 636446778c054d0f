import type { OperationContext } from '../operation/operation.ts';
import { counterpartOf, readAccount, type AccountRecord } from '../records/account.ts';
import { accountGroupOf } from '../records/account-group.ts';
import { encodeGlobalId } from '../records/global-id.ts';
import { mapMaybePromise } from '../records/maybe-promise.ts';
import { AccountGroup } from './account-group.ts';
import { AccountHealth } from './account-health.ts';
import { AccountPermissions } from './account-permissions.ts';
import {
  LinkShortener,
  networkOfAccount,
  PostingScheduleDay,
  scheduleDays,
  shortenerOf,
} from './account-parts.ts';
import { counterpartCost, groupsCost, readsAccount } from './account-cost.ts';
import { reading } from './account-field.ts';
import { builder } from './builder.ts';
import { costs } from './cost.ts';
import { SocialNetwork } from './social-network.ts';
import { SurfaceEnum } from './surface.ts';

export const Account = builder.objectRef<AccountRecord>('Account');

Account.implement({
  description:
    'A connected account of a social network, as one surface of the service shows it. Fields that this surface does not have are null; `counterpart` leads to the other surface. The credentials of the account are never shown; where one recurs in another field, it reads `[redacted]`.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({
      nullable: false,
      description: 'Opaque id. It includes the surface that the account was read from.',
      resolve: ({ surface, loginId }) => encodeGlobalId({ type: 'Account', surface, rawId: loginId }),
    }),
    surface: t.expose('surface', {
      type: SurfaceEnum,
      nullable: false,
      description: 'The surface that this account was read from; all its fields come from there.',
    }),
    loginId: t.expose('loginId', {
      type: 'ServiceId',
      nullable: false,
      description: 'Id of the account in the service itself.',
    }),
    counterpart: t.field({
      type: Account,
      description:
        'The same account on the other surface; null if that surface has no account with this id and profile address. Needs the credential of the other surface.',
      resolve: (account, _args, context) => counterpartOf(account, context),
      ...costs(counterpartCost),
    }),
  }),
});

// Display, and network.
builder.objectFields(Account, (t) => ({
  displayName: t.string({
    description: 'Name of the account; null where the service gives none.',
    ...reading('displayName'),
  }),
  profileUrl: t.field({
    type: 'URL',
    description: 'Address of the profile.',
    ...reading('profileUrl'),
  }),
  avatarUrl: t.field({
    type: 'URL',
    description: 'Address of the profile picture.',
    ...reading('avatarUrl'),
  }),
  color: t.string({ description: 'Colour associated with the account.', ...reading('color') }),
  network: t.field({
    type: SocialNetwork,
    nullable: false,
    description: 'The social network that the account belongs to, told from `platformCode`.',
    resolve: networkOfAccount,
    ...readsAccount('platformCode'),
  }),
  platformCode: t.string({
    description: 'The service’s own code for the kind of account, such as `linkedin-pages`.',
    ...reading('platformCode'),
  }),
  platformName: t.string({
    description:
      'The service’s own name beside `platformCode`. Only groups tell it: for an account of another list they are read once.',
    ...reading('platformName'),
  }),
  platformId: t.int({
    description:
      'Number of the KIND of account, for `AccountFilter.platformIds`; accounts of one kind share it.',
    ...reading('platformId'),
  }),
}));

// State.
builder.objectFields(Account, (t) => ({
  isPaused: t.boolean({ description: 'Whether the account is paused.', ...reading('isPaused') }),
  statusCode: t.string({
    description: 'The legacy surface’s own word for whether the account is paused.',
    ...reading('statusCode'),
  }),
  isLocked: t.boolean({
    description: 'Whether the account is marked as locked.',
    ...reading('isLocked'),
  }),
  isBlocked: t.boolean({
    description: 'Whether the account is marked as blocked.',
    ...reading('isBlocked'),
  }),
  isDeleted: t.boolean({
    description: 'Whether the account is marked as deleted.',
    ...reading('isDeleted'),
  }),
  isFacebookAppInstalled: t.boolean({
    description: 'Whether the account is marked as having the Facebook app installed.',
    ...reading('isFacebookAppInstalled'),
  }),
}));

// Ids on the network.
builder.objectFields(Account, (t) => ({
  networkProfileId: t.field({
    type: 'ServiceId',
    description: 'Unique id of the social profile, with all its digits.',
    ...reading('networkProfileId'),
  }),
  networkAccountId: t.field({
    type: 'ServiceId',
    description: 'Unique id of the account, with all its digits; not its `loginId`.',
    ...reading('networkAccountId'),
  }),
  pageId: t.field({
    type: 'ServiceId',
    description: 'The service’s id of a page; its owner is not documented.',
    ...reading('pageId'),
  }),
  health: t.field({
    type: AccountHealth,
    nullable: false,
    description: 'What the service says of the account’s state and its connection.',
    resolve: (account) => account,
  }),
  permissions: t.field({
    type: AccountPermissions,
    nullable: false,
    description: 'What may be done on the account, as far as the service tells.',
    resolve: (account) => account,
  }),
}));

// Counters and features.
builder.objectFields(Account, (t) => ({
  inboxCount: t.int({
    description: 'What the service counts in the inbox.',
    ...reading('inboxCount'),
  }),
  queuedPostCount: t.int({
    description: 'What the service counts as queued for the account.',
    ...reading('queuedPostCount'),
  }),
  errorCount: t.int({
    description: 'Errors that the service counts for the account.',
    ...reading('errorCount'),
  }),
  hasAnalytics: t.boolean({
    description: 'Whether there are analytics for it.',
    ...reading('hasAnalytics'),
  }),
  hasInbox: t.boolean({
    description: 'Whether it has an inbox in the service.',
    ...reading('hasInbox'),
  }),
  linkShortener: t.field({
    type: LinkShortener,
    description: 'The link shortener of the account; null for none.',
    resolve: shortenerOf,
    ...readsAccount('shortenerId', 'shortenerCode'),
  }),
}));

// Settings.
builder.objectFields(Account, (t) => ({
  accessCode: t.string({
    description: 'The service’s own code for the kind of access; its meaning is not documented.',
    ...reading('accessCode'),
  }),
  systemBaseStatusCode: t.string({
    description: 'The service’s own code for a base status; its meaning is not documented.',
    ...reading('systemBaseStatusCode'),
  }),
  requiresClientApproval: t.boolean({
    description: 'Whether posts on the account require client approval.',
    ...reading('requiresClientApproval'),
  }),
  settingId: t.field({
    type: 'ServiceId',
    description: 'The service’s own id of a setting of the account.',
    ...reading('settingId'),
  }),
  isSocialDashboardConnected: t.boolean({
    description: 'The service’s flag `socialDashboardConnect`; its meaning is not documented.',
    ...reading('isSocialDashboardConnected'),
  }),
  postingSchedule: t.field({
    type: [PostingScheduleDay],
    nullable: { list: true, items: false },
    description:
      'The schedule slots of the account, from Monday to Sunday; a day that the service leaves out is left out.',
    resolve: (account, _args, context) =>
      mapMaybePromise(readAccount(account, 'scheduleSlots', context), scheduleDays),
    ...readsAccount('scheduleSlots'),
  }),
}));

// Origin, and memberships.
builder.objectFields(Account, (t) => ({
  connectedAt: t.field({
    type: 'DateTime',
    description: 'When the account was created in the service.',
    ...reading('connectedAt'),
  }),
  connectedByCompanyId: t.field({
    type: 'ServiceId',
    description: 'The service’s own id of the company that created the account.',
    ...reading('connectedByCompanyId'),
  }),
  reconnectedByCompanyId: t.field({
    type: 'ServiceId',
    description: 'The service’s own id of the company that connected it again.',
    ...reading('reconnectedByCompanyId'),
  }),
  groups: t.field({
    type: [AccountGroup],
    nullable: { list: true, items: false },
    description: 'The groups that hold the account, on the same surface.',
    resolve: (account, _args, context) => groupsOf(account, context),
    ...costs(groupsCost),
  }),
}));

// Undocumented fields of the service.
builder.objectFields(Account, (t) => ({
  userAccess: t.field({
    type: ['JSON'],
    nullable: { list: true, items: false },
    description: 'Users with access, in a shape that the service does not document; without secrets.',
    ...reading('userAccess'),
  }),
  adminData: t.field({
    type: ['JSON'],
    nullable: { list: true, items: false },
    description: 'Admin data, in a shape that the service does not document; without secrets.',
    ...reading('adminData'),
  }),
  extraData: t.field({
    type: 'JSON',
    description:
      'What went wrong with the account, in a shape that the service does not document; without secrets.',
    ...reading('extraData'),
  }),
  extraParameters: t.field({
    type: 'JSON',
    description:
      'Extra parameters of the account, in a shape that the service does not document; without secrets.',
    ...reading('extraParameters'),
  }),
}));

export const AccountConnection = builder.connectionObject(
  { type: Account, name: 'AccountConnection', description: 'A page of a list of accounts.' },
  { name: 'AccountEdge', description: 'An account at its place in a list.' },
);

function groupsOf(account: AccountRecord, context: OperationContext) {
  if (account.surface === 'legacy') return legacyGroupsOf(account, context);
  return mapMaybePromise(
    readAccount(account, 'groups', context),
    (groups) => groups?.map((part) => accountGroupOf('current', part)) ?? null,
  );
}

async function legacyGroupsOf(account: AccountRecord, context: OperationContext) {
  const groups = await context.loaders.legacyGroupsOf(account.loginId);
  return groups.map((part) => accountGroupOf('legacy', part));
}
