import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import * as operations from '@graphql-codegen/typescript-operations';
import { stitchSchemas } from '@graphql-tools/stitch';
import { FilterInterfaceFields, FilterObjectFields, RenameTypes, wrapSchema } from '@graphql-tools/wrap';
import { buildSchema, parse, printSchema, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { checkPrograms, ROOT, temporaryFolder, textOf } from '../support/files.ts';
import { isInstalled } from '../support/programs.ts';
import { shareGraph } from '../support/graph.ts';
import { ENDLESSLY_SLOW, finishTexts } from '../support/sandbox.ts';
import { startSocketServer } from '../support/web-sockets.ts';
import { clientBlocks, projectFolder, runSnippet, runSnippets } from './programs.ts';

const SDL = textOf('schema.graphql');
const graph = shareGraph({ explorer: true, sandbox: ENDLESSLY_SLOW });

const THEN_THE_TEXT = /status: 'PENDING', text: null.*status: 'COMPLETE',\s+text: '.*A line about rain/s;

// Relay's compiler turns a subscription into such an artifact; the environment takes its text and kind from there.
const AND_SUBSCRIBE = `
const text = 'subscription ($id: ID!) { aiGenerationUpdated(id: $id) { status text } }';
const params = { id: null, cacheID: '1', metadata: {}, name: 'Follow', operationKind: 'subscription', text };
const generate = 'mutation { generateAiText(input: { prompt: "A line about rain, slowly", tone: "warm" }) { aiGeneration { id } } }';
const { id } = (await fetchGraph({ text: generate }, {})).data.generateAiText.aiGeneration;
await new Promise((complete, error) => {
  const next = ({ data }) => console.log(data.aiGenerationUpdated);
  environment.getNetwork().execute(params, { id }, {}).subscribe({ next, complete, error });
});
await socket.dispose();`;

const shown = (client: string, index = 0): string => clientBlocks(client, 'js')[index] ?? '';

test('the programs in JavaScript print what the page says: data, errors, merged pages, and the states of a text', async () => {
  const follow = ['Apollo Client', 'graphql-ws', 'graphql-sse'].map((client) => shown(client));
  const relay = shown('Relay').replace('await socket.dispose();', AND_SUBSCRIBE);
  const read = [shown('graphql-request'), shown('urql', 1), shown('Stitching')];
  // The one for urql ends before its subscription does.
  const programs = [...read, ...follow, relay, shown('urql')];
  const texts = { count: 5, finish: () => finishTexts(graph.sandbox) };
  const printed = await runSnippets(graph, programs, texts);
  const [request, graphcache, stitched = '', apollo, ws, sse, accountsAndText = '', urql] = printed;
  expect(request).toMatch(/displayName: 'Kelpgate Roasters'.* null\nCREDENTIAL_MISSING The legacy surface/s);
  expect(graphcache).toBe('10\n');
  expect(JSON.parse(stitched)).toMatchObject({
    accounts: {
      nodes: [{ displayName: 'Kelpgate Roasters', note: 'A note on MWFjOjQxMDIwMQ' }, {}],
      pageInfo: { __typename: 'PublishingPageInfo', hasNextPage: true },
    },
  });
  expect(apollo).toBe('10\nPENDING\nCOMPLETE\n');
  const [accounts = ''] = accountsAndText.split(/^\{/m);
  expect(accounts).toMatch(/^MWFjOjQxMDIwMQ Kelpgate Roasters\n/);
  expect(accounts.trimEnd().split('\n')).toHaveLength(3);
  expect(urql).toContain("displayName: 'Kelpgate Roasters'");
  for (const followed of [ws, sse, accountsAndText, urql]) {
    expect(followed).toMatch(THEN_THE_TEXT);
    expect(followed?.match(/COMPLETE/g)).toHaveLength(1);
  }
  expect(graph.sandbox.requests.count('POST /openai/response')).toBe(5);
});

describe.runIf(isInstalled('python'))('Python', () => {
  test('queries with httpx', async () => {
    const ended = await runSnippet(graph, clientBlocks('Python', 'python')[0], 'program.py');
    expect(ended).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^MWFjOjQxMDIwMQ Kelpgate Roasters\n/),
    });
  });

  const [, follow = ''] = clientBlocks('Python', 'python');

  test('subscribes with websockets', async () => {
    const running = runSnippet(graph, follow, 'program.py');
    const opened = async () => await (await fetch(`${graph.url}/metrics`)).text();
    await expect.poll(opened).toMatch(/^graphql_subscriptions_open 1$/m);
    await graph.query(
      'mutation { generateAiText(input: { prompt: "Fog", tone: "warm" }) { aiGeneration { status } } }',
      { headers: graph.caller.key },
    );
    expect((await running).stdout).toMatch(/'status': 'COMPLETE', 'text': '.*Fog'/);
  });

  test('answers a ping with a pong', async () => {
    const received: string[] = [];
    const replies: Record<string, object> = {
      connection_init: { type: 'connection_ack' },
      subscribe: { type: 'ping' },
      pong: { id: '1', type: 'next', payload: { data: { aiGenerationFinished: { status: 'COMPLETE' } } } },
    };
    const port = await startSocketServer((socket) =>
      socket.on('message', (data: Buffer) => {
        const { type } = JSON.parse(data.toString()) as { readonly type: string };
        received.push(type);
        socket.send(JSON.stringify(replies[type]));
      }),
    );
    const { stdout } = await runSnippet({ url: `http://127.0.0.1:${port}` }, follow, 'program.py');
    expect(stdout).toBe("{'status': 'COMPLETE'}\n");
    expect(received).toEqual(['connection_init', 'subscribe', 'pong']);
  });
});

