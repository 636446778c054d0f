import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import type { NodeType } from '../../src/records/global-id.ts';
import type { Surface } from '../../src/sources/errors.ts';
import type { RunningGraph } from './graph.ts';

/** A kind of record that the graph lists, and finds by its id. */
export interface Kind {
  readonly type: NodeType;
  readonly surface: Surface;
  /** Reads one record; its list has the plural. */
  readonly field: string;
  /** What the service and the graph call the record's own id. */
  readonly wire: string;
  readonly name: string;
  readonly list: EndpointName;
  /** The service's call for one record; without it the list is searched. */
  readonly view?: EndpointName;
  /** The service's ids of an owner's records, in the order of the list. */
  readonly ids: (owner: ReturnType<RunningGraph['sandbox']['state']['owner']>) => (string | number)[];
}

const ACCOUNT = { type: 'Account', field: 'account', name: 'loginId' } as const;
const GROUP = { type: 'AccountGroup', field: 'accountGroup', name: 'groupId' } as const;

export const LIBRARY: Kind = {
  type: 'LibraryItem',
  surface: 'current',
  field: 'libraryItem',
  wire: 'id',
  name: 'itemId',
  list: 'GET /library/list',
  view: 'GET /library/view/{contentid}',
  ids: ({ library }) => library.toSorted((one, other) => other.createdAt - one.createdAt).map(({ id }) => id),
};
/** Those that are read with a call of their own. */
export const VIEWED: readonly Kind[] = [
  {
    ...ACCOUNT,
    surface: 'current',
    wire: 'loginId',
    list: 'GET /accounts/list',
    view: 'GET /accounts/view/{loginId}',
    ids: ({ accounts }) => accounts.filter(({ surfaces }) => surfaces.current).map(({ loginId }) => loginId),
  },
  LIBRARY,
];
/** Those that are searched for in their lists. */
export const SEARCHED: readonly Kind[] = [
  {
    type: 'QueuedPost',
    surface: 'current',
    field: 'queuedPost',
    wire: 'postId',
    name: 'postId',
    list: 'GET /posts/queued',
    ids: ({ queue }) => queue.map(({ postId }) => postId),
  },
  {
    type: 'AiGeneration',
    surface: 'current',
    field: 'aiGeneration',
    wire: 'contentId',
    name: 'contentId',
    list: 'GET /openai/historyList',
    ids: ({ history }) => history.map(({ contentId }) => contentId).toReversed(),
  },
  {
    ...GROUP,
    surface: 'current',
    wire: 'groupId',
    list: 'GET /group/list',
    ids: ({ groups }) => groups.map(({ groupId }) => groupId),
  },
];
export const LEGACY: readonly Kind[] = [
  {
    ...ACCOUNT,
    surface: 'legacy',
    wire: 'id',
    list: 'GET /oauth/accounts',
    ids: ({ accounts }) => accounts.filter(({ surfaces }) => surfaces.legacy).map(({ loginId }) => loginId),
  },
  {
    ...GROUP,
    surface: 'legacy',
    wire: 'id',
    list: 'GET /oauth/groups',
    ids: ({ groups }) => groups.map(({ groupId }) => groupId),
  },
];
export const KINDS: readonly Kind[] = [...VIEWED, ...SEARCHED, ...LEGACY];

/** Kinds as rows of a table, after what a test calls them. */
export const titled = (kinds: readonly Kind[]) =>
  kinds.map((kind) => [`${kind.surface} ${kind.type}`, kind] as const);

/** The field that lists a kind, with so many records at most. */
export const listOf = ({ field, surface, type }: Kind, first: number): string =>
  `${field}s(first: ${first}${type.startsWith('Account') ? `, surface: ${surface.toUpperCase()}` : ''})`;
