import { onTestFinished, beforeEach, expect } from 'vitest';
import type { Environment } from '../../src/config.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../packages/sandbox/src/sandbox.ts';
import type { PagesSandbox } from '../../src/http/desk.ts';
import type { PersistedDocuments } from '../../src/http/persisted-documents.ts';
import type { McpOptions } from '../../src/http/mcp.ts';
import { BUILT_DESK, BUILT_EXPLORER, openServer } from './server.ts';
import { watchForLeaks } from './leaks.ts';
import { jsonOf, postJson, type HttpReply } from './http.ts';
import { shared } from './shared.ts';
import { ERROR_CODES } from '../../src/schema/errors.ts';

/** A credential header for each surface. */
export type CallerHeaders = Readonly<Record<string, string>>;

/** A running graph in front of a running sandbox, for one test; both end with it. */
export type RunningGraph = Readonly<Awaited<ReturnType<typeof startGraph>>>;

/** What an operation is sent with; both credentials unless headers say otherwise. */
interface QueryOptions {
  readonly variables?: object;
  readonly headers?: CallerHeaders;
}

/** A GraphQL answer, with its parts open to any test. */
export interface Answer {
  // oxlint-disable-next-line typescript/no-explicit-any -- a test asserts on any shape
  readonly data: any;
  readonly errors: readonly AnswerError[];
  readonly headers: HttpReply['headers'];
}

export interface AnswerError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly extensions: Readonly<Record<string, unknown>>;
}

/**
 * A failing call fails its operation at once, and never keeps the next one from being made; a machine that is busy with
 * other tests turns nobody away, and closes no connection that a client is about to use again. What is repeated, held
 * back or turned away is a subject of its own.
 */
export const UNDISTURBED: Environment = {
  READ_ATTEMPTS: '1',
  BREAKER_MIN_CALLS: '1000000',
  OVERLOAD_DELAY: '1h',
  KEEP_ALIVE: '10m',
  // Each test sees what the service shows it.
  VALIDATION_REUSE: '0s',
  // What is on disk has tests of its own.
  DATA_DIR: 'off',
};

export interface GraphOptions {
  readonly environment?: Environment;
  readonly sandbox?: SandboxOptions;
  /** Fills the sandbox's credentials into GraphiQL and listens to its push socket, as `npm start` does. */
  readonly explorer?: boolean;
  /** Serves Desk, with `explorer` also with the sandbox's credentials and controls; or for a service, so that it asks for credentials. */
  readonly desk?: 'sandbox' | 'service';
  /**
   * Whether a secret in an answer fails the test; true unless told. A test that takes a secret's own field away leaves
   * nothing to know it by where it stands in another text.
   */
  readonly watchesAnswers?: boolean;
  readonly documents?: PersistedDocuments;
  readonly readWithinMs?: number;
  /** Tools for assistants; served with MCP=on in the environment. */
  readonly mcp?: McpOptions;
}

/** Starts a sandbox and a server in front of it on free ports; both are closed when the test ends. */
export async function startGraph(options: GraphOptions = {}) {
  return await openGraph({ servesGraphiql: true, ...options }, { log: [], whenDone: onTestFinished });
}

const STARTED_AT = Date.parse('2026-11-20T08:00:00Z');

/** A clock of the sandbox that stands still, so that nothing is said to be older in one answer than in another. */
export const stillClock = (): number => STARTED_AT;

/**
 * A running graph in front of a running sandbox for all tests of a file that change nothing. Faults, counted requests
 * and log lines are gone before each test.
 */
export function shareGraph({ sandbox = {}, ...options }: GraphOptions = {}): RunningGraph {
  const log: string[] = [];
  const endings: (() => unknown)[] = [];
  const whenDone = (end: () => unknown): unknown => endings.unshift(end);
  const open = () => openGraph({ ...options, sandbox: { now: stillClock, ...sandbox } }, { log, whenDone });
  const running = shared(open, async () => {
    for (const end of endings) await end();
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
      return running().caller;
    },
    query: async (document, call) => await running().query(document, call),
    dataOf: async (document, call) => await running().dataOf(document, call),
  };
}

