import { createServer } from 'node:http';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { createSender } from '../../src/webhooks/deliver.ts';

const SECRET = `whsec_${Buffer.alloc(32, 'of the tests only').toString('base64')}`;

async function attempt(retryAfter: string) {
  const server = createServer((_request, response) =>
    response.writeHead(503, { 'retry-after': retryAfter }).end(),
  ).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const send = createSender(new URL(`http://127.0.0.1:${port}/`), SECRET);
  return await send({ id: 'msg_1', type: 'queue.added', timestamp: new Date().toISOString(), data: {} });
}

test.each([
  ['90', 90_000],
  ['Fri, 01 Jan 2100 00:00:00 GMT', 3_600_000],
  ['soon', 0],
])('a receiver that asks for a pause with %j gets it, up to an hour', async (retryAfter, pauseMs) => {
  expect(await attempt(retryAfter)).toMatchObject({ outcome: 'failed', pauseMs });
});
