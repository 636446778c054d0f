import { setTimeout as after } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startBuiltServer } from '../support/built-server.ts';
import { jsonOf, postJson, send } from '../support/raw-http.ts';

/** Later than the rest of a busy machine ever makes the process, so that only the pauses of the test count. */
const OVERLOAD_DELAY_MS = 1_000;

test('a process that is stopped again and again reports that it is overloaded, and goes on serving', async () => {
  const { url, signal } = await startBuiltServer({
    SANDBOX_PORT: '0',
    OVERLOAD_DELAY: `${OVERLOAD_DELAY_MS}ms`,
  });
  const statusOf = async () => jsonOf(await send(`${url}/ready`)).status as string;
  await expect.poll(statusOf).toBe('ready');
  const stop = async (): Promise<string> => {
    signal('SIGSTOP');
    await after(1.5 * OVERLOAD_DELAY_MS);
    signal('SIGCONT');
    expect((await send(`${url}/health`)).status).toBe(200);
    return await statusOf();
  };
  await expect.poll(stop).toBe('overloaded');
  const query = async () => jsonOf(await postJson(`${url}/graphql`, { query: '{ surfaces { surface } }' }));
  await expect.poll(query).toMatchObject({ data: { surfaces: [{}, {}] } });
});
