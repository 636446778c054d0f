import { connect } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startSandbox } from '../src/sandbox.ts';
import { openSocketIo, openWebSocket } from './push-client.ts';
import { call, clientOf, sandboxForTest } from './running-sandbox.ts';

const AN_HOUR = 3_600_000;

test('close ends open answers, push sockets and waiting generations without waiting for them', async () => {
  const sandbox = await startSandbox({ slowAiDelayMs: AN_HOUR });
  const headers = { 'x-api-key': 'demo-key-harbour' };
  await openSocketIo(sandbox.pushUrls.socketIo, { headers });
  const plain = await openWebSocket(sandbox.pushUrls.webSocket, { headers });
  await openWebSocket(sandbox.pushUrls.webSocket);
  await clientOf(sandbox).post('/openai/response', { content: 'slowly', tone: 'Warm' });
  sandbox.faults.add({ endpoint: 'GET /group/list', kind: 'never-answer' });
  sandbox.faults.add({ endpoint: 'GET /library/list', kind: 'dribble', intervalMs: 10 });
  sandbox.faults.add({ endpoint: 'GET /accounts/list', kind: 'delay', ms: AN_HOUR });
  const open = ['/group/list', '/library/list', '/accounts/list'].map((path) => clientOf(sandbox).get(path));
  const failed = Promise.allSettled(open);
  await expect.poll(() => sandbox.requests.open).toBe(3);
  expect(sandbox.openConnections).toBeGreaterThanOrEqual(6);

  await sandbox.close();

  expect((await failed).map((outcome) => outcome.status)).toEqual(['rejected', 'rejected', 'rejected']);
  await plain.closed();
  expect(sandbox.openConnections).toBe(0);
  await expect(call(`${sandbox.url}/group/list`)).rejects.toThrow('ECONNREFUSED');
  await sandbox.close();
});

test('two sandboxes run side by side and share nothing', async () => {
  const [one, other] = [await sandboxForTest(), await sandboxForTest()];
  await clientOf(one).legacyGet('/oauth/account/delete/410201');
  expect((await clientOf(other).get('/accounts/view/410201')).status).toBe(200);
  expect(other.requests.count()).toBe(1);
});

test('a port can be asked for, and a taken one is refused', async () => {
  const sandbox = await sandboxForTest();
  const port = Number(new URL(sandbox.url).port);
  await expect(startSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await sandbox.close();
  const again = await sandboxForTest({ port });
  expect(again.url).toBe(`http://127.0.0.1:${port}`);
});

test('a caller that leaves in the middle of its body does no harm', async () => {
  const sandbox = await sandboxForTest();
  const socket = connect(Number(new URL(sandbox.url).port), '127.0.0.1');
  socket.write('POST /posts/create HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{"share');
  await expect.poll(() => sandbox.requests.open).toBe(1);
  socket.destroy();
  await once(socket, 'close');
  await expect.poll(() => sandbox.requests.open).toBe(0);
  expect((await clientOf(sandbox).get('/group/list')).status).toBe(200);
});