async function openGraph(
  {
    environment = {},
    sandbox: sandboxOptions = {},
    explorer = false,
    servesGraphiql = explorer,
    desk,
    watchesAnswers = true,
    ...options
  }: GraphOptions & { readonly servesGraphiql?: boolean },
  { log, whenDone }: { readonly log: string[]; readonly whenDone: (end: () => Promise<void>) => unknown },
) {
  const sandbox = await startSandbox({ port: 0, ...sandboxOptions });
  whenDone(() => sandbox.close());
  const watch = watchForLeaks(() => ({ url, sandbox }));
  const server = await openServer(
    {
      ...UNDISTURBED,
      CURRENT_API_URL: sandbox.url,
      LEGACY_API_URL: sandbox.url,
      ...(explorer ? { AI_SOCKET_URL: sandbox.pushUrls.socketIo } : {}),
      ...environment,
    },
    {
      ...options,
      ...(servesGraphiql ? { explorer: BUILT_EXPLORER } : {}),
      ...(desk ? { desk: BUILT_DESK } : {}),
      ...(explorer && desk !== 'service' ? { sandbox: pagesSandboxOf(sandbox) } : {}),
    },
    log,
    watch.logged,
  );
  const { url } = server;
  whenDone(() => server.close());
  whenDone(() => watch.look());
  const caller = callerOf(sandbox);
  const query = async (document: string, call: QueryOptions = {}): Promise<Answer> => {
    const { variables = {}, headers: sent = caller.both } = call;
    const accept = 'application/graphql-response+json';
    const reply = await postJson(`${url}/graphql`, { query: document, variables }, { accept, ...sent });
    const { data, errors = [] } = jsonOf(reply) as Partial<Answer>;
    const answer = { data, errors, headers: reply.headers };
    if (watchesAnswers) watch.answered(answer);
    return answer;
  };
  return {
    url,
    sandbox,
    log: log as readonly string[],
    caller,
    /** Sends an operation over HTTP; gives data and errors, whatever came. */
    query,
    /** The same for one that has no errors; gives its data. */
    dataOf: async (document: string, call?: QueryOptions): Promise<Answer['data']> => {
      const { data, errors } = await query(document, call);
      expect(errors).toEqual([]);
      return data;
    },
  };
}

function callerOf(sandbox: Sandbox): Readonly<Record<'both' | 'key' | 'token', CallerHeaders>> {
  const [{ apiKey, accessToken }] = sandbox.owners;
  const key = { 'x-api-key': apiKey };
  const token = { authorization: `Bearer ${accessToken}` };
  return { both: { ...key, ...token }, key, token };
}

export function pagesSandboxOf(sandbox: Sandbox): PagesSandbox {
  return { credentials: sandbox.owners[0], makeHappen: (event) => sandbox.makeHappen(event) };
}

/** Where each error of an answer lies and its code, as `accounts.nodes.0.color CODE`, in the order of the paths. */
export function errorsOf(answer: Pick<Answer, 'errors'>): string[] {
  return answer.errors.map((error) => `${pathOf(error)} ${codeOf(error)}`).toSorted();
}

/** The only error of an answer; fails the test when there are more or none. */
export function onlyError(answer: Pick<Answer, 'errors'>): AnswerError {
  expect(errorsOf(answer)).toHaveLength(1);
  const [error] = answer.errors;
  if (!error) throw new Error('no error');
  return error;
}

/** The code of an error; fails the test when it is not of the closed list, or when the error names no request. */
export function codeOf({ extensions }: AnswerError): string {
  expect(ERROR_CODES).toContain(extensions['code']);
  expect(extensions['requestId']).toMatch(/^[\da-f-]{36}$/);
  return String(extensions['code']);
}

function pathOf({ path = [] }: AnswerError): string {
  return path.join('.');
}
