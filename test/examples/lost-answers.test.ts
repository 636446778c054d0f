import { expect, test } from 'vitest';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { openLossyWay, runExample, type Ended, type Fate } from './programs.ts';

const CALL = 'POST /posts/create';

/** Publishes over a way on which the first answer to the mutation has a fate; gives the keys of all that was sent, too. */
async function publishOver(graph: RunningGraph, fate: Fate): Promise<Ended & { readonly keys: string[] }> {
  let isStruck = false;
  const way = await openLossyWay(graph.url, ({ sent }) => {
    if (isStruck || !sent.includes('mutation CreatePost')) return 'passes';
    isStruck = true;
    return fate;
  });
  const ended = await runExample('publish.js', way.url, { args: ['Doors at seven.'] });
  return {
    ...ended,
    keys: [...way.sent.matchAll(/"idempotencyKey":"([^"]+)"/g)].map(([, key = '']) => key),
  };
}

const answerOf = (status: string, body: unknown): Fate => {
  const text = JSON.stringify(body);
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n`;
  return { instead: head + text };
};

test.each<[string, Fate]>([
  ['is lost on the way', 'lost before'],
  [
    'says that it may be repeated',
    answerOf('503 Service Unavailable', { errors: [{ message: 'Busy.', extensions: { retryable: true } }] }),
  ],
  ['comes from something in between', answerOf('502 Bad Gateway', 'no graph')],
])('a call whose answer %s goes out again with its key, and there is one post', async (_, fate) => {
  const graph = await startGraph();
  const { status, stdout, stderr, keys } = await publishOver(graph, fate);
  expect(status).toBe(0);
  expect(stderr).toMatch(/^Attempt 1 failed.*\n$/);
  expect(stdout).toMatch(/outcome: 'COMPLETED'.*replayed: true/s);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
  expect(graph.sandbox.requests.count(CALL)).toBe(1);
});

test('an error that nothing will change ends the program at once', async () => {
  const graph = await startGraph();
  const { status, stderr, keys } = await publishOver(
    graph,
    answerOf('400 Bad Request', { errors: [{ message: 'No.', extensions: { retryable: false } }] }),
  );
  expect([status, keys.length]).toEqual([1, 1]);
  expect(stderr).not.toContain('Attempt');
});
