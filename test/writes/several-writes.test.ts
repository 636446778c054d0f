import { describe, expect, test } from 'vitest';
import { CALLBACK, oauthEnvironment } from '../support/consent.ts';
import { startGraph } from '../support/graph.ts';
import { WRITE_CALLS } from '../support/write-calls.ts';
import { EXAMPLES, problemsOf, write, type Input, type MutationName } from '../support/writes.ts';

const INPUTS: Readonly<Record<MutationName, Input>> = {
  ...EXAMPLES,
  exchangeAuthorizationCode: { code: 'c'.repeat(80), redirectUri: CALLBACK },
};
const LEGACY: readonly MutationName[] = [
  'createStatusUpdate',
  'pauseAccount',
  'resumeAccount',
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

describe('a success under another content type is a success', () => {
  test.each(WRITE_CALLS)('$endpoint', async (call) => {
    const graph = await startGraph({ environment: oauthEnvironment() });
    const input = await call.input(graph.sandbox);
    graph.sandbox.faults.add({ kind: 'content-type', contentType: 'text/html', endpoint: call.endpoint });
    const { outcome, userErrors } = await write(graph, call.mutation, input);
    expect([outcome, userErrors]).toEqual(['COMPLETED', []]);
  });
});

describe('nothing is sent', () => {
  test.each([
    ...LEGACY.map((name) => [name, 'LEGACY_API_URL', 'CURRENT_API_URL'] as const),
    ...CURRENT.map((name) => [name, 'CURRENT_API_URL', 'LEGACY_API_URL'] as const),
  ])('by %s on a server without %s', async (name, variable, other) => {
    const graph = await startGraph({ environment: { [variable]: '', [other]: 'http://127.0.0.1:9' } });
    const payload = await write(graph, name, INPUTS[name]);
    expect([payload.outcome, ...problemsOf(payload)]).toEqual(['REJECTED', 'SURFACE_NOT_CONFIGURED']);
    expect(payload.userErrors[0]?.retryable).toBe(false);
  });

  test.each([...LEGACY, ...CURRENT])('by %s with a credential that none can be', async (name) => {
    const graph = await startGraph();
    const headers = { 'x-api-key': 'one, two', authorization: 'Bearer one two' };
    const payload = await write(graph, name, INPUTS[name], { headers });
    expect([payload.outcome, ...problemsOf(payload)]).toEqual(['REJECTED', 'CREDENTIAL_REJECTED']);
    expect(graph.sandbox.requests.count()).toBe(0);
  });

  test.each([...LEGACY, ...CURRENT])('by %s without a credential', async (name) => {
    const graph = await startGraph();
    const payload = await write(graph, name, INPUTS[name], { headers: {} });
    expect([payload.outcome, ...problemsOf(payload)]).toEqual(['REJECTED', 'CREDENTIAL_MISSING']);
    expect(graph.sandbox.requests.count()).toBe(0);
  });
});
