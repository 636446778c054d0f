import { type ServerResponse, request, type IncomingMessage } from 'node:http';
import { expect, onTestFinished, vi } from 'vitest';
import type { Environment } from '../../src/config.ts';
import type { Sandbox, SandboxOptions } from '../../packages/sandbox/src/sandbox.ts';
import { startServer } from './server.ts';
import {
  UNDISTURBED,
  startGraph,
  type Answer,
  type AnswerError,
  type GraphOptions,
  type RunningGraph,
} from './graph.ts';
import { jsonOf, postJson, send } from './http.ts';
import { startTcpProxy } from './network.ts';
import { REDIS_SECRET, startRedis, type RedisServer } from './redis.ts';
import { documentOf, idOf, type Input, type MutationName, type WritePayload } from './writes.ts';
import type { WebSocket } from 'ws';
import { openClient } from './web-sockets.ts';
// Yoga starts the event streams, and is loaded with the first one: a reader would be later than the others of a test.
import '../../src/http/yoga.ts';
import { sandboxForTest } from './sandbox.ts';
import type { Operation } from './transports.ts';

/** The ways by which the result of a slow generation comes; the history is there beside the sockets too. */
export const WAYS = ['socket.io', 'WebSocket', 'history'] as const;
export type Way = (typeof WAYS)[number];
/** Those of them that are sockets. */
export const SOCKETS = ['socket.io', 'WebSocket'] as const;

export const ASKING = 'POST /openai/response';
/** The service's name of the call that every look costs, for each page. */
export const LOOKING = 'GET /openai/historyList';

/** How long a result is waited for: longer than any test takes. Tests of what comes then change the clock. */
export const MAX_WAIT_MS = 3_600_000;

type OwnerName = 'harbour' | 'fernlight';

/** Who does something; the first owner unless told. */
interface Who {
  readonly as?: OwnerName;
}

export interface Asked {
  readonly id: string;
  readonly contentId: string;
  readonly status: string;
  readonly text: string | null;
}

/** What a text is asked for with; slowly and without an end unless told. */
interface Question extends Who {
  readonly prompt?: string;
  readonly tone?: string;
  readonly idempotencyKey?: string;
}

const FIELDS = `id contentId status prompt text tone originCode template tokenUsage { input output total } ownerId
  companyId creditsRemaining createdAt createdAtLocal`;

export const watching = (contentId: string): Operation => ({
  query: `subscription ($id: ID!) { aiGenerationUpdated(id: $id) { ${FIELDS} } }`,
  variables: { id: idOf('AiGeneration', 'current', contentId) },
});
export const following: Operation = { query: `subscription { aiGenerationFinished { ${FIELDS} } }` };

/** The settings under which results come by a way, quickly enough for a test. */
function environmentOf(way: Way, { pushUrls }: Sandbox): Environment {
  const url = { 'socket.io': pushUrls.socketIo, WebSocket: pushUrls.webSocket, history: undefined }[way];
  return { AI_SOCKET_URL: url, AI_RESULT_MAX_WAIT: `${MAX_WAIT_MS}ms`, AI_POLL_INTERVAL: '50ms' };
}

/** A sandbox of which every test checks how many credits were spent: one for each time that the test itself has asked. */
async function startBilled(options?: SandboxOptions) {
  const sandbox = await sandboxForTest(options);
  const credits = { spent: 0 };
  onTestFinished(() =>
    expect(sandbox.requests.count(ASKING), 'calls that spend a credit').toBe(credits.spent),
  );
  return { sandbox, credits };
}