/** A stand-in for the packages of Hive Gateway: their functions return what they were called with. */
const STAND_IN = `
export const defineConfig = (config) => config;
export const loadGraphQLHTTPSubgraph = (name, options) => ({ name, ...options });
export const createRenameTypeTransform = (rename) => ({ rename });
export const createFilterTransform = (fieldFilter) => fieldFilter;
`;

interface Transform {
  readonly rename?: (type: { readonly typeName: string }) => string;
  readonly fieldFilter?: (type: string, field: string) => boolean;
}

/** What the configuration files of Hive Gateway export, as far as the test looks. */
interface HiveConfigs {
  readonly composeConfig: {
    readonly subgraphs: readonly [
      { readonly sourceHandler: object; readonly transforms: readonly Transform[] },
    ];
  };
  readonly gatewayConfig: {
    readonly propagateHeaders: { readonly fromClientToSubgraphs: (call: object) => object };
    readonly transportEntries: object;
  };
}

async function hiveConfigs(): Promise<HiveConfigs> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'stand-in.mjs'), STAND_IN);
  const loaded = clientBlocks('Hive Gateway', 'ts').map(async (text, index) => {
    const file = join(folder, `config-${index}.mjs`);
    await writeFile(file, text.replace(/'@graphql-(?:mesh|hive)\/[\w-]+'/, "'./stand-in.mjs'"));
    return (await import(pathToFileURL(file).href)) as object;
  });
  return Object.assign({}, ...(await Promise.all(loaded))) as HiveConfigs;
}

test('the configuration of Hive Gateway fits the schema: its transforms leave a graph that others can join', async () => {
  const { composeConfig, gatewayConfig } = await hiveConfigs();
  const [{ sourceHandler, transforms }] = composeConfig.subgraphs;
  expect(sourceHandler).toMatchObject({ name: 'publishing', source: './schema.graphql' });
  const { fromClientToSubgraphs } = gatewayConfig.propagateHeaders;
  const request = { headers: new Headers({ 'x-api-key': 'k', cookie: 'c' }) };
  const forwarded = ['publishing', 'notes'].map((subgraphName) =>
    fromClientToSubgraphs({ request, subgraphName }),
  );
  expect(forwarded).toEqual([{ 'x-api-key': 'k' }, {}]);
  expect(gatewayConfig.transportEntries).toMatchObject({
    publishing: { options: { subscriptions: { kind: 'ws' } } },
  });
  const rename = transforms.find((one) => one.rename)?.rename ?? (({ typeName }) => typeName);
  const fieldFilter = transforms.find((one) => one.fieldFilter)?.fieldFilter ?? (() => true);
  const schema = wrapSchema({
    schema: buildSchema(SDL),
    transforms: [
      new RenameTypes((typeName) => rename({ typeName })),
      new FilterObjectFields((type, field) => fieldFilter(type, field)),
      new FilterInterfaceFields((type, field) => fieldFilter(type, field)),
    ],
  });
  const left = printSchema(schema);
  expect(left).toContain('type PublishingPageInfo {');
  expect(left).not.toMatch(/^type \w+Payload .*\{[^}]*^ {2}query: Query/m);
  const notes = buildSchema('type Query { notes: PageInfo } type PageInfo { hasNextPage: Boolean! }');
  const all = stitchSchemas({ subschemas: [schema, notes] });
  const query = '{ accounts(first: 1) { pageInfo { drifted } } notes { hasNextPage } }';
  expect(validate(all, parse(query))).toEqual([]);
});

