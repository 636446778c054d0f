import { describe, expect, test } from 'vitest';
import { CALLBACK, oauthEnvironment } from '../support/consent.ts';
import { startGraph, type CallerHeaders, type RunningGraph } from '../support/graph.ts';
import { byEndpoint } from '../support/one-request.ts';
import { inputsOf, WRITE_CALLS } from '../support/write-calls.ts';
import { EXAMPLES, write, type Input, type MutationName, type WritePayload } from '../support/writes.ts';

const INPUTS: Readonly<Record<MutationName, Input>> = {
  ...EXAMPLES,
  exchangeAuthorizationCode: { code: 'c'.repeat(80), redirectUri: CALLBACK },
};
const LEGACY: readonly MutationName[] = [
  'createStatusUpdate',
  'pauseAccount',
  'resumeAccount',
  'pauseAccounts',
  'resumeAccounts',
  'deleteAccount',
  'deleteAccountGroup',
];
const CURRENT: readonly MutationName[] = [
  'createPost',
  'createDraft',
  'createLibraryItem',
  'generateAiText',
  'createBillingPortalSession',
];

test('several writes of one operation are done one after the other, and each told truthfully', async () => {
  const graph = await startGraph();
  graph.sandbox.faults.add({ kind: 'delay', ms: 80, endpoint: 'POST /draft/create' });
  graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: 'POST /posts/create' });
  const { data, errors } = await graph.query(
    `mutation ($draft: CreateDraftInput!, $post: CreatePostInput!, $item: CreateLibraryItemInput!) {
      one: createDraft(input: $draft) { outcome draftId }
      two: createPost(input: $post) { outcome postIds userErrors { code } }
      three: createLibraryItem(input: $item) { outcome libraryItem { title } }
      four: createDraft(input: $draft) { outcome draftId }
    }`,
    {
      variables: {
        draft: EXAMPLES.createDraft,
        post: EXAMPLES.createPost,
        item: EXAMPLES.createLibraryItem,
      },
    },
  );
  expect(errors).toEqual([]);
  expect(graph.sandbox.requests.mostOpen).toBe(1);
  const [first, second] = graph.sandbox.state.owner('harbour').drafts;
  expect(data).toEqual({
    one: { outcome: 'COMPLETED', draftId: first?.draftId },
    two: { outcome: 'UNKNOWN', postIds: null, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] },
    three: { outcome: 'COMPLETED', libraryItem: { title: 'Tide table' } },
    four: { outcome: 'COMPLETED', draftId: second?.draftId },
  });
  const writes = graph.sandbox.requests.all.filter(({ method }) => method === 'POST');
  expect(writes.map(({ endpoint }) => endpoint)).toEqual([
    'POST /draft/create',
    'POST /posts/create',
    'POST /library/create',
    'POST /draft/create',
  ]);
});

test('a success under another content type is a success, of every call', async () => {
  const graph = await startGraph({ environment: oauthEnvironment() });
  const { sandbox } = graph;
  const inputs = await inputsOf(sandbox);
  for (const { endpoint } of WRITE_CALLS)
    sandbox.faults.add({ kind: 'content-type', contentType: 'text/html', endpoint });
  const payloads = await Promise.all(
    WRITE_CALLS.map(({ mutation }, index) => write(graph, mutation, inputs[index])),
  );
  expect(byEndpoint((_, index) => [payloads[index]?.outcome, payloads[index]?.userErrors])).toEqual(
    byEndpoint(() => ['COMPLETED', []]),
  );
});

type Verdicts = Readonly<Record<string, unknown>>;

const verdictOf = ({ outcome, userErrors }: WritePayload): string[] => [
  outcome,
  ...userErrors.map(({ code, retryable }) => `${code} ${retryable}`),
];

/** What comes of each of some mutations, by its name; nothing of them reaches the service. */
async function verdictsOf(
  graph: RunningGraph,
  names: readonly MutationName[],
  headers?: CallerHeaders,
): Promise<Verdicts> {
  const payloads = await Promise.all(
    names.map((name) => write(graph, name, INPUTS[name], headers ? { headers } : {})),
  );
  expect(graph.sandbox.requests.count()).toBe(0);
  return Object.fromEntries(payloads.map((payload, index) => [names[index], verdictOf(payload)]));
}

const eachOf = (names: readonly MutationName[], ...verdict: readonly string[]): Verdicts =>
  Object.fromEntries(names.map((name) => [name, verdict]));

describe('no mutation sends anything', () => {
  test.each([
    ['LEGACY_API_URL', 'CURRENT_API_URL', LEGACY],
    ['CURRENT_API_URL', 'LEGACY_API_URL', CURRENT],
  ] as const)('on a server without its %s', async (variable, other, names) => {
    const graph = await startGraph({ environment: { [variable]: '', [other]: 'http://127.0.0.1:9' } });
    expect(await verdictsOf(graph, names)).toEqual(eachOf(names, 'REJECTED', 'SURFACE_NOT_CONFIGURED false'));
  });

  test('with a malformed credential', async () => {
    const headers = { 'x-api-key': 'one, two', authorization: 'Bearer one two' };
    expect(await verdictsOf(await startGraph(), [...LEGACY, ...CURRENT], headers)).toEqual(
      eachOf([...LEGACY, ...CURRENT], 'REJECTED', 'CREDENTIAL_REJECTED false'),
    );
  });

  test('without a credential', async () => {
    expect(await verdictsOf(await startGraph(), [...LEGACY, ...CURRENT], {})).toEqual(
      eachOf([...LEGACY, ...CURRENT], 'REJECTED', 'CREDENTIAL_MISSING false'),
    );
  });
});
