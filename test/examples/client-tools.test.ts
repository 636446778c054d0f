import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import * as operations from '@graphql-codegen/typescript-operations';
import { stitchSchemas } from '@graphql-tools/stitch';
import { FilterInterfaceFields, FilterObjectFields, RenameTypes, wrapSchema } from '@graphql-tools/wrap';
import {
  buildClientSchema,
  buildSchema,
  introspectionFromSchema,
  parse,
  printSchema,
  validate,
} from 'graphql';
import { expect, test } from 'vitest';
import { checkPrograms } from '../support/compiler.ts';
import { startGraph } from '../support/graph.ts';
import { clientBlocks, projectFolder, ROOT, runSnippet } from './snippets.ts';

const SDL = readFileSync(join(ROOT, 'schema.graphql'), 'utf8');

test('the stitched schema has the graph’s fields and those of the program, with the caller’s key', async () => {
  const graph = await startGraph();
  const { status, stdout, stderr } = await runSnippet(graph, clientBlocks('Stitching', 'js')[0]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({
    accounts: {
      nodes: [{ displayName: 'Kelpgate Roasters', note: 'A note on MWFjOjQxMDIwMQ' }, {}],
      pageInfo: { __typename: 'PublishingPageInfo', hasNextPage: true },
    },
  });
});

/** What a stand-in for a package's `defineConfig` and its other functions gives back: what they were called with. */
const STAND_IN = `
export const defineConfig = (config) => config;
export const loadGraphQLHTTPSubgraph = (name, options) => ({ name, ...options });
export const createRenameTypeTransform = (rename) => ({ rename });
export const createFilterTransform = (filter) => filter;
`;

/** The configuration files of Hive Gateway, evaluated with stand-ins for its packages. */
async function hiveConfigs() {
  const folder = await projectFolder();
  await unlink(join(folder, 'node_modules'));
  for (const name of ['@graphql-mesh/compose-cli', '@graphql-hive/gateway']) {
    const place = join(folder, 'node_modules', name);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'package.json'), '{"type":"module","main":"index.js"}');
    await writeFile(join(place, 'index.js'), STAND_IN);
  }
  const [mesh, gateway = ''] = clientBlocks('Hive Gateway', 'ts');
  await writeFile(join(folder, 'mesh.js'), mesh);
  await writeFile(join(folder, 'gateway.js'), gateway);
  // Another process: the test runner would look for the packages in this project.
  const show = `
    const configs = { mesh: await import('./mesh.js'), gateway: await import('./gateway.js') };
    console.log(JSON.stringify(configs, (_, value) => typeof value === 'function' ? value.toString() : value))`;
  const args = ['--input-type=module', '-e', show];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  return JSON.parse(stdout) as Readonly<Record<'mesh' | 'gateway', Evaluated>>;
}

interface Transforms {
  readonly rename: (type: { readonly typeName: string }) => string;
  readonly fieldFilter: (type: string, field: string) => boolean;
}

/** What a file of configuration exports; Mesh’s has another part. */
interface Evaluated {
  readonly gatewayConfig: { readonly propagateHeaders: { readonly fromClientToSubgraphs: string } };
}

