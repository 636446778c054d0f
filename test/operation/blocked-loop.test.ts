import { setTimeout as after } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { shareBuiltServer } from '../support/built-server.ts';
import { cases } from '../support/depth.ts';
import { jsonOf, postJson, send, scrape } from '../support/http.ts';

const OVERLOAD_DELAY_MS = 100;
const QUERY = { query: '{ surfaces { surface } }' };

const running = shareBuiltServer(() => ({
  CURRENT_API_URL: 'http://127.0.0.1:9',
  OVERLOAD_DELAY: `${OVERLOAD_DELAY_MS}ms`,
  LOG_LEVEL: 'error',
}));
const statusOf = async (url: string) => jsonOf(await send(`${url}/ready`)).status as string;

test('a process that is stopped again and again, as one that gets no processor, turns nobody away', async () => {
  const { url, signal } = running();
  await expect.poll(() => statusOf(url)).toBe('ready');
  // The first one loads what the others have, too.
  expect((await postJson(`${url}/graphql`, QUERY)).status).toBe(200);
  for (let time = 0; time < cases(3, 5); time += 1) {
    signal('SIGSTOP');
    const replies = Array.from({ length: 20 }, () => postJson(`${url}/graphql`, QUERY));
    await after(3 * OVERLOAD_DELAY_MS);
    signal('SIGCONT');
    for (const { status } of await Promise.all(replies)) expect(status).toBe(200);
    expect(await statusOf(url)).toBe('ready');
  }
  expect((await scrape(url)).value('requests_shed_total')).toBe(0);
});

test('a process that is held up by its own work reports that it is overloaded, and goes on serving', async () => {
  const { url } = running();
  let documents = 0;
  const flood = async (): Promise<string> => {
    // A document that nobody has sent before costs the most.
    const unknown = () => ({ query: `{ surfaces { ${'surface '.repeat(300)} } } #${(documents += 1)}` });
    await Promise.all(Array.from({ length: 100 }, () => postJson(`${url}/graphql`, unknown())));
    expect((await send(`${url}/health`)).status).toBe(200);
    return await statusOf(url);
  };
  await expect.poll(flood).toBe('overloaded');
  const query = async () => jsonOf(await postJson(`${url}/graphql`, QUERY));
  await expect.poll(query).toMatchObject({ data: { surfaces: [{}, {}] } });
});
