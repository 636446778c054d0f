import { isObjectType, type GraphQLField, type GraphQLNamedType } from 'graphql';

export interface OperationGroup {
  readonly heading: string;
  readonly fields: readonly GraphQLField<unknown, unknown>[];
}

/** The operations of the graph in the order of the reference. */
const GROUPS: Readonly<Record<string, string>> = {
  'Connected accounts':
    'accounts account pauseAccount resumeAccount pauseAccounts resumeAccounts deleteAccount accountHealthChanged',
  'Account groups': 'accountGroups accountGroup deleteAccountGroup',
  Posts:
    'queuedPosts queuedPost freeSlots validatePost textLimits createPost validateDraft createDraft validateStatusUpdate createStatusUpdate queueChanged',
  Library: 'libraryItems libraryItem validateLibraryItem createLibraryItem',
  'AI texts': 'aiGenerations aiGeneration generateAiText aiGenerationUpdated aiGenerationFinished',
  'Membership and billing': 'membership createBillingPortalSession',
  'Any record': 'node nodes writeOutcome',
  'Surfaces and authorisation': 'viewer surfaces authorizationUrl exchangeAuthorizationCode',
};

/** Groups the operations of a root type; throws for one that has no group. */
export function groupsOf(root: GraphQLNamedType): OperationGroup[] {
  if (!isObjectType(root)) return [];
  const fields = root.getFields();
  const grouped = new Set(Object.values(GROUPS).join(' ').split(' '));
  const missing = Object.keys(fields).filter((name) => !grouped.has(name));
  if (missing.length > 0) throw new Error(`operations without a group: ${missing.join(', ')}`);
  return Object.entries(GROUPS)
    .map(([heading, names]) => ({
      heading,
      fields: names.split(' ').flatMap((name) => fields[name] ?? []),
    }))
    .filter((group) => group.fields.length > 0);
}
