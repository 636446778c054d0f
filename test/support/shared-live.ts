import { expect, onTestFinished } from 'vitest';
import type { Environment } from '../../src/config.ts';
import type { Sandbox, SandboxOptions } from '../../packages/sandbox/src/sandbox.ts';
import { UNDISTURBED } from './graph.ts';
import {
  ASKING,
  environmentOf,
  following,
  LOOKING,
  watching,
  type Asked,
  type Question,
  type Way,
  type Who,
  readOverSocket,
  type Reading,
} from './live.ts';
import { jsonOf, postJson, send } from './http.ts';
import { REDIS_SECRET, startRedis, type RedisServer } from './redis.ts';
import { startServer } from './server.ts';
import { startTcpProxy, type TcpProxy } from './network.ts';
import { documentOf, type Input, type MutationName, type WritePayload } from './writes.ts';
import { sandboxForTest } from './sandbox.ts';

/** Between requests that ask whether something has come at last: many servers wait for seconds at once. */
const SELDOM = { interval: 100 };

/** One of several servers before one sandbox, which agree through one Redis. */
export interface SharingServer {
  readonly url: string;
  readonly log: readonly string[];
  /** The way to Redis. */
  readonly proxy: TcpProxy;
  /** Runs an operation with both credentials; fails the test where the answer is not one of GraphQL. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test asserts on any shape
  query(query: string, variables?: object, who?: Who): Promise<any>;
  write(name: MutationName, input: Input, who?: Who): Promise<WritePayload>;
  /** Asks for a text; slowly and without an end unless told. */
  ask(question?: Question): Promise<Asked>;
  watch(contentId: string): Reading;
  follow(who?: Who): Reading;
  /** How often this server has read the history. */
  looks(): number;
  /** What `/ready` says of Redis; fails the test where it is not 200. */
  redis(): Promise<string>;
  /** Waits until `/ready` says so of Redis. */
  redisIs(state: string): Promise<void>;
  /** How often the server has logged that Redis is away, or that it is there. */
  logged(what: 'Redis unavailable' | 'connected to Redis'): number;
  close(): Promise<void>;
}

/** The servers, and what is behind them. */
export interface SharedLive {
  readonly sandbox: Sandbox;
  readonly redis: RedisServer;
  readonly servers: readonly SharingServer[];
}

/** How they are set up, where a test cares. */
export interface SharedOptions {
  /** How many servers there are; two unless told. */
  readonly servers?: number;
  readonly way?: Way;
  readonly environment?: Environment;
  readonly sandbox?: SandboxOptions;
  /** Whether the servers connect to Redis itself, and their proxies have nothing to pass on. */
  readonly isDirect?: boolean;
  /** Called before the first server starts. */
  readonly before?: (redis: RedisServer) => Promise<void>;
}

/** Starts them; all end with the test, with a look at how many credits were spent. */
export async function startShared(options: SharedOptions = {}): Promise<SharedLive> {
  const { servers: count = 2, way = 'history' } = options;
  const redis = await startRedis();
  await options.before?.(redis);
  const sandbox = await sandboxForTest(options.sandbox);
  const spent = { count: 0 };
  onTestFinished(() => expect(sandbox.requests.count(ASKING), 'calls that spend a credit').toBe(spent.count));
  const environment = {
    ...UNDISTURBED,
    REDIS_COMMAND_TIMEOUT: '30s',
    ...environmentOf(way, sandbox),
    ...options.environment,
  };
  const starting = Array.from({ length: count }, async () => {
    const proxy = await startTcpProxy(redis.port);
    const { url, log, close } = await startServer({
      ...environment,
      CURRENT_API_URL: sandbox.url,
      LEGACY_API_URL: sandbox.url,
      REDIS_URL: `redis://127.0.0.1:${options.isDirect ? redis.port : proxy.port}`,
      REDIS_SECRET,
    });
    return createSharingServer({ url, log, close, proxy, sandbox, spent });
  });
  return { sandbox, redis, servers: await Promise.all(starting) };
}

interface Parts extends Pick<SharingServer, 'url' | 'log' | 'close' | 'proxy'> {
  readonly sandbox: Sandbox;
  readonly spent: { count: number };
}

function createSharingServer({ sandbox, spent, ...parts }: Parts): SharingServer {
  const { url, log } = parts;
  const [harbour, fernlight] = sandbox.owners;
  const ownerOf = ({ as }: Who = {}) => (as === 'fernlight' ? fernlight : harbour);
  const query: SharingServer['query'] = async (document, variables = {}, who = {}) => {
    const { apiKey, accessToken } = ownerOf(who);
    const headers = { 'x-api-key': apiKey, authorization: `Bearer ${accessToken}` };
    const reply = await postJson(`${url}/graphql`, { query: document, variables }, headers);
    expect(reply.status, reply.text).toBe(200);
    return jsonOf(reply);
  };
  const write: SharingServer['write'] = async (name, input, who) => {
    const answer = await query(documentOf(name), { input }, who);
    expect(answer.errors ?? []).toEqual([]);
    return answer.data[name] as WritePayload;
  };
  const redis = async (): Promise<string> => {
    const reply = await send(`${url}/ready`);
    expect(reply.status).toBe(200);
    return String(jsonOf(reply).redis);
  };
  return {
    ...parts,
    query,
    write,
    async ask({ as = 'harbour', ...question } = {}) {
      const input = { prompt: 'slowly, never', tone: 'Warm', ...question };
      const payload = await write('generateAiText', input, { as });
      expect(payload.outcome, JSON.stringify(payload)).toBe('COMPLETED');
      if (payload.replayed !== true) spent.count += 1;
      return payload['aiGeneration'] as Asked;
    },
    watch: (contentId) => readOverSocket(url, watching(contentId), harbour.apiKey),
    follow: (who) => readOverSocket(url, following, ownerOf(who).apiKey),
    looks: () => log.filter((line) => line.includes(LOOKING)).length,
    logged: (what) => log.filter((line) => line.includes(what)).length,
    redis,
    redisIs: async (state) => await expect.poll(redis, SELDOM).toBe(state),
  };
}
