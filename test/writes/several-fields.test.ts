import { expect, test } from 'vitest';
import { shareGraph } from '../support/shared-graph.ts';
import { EXAMPLES } from '../support/writes.ts';

const graph = shareGraph();

// A default lets a variable stand where null must not; a null that is sent all the same is found when the field's
// arguments are read.
const DRAFT_AND_DELETION = `mutation ($draft: CreateDraftInput!, $id: ID = "none") {
  createDraft(input: $draft) { outcome draftId }
  deleteAccount(input: { accountId: $id }) { outcome }
  createBillingPortalSession { outcome }
}`;

test('what an operation has done stays in its answer when the arguments of a later field can’t be read', async () => {
  const { data, errors } = await graph.query(DRAFT_AND_DELETION, {
    variables: { draft: EXAMPLES.createDraft, id: null },
  });
  expect(data).toMatchObject({
    createDraft: { outcome: 'COMPLETED' },
    deleteAccount: null,
    createBillingPortalSession: { outcome: 'COMPLETED' },
  });
  expect(errors).toMatchObject([{ path: ['deleteAccount'], extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(graph.sandbox.requests.count('POST /draft/create')).toBe(1);
});
