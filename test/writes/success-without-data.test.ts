import { expect, test } from 'vitest';
import { oauthEnvironment } from '../support/consent.ts';
import { startGraph } from '../support/graph.ts';
import { byEndpoint } from '../support/one-request.ts';
import { inputsOf, WRITE_CALLS } from '../support/write-calls.ts';
import { EXAMPLES, problemsOf, write } from '../support/writes.ts';

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
const LONGEST = Math.max(...Object.values(EMPTY).map(({ length }) => length));

test.each(Array.from({ length: LONGEST }, (_, round) => round))(
  'a success without its data is not taken for one: a read decides, or the outcome is unknown (answer %i of each call)',
  async (round) => {
    const graph = await startGraph({ environment: oauthEnvironment() });
    const { sandbox } = graph;
    const calls = WRITE_CALLS.filter(({ mutation }) => round < (EMPTY[mutation]?.length ?? 0));
    const inputs = await inputsOf(sandbox, calls);
    for (const { endpoint, mutation } of calls)
      sandbox.faults.add({ kind: 'rewrite', endpoint, change: () => EMPTY[mutation]?.[round] });
    const payloads = await Promise.all(
      calls.map(({ mutation }, index) => write(graph, mutation, inputs[index])),
    );
    const told = byEndpoint(({ endpoint, mutation }, index) => {
      const payload = payloads[index];
      const verdict = payload ? [payload.outcome, ...problemsOf(payload)] : [];
      return { answer: EMPTY[mutation]?.[round], verdict, requests: sandbox.requests.count(endpoint) };
    }, calls);
    const expected = byEndpoint(
      ({ mutation, readBack }) => ({
        answer: EMPTY[mutation]?.[round],
        verdict: readBack === 'none' ? ['UNKNOWN', 'OUTCOME_UNKNOWN'] : ['COMPLETED'],
        requests: 1,
      }),
      calls,
    );
    expect(told).toEqual(expected);
  },
);

test('an unknown outcome says how to find out', async () => {
  const graph = await startGraph();
  graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: 'POST /posts/create' });
  const { userErrors } = await write(graph, 'createPost', EXAMPLES.createPost);
  expect(userErrors[0]?.message).toMatch(
    /it may have succeeded\. Look for the post in the queue .*idempotency key/,
  );
});
