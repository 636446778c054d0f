import { setTimeout as after } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { isBalancerHere, startBalancer } from '../support/balancer.ts';
import { startBuiltServer } from '../support/built-server.ts';
import { postJson } from '../support/raw-http.ts';

const PER_SECOND = 200;
const LOAD_MS = 8_000;
const LIST = { query: '{ accounts(first: 1, surface: CURRENT) { totalCount } }' };

/** Two hundred requests a second through a balancer before two servers, of which one gets a signal early on. */
async function loadWhile(signal: 'SIGTERM' | 'SIGKILL') {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const environment = {
    CURRENT_API_URL: sandbox.url,
    LOG_LEVEL: 'error',
    // What this is about is not how busy the machine is.
    OVERLOAD_DELAY: '1h',
  };
  const [first, second] = await Promise.all([startBuiltServer(environment), startBuiltServer(environment)]);
  const url = await startBalancer([first.url, second.url]);
  const ended = after(LOAD_MS / 8).then(() => first.end(signal));
  const outcomes = await load(url);
  return { outcomes, code: await ended };
}

/** What came of each request: 200, or what went wrong. */
async function load(url: string): Promise<string[]> {
  const sent: Promise<string>[] = [];
  const startedAt = performance.now();
  const send = () =>
    postJson(`${url}/graphql`, LIST, { 'x-api-key': 'demo-key-harbour' }).then(
      ({ status, text }) => (text.includes('"totalCount":12') ? String(status) : `${status} ${text}`),
      String,
    );
  for (let now = 0; now < LOAD_MS; now = performance.now() - startedAt) {
    while (sent.length < (now / 1_000) * PER_SECOND) sent.push(send());
    await after(5);
  }
  return await Promise.all(sent);
}

test.runIf(isBalancerHere)(
  'behind a balancer that asks for readiness, the end of a process under load fails no request',
  { timeout: 60_000 },
  async () => {
    const { outcomes, code } = await loadWhile('SIGTERM');
    expect(outcomes.length).toBeGreaterThan((PER_SECOND * LOAD_MS) / 1_250);
    expect(outcomes.filter((outcome) => outcome !== '200')).toEqual([]);
    expect(code).toBe(0);
  },
);

test.runIf(isBalancerHere)(
  'a process that is killed under the same load fails some',
  { timeout: 60_000 },
  async () => {
    const { outcomes } = await loadWhile('SIGKILL');
    expect(outcomes.filter((outcome) => outcome !== '200').length).toBeGreaterThan(0);
  },
);
