import { setTimeout as after } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startBuiltServer } from '../support/built-server.ts';
import { jsonOf, postJson, send } from '../support/raw-http.ts';

test(
  'a process that stands still for half a second three times is left alone for a while, and survives',
  { timeout: 40_000 },
  async () => {
    const { url, signal, end } = await startBuiltServer({ SANDBOX_PORT: '0' });
    const statusOf = async () => jsonOf(await send(`${url}/ready`)).status as string;
    expect(await statusOf()).toBe('ready');
    for (let time = 0; time < 3; time += 1) {
      signal('SIGSTOP');
      await after(500);
      signal('SIGCONT');
      expect((await send(`${url}/health`)).status).toBe(200);
    }
    await expect.poll(statusOf, { timeout: 2_000, interval: 50 }).toBe('overloaded');
    await expect.poll(statusOf, { timeout: 13_000, interval: 100 }).toBe('ready');
    const answer = await postJson(`${url}/graphql`, { query: '{ surfaces { surface } }' });
    expect(jsonOf(answer).data.surfaces).toHaveLength(2);
    expect(await end('SIGKILL')).toBeNull();
  },
);
