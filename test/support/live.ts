import { type ServerResponse, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { expect, onTestFinished, vi } from 'vitest';
import type { Environment } from '../../src/config.ts';
import { encodeGlobalId } from '../../src/records/global-id.ts';
import type { Sandbox, SandboxOptions } from '../../packages/sandbox/src/sandbox.ts';
import { startServer } from './server.ts';
import { UNDISTURBED, type AnswerError, startGraph, type GraphOptions, type RunningGraph } from './graph.ts';
import { postJson } from './http.ts';
import { documentOf } from './writes.ts';
import type { WebSocket } from 'ws';
import { openClient } from './web-sockets.ts';
// Yoga starts the event streams, and is loaded with the first one: a reader would be later than the others of a test.
import '../../src/http/yoga.ts';
import { sandboxForTest } from './sandbox.ts';

/** The ways by which the result of a slow generation comes; the history is there beside the sockets too. */
export const WAYS = ['socket.io', 'WebSocket', 'history'] as const;
export type Way = (typeof WAYS)[number];
/** Those of them that are sockets. */
export const SOCKETS = ['socket.io', 'WebSocket'] as const;

/** The service's name of the only call that spends credits. */
export const ASKING = 'POST /openai/response';
/** The service's name of the call that every look costs, for each page. */
export const LOOKING = 'GET /openai/historyList';

/** How long a result is waited for: longer than any test takes. Tests of what comes then change the clock. */
export const MAX_WAIT_MS = 3_600_000;

/** The sandbox's owners by name. */
type OwnerName = 'harbour' | 'fernlight';

/** Who does something; the first owner unless told. */
export interface Who {
  readonly as?: OwnerName;
}

/** A generation that was asked for. */
export interface Asked {
  readonly id: string;
  readonly contentId: string;
  readonly status: string;
  readonly text: string | null;
}

/** What a text is asked for with; slowly and without an end unless told. */
export interface Question extends Who {
  readonly prompt?: string;
  readonly tone?: string;
  readonly idempotencyKey?: string;
}

/** A server in front of a sandbox, with the results of slow generations coming by one way. */
export interface LiveGraph {
  /** Address of the server, without a trailing slash. */
  readonly url: string;
  readonly sandbox: Sandbox;
  readonly log: readonly string[];
  keyOf(owner?: OwnerName): string;
  /** Asks for a text over HTTP. */
  ask(question?: Question): Promise<Asked>;
  /** Runs an operation over HTTP. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test asserts on any shape
  query(query: string, variables?: object, who?: Who): Promise<any>;
  /** Subscribes to one generation, by its content id, over a socket of its own. */
  watch(contentId: string, who?: Who): Reading;
  /** Subscribes to whatever is asked for, over a socket of its own. */
  follow(who?: Who): Reading;
  /** The same two over server-sent events. */
  readonly sse: Pick<LiveGraph, 'watch' | 'follow'>;
  /** How often the history was read for an owner. */
  looks(owner?: OwnerName): number;
  /** Waits until an owner's history was read so many times more. */
  looksAgain(times: number, owner?: OwnerName): Promise<void>;
  /** Waits until nothing more is read for an owner, while another owner's history is read four times. */
  isQuiet(): Promise<void>;
  /** Takes it that so many credits were spent by others than the server. */
  spentElsewhere(credits: number): void;
  /** Starts another server in front of the same sandbox. */
  another(): Promise<Pick<LiveGraph, 'watch' | 'follow'>>;
  /** Closes the server. */
  close(): Promise<void>;
}

/** How a live graph is set up, where a test cares. */
interface LiveOptions {
  readonly environment?: Environment;
  readonly sandbox?: SandboxOptions;
}

const FIELDS = `id contentId status prompt text tone originCode template tokenUsage { input output total } ownerId
  companyId creditsRemaining createdAt createdAtLocal`;
const WATCH = `subscription ($id: ID!) { aiGenerationUpdated(id: $id) { ${FIELDS} } }`;
const FOLLOW = `subscription { aiGenerationFinished { ${FIELDS} } }`;

/** Watches one generation. */
export const watching = (contentId: string): Operation => ({
  query: WATCH,
  variables: { id: idOfGeneration(contentId) },
});
/** Follows all. */
export const following: Operation = { query: FOLLOW };

/** The id of a generation in the graph. */
export function idOfGeneration(contentId: string): string {
  return encodeGlobalId({ type: 'AiGeneration', surface: 'current', rawId: contentId });
}

/** The settings under which results come by a way, quickly enough for a test. */
export function environmentOf(way: Way, { pushUrls }: Sandbox): Environment {
  const url = { 'socket.io': pushUrls.socketIo, WebSocket: pushUrls.webSocket, history: undefined }[way];
  return { AI_SOCKET_URL: url, AI_RESULT_MAX_WAIT: `${MAX_WAIT_MS}ms`, AI_POLL_INTERVAL: '50ms' };
}

/**
 * Starts a sandbox and a server in front of it; both are closed when the test ends. Every test ends with a look at how
 * many credits were spent: one for each time that the test itself has asked, and none for anything else.
 */
export async function startLive(way: Way, options: LiveOptions = {}): Promise<LiveGraph> {
  const sandbox = await sandboxForTest(options.sandbox);
  const listen = () =>
    startServer({
      ...UNDISTURBED,
      CURRENT_API_URL: sandbox.url,
      ...environmentOf(way, sandbox),
      ...options.environment,
    });
  const { url, log, close } = await listen();
  let spent = 0;
  onTestFinished(() => expect(sandbox.requests.count(ASKING), 'calls that spend a credit').toBe(spent));
  const keyOf = (owner: OwnerName = 'harbour'): string => sandbox.owners[owner === 'harbour' ? 0 : 1].apiKey;
  const looks = (owner: OwnerName = 'harbour'): number =>
    sandbox.requests.of(LOOKING).filter(({ owner: by }) => by === owner).length;
  const query: LiveGraph['query'] = async (document, variables = {}, { as } = {}) => {
    const headers = { 'x-api-key': keyOf(as) };
    const { text } = await postJson(`${url}/graphql`, { query: document, variables }, headers);
    return JSON.parse(text) as unknown;
  };
  const readings = (read: typeof readOverSocket, from = url): Pick<LiveGraph, 'watch' | 'follow'> => ({
    watch: (contentId, { as } = {}) => read(from, watching(contentId), keyOf(as)),
    follow: ({ as } = {}) => read(from, following, keyOf(as)),
  });
  const looksAgain: LiveGraph['looksAgain'] = async (times, owner = 'harbour') => {
    const goal = looks(owner) + times;
    await expect.poll(() => looks(owner)).toBeGreaterThanOrEqual(goal);
  };
  return {
    ...readings(readOverSocket),
    sse: readings(readOverSse),
    url,
    sandbox,
    log,
    keyOf,
    query,
    looks,
    close,
    another: async () => readings(readOverSocket, (await listen()).url),
    async ask({ as = 'harbour', ...question } = {}) {
      const input = { prompt: 'slowly, never', tone: 'Warm', ...question };
      const answer = await query(documentOf('generateAiText'), { input }, { as });
      const payload = answer.data?.generateAiText;
      expect(payload?.outcome, JSON.stringify(answer)).toBe('COMPLETED');
      if (!payload.replayed) spent += 1;
      return payload.aiGeneration as Asked;
    },
    looksAgain,
    async isQuiet() {
      const clock = readOverSocket(url, watching('nothing'), keyOf('fernlight'));
      const looksMeanwhile = async (): Promise<number> => {
        const before = looks();
        await looksAgain(4, 'fernlight');
        return looks() - before;
      };
      // A look may be under way, and those who left may not have been missed yet.
      await expect.poll(looksMeanwhile, { message: 'readings of the history' }).toBe(0);
      clock.leave();
    },
    spentElsewhere: (credits) => void (spent += credits),
  };
}

/** Makes the clock show a later time, for as long as the test goes on; timers that run already stay as they are. */
export function skipTime(ms: number): void {
  const ahead = Date.now() + ms - performance.now();
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => Math.round(ahead + performance.now()));
  onTestFinished(() => {
    spy.mockRestore();
  });
}