/** A server before a sandbox; its subscriptions have a connection each. */
async function startBefore(
  { sandbox, credits }: Awaited<ReturnType<typeof startBilled>>,
  environment: Environment,
) {
  const settings = { ...UNDISTURBED, CURRENT_API_URL: sandbox.url, ...environment };
  const { url, log, close } = await startServer(settings);
  const ownerOf = ({ as }: Who = {}) => sandbox.owners[as === 'fernlight' ? 1 : 0];
  const readings = (read: typeof readOverSocket) => ({
    watch: (contentId: string, who?: Who) => read(url, watching(contentId), ownerOf(who).apiKey),
    follow: (who?: Who) => read(url, following, ownerOf(who).apiKey),
  });
  const query = async (document: string, variables: object = {}, who?: Who) => {
    const { apiKey, accessToken } = ownerOf(who);
    const headers = { 'x-api-key': apiKey, authorization: `Bearer ${accessToken}` };
    const reply = await postJson(`${url}/graphql`, { query: document, variables }, headers);
    expect(reply.status, reply.text).toBe(200);
    return jsonOf(reply) as Partial<Answer> & Pick<Answer, 'data'>;
  };
  const write = async (name: MutationName, input: Input, who?: Who): Promise<WritePayload> => {
    const answer = await query(documentOf(name), { input }, who);
    expect(answer.errors).toBeUndefined();
    return answer.data[name] as WritePayload;
  };
  return {
    url,
    log,
    close,
    query,
    write,
    ...readings(readOverSocket),
    sse: readings(readOverSse),
    async ask({ as = 'harbour', ...question }: Question = {}) {
      const input = { prompt: 'slowly, never', tone: 'Warm', ...question };
      const payload = await write('generateAiText', input, { as });
      expect(payload.outcome, JSON.stringify(payload)).toBe('COMPLETED');
      if (payload.replayed !== true) credits.spent += 1;
      return payload['aiGeneration'] as Asked;
    },
  };
}

interface LiveOptions {
  readonly environment?: Environment;
  readonly sandbox?: SandboxOptions;
}

export type LiveGraph = Awaited<ReturnType<typeof startLive>>;

/** Starts a sandbox and a server in front of it; both are closed when the test ends. */
export async function startLive(way: Way, options: LiveOptions = {}) {
  const { sandbox, credits } = await startBilled(options.sandbox);
  const listen = () =>
    startBefore({ sandbox, credits }, { ...environmentOf(way, sandbox), ...options.environment });
  const server = await listen();
  const keyOf = (owner: OwnerName = 'harbour') => sandbox.owners[owner === 'harbour' ? 0 : 1].apiKey;
  const looks = (owner: OwnerName = 'harbour') =>
    sandbox.requests.of(LOOKING).filter(({ owner: by }) => by === owner).length;
  const looksAgain = async (times: number, owner?: OwnerName): Promise<void> => {
    const goal = looks(owner) + times;
    await expect.poll(() => looks(owner)).toBeGreaterThanOrEqual(goal);
  };
  return {
    ...server,
    sandbox,
    credits,
    keyOf,
    looks,
    looksAgain,
    /** Waits until nothing more is read for the first owner, while the other's history is read four times. */
    async isQuiet() {
      const clock = server.watch('nothing', { as: 'fernlight' });
      const looksMeanwhile = async (): Promise<number> => {
        const before = looks();
        await looksAgain(4, 'fernlight');
        return looks() - before;
      };
      // A look may be under way, and those who left may not have been missed yet.
      await expect.poll(looksMeanwhile, { message: 'readings of the history' }).toBe(0);
      clock.leave();
    },
    another: listen,
  };
}

export interface SharedOptions extends LiveOptions {
  readonly servers?: number;
  readonly way?: Way;
  /** Whether the servers connect to Redis itself, and their proxies have nothing to pass on. */
  readonly isDirect?: boolean;
  /** Called before the first server starts. */
  readonly before?: (redis: RedisServer) => Promise<void>;
}

export type SharedLive = Awaited<ReturnType<typeof startShared>>;
export type SharingServer = SharedLive['servers'][number];

/** Starts servers in front of one sandbox, which agree through one Redis; all end with the test. */
export async function startShared({ servers: count = 2, way = 'history', ...options }: SharedOptions = {}) {
  const redis = await startRedis();
  await options.before?.(redis);
  const billed = await startBilled(options.sandbox);
  const start = async () => {
    const proxy = await startTcpProxy(redis.port);
    const server = await startBefore(billed, {
      LEGACY_API_URL: billed.sandbox.url,
      REDIS_URL: `redis://127.0.0.1:${options.isDirect ? redis.port : proxy.port}`,
      REDIS_SECRET,
      REDIS_COMMAND_TIMEOUT: '30s',
      ...environmentOf(way, billed.sandbox),
      ...options.environment,
    });
    const linesWith = (text: string): number => server.log.filter((line) => line.includes(text)).length;
    const redisState = async (): Promise<unknown> => {
      const reply = await send(`${server.url}/ready`);
      expect(reply.status).toBe(200);
      return jsonOf(reply).redis;
    };
    return {
      ...server,
      proxy,
      looks: () => linesWith(LOOKING),
      /** How often it has logged that Redis is away. */
      timesAway: () => linesWith('Redis unavailable'),
      /** Waits until `/ready` says so of Redis; seldom, since many servers wait for seconds at once. */
      redisIs: async (state: string) => await expect.poll(redisState, { interval: 200 }).toBe(state),
    };
  };
  return { sandbox: billed.sandbox, redis, servers: await Promise.all(Array.from({ length: count }, start)) };
}

