import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { RedisLink } from '../../src/coordination/redis/link.ts';
import { openLog } from '../../src/observability/log.ts';
import { freePort } from '../support/free-port.ts';
import { isRedisHere, startRedis } from '../support/redis.ts';

/** What the log gives as the reason, for the operator. */
async function reasonAt(url: string): Promise<unknown> {
  const lines: string[] = [];
  const log = openLog('warn', (line) => void lines.push(line));
  const link = new RedisLink({ url, commandTimeoutMs: 1_000 }, log);
  await link.tried;
  await link.close();
  expect(lines).toHaveLength(1);
  return (JSON.parse(lines[0] ?? '') as { readonly reason: unknown }).reason;
}

test('the log says why no connection to Redis was made', async () => {
  expect(await reasonAt(`redis://127.0.0.1:${await freePort()}`)).toBe('ECONNREFUSED');
  expect(await reasonAt('redis://redis.invalid')).toMatch(/^(?:ENOTFOUND|EAI_AGAIN)$/);
});

test('the log says that something else than Redis answers', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { readonly port: number };
  expect(await reasonAt(`redis://127.0.0.1:${port}`)).toBe('not a Redis server');
});

test.runIf(isRedisHere)('the log gives the code of a Redis that refuses', async () => {
  const redis = await startRedis();
  await redis.client.config('SET', 'requirepass', 'of-the-tests');
  expect(await reasonAt(`redis://:wrong@127.0.0.1:${redis.port}`)).toMatch(/^(?:NOAUTH|WRONGPASS)$/);
});

test.runIf(isRedisHere)('the log says that Redis has no database of the number in the URL', async () => {
  const redis = await startRedis();
  expect(await reasonAt(`redis://127.0.0.1:${redis.port}/99`)).toBe('no database with that number');
  // Nothing was written into another one.
  expect(await redis.client.exists('spg:beat')).toBe(0);
});
