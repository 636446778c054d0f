import { setTimeout as after } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { isBalancerHere, startBalancer } from '../support/balancer.ts';
import { startBuiltServer } from '../support/built-server.ts';
import { cases } from '../support/depth.ts';
import { postJson } from '../support/raw-http.ts';

const CLIENTS = cases(6, 20);
/** How many requests are answered before the signal, and how many more are sent once the process has ended. */
const REQUESTS = 100;
const LONG = { timeout: 180_000 };
const LIST = { query: '{ accounts(first: 1, surface: CURRENT) { totalCount } }' };

/** Clients that send one request after the other through a balancer before two servers, of which one gets a signal. */
async function loadWhile(signal: 'SIGTERM' | 'SIGKILL') {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const environment = {
    CURRENT_API_URL: sandbox.url,
    LOG_LEVEL: 'error',
    // The balancer asks ten times a second whether a server is ready.
    DRAIN_DELAY: '3s',
    // A busy machine is not the subject here.
    OVERLOAD_DELAY: '1h',
  };
  const [first, second] = await Promise.all([startBuiltServer(environment), startBuiltServer(environment)]);
  const url = await startBalancer([first.url, second.url]);
  const outcomes: string[] = [];
  const over = new AbortController();
  const client = async (): Promise<void> => {
    while (!over.signal.aborted) {
      outcomes.push(await outcomeOf(url));
      await after(20);
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  const answered = async (count: number): Promise<void> => {
    const goal = outcomes.length + count;
    await expect.poll(() => outcomes.length).toBeGreaterThanOrEqual(goal);
  };
  await answered(REQUESTS);
  const code = await first.end(signal);
  await answered(REQUESTS);
  over.abort();
  await Promise.all(clients);
  return { outcomes, code };
}

/** What came of a request: 200, or what went wrong. */
async function outcomeOf(url: string): Promise<string> {
  return await postJson(`${url}/graphql`, LIST, { 'x-api-key': 'demo-key-harbour' }).then(
    ({ status, text }) => (text.includes('"totalCount":12') ? String(status) : `${status} ${text}`),
    String,
  );
}

test.runIf(isBalancerHere)(
  'behind a balancer that checks readiness, a process that ends under load fails no request',
  LONG,
  async () => {
    const { outcomes, code } = await loadWhile('SIGTERM');
    expect(outcomes.filter((outcome) => outcome !== '200')).toEqual([]);
    expect(code).toBe(0);
  },
);

test.runIf(isBalancerHere)(
  'a process that is killed under the same load fails some requests',
  LONG,
  async () => {
    const { outcomes } = await loadWhile('SIGKILL');
    expect(outcomes.filter((outcome) => outcome !== '200').length).toBeGreaterThan(0);
  },
);