/** Makes the clock show a later time, for as long as the test goes on; timers that run already stay as they are. */
export function skipTime(ms: number): void {
  const ahead = Date.now() + ms - performance.now();
  vi.spyOn(Date, 'now').mockImplementation(() => Math.round(ahead + performance.now()));
}

/** Lets all that is waited for now be waited for long enough. */
export const letWaitsEnd = (): void => skipTime(MAX_WAIT_MS);

/** Waits until the sockets of a way are open for an owner; the history alone has none to wait for. */
export async function waysAreOpen({ sandbox }: LiveGraph, way: Way, owner?: OwnerName): Promise<void> {
  if (way !== 'history') await sandbox.push.waitForOpen(1, owner ? { owner } : {});
}

/** Asks for a text and waits for it over a socket, with the ways of its result open. */
export async function askAndWatch(graph: LiveGraph, way: Way, question?: Question) {
  const asked = await graph.ask(question);
  const reading = graph.watch(asked.contentId, question);
  await Promise.all([reading.received(1), waysAreOpen(graph, way, question?.as)]);
  return { ...asked, reading };
}

/** The ids of the generations that came. */
export const idsIn = ({ events }: Reading) => events.map(({ generation }) => generation.contentId as string);

export async function saidBy(reading: Reading): Promise<readonly string[]> {
  await reading.ended();
  return reading.said;
}

export const handshakes = ({ sandbox }: LiveGraph): number =>
  sandbox.requests.all.filter(({ endpoint }) => endpoint === null).length;

/** Asks for a text, and holds the service's answer back until it is released. */
export async function askHeld(graph: LiveGraph) {
  const { sandbox } = graph;
  let held: ServerResponse | undefined;
  const write = (_request: unknown, response: ServerResponse) => (held = response);
  sandbox.faults.add({ kind: 'raw', endpoint: ASKING, effect: 'done', write });
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

interface Result {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly AnswerError[];
}

/** How a subscription ended: with a complete message, with errors instead of events, or with its connection. */
type Ending =
  | { readonly how: 'complete' }
  | { readonly how: 'refused'; readonly errors: readonly AnswerError[] }
  | { readonly how: 'cut'; readonly code?: number };

interface Connection {
  /** Ends it as a client does that wants no more. */
  leave(): void;
  /** Goes without a goodbye. */
  vanish(): void;
  /** Stops taking what comes, or goes on with it. */
  read(isReading: boolean): void;
}

class Received {
  /** Each generation, with whatever was selected of it. */
  readonly events: { readonly generation: Answer['data']; readonly errors: readonly AnswerError[] }[] = [];
  /** Null while it goes on. */
  ending: Ending | null = null;

  /** The statuses of what came, and the codes of errors. */
  get said(): readonly string[] {
    return this.events.map(({ generation, errors }) =>
      String(generation === null ? errors[0]?.extensions['code'] : generation.status),
    );
  }

  add({ data, errors = [] }: Result): void {
    // What was refused before it began comes as an event over SSE, and as an ending over WebSocket.
    if (data === undefined) this.end({ how: 'refused', errors });
    else this.events.push({ generation: Object.values(data ?? {})[0] ?? null, errors });
  }

  end(ending: Ending): void {
    this.ending ??= ending;
  }

  async received(count: number) {
    const isOver = (): boolean => this.events.length >= count || this.ending !== null;
    await expect.poll(isOver, { message: `${count} events` }).toBe(true);
    if (this.events.length < count) throw new Error(`not ${count} events, but ${JSON.stringify(this)}`);
    return this.events;
  }

  async ended(): Promise<Ending> {
    const wait = expect.poll(() => this.ending).not.toBeNull();
    await wait.catch(() => Promise.reject(new Error(`no end, but ${JSON.stringify(this)}`)));
    return this.ending as Ending;
  }
}

export type Reading = Received & Connection;

/** Reads over graphql-ws, on a socket of its own that is closed when the test ends. */
export function readOverSocket(url: string, operation: Operation, apiKey: string): Reading {
  let socket: WebSocket | undefined;
  const client = openClient(url, {
    connectionParams: apiKey === '' ? {} : { 'x-api-key': apiKey },
    on: { opened: (one) => void (socket = one as WebSocket) },
  });
  const received = new Received();
  const leave = client.subscribe(operation, {
    next: (result) => received.add(result as Result),
    error: (error) => received.end(endingOf(error)),
    complete: () => received.end({ how: 'complete' }),
  });
  const read = (isReading: boolean): void => (isReading ? socket?.resume() : socket?.pause());
  return Object.assign(received, { leave, vanish: () => socket?.terminate(), read });
}

function endingOf(error: unknown): Ending {
  if (Array.isArray(error)) return { how: 'refused', errors: error as AnswerError[] };
  const code = (error as { code?: unknown } | null)?.code;
  return { how: 'cut', ...(typeof code === 'number' ? { code } : {}) };
}

/** Reads server-sent events; the connection is cut when the test ends. */
export function readOverSse(url: string, operation: Operation, apiKey: string): Reading {
  const received = new Received();
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...(apiKey === '' ? {} : { 'x-api-key': apiKey }),
  };
  const call = request(`${url}/graphql`, { method: 'POST', headers, agent: false });
  onTestFinished(() => void call.destroy());
  call.end(JSON.stringify(operation));
  let answer: IncomingMessage | undefined;
  call.on('response', (response) => {
    let text = '';
    answer = response;
    response.setEncoding('utf8').on('data', (chunk: string) => {
      const messages = `${text}${chunk}`.split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages) {
        const [, event] = /^event: (.*)$/m.exec(message) ?? [];
        const [, data = ''] = /^data: ?(.*)$/m.exec(message) ?? [];
        if (event === 'next') received.add(JSON.parse(data) as Result);
        if (event === 'complete') received.end({ how: 'complete' });
      }
    });
  });
  // Without a complete message, the end of the connection is the end.
  call.on('error', () => undefined).on('close', () => received.end({ how: 'cut' }));
  const leave = (): void => void call.destroy();
  const read = (isReading: boolean): void => void (isReading ? answer?.resume() : answer?.pause());
  return Object.assign(received, { leave, vanish: leave, read });
}