/** Lets all that is waited for now be waited for long enough. */
export const letWaitsEnd = (): void => skipTime(MAX_WAIT_MS);

/** Waits until the sockets of a way are open for an owner; the history alone has none to wait for. */
export async function waysAreOpen({ sandbox }: LiveGraph, way: Way, owner?: OwnerName): Promise<void> {
  if (way !== 'history') await sandbox.push.waitForOpen(1, owner ? { owner } : {});
}

/** Asks for a text and waits for it over a socket, with the ways of its result open. */
export async function askAndWatch(
  graph: LiveGraph,
  way: Way,
  question?: Question,
): Promise<Asked & { readonly reading: Reading }> {
  const asked = await graph.ask(question);
  const reading = graph.watch(asked.contentId, question);
  await Promise.all([reading.received(1), waysAreOpen(graph, way, question?.as)]);
  return { ...asked, reading };
}

/** What a reading has said when it ends. */
export async function saidBy(reading: Reading): Promise<readonly string[]> {
  await reading.ended();
  return reading.said;
}

/** How often a push socket has been asked for. */
export const handshakes = ({ sandbox }: LiveGraph): number =>
  sandbox.requests.all.filter(({ endpoint }) => endpoint === null).length;

/** A question whose answer is held back. */
interface HeldQuestion {
  readonly contentId: string;
  readonly answered: Promise<Asked>;
  readonly release: () => void;
}

