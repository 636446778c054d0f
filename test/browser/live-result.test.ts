import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { keepPicture, leavesOutBrowser, openPage } from '../support/browser.ts';
import { startGraph } from '../support/graph.ts';
import { untilReady } from '../support/graphiql.ts';
import { ENDLESSLY_SLOW, finishTexts, finishTextsOnceFollowed } from '../support/slow-texts.ts';

const CLICK = { delay: 120 } as const;
const GENERATE = `mutation Generate {
  generateAiText(input: { prompt: "A line about rain, slowly", tone: "warm" }) {
    aiGeneration { id status text }
  }
}`;
const FOLLOW = 'subscription Follow { aiGenerationFinished { status prompt text } }';
const READ = (id: string): string => `subscription Read { aiGenerationUpdated(id: "${id}") { status text } }`;
/** What the sandbox writes; nothing else has these words. */
const TEXT = 'The sandbox made this text';

test.skipIf(leavesOutBrowser())(
  'one tab generates slowly, and another shows the text when it arrives',
  async () => {
    const { url, sandbox } = await startGraph({ explorer: true, sandbox: ENDLESSLY_SLOW });
    const { page: following } = await openPage();
    const generating = await following.context().newPage();

    await open(following, url, FOLLOW);
    await following.click('.graphiql-execute-button', CLICK);
    await sandbox.push.waitForOpen(1);
    await open(generating, url, GENERATE);
    await generating.click('.graphiql-execute-button', CLICK);

    await expect.poll(() => shownIn(generating)).toContain('"PENDING"');
    finishTexts(sandbox);
    await expect.poll(() => shownIn(following)).toContain(TEXT);
    expect(await shownIn(following)).toContain('"prompt": "A line about rain, slowly"');
    expect(await shownIn(generating)).not.toContain(TEXT);
    await keepPicture(following, 'live-result');
  },
);

test.skipIf(leavesOutBrowser())('one text is waited for by its id, and its stream ends with it', async () => {
  const { url, sandbox } = await startGraph({ explorer: true, sandbox: ENDLESSLY_SLOW });
  const { page } = await openPage();
  await open(page, url, GENERATE);
  await page.click('.graphiql-execute-button', CLICK);
  await expect.poll(() => shownIn(page)).toContain('"PENDING"');
  const id = /"id": "([^"]+)"/.exec(await shownIn(page))?.[1] ?? '';

  await open(page, url, READ(id));
  await page.click('.graphiql-execute-button', CLICK);
  await finishTextsOnceFollowed(sandbox);

  await expect.poll(() => shownIn(page)).toContain(TEXT);
  await sandbox.push.waitForOpen(0);
  expect(sandbox.requests.count('POST /openai/response')).toBe(1);
});

async function open(page: Page, url: string, query: string): Promise<void> {
  await page.goto(`${url}/graphql?query=${encodeURIComponent(query)}`);
  await untilReady(page);
}

/** The text of the answer, whose blanks the editor shows as others. */
async function shownIn(page: Page): Promise<string> {
  const text = await page.locator('.result-window').innerText();
  return text.replaceAll('\u00a0', ' ');
}