export const QUEUE_CALL = 'GET /posts/queued';
export const ACCOUNTS_CALL = 'GET /accounts/list';

/** A server whose lists are watched, read quickly enough for a test. */
export async function startWatched(options: GraphOptions = {}): Promise<RunningGraph> {
  return await startGraph({ ...options, environment: { WATCH_INTERVAL: '50ms', ...options.environment } });
}

const HEALTH_FLAGS = 'state isBlocked isLocked needsReconnect isPaused unknownFlags';
const WATCHED_FIELDS = {
  queueChanged: `kind observedAt lastSeenAt totalCount queuedPostIds changedFields isFollowedByChanges
    queuedPost { id postId text scheduledAtLocal isPaused account { loginId } }`,
  accountHealthChanged: `kind observedAt lastSeenAt totalCount accountIds stateCounts { state count }
    accounts { accountId account { id loginId label } health { ${HEALTH_FLAGS} } }
    account { id loginId displayName } before { ${HEALTH_FLAGS} } after { ${HEALTH_FLAGS} } isFollowedByChanges`,
};

interface WatchOptions {
  readonly accountIds?: readonly string[];
  readonly over?: 'socket' | 'sse';
  readonly apiKey?: string;
}

export type WatchReading = ReturnType<typeof watchQueue>;

const watchWith =
  (field: keyof typeof WATCHED_FIELDS) =>
  (
    { url, sandbox }: Pick<RunningGraph, 'url' | 'sandbox'>,
    { accountIds, over = 'socket', apiKey = sandbox.owners[0].apiKey }: WatchOptions = {},
  ) => {
    const query = `subscription ($filter: WatchFilter) { ${field}(filter: $filter) { ${WATCHED_FIELDS[field]} } }`;
    const variables = accountIds === undefined ? {} : { filter: { accountIds } };
    const reading = (over === 'socket' ? readOverSocket : readOverSse)(url, { query, variables }, apiKey);
    const events = (): readonly Answer['data'][] => reading.events.map(({ generation }) => generation);
    return {
      get events() {
        return events();
      },
      received: async (count: number) => (await reading.received(count), events()),
      ended: () => reading.ended(),
      leave: () => reading.leave(),
    };
  };

export const watchQueue = watchWith('queueChanged');

export const watchHealth = watchWith('accountHealthChanged');
