import { setTimeout as after } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { isBalancerHere, runHaproxy } from '../support/cluster.ts';
import { startBuiltServer, type ServerProcess } from '../support/built-server.ts';
import { cases } from '../support/depth.ts';
import { postJson } from '../support/http.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../support/network.ts';
import { temporaryFolder } from '../support/files.ts';
import { sandboxForTest } from '../support/sandbox.ts';

/** Starts haproxy before some servers, whose readiness it asks for, and gives its address; it ends with the test. */
async function startBalancer(urls: readonly string[]): Promise<string> {
  const port = await freePort();
  const file = join(await temporaryFolder(), 'haproxy.cfg');
  await writeFile(file, configuration(port, urls));
  return await runHaproxy(file, `127.0.0.1:${port}`);
}

// Nothing is sent again: a request that fails is to be seen.
function configuration(port: number, urls: readonly string[]): string {
  const servers = urls.map(
    (url, index) => `server s${index} ${new URL(url).host} check inter 100ms fall 2 rise 1`,
  );
  return `
defaults
  mode http
  timeout connect 30s
  timeout client 60s
  timeout server 60s
  timeout check 10s
  retries 0
frontend in
  bind 127.0.0.1:${port}
  default_backend graph
backend graph
  balance roundrobin
  option httpchk GET /ready
  ${servers.join('\n  ')}
`;
}

const CLIENTS = cases(6, 20);
/** How many requests are answered before each signal, and how many more are sent once the process has ended. */
const REQUESTS = cases(50, 100);
const PAUSE_MS = cases(60, 20);
const LONG = { timeout: 180_000 };
const LIST = { query: '{ accounts(first: 1, surface: CURRENT) { totalCount } }' };

/** Clients that send one request after the other through a balancer before some servers, until the test ends. */
async function startLoad() {
  const sandbox = await sandboxForTest();
  const environment = {
    CURRENT_API_URL: sandbox.url,
    LOG_LEVEL: 'error',
    // The balancer asks ten times a second whether a server is ready.
    DRAIN_DELAY: '3s',
    // A busy machine is not the subject here.
    OVERLOAD_DELAY: '1h',
  };
  const start = () => startBuiltServer(environment);
  const servers = await Promise.all([start(), start(), start()]);
  const url = await startBalancer(servers.map((server) => server.url));
  const outcomes: string[] = [];
  const over = new AbortController();
  const client = async (): Promise<void> => {
    while (!over.signal.aborted) {
      outcomes.push(await outcomeOf(url));
      await after(PAUSE_MS);
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  onTestFinished(async () => {
    over.abort();
    await clients;
  });
  const answered = async (count: number): Promise<void> => {
    const goal = outcomes.length + count;
    await expect.poll(() => outcomes.length).toBeGreaterThanOrEqual(goal);
  };
  /** Ends a server beside requests; gives its exit code and what became of all requests before, meanwhile and after. */
  const endUnder = async (signal: 'SIGTERM' | 'SIGKILL', server: ServerProcess) => {
    outcomes.length = 0;
    await answered(REQUESTS);
    const code = await server.end(signal);
    await answered(REQUESTS);
    return { code, failed: outcomes.filter((outcome) => outcome !== '200') };
  };
  return { servers, endUnder };
}

/** What came of a request: 200, or what went wrong. */
async function outcomeOf(url: string): Promise<string> {
  return await postJson(`${url}/graphql`, LIST, { 'x-api-key': 'demo-key-harbour' }).then(
    ({ status, text }) => (text.includes('"totalCount":12') ? String(status) : `${status} ${text}`),
    String,
  );
}

test.runIf(isBalancerHere)(
  'behind a balancer that checks readiness, a process that ends under load fails no request; one that is killed does',
  LONG,
  async () => {
    const { servers, endUnder } = await startLoad();
    const [first, second] = servers;
    expect(await endUnder('SIGTERM', first)).toEqual({ code: 0, failed: [] });
    // The control: what the balancer cannot know of in time is seen.
    expect((await endUnder('SIGKILL', second)).failed.length).toBeGreaterThan(0);
  },
);
