import type { Endpoint, EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import type { RunningGraph } from './graph.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { landmarks } from './landmarks.ts';
import { account, EXAMPLES, GROUP_ID, idOf, legacyAccount, type Input, type MutationName } from './writes.ts';
import { CALLBACK, freshCode } from './connect.ts';

export function callsOf({ sandbox }: RunningGraph): Partial<Record<EndpointName, number>> {
  const counts: Partial<Record<EndpointName, number>> = {};
  for (const { endpoint } of sandbox.requests.all) {
    if (endpoint) counts[endpoint] = (counts[endpoint] ?? 0) + 1;
  }
  return counts;
}

/** A plain read of the service, and a query that makes it and no other call. */
export interface ReadCall {
  readonly endpoint: EndpointName;
  readonly surface: 'current' | 'legacy';
  /** The root field of the query, for the sandbox's first owner. */
  readonly field: (sandbox: Sandbox) => string;
  readonly path: string;
}

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
      `libraryItem(id: "${idOf('LibraryItem', 'current', state.owner('harbour').library[0]?.id ?? '')}") { title }`,
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

type CallName = Extract<Endpoint, { changes: true }>['name'];

export interface WriteCall {
  readonly endpoint: CallName;
  readonly mutation: MutationName;
  readonly input: (sandbox: Sandbox) => Input | Promise<Input>;
  readonly effects: (sandbox: Sandbox) => number;
  /** Whether a read can tell that it happened. None can tell that it did not: the service may still be at it. */
  readonly readBack: 'confirms' | 'none';
  /** Answers with the status of a success, but without its data. */
  readonly incomplete: readonly unknown[];
}

const harbour = (sandbox: Sandbox) => sandbox.state.owner('harbour');
const IMAGE_TEXT = 'The ferry, as a picture.';

const CURRENT = [{}, { message: 'Success' }, { message: 'Success', response: null }, { response: [] }, []];
const UNFLAGGED = [{}, [], null, 'deleted', { error: null }, { error: [] }, { error: 'no' }];
const UNCLEAR = [[], {}, 'false', 'none'].map((error) => ({ error, data: { post_id: '1' } }));

/** Without an input, the mutation's example is made; without a word on reading back, no read can tell. */
type WriteDetails = Pick<WriteCall, 'mutation' | 'effects' | 'incomplete'> &
  Partial<Pick<WriteCall, 'input' | 'readBack'>>;

// All of them can be made at once on one sandbox.
const CALLS: Readonly<Record<CallName, WriteDetails>> = {
  'GET /oauth/account/status/:id': {
    mutation: 'pauseAccount',
    effects: (sandbox) => harbour(sandbox).toggles(landmarks.plainId),
    readBack: 'confirms',
    incomplete: [{ error: 0 }, { error: 0, data: {} }, { error: 0, data: { new_status: 'Asleep' } }, [], {}],
  },
  'GET /oauth/account/delete/:id': {
    mutation: 'deleteAccount',
    // Another account than the one that is paused.
    input: () => ({ accountId: legacyAccount(landmarks.bareId) }),
    effects: (sandbox) =>
      1 - harbour(sandbox).accounts.filter(({ loginId }) => loginId === landmarks.bareId).length,
    readBack: 'confirms',
    incomplete: UNFLAGGED,
  },
  'GET /oauth/group/delete/:id': {
    mutation: 'deleteAccountGroup',
    effects: (sandbox) => 1 - harbour(sandbox).groups.filter(({ groupId }) => groupId === GROUP_ID).length,
    readBack: 'confirms',
    incomplete: UNFLAGGED,
  },
  'POST /library/create': {
    mutation: 'createLibraryItem',
    effects: (sandbox) =>
      harbour(sandbox).library.filter(({ title }) => title === EXAMPLES.createLibraryItem['title']).length,
    readBack: 'confirms',
    incomplete: [...CURRENT, { response: {} }, { response: { id: '1' } }],
  },
  'POST /oauth/accesstoken': {
    mutation: 'exchangeAuthorizationCode',
    input: async (sandbox) => ({ code: await freshCode(sandbox), redirectUri: CALLBACK }),
    effects: (sandbox) => sandbox.secrets.accessTokens.filter((token) => token.startsWith('issued-')).length,
    incomplete: [{ error: 0 }, { access_token: '' }, { access_token: null, data: {} }, []],
  },
  'POST /oauth/post/update': {
    mutation: 'createStatusUpdate',
    effects: (sandbox) => postsSaying(sandbox, EXAMPLES.createStatusUpdate['text']),
    // The service is known to leave the id of an update empty.
    incomplete: UNCLEAR,
  },
  'POST /oauth/post/updatewithimage': {
    mutation: 'createStatusUpdate',
    input: () => ({
      ...EXAMPLES.createStatusUpdate,
      text: IMAGE_TEXT,
      imageUrl: 'https://pictures.example.com/ferry.jpg',
    }),
    effects: (sandbox) => postsSaying(sandbox, IMAGE_TEXT),
    incomplete: UNCLEAR,
  },
  'POST /openai/response': {
    mutation: 'generateAiText',
    effects: (sandbox) => CREDITS_AT_FIRST - harbour(sandbox).creditsRemaining,
    incomplete: [...CURRENT, { response: {} }, { response: { aiResponse: 'Text', contentId: '' } }],
  },
  'POST /posts/create': {
    mutation: 'createPost',
    effects: (sandbox) => postsSaying(sandbox, 'Doors at seven.'),
    incomplete: [...CURRENT, { response: {} }, { response: { customResponse: [] } }],
  },
  'POST /draft/create': {
    mutation: 'createDraft',
    effects: (sandbox) => harbour(sandbox).drafts.length,
    incomplete: [...CURRENT, { response: {} }, { response: { draftId: '' } }],
  },
  'GET /payment/billing/portalcreate': {
    mutation: 'createBillingPortalSession',
    effects: (sandbox) => harbour(sandbox).billingSessions.length,
    incomplete: [...CURRENT, { response: {} }, { response: { portalUrl: '', portal: {} } }],
  },
};

export const WRITE_CALLS: readonly WriteCall[] = Object.entries(CALLS).map(([endpoint, call]) => ({
  input: () => EXAMPLES[call.mutation as keyof typeof EXAMPLES],
  readBack: 'none',
  ...call,
  endpoint: endpoint as CallName,
}));

const CREDITS_AT_FIRST = 180;

function postsSaying(sandbox: Sandbox, words: unknown): number {
  return harbour(sandbox).queue.filter(({ content }) => content.description === words).length;
}

export async function inputsOf(sandbox: Sandbox, calls = WRITE_CALLS): Promise<readonly Input[]> {
  return await Promise.all(calls.map(async ({ input }) => await input(sandbox)));
}