/** Asks for a text, and holds the service's answer back until it is released. */
export async function askHeld(graph: LiveGraph): Promise<HeldQuestion> {
  const { sandbox } = graph;
  let held: ServerResponse | undefined;
  sandbox.faults.add({
    kind: 'raw',
    endpoint: ASKING,
    effect: 'done',
    write: (_request, response) => (held = response),
  });
  const answered = graph.ask();
  await expect.poll(() => held).toBeDefined();
  const contentId = sandbox.generations.pending('harbour').at(-1)?.contentId ?? '';
  const { ownerId } = sandbox.state.owner('harbour');
  const body = { message: 'Later.', response: resultRecord(contentId, { ownerId, aiResponse: '' }) };
  return { contentId, answered, release: () => held?.end(JSON.stringify(body)) };
}

/** Ends a generation so that its result can come by one way only. */
export function only(way: Way): { readonly pushes?: number; readonly history?: boolean } {
  return way === 'history' ? { pushes: 0 } : { history: false };
}

/** The record of a result as the service would push it, made up for anybody. */
export function resultRecord(contentId: string, changes: object = {}): object {
  return {
    contentId,
    userInput: 'slowly, never',
    aiResponse: `The text of ${contentId}.`,
    tone: 'Warm',
    aiToken: { inputToken: 1, outputToken: 2, totalToken: 3 },
    generatedFrom: 'post',
    templateUsed: 'No Template',
    timeConsuming: true,
    createdOn: '2026-11-20T08:00:01.234Z',
    totalCredit: 100,
    ...changes,
  };
}

/** An operation as it is sent. */
interface Operation {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
}

