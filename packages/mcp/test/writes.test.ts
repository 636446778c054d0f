import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FaultKind } from '../../sandbox/src/faults/fault.ts';
import {
  ASSISTED,
  connectAssistant,
  inputsOf,
  ownTools,
  type Answered,
} from '../../../test/support/assistants.ts';
import { cases } from '../../../test/support/depth.ts';
import { startGraph, type RunningGraph, connectGraph } from '../../../test/support/graph.ts';
import { ENDLESSLY_SLOW, finishTexts, finishTextsOnceFollowed } from '../../../test/support/sandbox.ts';
import { WRITE_FAULTS } from '../../../test/support/faults.ts';
import { account, legacyAccount, type WritePayload } from '../../../test/support/writes.ts';
import { answerOf } from '../src/answer.ts';
import { callTool } from '../src/call.ts';

interface PostAnswer {
  readonly createPost: WritePayload;
}

interface TextAnswer {
  readonly generateAiText: { readonly aiGeneration: { readonly status: string } };
}

interface QueuePage {
  readonly queuedPosts: {
    readonly nodes: readonly { readonly text: string | null }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  };
}

const mcp = await ownTools();
const CREATE = 'POST /posts/create';
const inputs = inputsOf({ accountId: account(), pausedId: legacyAccount() });

test('a write needs a key before anything is sent', async () => {
  const graph = await startGraph({ environment: ASSISTED, mcp });
  const { call } = await connectAssistant(graph);
  const { idempotencyKey: _, ...keyless } = inputs.create_post;
  const { isError, words } = await call('create_post', keyless);
  expect([isError, words]).toEqual([
    true,
    expect.stringMatching(/^Nothing was done\. Correct these problems:.*idempotencyKey.*of required type/s),
  ]);
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('the same key makes one post, another input under it none, and its outcome is known', async () => {
  const graph = await startGraph({ environment: ASSISTED, mcp });
  const { call } = await connectAssistant(graph);
  const first = await call<PostAnswer>('create_post', inputs.create_post);
  const again = await call<PostAnswer>('create_post', inputs.create_post);
  const other = await call('create_post', { ...inputs.create_post, timing: { placement: 'NOW' } });
  const known = await call('write_outcome', inputs.write_outcome);
  expect([first.words, again.data.createPost['postIds']]).toEqual([
    'Done.',
    first.data.createPost['postIds'],
  ]);
  expect(other.words).toContain('IDEMPOTENCY_KEY_REUSED');
  expect(known.words).toBe('The result of createPost with this key:\nDone.');
  expect(graph.sandbox.requests.count(CREATE)).toBe(1);
});

test('a write that was not confirmed says so, and is not sent again under its key', async () => {
  const graph = await startGraph({ environment: ASSISTED, mcp });
  const { call } = await connectAssistant(graph);
  graph.sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CREATE, effect: 'none' });
  for (const _ of [1, 2]) {
    const { isError, words } = await call('create_post', inputs.create_post);
    expect([isError, words]).toEqual([true, expect.stringMatching(/^It is NOT KNOWN/)]);
  }
  const known = await call('write_outcome', inputs.write_outcome);
  expect(known.words).toContain('Do not use a new idempotencyKey');
  expect(graph.sandbox.requests.count(CREATE)).toBe(1);
});

test('a slow text is waited for, and asked for once', async () => {
  const graph = await startGraph({ environment: ASSISTED, mcp, explorer: true, sandbox: ENDLESSLY_SLOW });
  const { call } = await connectAssistant(graph);
  const asked = call<TextAnswer>('generate_text', { ...inputs.generate_text, prompt: 'Fog, slowly' });
  await finishTextsOnceFollowed(graph.sandbox);
  const { data, words } = await asked;
  expect([words, data.generateAiText.aiGeneration.status]).toEqual([
    expect.stringMatching(/^Done\./),
    'COMPLETE',
  ]);
  expect(graph.sandbox.requests.count('POST /openai/response')).toBe(1);
});

test('a text that takes too long can be asked for again, and costs nothing more', async () => {
  const impatient = { ...mcp, textWithinMs: 1 };
  const graph = await startGraph({ environment: ASSISTED, mcp: impatient, sandbox: ENDLESSLY_SLOW });
  const { call } = await connectAssistant(graph);
  const input = { ...inputs.generate_text, prompt: 'Fog, slowly' };
  const early = await call('generate_text', input);
  expect([early.isError, early.words]).toEqual([false, expect.stringContaining('Call this tool again')]);
  finishTexts(graph.sandbox);
  const late = await call<TextAnswer>('generate_text', input);
  expect(late.data.generateAiText.aiGeneration).toMatchObject({ status: 'COMPLETE' });
  expect(graph.sandbox.requests.count('POST /openai/response')).toBe(1);
});