interface CodegenConfig {
  readonly generates: Readonly<Record<string, { readonly config: Record<string, unknown> }>>;
}

test('codegen knows every scalar of the graph, and allows one form of `timing` at a time', async () => {
  const { generates } = JSON.parse(clientBlocks('Codegen', 'json')[0]) as CodegenConfig;
  const [[filename, { config }] = ['', { config: {} }]] = Object.entries(generates);
  const document = parse('query Queue { queuedPosts(first: 5) { nodes { postId scheduledAtLocal } } }');
  const generate = (changes: Record<string, unknown> = {}): Promise<string> =>
    codegen({
      filename,
      schema: parse(SDL),
      documents: [{ location: 'queue.graphql', document }],
      config: { ...config, ...changes },
      plugins: [{ typescript: {} }, { operations: {} }],
      pluginMap: { typescript, operations },
    });
  const generated = await generate();
  expect(generated).toMatch(/placement: PostPlacement; scheduledAt\?: never;/);
  expect(generated).toMatch(/ServiceId: \{ input: string; output: string; \}/);
  await expect(generate({ scalars: { URL: 'string' } })).rejects.toThrow(/scalar/i);
});

/** A program that expects a type of a scalar in the page's query. */
const use = (type: string, graphFile = './graph.ts'): string => `
import type { ResultOf } from 'gql.tada';
import type { Queue } from '${graphFile}';
type Node = NonNullable<NonNullable<NonNullable<ResultOf<typeof Queue>['queuedPosts']>['nodes'][number]>>;
declare const node: Node;
export const time: ${type} = node.scheduledAtLocal;
`;

const askingFor = (field: string): string => `
import { GraphQLClient } from 'graphql-request';
import { graphql } from './graphql.js';
const { surfaces } = await new GraphQLClient('').request(graphql('{ surfaces { ${field} } }'));
console.log(surfaces);
`;

test('gql.tada finds unknown fields, and gives a scalar the type that it is told', async () => {
  const folder = await projectFolder();
  await cp(join(ROOT, 'examples/graphql.js'), join(folder, 'graphql.js'));
  const [project] = clientBlocks('gql.tada', 'ts');
  expect(project).toContain('LocalDateTime: string;');
  const programs = {
    'known.js': askingFor('surface'),
    'unknown.js': askingFor('nothing'),
    'right.ts': use('string | null'),
    'wrong.ts': use('number | null'),
    'untold.ts': use('string | null', './untold-graph.ts'),
  };
  const graphs = { 'graph.ts': project, 'untold-graph.ts': project.replace('LocalDateTime: string;', '') };
  for (const [name, text] of Object.entries({ ...programs, ...graphs }))
    await writeFile(join(folder, name), text);
  const options = ['--skipLibCheck', '--allowJs', '--checkJs', '--allowImportingTsExtensions'];
  expect(await checkPrograms(folder, Object.keys(programs), options)).toEqual({
    'known.js': '',
    'unknown.js': expect.stringContaining('error'),
    'right.ts': '',
    'wrong.ts': expect.stringContaining("Type 'string' is not assignable to type 'number'"),
    'untold.ts': expect.stringContaining("Type 'unknown' is not assignable"),
  });
});