/** One event of a subscription. */
interface Told {
  /** The generation, with whatever was selected of it. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test asserts on any shape
  readonly generation: any;
  readonly errors: readonly AnswerError[];
}

/** How a subscription ended: with a complete message, with errors instead of events, or with its connection. */
type Ending =
  | { readonly how: 'complete' }
  | { readonly how: 'refused'; readonly errors: readonly AnswerError[] }
  | { readonly how: 'cut'; readonly code?: number };

/** Somebody who reads a subscription. */
export interface Reading {
  /** What came so far. */
  readonly events: readonly Told[];
  /** The statuses of what came so far, and the codes of errors. */
  readonly said: readonly string[];
  /** Null while it goes on. */
  readonly ending: Ending | null;
  /** Waits until so many events have come. */
  received(count: number): Promise<readonly Told[]>;
  /** Waits for the end. */
  ended(): Promise<Ending>;
  /** Ends it as a client does that wants no more. */
  leave(): void;
  /** Goes without a goodbye. */
  vanish(): void;
  /** Stops taking what comes, or goes on with it. */
  read(isReading: boolean): void;
}

/** Reads over graphql-ws, on a socket of its own that is closed when the test ends. */
export function readOverSocket(url: string, operation: Operation, apiKey: string): Reading {
  const [reading] = readAllOverSocket(url, [operation], apiKey);
  return reading as Reading;
}

/** Reads several subscriptions over one socket. */
export function readAllOverSocket(
  url: string,
  operations: readonly Operation[],
  apiKey: string,
): readonly Reading[] {
  let socket: WebSocket | undefined;
  const client = openClient(url, {
    connectionParams: apiKey === '' ? {} : { 'x-api-key': apiKey },
    on: { opened: (one) => void (socket = one as WebSocket) },
  });
  return operations.map(({ query, variables = {} }) => {
    const notes = createNotes();
    const sink = {
      next: notes.add,
      error: (error: unknown) => notes.end(endingOf(error)),
      complete: () => notes.end({ how: 'complete' }),
    };
    const leave = client.subscribe({ query, variables }, sink);
    const read = (isReading: boolean): void => (isReading ? socket?.resume() : socket?.pause());
    return Object.assign(notes.reading, { leave, vanish: () => socket?.terminate(), read });
  });
}

function endingOf(error: unknown): Ending {
  if (Array.isArray(error)) return { how: 'refused', errors: error as AnswerError[] };
  const code = (error as { code?: unknown } | null)?.code;
  return { how: 'cut', ...(typeof code === 'number' ? { code } : {}) };
}

/** Reads server-sent events; the connection is cut when the test ends. */
export function readOverSse(url: string, operation: Operation, apiKey: string): Reading {
  const notes = createNotes();
  const call = askForEvents(url, operation, apiKey);
  let answer: IncomingMessage | undefined;
  call.on('response', (response) => {
    let text = '';
    answer = response;
    response.setEncoding('utf8').on('data', (chunk: string) => {
      const messages = `${text}${chunk}`.split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages) note(notes, message);
    });
  });
  // Without a complete message, the end of the connection is the end.
  call.on('error', () => undefined).on('close', () => notes.end({ how: 'cut' }));
  const leave = (): void => void call.destroy();
  const read = (isReading: boolean): void => void (isReading ? answer?.resume() : answer?.pause());
  return Object.assign(notes.reading, { leave, vanish: leave, read });
}

/** Asks for server-sent events over a connection of its own, which is cut when the test ends. */
export function askForEvents(url: string, operation: Operation, apiKey: string): ClientRequest {
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...(apiKey === '' ? {} : { 'x-api-key': apiKey }),
  };
  const call = request(`${url}/graphql`, { method: 'POST', headers, agent: false });
  onTestFinished(() => void call.destroy());
  call.end(JSON.stringify(operation));
  return call;
}

function note(notes: Notes, message: string): void {
  const [, event] = /^event: (.*)$/m.exec(message) ?? [];
  const [, data = ''] = /^data: ?(.*)$/m.exec(message) ?? [];
  if (event === 'next') notes.add(JSON.parse(data));
  if (event === 'complete') notes.end({ how: 'complete' });
}

interface Notes {
  readonly reading: Omit<Reading, 'leave' | 'vanish' | 'read'>;
  readonly add: (result: unknown) => void;
  readonly end: (ending: Ending) => void;
}

interface Result {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly AnswerError[];
}

