import { readdirSync } from 'node:fs';
import { createClient, type Client } from 'graphql-ws';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { startBuiltServer, type ServerProcess } from '../support/built-server.ts';
import { cases } from '../support/depth.ts';
import { INSPECTED, inspectHeap } from '../support/inspected-heap.ts';
import { jsonOf, postJson } from '../support/raw-http.ts';

const CREDENTIALS = cases(5, 10);
const SOCKETS_PER_CREDENTIAL = 4;
const RESULTS_PER_CREDENTIAL = cases(10, 100);
const RESULTS_OF_FIRST_ROUND = cases(2, 10);
const POLL_INTERVAL_MS = 250;
const PATIENTLY = { timeoutMs: 60_000 };
const LONG = { timeout: cases(240_000, 600_000) };

/** One subscriber of one result, and what it was told. */
interface Subscriber {
  readonly contentId: string;
  readonly prompt: string;
  readonly texts: readonly string[];
  readonly ended: Promise<void>;
}

interface Generated {
  readonly id: string;
  readonly contentId: string;
  readonly status: string;
}

const GENERATE = `mutation ($prompt: String!) {
  generateAiText(input: { prompt: $prompt, tone: "warm" }) { aiGeneration { id contentId status } }
}`;
const SUBSCRIBE = 'subscription ($id: ID!) { aiGenerationUpdated(id: $id) { status text } }';

async function generate(url: string, apiKey: string, content: string): Promise<Generated> {
  const body = { query: GENERATE, variables: { prompt: content } };
  const answer = jsonOf(await postJson(`${url}/graphql`, body, { 'x-api-key': apiKey })) as {
    readonly data: { readonly generateAiText: { readonly aiGeneration: Generated } };
  };
  return answer.data.generateAiText.aiGeneration;
}

function openClients(url: string, apiKey: string): Client[] {
  return Array.from({ length: SOCKETS_PER_CREDENTIAL }, () => {
    const client = createClient({
      url: `${url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { 'x-api-key': apiKey },
      retryAttempts: 0,
    });
    onTestFinished(async () => await client.dispose());
    return client;
  });
}

function subscribe(client: Client | undefined, id: string): Pick<Subscriber, 'texts' | 'ended'> {
  const texts: string[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    client?.subscribe<{ readonly aiGenerationUpdated: { readonly status: string; readonly text: string } }>(
      { query: SUBSCRIBE, variables: { id } },
      {
        next: ({ data }) => {
          if (data?.aiGenerationUpdated.status === 'COMPLETE') texts.push(data.aiGenerationUpdated.text);
        },
        error: reject,
        complete: resolve,
      },
    );
  });
  return { texts, ended };
}

async function subscribeAll(url: string, sandbox: Sandbox, count: number): Promise<Subscriber[]> {
  const callers = sandbox.owners.slice(2);
  const all = await Promise.all(
    callers.map(async ({ name, apiKey }) => {
      const clients = openClients(url, apiKey);
      const subscribers: Subscriber[] = [];
      for (let index = 0; index < count; index += 1) {
        const prompt = `slowly, result ${index} of ${count} for ${name}.`;
        const { id, contentId, status } = await generate(url, apiKey, prompt);
        expect(status).toBe('PENDING');
        subscribers.push({ contentId, prompt, ...subscribe(clients[index % clients.length], id) });
      }
      return subscribers;
    }),
  );
  return all.flat();
}

/**
 * Ends the generations in three parts, some with two messages. Between the parts every push socket is cut; the second
 * part ends while there is none.
 */
async function finishAll(
  sandbox: Sandbox,
  subscribers: readonly Subscriber[],
  hasPush: boolean,
): Promise<void> {
  const finish = (part: number): void => {
    const due = subscribers.filter((_, index) => index % 3 === part);
    for (const [index, { contentId }] of due.entries()) {
      sandbox.generations.finish(contentId, { pushes: index % 5 === 0 ? 2 : 1 });
    }
  };
  for (const part of [0, 1]) {
    await sandbox.push.waitForOpen(hasPush ? CREDENTIALS : 0, PATIENTLY);
    finish(part);
    expect(sandbox.push.kill()).toBe(hasPush ? CREDENTIALS : 0);
  }
  finish(2);
}

function watchPushSockets(sandbox: Sandbox): { readonly most: number } {
  const seen = { most: 0 };
  const timer = setInterval(() => {
    for (const { name } of sandbox.owners) seen.most = Math.max(seen.most, sandbox.push.open(name));
  }, 10);
  onTestFinished(() => clearInterval(timer));
  return seen;
}

const openFiles = ({ pid }: ServerProcess): number => readdirSync(`/proc/${pid}/fd`).length;
interface Both {
  readonly server: ServerProcess;
  readonly sandbox: Sandbox;
  readonly hasPush: boolean;
}

async function runRound({ server, sandbox, hasPush }: Both, count: number) {
  const beganAt = Date.now();
  sandbox.requests.clear();
  const subscribers = await subscribeAll(server.url, sandbox, count);
  await finishAll(sandbox, subscribers, hasPush);
  await Promise.all(subscribers.map(({ ended }) => ended));
  return { subscribers, tookMs: Date.now() - beganAt };
}

/** The most looks into the history for one credential; each begins with its first page. */
function mostLooks(sandbox: Sandbox): number {
  const looks = sandbox.requests
    .of('GET /openai/historyList')
    .filter(({ query }) => query.get('page') === '1');
  return Math.max(...sandbox.owners.map(({ name }) => looks.filter(({ owner }) => owner === name).length));
}

describe.skipIf(process.platform !== 'linux')('many subscribers on several credentials', () => {
  test.each([true, false])(
    'each get their own result, once, and leave nothing behind; with push sockets, which are cut twice: %s',
    LONG,
    async (hasPush) => {
      const sandbox = await startSandbox({ moreOwners: CREDENTIALS, slowAiDelayMs: 600_000 });
      onTestFinished(() => sandbox.close());
      const server = await startBuiltServer({
        CURRENT_API_URL: sandbox.url,
        LOG_LEVEL: 'warn',
        OVERLOAD_DELAY: '1h',
        AI_POLL_INTERVAL: `${POLL_INTERVAL_MS}ms`,
        ...(hasPush ? { AI_SOCKET_URL: sandbox.pushUrls.socketIo } : {}),
        ...INSPECTED,
      });
      const both = { server, sandbox, hasPush };
      const pushSockets = watchPushSockets(sandbox);
      const heap = await inspectHeap(server);
      const filesBefore = openFiles(server);
      await runRound(both, RESULTS_OF_FIRST_ROUND);
      await sandbox.push.waitForOpen(0, PATIENTLY);
      const usedBefore = await heap.usedMiB();

      const { subscribers, tookMs } = await runRound(both, RESULTS_PER_CREDENTIAL);

      expect(subscribers).toHaveLength(CREDENTIALS * RESULTS_PER_CREDENTIAL);
      for (const { prompt, texts } of subscribers) expect(texts).toEqual([expect.stringContaining(prompt)]);
      expect(pushSockets.most).toBe(hasPush ? 1 : 0);
      expect(mostLooks(sandbox)).toBeLessThanOrEqual(tookMs / POLL_INTERVAL_MS + 1);
      expect(sandbox.requests.count('POST /openai/response')).toBe(subscribers.length);
      await sandbox.push.waitForOpen(0, PATIENTLY);
      await expect.poll(() => openFiles(server)).toBeLessThanOrEqual(filesBefore);
      // The results themselves stay, for callers who ask again; a thousand of them take less than this.
      expect((await heap.usedMiB()) - usedBefore).toBeLessThan(4);
    },
  );
});
