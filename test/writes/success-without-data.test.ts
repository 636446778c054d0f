import { describe, expect, test } from 'vitest';
import { oauthEnvironment } from '../support/consent.ts';
import { startGraph } from '../support/graph.ts';
import { WRITE_CALLS } from '../support/write-calls.ts';
import { problemsOf, write } from '../support/writes.ts';

// A status update is not among them: the service is known to leave its id empty.
const CURRENT = [{}, { message: 'Success' }, { message: 'Success', response: null }, { response: [] }, []];
const EMPTY: Readonly<Record<string, readonly unknown[]>> = {
  pauseAccount: [{ error: 0 }, { error: 0, data: {} }, { error: 0, data: { new_status: 'Asleep' } }, [], {}],
  deleteAccount: [{}, [], null, 'deleted', { error: null }],
  deleteAccountGroup: [{}, [], null, 'deleted', { error: null }],
  createLibraryItem: [...CURRENT, { response: {} }, { response: { id: '1' } }],
  exchangeAuthorizationCode: [{ error: 0 }, { access_token: '' }, { access_token: null, data: {} }, []],
  generateAiText: [...CURRENT, { response: {} }, { response: { aiResponse: 'Text', contentId: '' } }],
  createPost: [...CURRENT, { response: {} }, { response: { customResponse: [] } }],
  createDraft: [...CURRENT, { response: {} }, { response: { draftId: '' } }],
  createBillingPortalSession: [...CURRENT, { response: {} }, { response: { portalUrl: '', portal: {} } }],
};

const CASES = WRITE_CALLS.filter(({ mutation }) => mutation !== 'createStatusUpdate').flatMap((call) =>
  (EMPTY[call.mutation] ?? []).map((answer) => ({ ...call, call, answer })),
);

describe('a success without its data is no success by itself: a read decides, or nobody can', () => {
  test.each(CASES)('$endpoint answers $answer', async ({ call, answer }) => {
    const graph = await startGraph({ environment: oauthEnvironment() });
    const input = await call.input(graph.sandbox);
    graph.sandbox.faults.add({ kind: 'rewrite', endpoint: call.endpoint, change: () => answer });
    const payload = await write(graph, call.mutation, input);
    expect([payload.outcome, ...problemsOf(payload)]).toEqual(
      call.readBack === 'none' ? ['UNKNOWN', 'OUTCOME_UNKNOWN'] : ['COMPLETED'],
    );
    expect(graph.sandbox.requests.count(call.endpoint)).toBe(1);
  });
});

test('an unknown outcome says how to find out', async () => {
  const graph = await startGraph();
  graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: 'POST /posts/create' });
  const [, call] = [graph, WRITE_CALLS.find(({ mutation }) => mutation === 'createPost')];
  const { userErrors } = await write(graph, 'createPost', await call?.input(graph.sandbox));
  expect(userErrors[0]?.message).toMatch(
    /may have happened all the same\. Look into the queue .*idempotencyKey/,
  );
});
