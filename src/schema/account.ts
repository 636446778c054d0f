import type { OperationContext } from '../operation/operation.ts';
import { counterpartOf, labelOf, readAccount, type AccountRecord } from '../records/account.ts';
import { accountGroupOf } from '../records/account-group.ts';
import { encodeGlobalId } from '../records/global-id.ts';
import { mapMaybePromise } from '../records/maybe-promise.ts';
import { AccountGroup } from './account-group.ts';
import { AccountHealth } from './account-health.ts';
import {
  LinkShortener,
  knownNetworkOf,
  networkOfAccount,
  PostingScheduleDay,
  scheduleDays,
  shortenerOf,
} from './account-parts.ts';
import { reading } from './account-field.ts';
import { builder } from './builder.ts';
import { SocialNetwork } from './social-network.ts';
import { SurfaceEnum } from './surface.ts';
import { permissionOf, type PermittedPart } from '../records/account-permission.ts';

export const Account = builder.objectRef<AccountRecord>('Account');

Account.implement({
  description:
    'A connected social media account, as seen on one surface. Fields that the surface does not provide are null; `counterpart` returns the same account on the other surface. Credentials are never exposed: any that occur in another field are replaced with `[redacted]`.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({
      nullable: false,
      description: 'Globally unique ID, specific to the surface that the account was read from.',
      resolve: ({ surface, loginId }) => encodeGlobalId({ type: 'Account', surface, rawId: loginId }),
    }),
  }),
});

// Name and network.
builder.objectFields(Account, (t) => ({
  label: t.string({
    nullable: false,
    description:
      'Name to display: `displayName`, or else the network and id, such as `Instagram account 410201`.',
    resolve: labelOf,
  }),
  displayName: t.string({
    description: 'Name of the account; null if the service reports none. For display, use `label`.',
    ...reading('displayName'),
  }),
  network: t.field({
    type: SocialNetwork,
    nullable: false,
    description: 'Social network of the account, derived from `platformCode`.',
    resolve: networkOfAccount,
    extensions: { shows: 'platformCode', as: knownNetworkOf },
  }),
}));

// State.
builder.objectFields(Account, (t) => ({
  health: t.field({
    type: AccountHealth,
    nullable: false,
    description: 'State of the account and its connection.',
    resolve: (account) => account,
  }),
  permissions: t.field({
    type: AccountPermissions,
    nullable: false,
    description: 'Permissions on the account, where reported.',
    resolve: (account) => account,
  }),
  isPaused: t.boolean({
    description: 'Whether publishing is paused. For the overall state, use `health.state`.',
    ...reading('isPaused'),
  }),
  statusCode: t.string({
    description:
      'Run status on the legacy surface, `Running` or `Paused`. Use `isPaused`, which both surfaces report.',
    ...reading('statusCode'),
  }),
  isLocked: t.boolean({
    description: 'Whether the account is flagged as locked.',
    ...reading('isLocked'),
  }),
  isBlocked: t.boolean({
    description: 'Whether the account is flagged as blocked.',
    ...reading('isBlocked'),
  }),
  isDeleted: t.boolean({
    description: 'Whether the account is flagged as deleted.',
    ...reading('isDeleted'),
  }),
  isFacebookAppInstalled: t.boolean({
    description: 'Whether the Facebook app is installed for the account.',
    ...reading('isFacebookAppInstalled'),
  }),
}));

// Surfaces.
builder.objectFields(Account, (t) => ({
  surface: t.field({
    resolve: ({ surface }) => surface,
    type: SurfaceEnum,
    nullable: false,
    description: 'Surface that the account was read from.',
  }),
  loginId: t.field({
    resolve: ({ loginId }) => loginId,
    type: 'ServiceId',
    nullable: false,
    description: 'The service’s own id for the account.',
  }),
  counterpart: t.field({
    type: Account,
    description:
      'The same account on the other surface, matched by id and profile URL; null if there is none. Requires a credential for that surface.',
    resolve: (account, _args, context) => counterpartOf(account, context),
  }),
}));

// Display, and kind of account.
builder.objectFields(Account, (t) => ({
  profileUrl: t.field({
    type: 'URL',
    description: 'URL of the profile on its network.',
    ...reading('profileUrl'),
  }),
  avatarUrl: t.field({
    type: 'URL',
    description: 'URL of the profile picture.',
    ...reading('avatarUrl'),
  }),
  color: t.string({ description: 'Hex colour associated with the account.', ...reading('color') }),
  platformCode: t.string({
    description: 'The service’s code for the kind of account, such as `linkedin-pages`.',
    ...reading('platformCode'),
  }),
  platformName: t.string({
    description: 'The service’s name for the kind of account. Read from the group list if not already known.',
    ...reading('platformName'),
  }),
  platformId: t.int({
    description: 'Numeric code of the kind of account. Use it in `AccountFilter.platformIds`.',
    ...reading('platformId'),
  }),
}));