test('what Hive Gateway is told fits the schema: its transforms leave a graph that others can join', async () => {
  const { mesh, gateway } = await hiveConfigs();
  expect(mesh).toMatchObject({
    composeConfig: { subgraphs: [{ sourceHandler: { name: 'publishing', source: './schema.graphql' } }] },
  });
  const headers = `({ request: { headers: new Headers({ 'x-api-key': 'k', cookie: 'c' }) }, subgraphName })`;
  const { fromClientToSubgraphs } = gateway.gatewayConfig.propagateHeaders;
  // oxlint-disable-next-line typescript/no-implied-eval -- the function stands in this project's own page
  const forwarded = new Function(
    'subgraphName',
    `const CREDENTIALS = ['x-api-key', 'authorization'];
    return (${fromClientToSubgraphs})(${headers})`,
  ) as (subgraphName: string) => object;
  expect([forwarded('publishing'), forwarded('notes')]).toEqual([{ 'x-api-key': 'k' }, {}]);
  expect(gateway).toMatchObject({
    gatewayConfig: { transportEntries: { publishing: { options: { subscriptions: { kind: 'ws' } } } } },
  });
  const sources = JSON.stringify(mesh).match(/"(?:rename|fieldFilter)":"(?:[^"\\]|\\.)*"/g) ?? [];
  const [rename, filter] = sources.map((source) => JSON.parse(`{${source}}`) as Record<string, string>);
  // oxlint-disable-next-line typescript/no-implied-eval -- the functions stand in this project's own page
  const made = new Function(
    `return { rename: ${rename?.['rename']}, fieldFilter: ${filter?.['fieldFilter']} }`,
  );
  const { rename: nameOf, fieldFilter } = made() as Transforms;
  const schema = wrapSchema({
    schema: buildSchema(SDL),
    transforms: [
      new RenameTypes((typeName) => nameOf({ typeName })),
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

/** What codegen makes of one form of `timing` among others. */
const TIMING = /placement: PostPlacement; scheduledAt\?: never;/;

/** The types that codegen makes with the configuration of the page, or with another one. */
async function generate(sdl: string, changes: Record<string, unknown> = {}): Promise<string> {
  const { generates } = JSON.parse(clientBlocks('Codegen', 'json')[0]) as CodegenConfig;
  const [[filename, { config }] = ['', { config: {} }]] = Object.entries(generates);
  const document = parse('query Queue { queuedPosts(first: 5) { nodes { postId scheduledAtLocal } } }');
  return await codegen({
    filename,
    schema: parse(sdl),
    documents: [{ location: 'queue.graphql', document }],
    config: { ...config, ...changes },
    plugins: [{ typescript: {} }, { operations: {} }],
    pluginMap: { typescript, operations },
  });
}

test('codegen knows every scalar of the graph, and makes one form of `timing` at a time', async () => {
  const generated = await generate(SDL);
  expect(generated).toMatch(TIMING);
  expect(generated).toMatch(/ServiceId: \{ input: string; output: string; \}/);
  await expect(generate(SDL, { scalars: { URL: 'string' } })).rejects.toThrow(/scalar/i);
});

test('codegen makes any form of `timing` from introspection', async () => {
  const schema = buildSchema(SDL);
  const introspected = buildClientSchema(introspectionFromSchema(schema, { oneOf: false }));
  expect(await generate(printSchema(introspected))).not.toMatch(TIMING);
});

/** A program that takes a scalar of the page's query for a type. */
const use = (type: string): string => `
import type { ResultOf } from 'gql.tada';
import type { Queue } from './graph.ts';
type Node = NonNullable<NonNullable<NonNullable<ResultOf<typeof Queue>['queuedPosts']>['nodes'][number]>>;
declare const node: Node;
export const time: ${type} = node.scheduledAtLocal;
`;

/** What the compiler says of programs. */
const checkAll = (folder: string, ...files: readonly string[]): ReturnType<typeof checkPrograms> =>
  checkPrograms(folder, files, ['--skipLibCheck', '--allowJs', '--checkJs', '--allowImportingTsExtensions']);

/** A program that asks for a field of a surface. */
const askingFor = (field: string): string => `
import { GraphQLClient } from 'graphql-request';
import { graphql } from './graphql.js';
const { surfaces } = await new GraphQLClient('').request(graphql('{ surfaces { ${field} } }'));
console.log(surfaces);
`;

test('the documents of `graphql.js` are errors where they ask for a field that does not exist', async () => {
  const folder = await projectFolder();
  await cp(join(ROOT, 'examples/graphql.js'), join(folder, 'graphql.js'));
  await writeFile(join(folder, 'right.js'), askingFor('surface'));
  await writeFile(join(folder, 'wrong.js'), askingFor('nothing'));
  expect(await checkAll(folder, 'right.js', 'wrong.js')).toEqual({
    'right.js': '',
    'wrong.js': expect.stringContaining('error'),
  });
});

test('gql.tada gives a scalar the type that it is told', async () => {
  const folder = await projectFolder();
  const [shown] = clientBlocks('gql.tada', 'ts');
  const unnamed = shown.replace('LocalDateTime: string;', '');
  expect(unnamed).not.toBe(shown);
  await writeFile(join(folder, 'graph.ts'), shown);
  await writeFile(join(folder, 'unnamed.ts'), unnamed);
  await writeFile(join(folder, 'right.ts'), use('string | null'));
  await writeFile(join(folder, 'wrong.ts'), use('number | null'));
  await writeFile(join(folder, 'untold.ts'), use('string | null').replace('./graph.ts', './unnamed.ts'));
  expect(await checkAll(folder, 'right.ts', 'wrong.ts', 'untold.ts')).toEqual({
    'right.ts': '',
    'wrong.ts': expect.stringContaining("Type 'string' is not assignable to type 'number'"),
    'untold.ts': expect.stringContaining("Type 'unknown' is not assignable"),
  });
});
