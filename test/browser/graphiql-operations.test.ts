import { describe, expect, test } from 'vitest';
import { EXAMPLE_TABS } from '../../packages/explorer/src/tabs.ts';
import { keepPicture, leavesOutBrowser } from '../support/browser.ts';
import {
  openGraphiql,
  pasteHeaders,
  pasteQuery,
  pressRun,
  runAndAwait,
  selectTab,
  shareGraphiql,
  shownResult,
  type GraphiqlPage,
} from '../support/graphiql.ts';
import { startGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';

const CURRENT = '"MWFjOjQxMDIwMQ"';
const LEGACY = '"MWFsOjQxMDIwMg"';
const GROUP = '"MWdsOjUxMDE"';

// Each mutation that the sandbox can do without anything being prepared, and what its payload must tell.
const MUTATIONS: readonly (readonly [name: string, call: string, outcome: string])[] = [
  [
    'createPost',
    `input: { accountIds: [${CURRENT}], timing: { placement: NEXT }, variants: [{ variant: ORIGINAL, text: "Hello" }] }`,
    'COMPLETED',
  ],
  ['createStatusUpdate', `input: { text: "Hello", accountIds: [${LEGACY}] }`, 'COMPLETED'],
  ['createDraft', `input: { accountIds: [${CURRENT}], variants: [{ text: "Hello" }] }`, 'COMPLETED'],
  ['createLibraryItem', 'input: { title: "Hello", kind: POST, variants: [{ text: "Hello" }] }', 'COMPLETED'],
  ['generateAiText', 'input: { prompt: "A greeting", tone: "Warm" }', 'COMPLETED'],
  ['pauseAccount', `input: { accountId: ${LEGACY} }`, 'COMPLETED'],
  ['resumeAccount', `input: { accountId: ${LEGACY} }`, 'COMPLETED'],
  ['pauseAccounts', `input: { accountIds: [${LEGACY}] }`, 'COMPLETED'],
  ['resumeAccounts', `input: { accountIds: [${LEGACY}] }`, 'COMPLETED'],
  ['deleteAccount', `input: { accountId: ${LEGACY} }`, 'COMPLETED'],
  ['deleteAccountGroup', `input: { accountGroupId: ${GROUP} }`, 'COMPLETED'],
  ['createBillingPortalSession', '', 'COMPLETED'],
  // The code is none that was ever given out; a true one is traded in the test of the whole flow.
  [
    'exchangeAuthorizationCode',
    'input: { code: "short", redirectUri: "http://127.0.0.1/connect/callback" }',
    'REJECTED',
  ],
];

/** How many fields a mutation may have. */
const MOST_FIELDS = 5;

const LIVE = EXAMPLE_TABS.findIndex(({ query }) => query.includes('subscription LiveResults'));

describe.skipIf(leavesOutBrowser())('GraphiQL sends', () => {
  const graph = shareGraph({ explorer: true });
  const shared = shareGraphiql(graph);

  test('nothing more of an operation that is stopped', async () => {
    const { page, complaints } = shared();
    await page.route('**/graphql', () => undefined);
    const asked = page.waitForRequest((request) => request.method() === 'POST');
    await pressRun(page);
    const given = page.waitForEvent('requestfailed');
    await asked;
    await pressRun(page);
    expect((await given).failure()?.errorText).toBe('net::ERR_ABORTED');
    await page.waitForSelector('[aria-label^="Execute query"]');
    expect(await shownResult(page)).toBe('');
    expect(complaints).toEqual([]);
    await page.unroute('**/graphql');
  });

  test('in words, that the server is not there or does not speak JSON', async () => {
    const { page } = shared();
    await page.route('**/graphql', (route) => route.abort());
    await pressRun(page);
    await expect.poll(() => shownResult(page)).toContain('The server cannot be reached.');
    await page.unroute('**/graphql');
    await page.route('**/graphql', (route) => route.fulfill({ status: 502, body: '<html>' }));
    await pressRun(page);
    await expect.poll(() => shownResult(page)).toContain('answered with status 502');
    expect(await shownResult(page)).not.toContain('stack');
    await page.unroute('**/graphql');
  });

  test('the schema’s query with the headers that it opens with', () => {
    const asked = shared().requests.filter((request) => request.postData()?.includes('__schema'));
    const keys = asked.map((request) => request.headers()['x-api-key']);
    expect(new Set(keys)).toEqual(new Set([graph.sandbox.owners[0].apiKey]));
  });

  // Several in one operation, as many as it may hold.
  test('every mutation', async () => {
    const { page } = shared();
    for (let done = 0; done < MUTATIONS.length; done += MOST_FIELDS) {
      const some = MUTATIONS.slice(done, done + MOST_FIELDS);
      const fields = some.map(
        ([name, call]) => `${name}${call && `(${call})`} { outcome userErrors { message } }`,
      );
      const operation = `Run${done}`;
      await pasteQuery(page, `mutation ${operation} { ${fields.join(' ')} }`);
      const { data, errors } = await runAndAwait(page, operation);
      expect(errors).toBeUndefined();
      const outcomes = Object.entries(data ?? {}).map(([name, payload]) => [
        name,
        (payload as { readonly outcome: unknown }).outcome,
      ]);
      expect(outcomes).toEqual(some.map(([name, , outcome]) => [name, outcome]));
    }
  });

  test('the headers of the tab with each subscription, and none with the connection', async () => {
    const { sandbox } = graph;
    const graphiql = shared();
    const { page, sent } = graphiql;
    await selectTab(page, LIVE);
    await pressRun(page);
    await sandbox.push.waitForOpen(1);
    await pressRun(page);
    await sandbox.push.waitForOpen(0);
    await pasteHeaders(page, { 'X-API-Key': sandbox.owners[1].apiKey });
    await pressRun(page);
    await sandbox.push.waitForOpen(1);
    const keys = sandbox.owners.slice(0, 2).map(({ apiKey }) => apiKey);
    // The browser reports what it has sent a moment later.
    await expect.poll(() => keysSubscribedWith(graphiql)).toEqual(keys);
    expect(sent.filter(({ type }) => type === 'connection_init').map(({ payload }) => payload)).toEqual([
      undefined,
      undefined,
    ]);
    await pressRun(page);
    await sandbox.push.waitForOpen(0);
  });

  test('operations also where the schema may not be read, which it says', async () => {
    const { url } = await startGraph({ explorer: true, environment: { INTROSPECTION: 'off' } });
    const { page } = await openGraphiql(url);
    const notice = page.locator('.schema-notice');
    await expect.poll(() => notice.innerText()).toContain('does not let its schema be read.');
    await keepPicture(page, 'no-schema');
    expect((await runAndAwait(page, 'Accounts')).errors).toBeUndefined();
  });
});

function keysSubscribedWith({ sent }: GraphiqlPage): unknown[] {
  return sent
    .filter(({ type }) => type === 'subscribe')
    .map(({ payload }) => payload?.extensions?.headers?.['x-api-key']);
}
