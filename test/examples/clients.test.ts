import { expect, test } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { ENDLESSLY_SLOW, finishTextsOnceFollowed } from '../support/slow-texts.ts';
import { clientBlocks, runSnippet } from './snippets.ts';

const startSlowly = () => startGraph({ explorer: true, sandbox: ENDLESSLY_SLOW });

/** Runs a program that follows a text, which is there once the program waits for it. */
async function runAndFinish(code: string) {
  const graph = await startSlowly();
  const running = runSnippet(graph, code);
  await finishTextsOnceFollowed(graph.sandbox);
  const ended = await running;
  expect({ status: ended.status, stderr: ended.stderr }).toEqual({ status: 0, stderr: '' });
  expect(graph.sandbox.requests.count('POST /openai/response')).toBe(1);
  return ended.stdout;
}

const THEN_THE_TEXT = /status: 'PENDING', text: null.*status: 'COMPLETE',\s+text: '.*A line about rain/s;

test('the program with graphql-request prints what was answered, and the error beside it', async () => {
  const graph = await startGraph();
  const { status, stdout, stderr } = await runSnippet(graph, clientBlocks('graphql-request', 'js')[0]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/displayName: 'Kelpgate Roasters'.* null\nCREDENTIAL_MISSING The legacy surface/s);
});

test('the program with Apollo Client has two pages in one list, and prints the states of a text', async () => {
  expect(await runAndFinish(clientBlocks('Apollo Client', 'js')[0])).toBe('10\nPENDING\nCOMPLETE\n');
});

test('the program with urql queries by POST, and follows a text over server-sent events', async () => {
  const stdout = await runAndFinish(clientBlocks('urql', 'js')[0]);
  expect(stdout).toContain("displayName: 'Kelpgate Roasters'");
  expect(stdout).toMatch(THEN_THE_TEXT);
  expect(stdout.match(/COMPLETE/g)).toHaveLength(1);
});

test('the program with graphcache has two pages in one list, and is warned of nothing', async () => {
  const graph = await startGraph();
  const { status, stdout, stderr } = await runSnippet(graph, clientBlocks('urql', 'js')[1] ?? '');
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '10\n', stderr: '' });
});

test('the program with Relay prints the accounts of its query, and its network subscribes', async () => {
  // Relay's compiler makes such an artifact of a subscription; the environment takes its text and its kind from there.
  const more = `
const text = 'subscription ($id: ID!) { aiGenerationUpdated(id: $id) { status text } }';
const params = { id: null, cacheID: '1', metadata: {}, name: 'Follow', operationKind: 'subscription', text };
const generate = 'mutation { generateAiText(input: { prompt: "A line about rain, slowly", tone: "warm" }) { aiGeneration { id } } }';
const { id } = (await fetchGraph({ text: generate }, {})).data.generateAiText.aiGeneration;
await new Promise((complete, error) => {
  const next = ({ data }) => console.log(data.aiGenerationUpdated);
  environment.getNetwork().execute(params, { id }, {}).subscribe({ next, complete, error });
});
await socket.dispose();`;
  const shown = clientBlocks('Relay', 'js')[0].replace('await socket.dispose();', more);
  const [accounts = '', states] = (await runAndFinish(shown)).split(/^(?=\{)(.*)/ms);
  expect(accounts).toMatch(/^MWFjOjQxMDIwMQ Kelpgate Roasters\n/);
  expect(accounts.trimEnd().split('\n')).toHaveLength(3);
  expect(states).toMatch(THEN_THE_TEXT);
});

test.each(['graphql-ws', 'graphql-sse'])('the program with %s follows a text to its end', async (client) => {
  expect(await runAndFinish(clientBlocks(client, 'js')[0])).toMatch(THEN_THE_TEXT);
});