// Ids on the network.
builder.objectFields(Account, (t) => ({
  networkProfileId: t.field({
    type: 'ServiceId',
    description: 'The network’s own id for the profile.',
    ...reading('networkProfileId'),
  }),
  networkAccountId: t.field({
    type: 'ServiceId',
    description: 'The network’s own id for the account; not the `loginId`.',
    ...reading('networkAccountId'),
  }),
  pageId: t.field({
    type: 'ServiceId',
    description: 'Id of a page. Undocumented by the service.',
    ...reading('pageId'),
  }),
}));

// Counters and features.
builder.objectFields(Account, (t) => ({
  inboxCount: t.int({
    description: 'Number of inbox items, as counted by the service.',
    ...reading('inboxCount'),
  }),
  queuedPostCount: t.int({
    description: 'Number of queued posts, as counted by the service.',
    ...reading('queuedPostCount'),
  }),
  errorCount: t.int({
    description: 'Number of errors that the service reports for the account.',
    ...reading('errorCount'),
  }),
  hasAnalytics: t.boolean({
    description: 'Whether analytics are available.',
    ...reading('hasAnalytics'),
  }),
  hasInbox: t.boolean({
    description: 'Whether the account has an inbox in the service.',
    ...reading('hasInbox'),
  }),
  linkShortener: t.field({
    type: LinkShortener,
    description: 'Link shortener of the account; null if it has none.',
    resolve: shortenerOf,
  }),
}));

// Settings.
builder.objectFields(Account, (t) => ({
  accessCode: t.string({
    description: 'Kind of access, as a code. Undocumented by the service.',
    ...reading('accessCode'),
  }),
  systemBaseStatusCode: t.string({
    description: 'Base status, as a code. Undocumented by the service.',
    ...reading('systemBaseStatusCode'),
  }),
  requiresClientApproval: t.boolean({
    description: 'Whether posts on the account require client approval.',
    ...reading('requiresClientApproval'),
  }),
  settingId: t.field({
    type: 'ServiceId',
    description: 'Id of a setting of the account. Undocumented by the service.',
    ...reading('settingId'),
  }),
  isSocialDashboardConnected: t.boolean({
    description: 'The service’s `socialDashboardConnect` flag. Undocumented by the service.',
    ...reading('isSocialDashboardConnected'),
  }),
  postingSchedule: t.field({
    type: [PostingScheduleDay],
    nullable: { list: true, items: false },
    description: 'Slots of the posting schedule, Monday to Sunday. Days that the service omits are omitted.',
    resolve: (account, _args, context) =>
      mapMaybePromise(readAccount(account, 'scheduleSlots', context), scheduleDays),
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
    description: 'Id of the company that created the account.',
    ...reading('connectedByCompanyId'),
  }),
  reconnectedByCompanyId: t.field({
    type: 'ServiceId',
    description: 'Id of the company that last reconnected the account.',
    ...reading('reconnectedByCompanyId'),
  }),
  groups: t.field({
    type: [AccountGroup],
    nullable: { list: true, items: false },
    description: 'Groups that contain the account, on the same surface.',
    resolve: (account, _args, context) => groupsOf(account, context),
  }),
}));

// Undocumented fields of the service.
builder.objectFields(Account, (t) => ({
  userAccess: t.field({
    type: ['JSON'],
    nullable: { list: true, items: false },
    description: 'Users with access. Undocumented by the service.',
    ...reading('userAccess'),
  }),
  adminData: t.field({
    type: ['JSON'],
    nullable: { list: true, items: false },
    description: 'Admin data. Undocumented by the service.',
    ...reading('adminData'),
  }),
  extraData: t.field({
    type: 'JSON',
    description: 'Details about what went wrong with the account. Undocumented by the service.',
    ...reading('extraData'),
  }),
  extraParameters: t.field({
    type: 'JSON',
    description: 'Extra parameters of the account. Undocumented by the service.',
    ...reading('extraParameters'),
  }),
}));

export const AccountConnection = builder.connectionObject(
  { type: Account, name: 'AccountConnection', description: 'A connection to a list of accounts.' },
  { name: 'AccountEdge', description: 'An edge in a connection.' },
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

const PermissionState = builder.enumType('PermissionState', {
  description:
    'Whether a permission on an account is granted, according to the account list and the account’s details.',
  values: {
    GRANTED: { description: 'Granted in at least one source and denied in none.' },
    DENIED: {
      description: 'Denied by the account list, or by a permission or task in the account’s details.',
    },
    UNKNOWN: { description: 'Not reported by the surface, or could not be read.' },
  } as const,
});

/** Returns the resolver of one permission's state, and its cost. */
function stateOf(part: PermittedPart) {
  return {
    type: PermissionState,
    nullable: false,
    resolve: (account: AccountRecord, _args: object, context: OperationContext) =>
      permissionOf(account, part, context),
  } as const;
}

export const AccountPermissions = builder.objectRef<AccountRecord>('AccountPermissions').implement({
  description: 'Permissions on an account. Not reported by the legacy surface.',
  fields: (t) => ({
    publishing: t.field({ description: 'Permission to share posts.', ...stateOf('publishing') }),
    inbox: t.field({ description: 'Access to the social inbox.', ...stateOf('inbox') }),
    analytics: t.field({ description: 'Access to page analytics.', ...stateOf('analytics') }),
  }),
});
