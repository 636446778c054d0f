import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { oauthEnvironment } from '../support/consent.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import { leaksIn, secretsOf } from '../support/leaks.ts';
import { postJson } from '../support/raw-http.ts';
import { recordSpans, told } from '../support/recorded-spans.ts';
import { scrape } from '../support/scrape.ts';
import { wholeSelection } from '../support/selection.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { valueAt, withValue } from '../support/wire-changes.ts';
import { WRITE_CALLS } from '../support/write-calls.ts';
import { documentOf, idOf, KEYED } from '../support/writes.ts';

// What docs/guarantees.md promises about secrets, at every place where the service may put one.

/** Found in the credential as it is and percent-encoded, and by no rule but that the credential is known. */
const TRACE = 'planted-in-every-place';
const TOKEN = `hush/${TRACE}+4=|`;
const FORMS = [TOKEN, encodeURIComponent(TOKEN)];
const NAMES = ['accessToken', 'accessSecret', 'pageAccessToken'];

/** Each read of the service, with a query that shows everything of the first record that it answers. */
const READS: readonly (readonly [endpoint: EndpointName, holdsAccounts: boolean, query: string])[] = [
  ['GET /accounts/list', true, list('accounts(first: 1)', 'Account')],
  ['GET /accounts/view/{loginId}', true, list('accounts(first: 1)', 'Account')],
  ['GET /oauth/accounts', true, list('accounts(first: 1, surface: LEGACY)', 'Account')],
  ['GET /group/list', false, list('accountGroups(first: 1)', 'AccountGroup')],
  ['GET /oauth/groups', false, list('accountGroups(first: 1, surface: LEGACY)', 'AccountGroup')],
  ['GET /posts/queued', false, list('queuedPosts(first: 1)', 'QueuedPost')],
  ['GET /library/list', false, list('libraryItems(first: 1)', 'LibraryItem')],
  ['GET /library/view/{contentid}', false, ''],
  ['GET /openai/historyList', false, list('aiGenerations(first: 1)', 'AiGeneration')],
  ['GET /membership/plan/list', false, `{ membership { ${wholeSelection('Membership')} } }`],
];

function list(field: string, type: string): string {
  return `{ ${field} { nodes { ${wholeSelection(type)} } } }`;
}

/** The places of all values without parts in an answer, of lists in the first element. */
function placesIn(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value !== 'object' || value === null) return [path.join('.')];
  const children = Array.isArray(value) ? value.slice(0, 1).entries() : Object.entries(value);
  return [...children].flatMap(([name, child]) => placesIn(child, [...path, String(name)]));
}

/** Puts the credential into each object of an answer, under its name. */
function withCredentials(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withCredentials(item, name));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, child]) => [key, withCredentials(child, name)]);
  return { ...Object.fromEntries(fields), [name]: TOKEN };
}

/** What may stand at a place: an object that holds the credential and repeats it, or in an account, a text that does. */
function plantedAt(value: unknown, name: string, form: string, isAccount: boolean): readonly unknown[] {
  const holder = { [name]: TOKEN, said: [`by ${form}`], [`of ${form}`]: 1 };
  const text = String(value);
  return isAccount ? [holder, `${text}${text.startsWith('http') ? '?t=' : ' '}${form}`] : [holder];
}

interface Watched extends RunningGraph {
  /** Runs an operation, and returns what came back: body and headers. */
  run(query: string, variables?: object): Promise<string>;
  /** Expects the credential, and further secrets, nowhere: in no answer, log line, metric, span or file. */
  expectNoTrace(secrets?: readonly string[]): Promise<void>;
}

async function startWatched(): Promise<Watched> {
  const spans = recordSpans();
  const folder = await temporaryFolder();
  const limits = { MAX_SELECTIONS: '1000', MAX_COST: '10000', MAX_ALIASES: '1000' };
  const graph = await startGraph({ environment: { ...oauthEnvironment(), ...limits, DATA_DIR: folder } });
  const answered: string[] = [];
  return {
    ...graph,
    async run(query, variables = {}) {
      const { text, headers } = await postJson(
        `${graph.url}/graphql`,
        { query, variables },
        graph.caller.both,
      );
      answered.push(text, JSON.stringify(headers));
      return text;
    },
    async expectNoTrace(secrets = []) {
      const { text: metrics } = await scrape(graph.url);
      const files = await readdir(folder, { recursive: true, withFileTypes: true });
      const contents = files
        .filter((file) => file.isFile())
        .map(async (file) => await readFile(join(file.parentPath, file.name), 'latin1'));
      const texts = [
        ...answered,
        ...graph.log,
        metrics,
        ...spans.ended.map(told),
        ...(await Promise.all(contents)),
      ];
      expect(contents.length).toBeGreaterThan(0);
      expect(spans.ended.length).toBeGreaterThan(0);
      expect(leaksIn(texts, [TRACE, ...secrets])).toEqual([]);
    },
  };
}

