import { isInterfaceType, isObjectType } from 'graphql';
import { beforeEach, describe, expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { WRITE_CALLS } from '../support/calls.ts';
import { startGraph, type CallerHeaders, shareGraph } from '../support/graph.ts';
import { openTransport } from '../support/transports.ts';
import { changing, MISSING } from '../support/sandbox.ts';
import {
  account,
  documentOf,
  EXAMPLES,
  idOf,
  legacyAccount,
  verdictOf,
  write,
  type Input,
  type MutationName,
} from '../support/writes.ts';

// What payloads say of what was done, and what can be read again in the request that has written.

const shared = shareGraph();
const CREATE = 'POST /posts/create';

// The tests share one queue, which must not be full before the last of them.
beforeEach(() => void (shared.sandbox.state.owner('harbour').queueLimit = 1_000));

describe('a post for three accounts', () => {
  const THREE = { ...EXAMPLES.createPost, accountIds: [410_201, 410_202, 410_203].map((id) => account(id)) };
  const TWICE = { scheduledAtLocal: ['2031-05-20T10:00', '2031-05-21T10:00'] };

  async function createWithRoomFor(count: number, changes: Input = {}) {
    const owner = shared.sandbox.state.owner('harbour');
    owner.queueLimit = owner.queue.length + count;
    return await write(shared, 'createPost', { ...THREE, ...changes });
  }

  test('is done as far as the plan lets it, in words that say for how many it was asked', async () => {
    const payload = await createWithRoomFor(2);
    expect(verdictOf(payload)).toEqual(['PARTIAL', 'LIMIT_REACHED']);
    expect(payload).toMatchObject({
      createdCount: 2,
      isScheduledLimitReached: true,
      customResponse: [{ loginId: 410_203, message: 'The scheduling queue is full.' }],
      postIds: [expect.any(String), expect.any(String)],
      userErrors: [{ message: 'The service created 2 posts for 3 accounts.', retryable: false }],
    });
    const message = 'The service created 1 post for 3 accounts at 2 times.';
    expect((await createWithRoomFor(1, { timing: TWICE })).userErrors).toMatchObject([{ message }]);
    const none = await createWithRoomFor(0);
    expect(verdictOf(none)).toEqual(['REJECTED', 'LIMIT_REACHED']);
    expect(none).toMatchObject({ createdCount: 0, postIds: [], isScheduledLimitReached: true });
    expect(verdictOf(await createWithRoomFor(0, { timing: { placement: 'NOW' } }))).toEqual(['COMPLETED']);
  });

  const PARTIAL = ['PARTIAL', 'LIMIT_REACHED'];
  const REJECTED = ['REJECTED', 'LIMIT_REACHED'];
  const UNKNOWN = ['UNKNOWN', 'OUTCOME_UNKNOWN'];
  const IDS = ['1', '2', '3'];
  test.each<[response: object, verdict: string[], changes?: Input]>([
    [{ postIds: IDS, postScheduledLimitOver: true, postCreatedCount: 3 }, PARTIAL],
    [{ postIds: IDS, postScheduledLimitOver: 'true', postCreatedCount: 3 }, PARTIAL],
    [{ postIds: IDS, postScheduledLimitOver: 1 }, PARTIAL],
    [{ postIds: IDS, postScheduledLimitOver: 'N' }, ['COMPLETED']],
    [{ postIds: ['1', '2'], postScheduledLimitOver: false }, PARTIAL],
    [{ postIds: null, postCreatedCount: 1 }, PARTIAL],
    [{ postIds: [], postCreatedCount: '2' }, PARTIAL],
    [{ postIds: [], postScheduledLimitOver: false, postCreatedCount: 0 }, REJECTED],
    [{ postIds: [] }, REJECTED],
    // An id that cannot be read does not say that nothing was created, and neither does a count below none.
    [{ postIds: [''], postScheduledLimitOver: false }, UNKNOWN],
    [{ postIds: [null, null, null] }, UNKNOWN],
    [{ postIds: ['', ''], postCreatedCount: -1 }, UNKNOWN],
    [{ postIds: null, postCreatedCount: -1 }, UNKNOWN],
    [{ postIds: [''], postCreatedCount: 0 }, REJECTED],
    [{ postIds: ['1', ''], postCreatedCount: -1 }, PARTIAL],
    // An id that is repeated is one post.
    [{ postIds: ['1', '1', '1'] }, PARTIAL],
    [{ postIds: ['1', '1', '1'], postCreatedCount: 3 }, ['COMPLETED']],
    // As many posts as accounts are enough, however many times they were asked for.
    [{ postIds: IDS, postScheduledLimitOver: false, postCreatedCount: 3 }, ['COMPLETED'], { timing: TWICE }],
  ])('that is answered with %j has the verdict %j', async (response, verdict, changes = {}) => {
    const change = () => ({ message: 'Success', response });
    shared.sandbox.faults.add({ kind: 'rewrite', endpoint: CREATE, change });
    expect(verdictOf(await write(shared, 'createPost', { ...THREE, ...changes }))).toEqual(verdict);
  });
});

// What the service confirmed counts, field by field: one that is damaged is null, and takes nothing else with it.
describe('a write that the service confirmed stays confirmed', () => {
  type Row = readonly [mutation: keyof typeof EXAMPLES, wire: string, value: unknown, expected: object];
  const SELECTIONS: Partial<Record<MutationName, string>> = {
    createLibraryItem: 'libraryItem { id itemId title } accountNumbers message',
    createBillingPortalSession: 'session { status }',
  };
  const ID: unknown = expect.any(String);
  const MADE = { postIds: [ID], createdCount: 1 };
  const FOUND = { libraryItem: { itemId: ID, title: EXAMPLES.createLibraryItem['title'] } };

  test.each<Row>([
    ['createPost', 'response.customResponse', {}, { ...MADE, customResponse: null }],
    ['createPost', 'response.customResponse', 'none', { ...MADE, customResponse: null }],
    ['createPost', 'response.postScheduledLimitOver', 2, { ...MADE, isScheduledLimitReached: null }],
    ['createPost', 'response.postScheduledLimitOver', 'maybe', { ...MADE, isScheduledLimitReached: null }],
    ['createPost', 'response.postCreatedCount', '1', MADE],
    ['createPost', 'response.postCreatedCount', 'one', { postIds: [ID], createdCount: null }],
    ['createPost', 'response.postIds', 'many', { postIds: null, createdCount: 1 }],
    ['createStatusUpdate', 'data.post_id', {}, { postId: null }],
    ['createLibraryItem', 'response.post', 'stored', { libraryItem: { id: ID, itemId: ID, title: null } }],
    ['createLibraryItem', 'response.post.accountId', MISSING, FOUND],
    // An item that was only found again would have no message.
    ['createLibraryItem', 'response.id', MISSING, { ...FOUND, message: 'Content saved.' }],
    ['createBillingPortalSession', 'response.portal.access_url', 7, { session: { status: ID } }],
  ])('%s with %s as %j', async (mutation, wire, value, expected) => {
    const { endpoint = CREATE } = WRITE_CALLS.find((call) => call.mutation === mutation) ?? {};
    shared.sandbox.faults.add(changing(endpoint, wire, value));
    const selection = SELECTIONS[mutation];
    const payload = await write(shared, mutation, EXAMPLES[mutation], selection ? { selection } : {});
    expect(payload).toMatchObject({ outcome: 'COMPLETED', userErrors: [], ...expected });
    expect(shared.sandbox.requests.count(endpoint)).toBe(1);
  });
});

describe('no mutation sends anything', () => {
  const NAMES = Object.keys(EXAMPLES) as (keyof typeof EXAMPLES)[];
  const LEGACY = NAMES.filter((name) => /Account|StatusUpdate/.test(name));
  const CURRENT = NAMES.filter((name) => !LEGACY.includes(name));
  const [NONE, SOME] = ['', 'http://127.0.0.1:9'];
  const both = (): CallerHeaders => shared.caller.both;
  const BAD = { 'x-api-key': 'one, two', authorization: 'Bearer one two' };

  test.each<[where: string, names: typeof NAMES, code: string, urls: readonly string[], () => CallerHeaders]>(
    [
      ['on a server without LEGACY_API_URL', LEGACY, 'SURFACE_NOT_CONFIGURED', [SOME, NONE], both],
      ['on a server without CURRENT_API_URL', CURRENT, 'SURFACE_NOT_CONFIGURED', [NONE, SOME], both],
      ['with malformed credentials', NAMES, 'CREDENTIAL_REJECTED', [], () => BAD],
      ['without credentials', NAMES, 'CREDENTIAL_MISSING', [], () => ({})],
      ['with the key of the other surface', LEGACY, 'CREDENTIAL_MISSING', [], () => shared.caller.key],
      ['with the token of the other surface', CURRENT, 'CREDENTIAL_MISSING', [], () => shared.caller.token],
    ],
  )('%s', async (_where, names, code, [current, legacy], headersOf) => {
    const environment = current === undefined ? {} : { CURRENT_API_URL: current, LEGACY_API_URL: legacy };
    const graph = current === undefined ? shared : await startGraph({ environment });
    const payloads = names.map((name) => write(graph, name, EXAMPLES[name], { headers: headersOf() }));
    const told = (await Promise.all(payloads)).map(({ outcome, userErrors }, index) => [
      names[index],
      outcome,
      ...userErrors.map((error) => `${error.code} ${error.retryable}`),
    ]);
    expect(told).toEqual(names.map((name) => [name, 'REJECTED', `${code} false`]));
    expect(graph.sandbox.requests.count()).toBe(0);
  });
});

describe('several writes of one operation', () => {
  // A default lets a variable stand where null must not; a null that is sent all the same is found when the field's
  // arguments are read.
  test('stay in the response when the arguments of a later one can’t be read', async () => {
    const { data, errors } = await shared.query(
      `mutation ($draft: CreateDraftInput!, $id: ID = "none") {
        createDraft(input: $draft) { outcome draftId }
        deleteAccount(input: { accountId: $id }) { outcome }
        createBillingPortalSession { outcome }
      }`,
      { variables: { draft: EXAMPLES.createDraft, id: null } },
    );
    expect(data).toMatchObject({
      createDraft: { outcome: 'COMPLETED' },
      deleteAccount: null,
      createBillingPortalSession: { outcome: 'COMPLETED' },
    });
    expect(errors).toMatchObject([{ path: ['deleteAccount'], extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(shared.sandbox.requests.count('POST /draft/create')).toBe(1);
  });
});

const counts = (items: number, posts: number) => ({
  libraryItems: { totalCount: items },
  queuedPosts: { totalCount: posts },
});

const isOwn = ({ id }: { readonly id: string }): boolean => id === legacyAccount();

describe('what is read again below a payload', () => {
  test('is possible in every payload', () => {
    const payloads = Object.values(schema.getTypeMap()).filter(({ name }) => name.endsWith('Payload'));
    expect(payloads.length).toBeGreaterThan(Object.keys(EXAMPLES).length);
    for (const type of payloads) {
      if (!isObjectType(type) && !isInterfaceType(type)) throw new Error(`${type.name} has no fields`);
      expect(String(type.getFields()['query']?.type), type.name).toBe('Query!');
    }
  });

  test('shows the lists as they are after each write, not as an earlier one read them', async () => {
    const ITEM = 'input: { title: "Tides", kind: POST, variants: [{ text: "High water" }] }';
    const COUNTS = 'query { libraryItems(first: 1) { totalCount } queuedPosts(first: 1) { totalCount } }';
    const graph = await startGraph();
    const { data: before } = await graph.query('{ libraryItems(first: 1) { totalCount } }');
    const count = before.libraryItems.totalCount as number;
    const run = openTransport('HTTP', graph.url, graph.caller.both);
    const { data, errors } = await run({
      query: `mutation ($post: CreatePostInput!) {
        a: createLibraryItem(${ITEM}) { ${COUNTS} }
        b: createLibraryItem(${ITEM}) { ${COUNTS} again: ${COUNTS} }
        c: createPost(input: $post) { ${COUNTS} }
        d: createLibraryItem(input: { title: " ", kind: POST, variants: [] }) { outcome ${COUNTS} }
      }`,
      variables: { post: EXAMPLES.createPost },
    });
    expect(errors).toEqual([]);
    const queued = data.a.query.queuedPosts.totalCount as number;
    expect(data).toEqual({
      a: { query: counts(count + 1, queued) },
      b: { query: counts(count + 2, queued), again: counts(count + 2, queued) },
      c: { query: counts(count + 2, queued + 1) },
      d: { outcome: 'REJECTED', query: counts(count + 2, queued + 1) },
    });
    // Each write has its lists read again: two lists below each, once for all aliases.
    expect(graph.sandbox.requests.count('GET /posts/queued')).toBe(4);
  });

  test('shows an account as it is after each action in every list, and counts what is left', async () => {
    const graph = await startGraph();
    const READ = `query {
      account(id: "${account()}") { isPaused }
      accounts(first: 100, surface: LEGACY) { totalCount nodes { id isPaused } }
    }`;
    const data = await graph.dataOf(
      `mutation ($id: ID!) {
        pause: pauseAccount(input: { accountId: $id }) { account { isPaused counterpart { isPaused } } ${READ} }
        resume: resumeAccount(input: { accountId: $id }) { ${READ} }
        delete: deleteAccount(input: { accountId: $id }) { ${READ} }
      }`,
      { variables: { id: account() } },
    );
    const steps = [data.pause, data.resume, data.delete];
    expect(steps.map(({ query }) => query.account)).toEqual([{ isPaused: true }, { isPaused: false }, null]);
    const listed = steps.map(({ query }) => query.accounts.nodes.find(isOwn)?.isPaused as unknown);
    expect(listed).toEqual([true, false, undefined]);
    expect(data.delete.query.accounts.totalCount).toBe(data.pause.query.accounts.totalCount - 1);
  });

  test('is there for an earlier write that is known by its key, too', async () => {
    await write(shared, 'createPost', { ...EXAMPLES.createPost, idempotencyKey: 'k' });
    const data = await shared.dataOf(
      `{ writeOutcome(idempotencyKey: "k") { payload {
        query { libraryItems(first: 1) { totalCount } }
        ... on CreatePostPayload { queuedPostIds queuedPosts { id } }
      } } }`,
    );
    const { query, queuedPosts, queuedPostIds } = data.writeOutcome.payload;
    expect(query.libraryItems.totalCount).toBeGreaterThan(0);
    expect(queuedPosts).toEqual((queuedPostIds as string[]).map((id) => ({ id })));
    expect(queuedPosts).toHaveLength(1);
  });
});

describe('the queued posts of a created post', () => {
  const SELECTION = 'postIds queuedPostIds queuedPosts { id postId text account { loginId displayName } }';

  test('are those that wait, with the ids under which caches know them', async () => {
    const input = { ...EXAMPLES.createPost, accountIds: [account(410_201), account(410_206)] };
    const payload = await write(shared, 'createPost', input, { selection: SELECTION });
    const postIds = payload['postIds'] as string[];
    const ids = postIds.map((postId) => idOf('QueuedPost', 'current', postId));
    expect(postIds).toHaveLength(2);
    expect(payload).toMatchObject({
      queuedPostIds: ids,
      queuedPosts: postIds.map((postId, index) => ({ id: ids[index], postId, text: 'Doors at seven.' })),
    });
    // One look into the queue is enough for both fields.
    expect(shared.sandbox.requests.count('GET /posts/queued')).toBe(1);
    const { data } = await shared.query('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      variables: { ids },
    });
    expect(data.nodes).toEqual(ids.map((id) => ({ id })));
  });

  test('are none where it was published at once, and null where it was refused', async () => {
    const now = { ...EXAMPLES.createPost, timing: { placement: 'NOW' } };
    const published = await write(shared, 'createPost', now, { selection: SELECTION });
    expect(published).toMatchObject({ postIds: [expect.any(String)], queuedPostIds: [], queuedPosts: [] });
    const refused = await write(shared, 'createPost', { ...now, variants: [] }, { selection: SELECTION });
    expect(refused).toMatchObject({ postIds: null, queuedPostIds: null, queuedPosts: null });
  });

  test('are missing where the queue can’t be read, and the post is not', async () => {
    shared.sandbox.faults.add({ kind: 'status', endpoint: 'GET /posts/queued', status: 503, times: 99 });
    const { data, errors } = await shared.query(documentOf('createPost', 'postIds queuedPostIds'), {
      variables: { input: EXAMPLES.createPost },
    });
    const postIds = [expect.any(String)];
    expect(data.createPost).toMatchObject({ outcome: 'COMPLETED', postIds, queuedPostIds: null });
    expect(errors.map(({ path }) => path)).toEqual([['createPost', 'queuedPostIds']]);
  });
});
