import { GraphQLClient } from 'graphql-request';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openLog } from '../../src/log.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { createServer } from '../../src/server.ts';
import {
  UNDISTURBED,
  type AnswerError,
  type GraphOptions,
  type QueryOptions,
  type RunningGraph,
} from './graph.ts';

const STARTED_AT = Date.parse('2026-11-20T08:00:00Z');

/** A clock of the sandbox that stands still, so that nothing is said to be older in one answer than in another. */
export const stillClock = (): number => STARTED_AT;

/**
 * A running graph in front of a running sandbox for all tests of a file that change nothing. Faults, counted requests
 * and log lines are gone before each test.
 */
export function shareGraph({ environment = {}, sandbox: options = {} }: GraphOptions = {}): RunningGraph {
  const log: string[] = [];
  let started: { readonly url: string; readonly sandbox: Sandbox; close(): Promise<void> } | undefined;
  const running = () => {
    if (!started) throw new Error('the graph is not there yet');
    return started;
  };
  beforeAll(async () => {
    const sandbox = await startSandbox({ port: 0, now: stillClock, ...options });
    const addresses = { CURRENT_API_URL: sandbox.url, LEGACY_API_URL: sandbox.url };
    const config = readConfig({
      PORT: '0',
      LOG_LEVEL: 'debug',
      DRAIN_DELAY: '0s',
      ...UNDISTURBED,
      ...addresses,
      ...environment,
    });
    const server = createServer(config, { log: openLog(config.logLevel, (line) => log.push(line)) });
    const close = async () => {
      await server.close();
      await sandbox.close();
    };
    started = { url: await server.listen(), sandbox, close };
  });
  afterAll(() => started?.close());
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
      return headersOf(running().sandbox);
    },
    query: async (
      document,
      { variables = {}, headers = headersOf(running().sandbox).both }: QueryOptions = {},
    ) => {
      const client = new GraphQLClient(`${running().url}/graphql`, {
        headers: { ...headers },
        errorPolicy: 'all',
      });
      const answer = await client.rawRequest<unknown>(document as string, variables);
      const errors = (answer.errors ?? []) as unknown as readonly AnswerError[];
      return { data: answer.data, errors, headers: answer.headers };
    },
  };
}

function headersOf({ owners: [{ apiKey, accessToken }] }: Sandbox): RunningGraph['caller'] {
  const key = { 'x-api-key': apiKey };
  const token = { authorization: `Bearer ${accessToken}` };
  return { both: { ...key, ...token }, key, token };
}
