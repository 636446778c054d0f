import { expect, test } from 'vitest';
import { leavesOutBrowser } from '../support/browser.ts';
import { openGraphiql, runAndAwait } from '../support/graphiql.ts';
import { startGraph } from '../support/graph.ts';

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

test.skipIf(leavesOutBrowser())('every mutation can be run from GraphiQL', async () => {
  const { url } = await startGraph({ explorer: true });
  // Several in one operation, as many as it may hold: loading the page for each would take most of the time.
  for (let done = 0; done < MUTATIONS.length; done += MOST_FIELDS) {
    const some = MUTATIONS.slice(done, done + MOST_FIELDS);
    const fields = some.map(
      ([name, call]) => `${name}${call && `(${call})`} { outcome userErrors { message } }`,
    );
    const query = encodeURIComponent(`mutation Run { ${fields.join('\n')} }`);
    const { page } = await openGraphiql(url, `/graphql?query=${query}`);
    const { data, errors } = await runAndAwait(page, 'Run');
    expect(errors).toBeUndefined();
    const outcomes = Object.entries(data ?? {}).map(([name, payload]) => [
      name,
      (payload as { readonly outcome: unknown }).outcome,
    ]);
    expect(outcomes).toEqual(some.map(([name, , outcome]) => [name, outcome]));
  }
});
