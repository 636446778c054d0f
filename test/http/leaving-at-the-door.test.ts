import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startGraph } from '../support/graph.ts';

const SEATS = 5;
const LEAVING = 100;
const FOLLOW = JSON.stringify({ query: 'subscription { aiGenerationFinished { id } }' });

function requestFor(apiKey: string): string {
  const lines = [
    'POST /graphql HTTP/1.1',
    'host: x',
    'content-type: application/json',
    'accept: text/event-stream',
    `x-api-key: ${apiKey}`,
    `content-length: ${FOLLOW.length}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${FOLLOW}`;
}

test('whoever leaves while new connections are let in leaves no stream behind', async () => {
  const graph = await startGraph({ environment: { MAX_SOCKETS_PER_CREDENTIAL: String(SEATS) } });
  const { hostname, port } = new URL(graph.url);
  const { apiKey } = graph.sandbox.owners[0];
  const open = () => connect(Number(port), hostname).on('error', () => undefined);
  const others = setInterval(() => open().destroySoon(), 0);
  await Promise.all(
    Array.from({ length: LEAVING }, async (_, index) => {
      await after(index);
      const socket = open();
      socket.write(requestFor(apiKey));
      await after(Math.random() * 12);
      socket.destroy();
    }),
  );
  clearInterval(others);
  await expect
    .poll(async () => {
      const socket = open();
      socket.write(requestFor(apiKey));
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return /^HTTP\/1\.1 (\d+)/.exec(answer.toString())?.[1];
    })
    .toBe('200');
});