/** What the service answers when nothing is changed, by asking for it once. */
async function answerOf(graph: Watched, endpoint: EndpointName, query: string): Promise<unknown> {
  let answer: unknown;
  const change = (one: unknown): unknown => {
    answer ??= one;
    return one;
  };
  graph.sandbox.faults.add({ kind: 'rewrite', endpoint, times: Number.POSITIVE_INFINITY, change });
  expect(JSON.parse(await graph.run(query))).not.toHaveProperty('errors');
  graph.sandbox.faults.clear();
  return answer;
}

function queryOf({ sandbox }: RunningGraph, query: string): string {
  if (query !== '') return query;
  const id = idOf('LibraryItem', 'current', sandbox.state.owner('harbour').library[0]?.id ?? '');
  return `{ libraryItem(id: "${id}") { ${wholeSelection('LibraryItem')} } }`;
}

test.each(READS)(
  'no credential leaves, wherever %s answers with it',
  async (endpoint, isAccount, document) => {
    const graph = await startWatched();
    const query = queryOf(graph, document);
    const answer = await answerOf(graph, endpoint, query);
    const places = placesIn(answer);
    expect(places.length).toBeGreaterThanOrEqual(3);
    for (const [index, place] of places.entries()) {
      const name = NAMES[index % NAMES.length] ?? '';
      const form = FORMS[index % FORMS.length] ?? '';
      for (const planted of plantedAt(valueAt(answer, place), name, form, isAccount)) {
        const change = (one: unknown): unknown => withValue(withCredentials(one, name), place, planted);
        const fault = graph.sandbox.faults.add({ kind: 'rewrite', endpoint, times: 9, change });
        await graph.run(query);
        expect(fault.hits).toBeGreaterThan(0);
        graph.sandbox.faults.clear();
      }
    }
    await graph.expectNoTrace();
  },
);

test.each(READS)(
  'no credential leaves in an error, however %s fails with it',
  async (endpoint, _, document) => {
    const graph = await startWatched();
    const query = queryOf(graph, document);
    const answer = await answerOf(graph, endpoint, query);
    const [{ apiKey, accessToken }] = graph.sandbox.owners;
    const words = `No ${FORMS.join(' or ')} here, nor ${apiKey} or ${accessToken}`;
    const bodiesWith = (name: string) => {
      const failed = withCredentials(answer, name) as object;
      return [
        { error: 1, msg: words, message: words, ...failed, response: {}, was: failed },
        { error: 1, msg: words, errors: [words], [name]: TOKEN },
        JSON.stringify(failed).slice(0, -9),
      ];
    };
    for (const [index, body] of NAMES.flatMap(bodiesWith).entries()) {
      const status = [200, 400, 401, 500][index % 4] ?? 0;
      graph.sandbox.faults.add({ kind: 'status', status, body, endpoint, times: 9 });
      expect(await graph.run(query)).toContain('"errors"');
      graph.sandbox.faults.clear();
    }
    await graph.expectNoTrace(secretsOf(graph));
  },
);

test('no credential leaves, nor is it kept, when the answer of a write holds it', async () => {
  const graph = await startWatched();
  const ask = async (index: number) => {
    const { mutation, input } = WRITE_CALLS[index] as (typeof WRITE_CALLS)[number];
    const key = KEYED.some((name) => name === mutation) ? { idempotencyKey: `key-${index}` } : {};
    const variables = { input: { ...(await input(graph.sandbox)), ...key } };
    return await graph.run(documentOf(mutation), mutation === 'createBillingPortalSession' ? {} : variables);
  };
  for (const [index, { endpoint }] of WRITE_CALLS.entries()) {
    const change = (answer: unknown): unknown => ({
      ...(withCredentials(answer, NAMES[index % NAMES.length] ?? '') as object),
      message: `made by ${FORMS.join(' or ')}`,
    });
    const fault = graph.sandbox.faults.add({ kind: 'rewrite', endpoint, change });
    expect(await ask(index)).toContain('"COMPLETED"');
    expect(fault.hits).toBe(1);
    // A second time, from the journal.
    await ask(index);
  }
  await graph.expectNoTrace();
});
