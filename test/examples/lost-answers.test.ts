import { expect, test } from 'vitest';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { openLossyWay, runExample, type Ended, type Fate } from './programs.ts';

const CALL = 'POST /posts/create';

/** Publishes over a way on which the first answers to the mutation have fates; gives the keys of all that was sent, too. */
async function publishOver(
  graph: RunningGraph,
  ...fates: readonly Fate[]
): Promise<Ended & { readonly keys: string[] }> {
  const left = [...fates];
  const way = await openLossyWay(graph.url, ({ sent }) =>
    sent.includes('mutation CreatePost') ? (left.shift() ?? 'passes') : 'passes',
  );
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

test('a call whose answer is lost, may be repeated or is no graph’s goes out again with its key, and there is one post', async () => {
  const graph = await startGraph();
  const repeatable = { errors: [{ message: 'Busy.', extensions: { retryable: true } }] };
  const { status, stdout, stderr, keys } = await publishOver(
    graph,
    'lost before',
    answerOf('503 Service Unavailable', repeatable),
    answerOf('502 Bad Gateway', 'no graph'),
  );
  expect(status).toBe(0);
  expect(stderr).toMatch(/^Attempt 1 failed.*\nAttempt 2 failed.*\nAttempt 3 failed.*\n$/);
  expect(stdout).toMatch(/outcome: 'COMPLETED'.*replayed: true/s);
  expect(keys).toHaveLength(4);
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
