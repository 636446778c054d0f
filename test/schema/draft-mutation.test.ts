import { expect, test } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { account, EXAMPLES, verdictOf, write } from '../support/writes.ts';

test('a draft is stored, and the service tells its id', async () => {
  const graph = await startGraph();
  const payload = await write(graph, 'createDraft', EXAMPLES.createDraft);
  const { drafts } = graph.sandbox.state.owner('harbour');
  expect(drafts).toHaveLength(1);
  expect(payload).toMatchObject({
    outcome: 'COMPLETED',
    userErrors: [],
    replayed: false,
    draftId: drafts[0]?.draftId,
    message: 'Draft saved.',
  });
});

test('a draft may be without content', async () => {
  const graph = await startGraph();
  const { outcome } = await write(graph, 'createDraft', { accountIds: [account()] });
  expect(outcome).toBe('COMPLETED');
  expect(graph.sandbox.state.owner('harbour').drafts[0]?.body).not.toHaveProperty('posts');
});

test('a key that the service does not accept stores nothing', async () => {
  const graph = await startGraph();
  const payload = await write(graph, 'createDraft', EXAMPLES.createDraft, { headers: { 'x-api-key': 'no' } });
  expect(verdictOf(payload)).toEqual(['REJECTED', 'CREDENTIAL_REJECTED']);
  expect(graph.sandbox.state.owner('harbour').drafts).toEqual([]);
});
