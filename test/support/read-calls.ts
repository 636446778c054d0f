import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { globalId } from './calls.ts';
import { account } from './writes.ts';

/** A plain read of the service, and a query that makes it and no other call. */
export interface ReadCall {
  readonly endpoint: EndpointName;
  readonly surface: 'current' | 'legacy';
  /** The root field of the query, for the sandbox's first owner. */
  readonly field: (sandbox: Sandbox) => string;
  /** Where the field's error stands. */
  readonly path: string;
}

/** The ten plain reads. */
export const READ_CALLS: readonly ReadCall[] = [
  list('GET /oauth/accounts', 'accounts', 'surface: LEGACY'),
  list('GET /oauth/groups', 'accountGroups', 'surface: LEGACY'),
  list('GET /posts/queued', 'queuedPosts'),
  list('GET /accounts/list', 'accounts', 'first: 5, surface: CURRENT'),
  {
    endpoint: 'GET /accounts/view/{loginId}',
    surface: 'current',
    field: () => `account(id: "${account(landmarks.plainId)}") { connectedAt }`,
    path: 'account',
  },
  list('GET /openai/historyList', 'aiGenerations'),
  list('GET /group/list', 'accountGroups', 'first: 5, surface: CURRENT'),
  list('GET /library/list', 'libraryItems'),
  {
    endpoint: 'GET /library/view/{contentid}',
    surface: 'current',
    field: ({ state }) =>
      `libraryItem(id: "${globalId('LibraryItem', state.owner('harbour').library[0]?.id ?? '')}") { title }`,
    path: 'libraryItem',
  },
  {
    endpoint: 'GET /membership/plan/list',
    surface: 'current',
    field: () => 'membership { isBiannual }',
    path: 'membership',
  },
];

function list(endpoint: EndpointName, path: string, args = 'first: 5'): ReadCall {
  const surface = endpoint.includes(' /oauth/') ? 'legacy' : 'current';
  return { endpoint, surface, field: () => `${path}(${args}) { totalCount }`, path };
}
