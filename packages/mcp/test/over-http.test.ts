import { expect, test } from 'vitest';
import { ASSISTED, inputsOf, ownTools } from '../../../test/support/assistants.ts';
import { startGraph } from '../../../test/support/graph.ts';
import { connectGraph } from '../../../test/support/http-graph.ts';
import { ENDLESSLY_SLOW, finishTextsOnceFollowed } from '../../../test/support/slow-texts.ts';
import { account, legacyAccount } from '../../../test/support/writes.ts';
import { answerOf } from '../src/answer.ts';
import { callTool } from '../src/call.ts';

test('the tools work with a graph that is reached over HTTP, and wait for a slow text over a socket', async () => {
  const server = await startGraph({ environment: ASSISTED, explorer: true, sandbox: ENDLESSLY_SLOW });
  const graph = connectGraph(server);
  const { toolbox } = await ownTools();
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const tool = toolbox.get(name);
    if (!tool) throw new Error(`there is no tool ${name}`);
    const { signal } = new AbortController();
    return answerOf(tool, await callTool(graph, { tool, input, signal, textWithinMs: 60_000 }));
  };
  const inputs = inputsOf({ accountId: account(), pausedId: legacyAccount() });
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