test('the tools work with a graph that is reached over HTTP, and wait for a slow text over a socket', async () => {
  const server = await startGraph({ explorer: true, sandbox: ENDLESSLY_SLOW });
  const graph = connectGraph(server);
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const tool = mcp.toolbox.get(name);
    if (!tool) throw new Error(`there is no tool ${name}`);
    const { signal } = new AbortController();
    return answerOf(tool, await callTool(graph, { tool, input, signal, textWithinMs: 60_000 }));
  };
  const listed = await call('list_queue', { first: 2 });
  expect(listed.structuredContent.summary).toMatch(/^This page shows 2 of \d+\.\nThere are more/);
  const posted = await call('create_post', inputs.create_post);
  const again = await call('create_post', inputs.create_post);
  expect(posted.structuredContent.summary).toBe('Done.');
  expect(again.structuredContent.summary).toContain('nothing was sent again');
  const refused = await call('create_post', { ...inputs.create_post, timing: {} });
  expect([refused.isError, refused.structuredContent.summary]).toEqual([
    true,
    expect.stringMatching(/^Nothing was done\. Correct these problems:.*BAD_USER_INPUT/s),
  ]);
  const asked = call('generate_text', { ...inputs.generate_text, prompt: 'Fog, slowly' });
  await finishTextsOnceFollowed(server.sandbox);
  expect((await asked).structuredContent).toMatchObject({
    summary: 'Done.\nThis is the result of an earlier call with this idempotencyKey; nothing was sent again.',
    data: { generateAiText: { aiGeneration: { status: 'COMPLETE' } } },
  });
  expect(server.sandbox.requests.count('POST /openai/response')).toBe(1);
});

/** What happens to one answer: on the way from the service, on the way to the assistant, or both. */
interface Loss {
  readonly fault: FaultKind | null;
  readonly effect: 'done' | 'none';
  /** How many answers in a row the assistant does not get, and whether it hangs up before the server has answered. */
  readonly lost: number;
  readonly hangsUp: boolean;
}

// A 429 says that nothing was done, which is believed.
const faults = Object.entries(WRITE_FAULTS).flatMap(([name, fault]) => (name === 'a 429' ? [] : [fault]));
const anyLoss: fc.Arbitrary<Loss> = fc.record({
  fault: fc.option(fc.constantFrom(...faults)),
  effect: fc.constantFrom('done', 'none'),
  lost: fc.integer({ min: 0, max: 2 }),
  hangsUp: fc.boolean(),
});

/** The official client over a way that loses answers: it asks again with the same key, and for the outcome. */
async function lossyAssistant(graph: RunningGraph) {
  let open: Loss | null = null;
  let left = 0;
  const assistant = await connectAssistant(graph, {
    fetch: async (url, init) => {
      const { body } = init ?? {};
      const isCall = open !== null && typeof body === 'string' && body.includes('"create_post"');
      if (!isCall || left === 0) return await fetch(url, init);
      left -= 1;
      const gone = new AbortController();
      const answer = fetch(url, { ...init, signal: gone.signal });
      if (open?.hangsUp === true) setTimeout(() => gone.abort(), 1);
      await answer.then((response) => response.text());
      throw new TypeError('the answer was lost');
    },
  });
  const publish = async (text: string, loss: Loss): Promise<Answered<PostAnswer>> => {
    const input = { ...inputs.create_post, idempotencyKey: text, text };
    [open, left] = [loss, loss.lost];
    for (;;) {
      const answer = await assistant.call<PostAnswer>('create_post', input).catch(() => null);
      if (answer && !answer.words.includes('IDEMPOTENCY_IN_PROGRESS')) return answer;
      await assistant.call('write_outcome', { idempotencyKey: text });
    }
  };
  return { ...assistant, publish };
}

const POSTS = cases(12, 200);
/** What may come of a post; the plan of the sandbox has no room for two hundred. */
const VERDICTS = ['COMPLETED', 'UNKNOWN OUTCOME_UNKNOWN', 'REJECTED LIMIT_REACHED'];

test('however answers get lost, an assistant that keeps its key posts nothing twice', async () => {
  const graph = await startGraph({ environment: ASSISTED, mcp });
  const { publish } = await lossyAssistant(graph);
  const losses = fc.sample(anyLoss, POSTS);
  const outcomes = new Map<string, number>();
  for (const [at, loss] of losses.entries()) {
    const { fault, effect } = loss;
    graph.sandbox.requests.clear();
    if (fault) graph.sandbox.faults.add({ ...fault, endpoint: CREATE, effect });
    const { data } = await publish(`lost-answer-${at}.`, loss);
    expect(graph.sandbox.requests.count(CREATE), JSON.stringify(loss)).toBe(1);
    graph.sandbox.faults.clear();
    const { outcome, userErrors } = data.createPost;
    const verdict = [outcome, ...userErrors.map(({ code }) => code)].join(' ');
    outcomes.set(verdict, (outcomes.get(verdict) ?? 0) + 1);
  }
  expect(VERDICTS).toEqual(expect.arrayContaining([...outcomes.keys()]));
  const texts = await queuedTexts(graph);
  const posted = texts.filter((text) => text.startsWith('lost-answer-'));
  expect(posted.length).toBe(new Set(posted).size);
  expect(posted.length).toBeGreaterThanOrEqual(outcomes.get('COMPLETED') ?? 0);
});

async function queuedTexts(graph: RunningGraph): Promise<string[]> {
  const { call } = await connectAssistant(graph);
  const texts: string[] = [];
  for (let after: string | null = null; ;) {
    const page: Answered<QueuePage> = await call('list_queue', { first: 20, after });
    const { nodes, pageInfo } = page.data.queuedPosts;
    texts.push(...nodes.map(({ text }) => text ?? ''));
    if (!pageInfo.hasNextPage) return texts;
    after = pageInfo.endCursor;
  }
}
