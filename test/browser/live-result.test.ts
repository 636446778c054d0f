import { describe, expect, test } from 'vitest';
import { keepPicture, leavesOutBrowser } from '../support/browser.ts';
import { pasteQuery, shareGraphiql, shownResult, untilReady } from '../support/graphiql.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { ENDLESSLY_SLOW, finishTexts, finishTextsOnceFollowed } from '../support/slow-texts.ts';

const CLICK = { delay: 120 } as const;
const GENERATE = `mutation Generate {
  generateAiText(input: { prompt: "A line about rain, slowly", tone: "warm" }) {
    aiGeneration { id status text }
  }
}`;
const FOLLOW = 'subscription Follow { aiGenerationFinished { status prompt text } }';
const READ = (id: string): string => `subscription Read { aiGenerationUpdated(id: "${id}") { status text } }`;
const pathOf = (query: string): string => `/graphql?query=${encodeURIComponent(query)}`;
/** What the sandbox writes; nothing else has these words. */
const TEXT = 'The sandbox made this text';

describe.skipIf(leavesOutBrowser())('a text that is generated slowly', () => {
  const graph = shareGraph({ explorer: true, sandbox: ENDLESSLY_SLOW });
  const graphiql = shareGraphiql(graph, pathOf(FOLLOW));

  test('is shown by another tab when it arrives', async () => {
    const { sandbox } = graph;
    const following = graphiql().page;
    const generating = await following.context().newPage();

    await following.click('.graphiql-execute-button', CLICK);
    await sandbox.push.waitForOpen(1);
    await generating.goto(graph.url + pathOf(GENERATE));
    await untilReady(generating);
    await generating.click('.graphiql-execute-button', CLICK);

    await expect.poll(() => shownResult(generating)).toContain('"PENDING"');
    finishTexts(sandbox);
    await expect.poll(() => shownResult(following)).toContain(TEXT);
    expect(await shownResult(following)).toContain('"prompt": "A line about rain, slowly"');
    expect(await shownResult(generating)).not.toContain(TEXT);
    await keepPicture(following, 'live-result');
    // The same button stops it.
    await following.click('.graphiql-execute-button', CLICK);
    await sandbox.push.waitForOpen(0);
    await generating.close();
  });

  test('is waited for by its id, and its stream ends with it', async () => {
    const { sandbox } = graph;
    const { page } = graphiql();
    await pasteQuery(page, GENERATE);
    await page.click('.graphiql-execute-button', CLICK);
    await expect.poll(() => shownResult(page)).toContain('"PENDING"');
    const id = /"id": "([^"]+)"/.exec(await shownResult(page))?.[1] ?? '';

    await pasteQuery(page, READ(id));
    await page.click('.graphiql-execute-button', CLICK);
    await finishTextsOnceFollowed(sandbox);

    await expect.poll(() => shownResult(page)).toContain(TEXT);
    await sandbox.push.waitForOpen(0);
    expect(sandbox.requests.count('POST /openai/response')).toBe(1);
  });
});
