import { describe, expect, test } from 'vitest';
import { shareGraph } from '../support/shared-graph.ts';
import { changing, MISSING } from '../support/wire-changes.ts';
import { EXAMPLES, write } from '../support/writes.ts';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';

// What the service confirmed counts, field by field: one that is damaged is null, and takes nothing else with it.

const graph = shareGraph();

interface Row {
  readonly mutation: keyof typeof EXAMPLES;
  readonly endpoint: EndpointName;
  readonly wire: string;
  readonly value: unknown;
  readonly selection: string;
  /** The payload beside its outcome. */
  readonly expected: object;
}

const POSTS = 'postIds createdCount isScheduledLimitReached customResponse message';
const post = (wire: string, value: unknown, expected: object): Row => ({
  mutation: 'createPost',
  endpoint: 'POST /posts/create',
  wire: `response.${wire}`,
  value,
  selection: POSTS,
  expected,
});
const HAS_IDS = { postIds: [expect.any(String)] };

const ROWS: readonly Row[] = [
  post('customResponse', {}, { ...HAS_IDS, createdCount: 1, customResponse: null }),
  post('customResponse', 'none', { ...HAS_IDS, customResponse: null }),
  post('postScheduledLimitOver', 0, { ...HAS_IDS, createdCount: 1, isScheduledLimitReached: null }),
  post('postScheduledLimitOver', 'N', { ...HAS_IDS, isScheduledLimitReached: null }),
  post('postCreatedCount', '1', { ...HAS_IDS, createdCount: 1 }),
  post('postCreatedCount', 'one', { ...HAS_IDS, createdCount: null }),
  post('postIds', 'many', { postIds: null, createdCount: 1 }),
  {
    mutation: 'createStatusUpdate',
    endpoint: 'POST /oauth/post/update',
    wire: 'data.post_id',
    value: {},
    selection: 'postId',
    expected: { postId: null },
  },
  {
    mutation: 'createLibraryItem',
    endpoint: 'POST /library/create',
    wire: 'response.post',
    value: 'stored',
    selection: 'libraryItem { id itemId title } accountNumbers',
    expected: { libraryItem: { id: expect.any(String), itemId: expect.any(String), title: null } },
  },
  {
    mutation: 'createLibraryItem',
    endpoint: 'POST /library/create',
    wire: 'response.post.accountId',
    value: MISSING,
    selection: 'libraryItem { itemId title } accountNumbers',
    expected: { libraryItem: { itemId: expect.any(String), title: EXAMPLES.createLibraryItem['title'] } },
  },
  {
    mutation: 'createBillingPortalSession',
    endpoint: 'GET /payment/billing/portalcreate',
    wire: 'response.portal.access_url',
    value: 7,
    selection: 'session { status }',
    expected: { session: { status: expect.any(String) } },
  },
];

describe('a write that the service confirmed stays confirmed', () => {
  test.each(ROWS)('$mutation with $wire as $value', async (row) => {
    const { mutation, endpoint, wire, value, selection, expected } = row;
    graph.sandbox.faults.add(changing(endpoint, wire, value));
    const payload = await write(graph, mutation, EXAMPLES[mutation], { selection });
    expect(payload).toMatchObject({ outcome: 'COMPLETED', userErrors: [], ...expected });
    expect(graph.sandbox.requests.count(endpoint)).toBe(1);
  });
});
