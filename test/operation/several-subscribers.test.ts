import { setTimeout as after } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { isBalancerHere, startCluster, type Cluster } from '../support/cluster.ts';
import { cases } from '../support/depth.ts';
import { jsonOf, postJson } from '../support/http.ts';
import { isRedisHere } from '../support/redis.ts';
import { documentOf } from '../support/writes.ts';

const isHere = isBalancerHere && isRedisHere;

const CALLERS = 10;
const RESULTS_PER_CALLER = cases(4, 100);
/** How long lies between one result and the next, so that they come before, while and after an instance ends. */
const BETWEEN_RESULTS_MS = cases(120, 50);
const ASKING = 'POST /openai/response';
const LONG = { timeout: cases(240_000, 600_000) };
const PATIENTLY = { timeout: cases(120_000, 300_000) };

const SUBSCRIBE = 'subscription ($id: ID!) { aiGenerationUpdated(id: $id) { id status text } }';

/** One who waits for one result, on a socket of its own that comes back whenever it is closed. */
interface Subscriber {
  readonly contentId: string;
  /** Each event: its status and text. */
  readonly told: readonly string[];
  readonly ending: string | null;
}

interface Asked {
  readonly id: string;
  readonly contentId: string;
}

async function ask(url: string, apiKey: string, prompt: string): Promise<Asked> {
  const body = { query: documentOf('generateAiText'), variables: { input: { prompt, tone: 'warm' } } };
  const { data } = jsonOf(await postJson(`${url}/graphql`, body, { 'x-api-key': apiKey }));
  expect(data.generateAiText).toMatchObject({ outcome: 'COMPLETED', aiGeneration: { status: 'PENDING' } });
  return data.generateAiText.aiGeneration as Asked;
}

function subscribe(url: string, apiKey: string, { id, contentId }: Asked): Subscriber {
  const told: string[] = [];
  const state: { ending: string | null } = { ending: null };
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { 'x-api-key': apiKey },
    retryAttempts: 1_000,
    // As a browser would, but quicker: not all at the same moment.
    retryWait: () => new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 400)),
    shouldRetry: () => true,
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

const isComplete = ({ ending }: Subscriber): boolean => ending === 'complete';
const results = ({ told }: Subscriber): string[] => told.filter((event) => event.startsWith('COMPLETE'));

test.runIf(isHere)(
  'subscribers behind a balancer get each result once, through a restart of every instance, one after a kill',
  LONG,
  async () => {
    const cluster = await startCluster(
      { AI_POLL_INTERVAL: '500ms', DRAIN_DELAY: '1s' },
      { moreOwners: CALLERS },
    );
    const { sandbox } = cluster;
    const subscribers = await subscribeAll(cluster);
    const count = CALLERS * RESULTS_PER_CALLER;
    expect(subscribers).toHaveLength(count);
    await expect.poll(() => subscribers.filter(({ told }) => told.length > 0).length).toBe(count);

    const ends = [
      () => cluster.restart(0, 'SIGTERM'),
      () => cluster.restart(1, 'SIGTERM'),
      // By now it is one of those that have been there longest, and likely the one that looks for the results.
      () => cluster.restart(2, 'SIGKILL'),
    ];
    for (const [part, end] of ends.entries()) {
      const due = subscribers.filter((_, index) => index % ends.length === part);
      const restarted = end();
      for (const { contentId } of due) {
        sandbox.generations.finish(contentId, { pushes: 0 });
        await after(BETWEEN_RESULTS_MS);
      }
      await restarted;
    }
    await expect
      .poll(() => subscribers.filter((one) => !isComplete(one)).map(({ told }) => told), PATIENTLY)
      .toEqual([]);

    expect(subscribers.flatMap((one) => (results(one).length === 0 ? [one.contentId] : []))).toEqual([]);
    // A client that has read its stream to the end does not subscribe again: nobody is told twice.
    expect(subscribers.filter((one) => results(one).length > 1)).toEqual([]);
    expect(sandbox.requests.count(ASKING)).toBe(count);
  },
);
