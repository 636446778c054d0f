import { describe, expect, test } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { onlyError } from '../support/answers.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { openTransport, TRANSPORTS } from '../support/transports.ts';
import { documentOf, EXAMPLES } from '../support/writes.ts';

const DETAILS = 'GET /accounts/view/{loginId}';

describe('with at most three calls for an operation', () => {
  const graph = shareGraph({ environment: { MAX_COST: '3' } });

  test.each(TRANSPORTS)(
    'over %s, reads beyond the third fail, and what was read before stands',
    async (transport) => {
      graph.sandbox.requests.clear();
      const run = openTransport(transport, graph.url, graph.caller.both);
      const { data, errors } = await run({
        query: '{ accounts(first: 10) { nodes { displayName settingId } } }',
      });
      expect(data.accounts.nodes).toHaveLength(10);
      expect(errors).toHaveLength(8);
      for (const { message, extensions } of errors) {
        expect(message).toBe('The operation exceeds the limit for calls to the service (maximum 3).');
        expect(extensions).toMatchObject({ code: 'LIMIT_EXCEEDED', retryable: false });
      }
      expect(graph.sandbox.requests.count(DETAILS)).toBe(2);
      expect(graph.sandbox.requests.count()).toBe(3);
    },
  );

  test('an operation that needs three is answered, and says so', async () => {
    const run = openTransport('HTTP', graph.url, graph.caller.both);
    const { errors, extensions } = await run({ query: '{ accounts(first: 2) { nodes { settingId } } }' });
    expect([errors, extensions['cost']]).toEqual([[], { calls: 3, limit: 3 }]);
  });
});

test('a write is refused before it is sent if no call is left for it', async () => {
  const graph = await startGraph({ environment: { MAX_COST: '2' } });
  const { data, errors } = await graph.query(
    `mutation ($input: CreateDraftInput!) {
      a: createDraft(input: $input) { outcome }
      b: createDraft(input: $input) { outcome }
      c: createDraft(input: $input) { outcome }
    }`,
    { variables: { input: EXAMPLES.createDraft } },
  );
  expect([data.a?.outcome, data.b?.outcome, data.c]).toEqual(['COMPLETED', 'COMPLETED', null]);
  expect(onlyError({ errors }).extensions['code']).toBe('LIMIT_EXCEEDED');
  expect(graph.sandbox.requests.count('POST /draft/create')).toBe(2);
});

test('a write that was sent is never interrupted by the limit', async () => {
  const graph = await startGraph({ environment: { MAX_COST: '1', READ_BEFORE_WRITES: 'on' } });
  const input = { ...EXAMPLES.createPost, idempotencyKey: 'within-the-limit' };
  const { data, errors } = await graph.query(documentOf('createPost'), { variables: { input } });
  expect(errors).toEqual([]);
  expect(data.createPost.outcome).toBe('COMPLETED');
});
