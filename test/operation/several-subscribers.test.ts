import { createClient } from 'graphql-ws';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { isBalancerHere } from '../support/balancer.ts';
import { startCluster, type Cluster } from '../support/cluster.ts';
import { jsonOf, postJson } from '../support/raw-http.ts';
import { isRedisHere } from '../support/redis.ts';
import { documentOf } from '../support/writes.ts';

const isHere = isBalancerHere && isRedisHere;

const CALLERS = 10;
const RESULTS_PER_CALLER = 100;
const ASKING = 'POST /openai/response';
const MINUTES = { timeout: 180_000 };

const SUBSCRIBE = 'subscription ($id: ID!) { aiGenerationUpdated(id: $id) { id status text } }';

/** One who waits for one result, on a socket of its own that comes back whenever it is closed. */
interface Subscriber {
  readonly contentId: string;
  /** Each event: its status and text. */
  readonly told: readonly string[];
  /** When the result came, in the milliseconds of `performance.now`; null before. */
  readonly cameAt: number | null;
  /** How often the socket was opened. */
  readonly opened: number;
  readonly ending: string | null;
}

interface Asked {
  readonly id: string;
  readonly contentId: string;
}

async function ask(url: string, apiKey: string, content: string): Promise<Asked> {
  const body = { query: documentOf('generateAiText'), variables: { input: { content, tone: 'warm' } } };
  const { data } = jsonOf(await postJson(`${url}/graphql`, body, { 'x-api-key': apiKey }));
  expect(data.generateAiText).toMatchObject({ outcome: 'COMPLETED', aiGeneration: { status: 'PENDING' } });
  return data.generateAiText.aiGeneration as Asked;
}

function subscribe(url: string, apiKey: string, { id, contentId }: Asked): Subscriber {
  const told: string[] = [];
  const state: { cameAt: number | null; opened: number; ending: string | null } = {
    cameAt: null,
    opened: 0,
    ending: null,
  };
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { 'x-api-key': apiKey },
    retryAttempts: 1_000,
    // As a browser would, but quicker: not all at the same moment.
    retryWait: () => new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 400)),
    shouldRetry: () => true,
    on: { opened: () => void (state.opened += 1) },
  });
  onTestFinished(async () => await client.dispose());
  client.subscribe<{
    readonly aiGenerationUpdated: { readonly status: string; readonly text: string | null };
  }>(
    { query: SUBSCRIBE, variables: { id } },
    {
      next({ data, errors }) {
        const { status, text } = data?.aiGenerationUpdated ?? { status: JSON.stringify(errors), text: null };
        told.push(`${status} ${text ?? ''}`);
        if (status === 'COMPLETE') state.cameAt ??= performance.now();
      },
      error: (error) => void (state.ending = `error ${JSON.stringify(error)}`),
      complete: () => void (state.ending = 'complete'),
    },
  );
  return Object.assign(Object.create(state) as typeof state, { contentId, told });
}

async function subscribeAll({ url, sandbox }: Cluster): Promise<Subscriber[]> {
  const callers = sandbox.owners.slice(2);
  const all = callers.map(async ({ name, apiKey }) => {
    const subscribers: Subscriber[] = [];
    for (let index = 0; index < RESULTS_PER_CALLER; index += 1) {
      const asked = await ask(url, apiKey, `slowly, never: result ${index} for ${name}`);
      subscribers.push(subscribe(url, apiKey, asked));
    }
    return subscribers;
  });
  return (await Promise.all(all)).flat();
}

const results = ({ told }: Subscriber): string[] => told.filter((event) => event.startsWith('COMPLETE'));

test.runIf(isHere)(
  'a thousand subscribers get their results through a rolling restart of all instances and a kill',
  MINUTES,
  async () => {
    const cluster = await startCluster({ AI_POLL_INTERVAL: '500ms' }, { moreOwners: CALLERS });
    const { sandbox } = cluster;
    const subscribers = await subscribeAll(cluster);
    const count = CALLERS * RESULTS_PER_CALLER;
    expect(subscribers).toHaveLength(count);
    await expect
      .poll(() => subscribers.filter(({ told }) => told.length > 0).length, { timeout: 20_000 })
      .toBe(count);

    // Results come all the time while one instance after the other goes: in order, and the last one by a kill.
    const finishedAt = new Map<string, number>();
    const finish = (subscriber: Subscriber): void => {
      sandbox.generations.finish(subscriber.contentId, { pushes: 0 });
      finishedAt.set(subscriber.contentId, performance.now());
    };
    const due = [...subscribers];
    const timer = setInterval(() => due.splice(0, 4).forEach(finish), 100);
    onTestFinished(() => clearInterval(timer));
    for (const index of [0, 1, 2]) await cluster.restart(index, 'SIGTERM');
    await cluster.restart(1, 'SIGKILL');
    // Those whose instance is killed wait longer: until it is not heard of any more.
    await expect.poll(() => due.length, { timeout: 60_000 }).toBe(0);
    await expect
      .poll(() => subscribers.filter(({ ending }) => ending === 'complete').length, { timeout: 60_000 })
      .toBe(count);

    expect(subscribers.flatMap((one) => (results(one).length === 0 ? [one.contentId] : []))).toEqual([]);
    // The socket of one that has read to the end is not opened again: nobody is told twice.
    expect(subscribers.filter((one) => results(one).length > 1)).toEqual([]);
    expect(sandbox.requests.count(ASKING)).toBe(count);
    const delays = subscribers.map(
      ({ contentId, cameAt }) => (cameAt ?? Infinity) - (finishedAt.get(contentId) ?? 0),
    );
    const sorted = delays.toSorted((a, b) => a - b);
    expect(sorted[Math.floor(count * 0.99)]).toBeLessThan(10_000);
  },
);
