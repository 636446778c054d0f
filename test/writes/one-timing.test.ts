import { expect, test } from 'vitest';
import { jsonOf, postJson } from '../support/raw-http.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { connectSocket } from '../support/web-sockets.ts';
import { documentOf, EXAMPLES, type Input, type MutationName } from '../support/writes.ts';

// A timing is one of several: whichever way the document comes, two of them are refused, and so is none.

const graph = shareGraph();
const SEVERAL: readonly Input[] = [
  { placement: 'NOW', scheduledAtLocal: ['2031-05-20T10:00'] },
  { placement: 'NOW', scheduledAtLocal: null },
  { scheduledAtLocal: ['2031-05-20T10:00'], scheduledAt: ['2031-05-20T10:00:00Z'] },
  {},
  { placement: null },
];

async function expectRefusal(query: string, variables: Input = {}): Promise<void> {
  const answer = await postJson(`${graph.url}/graphql`, { query, variables }, graph.caller.both);
  const { data, errors } = jsonOf(answer) as { data?: Input | null; errors: { extensions: Input }[] };
  expect(Object.values(data ?? {}).filter((payload) => payload !== null)).toEqual([]);
  expect(['BAD_USER_INPUT', 'GRAPHQL_VALIDATION_FAILED']).toContain(errors[0]?.extensions['code']);
  expect(graph.sandbox.requests.count()).toBe(0);
}

test.each(SEVERAL)('%j is refused by variables', async (timing) => {
  await expectRefusal(documentOf('createPost'), { input: { ...EXAMPLES.createPost, timing } });
});

test.each(SEVERAL)('%j is refused over a socket', async (timing) => {
  const socket = connectSocket(graph.url, { connectionParams: graph.caller.both });
  const variables = { input: { ...EXAMPLES.createPost, timing } };
  // A variable that can't be used is found out when the operation is executed, and that is its result.
  const { data, errors } = await socket.run({ query: documentOf('createPost'), variables });
  expect(data ?? null).toBeNull();
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
  expect(graph.sandbox.requests.count()).toBe(0);
});

test.each([
  '{ placement: NOW, scheduledAtLocal: ["2031-05-20T10:00"] }',
  '{ placement: NOW, scheduledAt: null }',
  '{ scheduledAtLocal: $at }',
  '{ placement: NOW, scheduledAtLocal: $at }',
  '{}',
])('%s is refused in a document', async (timing) => {
  const [id] = EXAMPLES.createPost['accountIds'] as string[];
  const declared = timing.includes('$at') ? '($at: [LocalDateTime!])' : '';
  await expectRefusal(`mutation ${declared} { createPost(input: {
    accountIds: ["${id}"], timing: ${timing}, variants: [{ variant: ORIGINAL }]
  }) { outcome } }`);
});

test.each<[MutationName & keyof typeof EXAMPLES, Input]>([
  ['createStatusUpdate', { placement: 'NOW', at: '2031-05-20T10:00' }],
  ['createStatusUpdate', { scheduledAtLocal: '2031-05-20T10:00', scheduledAt: '2031-05-20T10:00:00Z' }],
  ['createStatusUpdate', {}],
])('%s refuses the timing %j', async (name, timing) => {
  await expectRefusal(documentOf(name), { input: { ...EXAMPLES[name], timing } });
});
