import { afterAll, beforeAll, beforeEach } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openLog } from '../../src/observability/log.ts';
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { createServer } from '../../src/server.ts';
import { BUILT_EXPLORER } from './explorer.ts';
import { callerOf, send, UNDISTURBED, type GraphOptions, type RunningGraph } from './graph.ts';
import { watchForLeaks } from './leaks.ts';

const STARTED_AT = Date.parse('2026-11-20T08:00:00Z');

/** A clock of the sandbox that stands still, so that nothing is said to be older in one answer than in another. */
export const stillClock = (): number => STARTED_AT;

/**
 * A running graph in front of a running sandbox for all tests of a file that change nothing. Faults, counted requests
 * and log lines are gone before each test.
 */
export function shareGraph({
  environment = {},
  sandbox: options = {},
  explorer = false,
  documents,
  mcp,
  watchesAnswers = true,
}: GraphOptions = {}): RunningGraph {
  const log: string[] = [];
  let started: { readonly url: string; readonly sandbox: Sandbox; close(): Promise<void> } | undefined;
  const running = () => {
    if (!started) throw new Error('the graph is not there yet');
    return started;
  };
  beforeAll(async () => {
    const sandbox = await startSandbox({ port: 0, now: stillClock, ...options });
    const addresses = {
      CURRENT_API_URL: sandbox.url,
      LEGACY_API_URL: sandbox.url,
      ...(explorer ? { AI_SOCKET_URL: sandbox.pushUrls.socketIo } : {}),
    };
    const config = readConfig({
      PORT: '0',
      LOG_LEVEL: 'debug',
      DRAIN_DELAY: '0s',
      ...UNDISTURBED,
      ...addresses,
      ...environment,
    });
    const write = (line: string): void => {
      log.push(line);
      watch.logged(line);
    };
    const server = createServer(config, {
      log: openLog(config.logLevel, write),
      ...(documents ? { documents } : {}),
      mcp,
      ...(explorer ? { explorer: BUILT_EXPLORER, explorerCredentials: sandbox.owners[0] } : {}),
    });
    const close = async () => {
      await server.close();
      await sandbox.close();
    };
    started = { url: await server.listen(), sandbox, close };
  });
  const watch = watchForLeaks(running);
  afterAll(async () => {
    if (!started) return;
    await watch.look();
    await started.close();
  });
  beforeEach(() => {
    running().sandbox.faults.clear();
    running().sandbox.requests.clear();
    log.length = 0;
  });
  return {
    log,
    get url() {
      return running().url;
    },
    get sandbox() {
      return running().sandbox;
    },
    get caller() {
      return callerOf(running().sandbox);
    },
    query: async (document, call = {}) => {
      const { url, sandbox } = running();
      const answer = await send(url, document, { headers: callerOf(sandbox).both, ...call });
      if (watchesAnswers) watch.answered([answer.data, answer.errors, [...answer.headers]]);
      return answer;
    },
  };
}
