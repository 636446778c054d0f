import type { OperationContext } from '../operation/operation.ts';
import { counterpartOf, labelOf, readAccount, type AccountRecord } from '../records/account.ts';
import { accountGroupOf, type GroupPart } from '../records/account-group.ts';
import { encodeGlobalId } from '../records/global-id.ts';
import { permissionOf, type PermittedPart } from '../records/account-permission.ts';
import { AccountGroup } from './account-group.ts';
import { AccountHealth } from './account-health.ts';
import {
  LinkShortener,
  knownNetworkOf,
  networkOfAccount,
  PostingScheduleDay,
  scheduleDays,
  shortenerOf,
  SocialNetwork,
} from './account-parts.ts';
import { builder, defineEnum } from './builder.ts';
import { boolean, dateTime, field, int, json, serviceId, shown, string, url } from './data.ts';
import { mapMaybePromise } from './maybe-promise.ts';
import { SurfaceEnum } from './surface.ts';

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

builder.objectFields(Account, (t) =>
  shown(t, {
    // Name and network.
    label: t.string({
      nullable: false,
      description:
        'Name to display: `displayName`, or else the network and id, such as `Instagram account 410201`.',
      resolve: labelOf,
    }),
    displayName: string('Name of the account; null if the service reports none. For display, use `label`.'),
    network: t.field({
      type: SocialNetwork,
      nullable: false,
      description: 'Social network of the account, derived from `platformCode`.',
      resolve: networkOfAccount,
      extensions: { shows: 'platformCode', as: knownNetworkOf },
    }),
    // State.
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
    isPaused: boolean('Whether publishing is paused. For the overall state, use `health.state`.'),
    statusCode: string(
      'Run status on the legacy surface, `Running` or `Paused`. Use `isPaused`, which both surfaces report.',
    ),
    isLocked: boolean('Whether the account is flagged as locked.'),
    isBlocked: boolean('Whether the account is flagged as blocked.'),
    isDeleted: boolean('Whether the account is flagged as deleted.'),
    isFacebookAppInstalled: boolean('Whether the Facebook app is installed for the account.'),
    // Surfaces.
    surface: t.expose('surface', {
      type: SurfaceEnum,
      nullable: false,
      description: 'Surface that the account was read from.',
    }),
    loginId: t.expose('loginId', {
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
  }),
);

builder.objectFields(Account, (t) =>
  shown(t, {
    // Display, and kind of account.
    profileUrl: url('URL of the profile on its network.'),
    avatarUrl: url('URL of the profile picture.'),
    color: string('Hex colour associated with the account.'),
    platformCode: string('The service’s code for the kind of account, such as `linkedin-pages`.'),
    platformName: string(
      'The service’s name for the kind of account. Read from the group list if not already known.',
    ),
    platformId: int('Numeric code of the kind of account. Use it in `AccountFilter.platformIds`.'),
    // Ids on the network.
    networkProfileId: serviceId('The network’s own id for the profile.'),
    networkAccountId: serviceId('The network’s own id for the account; not the `loginId`.'),
    pageId: serviceId('Id of a page. Undocumented by the service.'),
    // Counters and features.
    inboxCount: int('Number of inbox items, as counted by the service.'),
    queuedPostCount: int('Number of queued posts, as counted by the service.'),
    errorCount: int('Number of errors that the service reports for the account.'),
    hasAnalytics: boolean('Whether analytics are available.'),
    hasInbox: boolean('Whether the account has an inbox in the service.'),
    linkShortener: t.field({
      type: LinkShortener,
      description: 'Link shortener of the account; null if it has none.',
      resolve: shortenerOf,
    }),
    // Settings.
    accessCode: string('Kind of access, as a code. Undocumented by the service.'),
    systemBaseStatusCode: string('Base status, as a code. Undocumented by the service.'),
    requiresClientApproval: boolean('Whether posts on the account require client approval.'),
    settingId: serviceId('Id of a setting of the account. Undocumented by the service.'),
    isSocialDashboardConnected: boolean(
      'The service’s `socialDashboardConnect` flag. Undocumented by the service.',
    ),
    postingSchedule: t.field({
      type: [PostingScheduleDay],
      description:
        'Slots of the posting schedule, Monday to Sunday. Days that the service omits are omitted.',
      resolve: (account, _args, context) =>
        mapMaybePromise(readAccount(account, 'scheduleSlots', context), scheduleDays),
    }),
    // Origin, and memberships.
    connectedAt: dateTime('When the account was created in the service.'),
    connectedByCompanyId: serviceId('Id of the company that created the account.'),
    reconnectedByCompanyId: serviceId('Id of the company that last reconnected the account.'),
    groups: t.field({
      type: [AccountGroup],
      description: 'Groups that contain the account, on the same surface.',
      resolve: (account, _args, context) => groupsOf(account, context),
    }),
    // Undocumented fields of the service.
    userAccess: field(['JSON'], 'Users with access. Undocumented by the service.'),
    adminData: field(['JSON'], 'Admin data. Undocumented by the service.'),
    extraData: json('Details about what went wrong with the account. Undocumented by the service.'),
    extraParameters: json('Extra parameters of the account. Undocumented by the service.'),
  }),
);

export const AccountConnection = builder.connectionObject(
  { type: Account, name: 'AccountConnection', description: 'A connection to a list of accounts.' },
  { name: 'AccountEdge', description: 'An edge in a connection.' },
);

function groupsOf(account: AccountRecord, context: OperationContext) {
  const { surface, loginId } = account;
  const recordsOf = (parts: readonly GroupPart[] | null) =>
    parts?.map((part) => accountGroupOf(surface, part)) ?? null;
  return surface === 'legacy'
    ? context.loaders.legacyGroupsOf(loginId).then(recordsOf)
    : mapMaybePromise(readAccount(account, 'groups', context), recordsOf);
}

const PermissionState = defineEnum(
  'PermissionState',
  'Whether a permission on an account is granted, according to the account list and the account’s details.',
  {
    GRANTED: 'Granted in at least one source and denied in none.',
    DENIED: 'Denied by the account list, or by a permission or task in the account’s details.',
    UNKNOWN: 'Not reported by the surface, or could not be read.',
  },
);

/** Returns the type and the resolver of one permission's state. */
function stateOf(part: PermittedPart) {
  return {
    type: PermissionState,
    nullable: false,
    resolve: (account: AccountRecord, _args: object, context: OperationContext) =>
      permissionOf(account, part, context),
  } as const;
}

const AccountPermissions = builder.objectRef<AccountRecord>('AccountPermissions').implement({
  description: 'Permissions on an account. Not reported by the legacy surface.',
  fields: (t) => ({
    publishing: t.field({ description: 'Permission to share posts.', ...stateOf('publishing') }),
    inbox: t.field({ description: 'Access to the social inbox.', ...stateOf('inbox') }),
    analytics: t.field({ description: 'Access to page analytics.', ...stateOf('analytics') }),
  }),
});