function createNotes(): Notes {
  const events: Told[] = [];
  const state: { ending: Ending | null } = { ending: null };
  const explain = (): string => `${JSON.stringify(events)} and then ${JSON.stringify(state.ending)}`;
  return {
    add(result) {
      const { data, errors = [] } = result as Result;
      // What was refused before it began comes as an event over SSE, and as an ending over WebSocket.
      if (data === undefined) state.ending ??= { how: 'refused', errors };
      else events.push({ generation: Object.values(data ?? {})[0] ?? null, errors });
    },
    end(ending) {
      state.ending ??= ending;
    },
    reading: {
      events,
      get said() {
        return events.map(({ generation, errors }) =>
          generation === null ? String(errors[0]?.extensions['code']) : String(generation.status),
        );
      },
      get ending() {
        return state.ending;
      },
      async received(count) {
        const isOver = (): boolean => events.length >= count || state.ending !== null;
        await expect.poll(isOver, { message: `${count} events` }).toBe(true);
        if (events.length < count) throw new Error(`not ${count} events, but ${explain()}`);
        return events;
      },
      async ended() {
        const wait = expect.poll(() => state.ending).not.toBeNull();
        await wait.catch(() => Promise.reject(new Error(`no end, but ${explain()}`)));
        return state.ending as Ending;
      },
    },
  };
}

/** The calls that readings of the watched lists make. */
export const QUEUE_CALL = 'GET /posts/queued';
export const ACCOUNTS_CALL = 'GET /accounts/list';

/** An event, with whatever was selected of it. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test asserts on any shape
type WatchEvent = any;

/** Somebody who watches. */
export interface WatchReading extends Omit<Reading, 'events' | 'received' | 'said'> {
  readonly events: readonly WatchEvent[];
  readonly kinds: readonly string[];
  received(count: number): Promise<readonly WatchEvent[]>;
}

/** A server whose lists are watched, read quickly enough for a test. */
export async function startWatched(options: GraphOptions = {}): Promise<RunningGraph> {
  return await startGraph({ ...options, environment: { WATCH_INTERVAL: '50ms', ...options.environment } });
}

const QUEUE_FIELDS = `kind observedAt lastSeenAt totalCount queuedPostIds changedFields isFollowedByChanges
  queuedPost { id postId text scheduledAtLocal isPaused account { loginId } }`;
const HEALTH_FLAGS = 'state isBlocked isLocked needsReconnect isPaused unknownFlags';
const HEALTH_FIELDS = `kind observedAt lastSeenAt totalCount accountIds stateCounts { state count }
  accounts { accountId account { id loginId label } health { ${HEALTH_FLAGS} } }
  account { id loginId displayName } before { ${HEALTH_FLAGS} } after { ${HEALTH_FLAGS} } isFollowedByChanges`;

/** How a list is watched. */
interface WatchOptions {
  readonly accountIds?: readonly string[];
  readonly over?: 'socket' | 'sse';
  readonly apiKey?: string;
}

/** Watches the queue. */
export function watchQueue(graph: Watched, options: WatchOptions = {}): WatchReading {
  return watch(
    graph,
    `subscription ($filter: WatchFilter) { queueChanged(filter: $filter) { ${QUEUE_FIELDS} } }`,
    options,
  );
}

/** Watches the health of the accounts. */
export function watchHealth(graph: Watched, options: WatchOptions = {}): WatchReading {
  const query = `subscription ($filter: WatchFilter) { accountHealthChanged(filter: $filter) { ${HEALTH_FIELDS} } }`;
  return watch(graph, query, options);
}

/** Where to watch, and with whose key unless told. */
type Watched = Pick<RunningGraph, 'url' | 'sandbox'>;

function watch(
  { url, sandbox }: Watched,
  query: string,
  { accountIds, over = 'socket', apiKey = sandbox.owners[0].apiKey }: WatchOptions,
): WatchReading {
  const read = over === 'socket' ? readOverSocket : readOverSse;
  const variables = accountIds === undefined ? {} : { filter: { accountIds } };
  const reading = read(url, { query, variables }, apiKey);
  const events = (): readonly WatchEvent[] => reading.events.map(({ generation }) => generation);
  return Object.defineProperties(Object.create(reading) as WatchReading, {
    events: { get: events },
    kinds: { get: () => events().map(({ kind }: WatchEvent) => kind as string) },
    received: { value: async (count: number) => (await reading.received(count), events()) },
  });
}
