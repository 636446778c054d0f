import { join, resolve } from 'node:path';
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../../src/schema/index.ts';
import { interfaceFields } from '../../conformance/interface-fields.ts';
import { fieldAt } from '../../support/selection.ts';
import { renderReference, type ServiceCalls } from './reference.ts';

const FOLDER = resolve(import.meta.dirname, '../../../docs/reference');

/** The calls of the service that each type of the graph, and each mutation, comes from. */
function serviceCalls(): ServiceCalls {
  const calls = new Map<string, Set<string>>();
  const note = (name: string, call: string): void => {
    calls.set(name, (calls.get(name) ?? new Set()).add(call));
  };
  for (const [call, answer] of Object.entries(interfaceFields)) {
    if ('mutation' in answer) note(`Mutation.${answer.mutation}`, call);
    if ('mutation' in answer && answer.mutation === 'pauseAccount')
      for (const name of ['resumeAccount', 'pauseAccounts', 'resumeAccounts']) note(`Mutation.${name}`, call);
    for (const entry of Object.values(answer.fields)) {
      if ('omitted' in entry) continue;
      for (const path of Object.keys(entry)) note(fieldAt(answer.type, path).split('.')[0] ?? '', call);
    }
  }
  return calls;
}

const pages = renderReference(schema, serviceCalls());

// `npm run docs` writes them anew.
test('docs/reference has the pages that the schema makes', async () => {
  for (const [file, text] of pages) await expect(text).toMatchFileSnapshot(join(FOLDER, file));
});

test('the index names every page, and every operation', () => {
  const index = pages.get('README.md') ?? '';
  for (const file of pages.keys()) if (file !== 'README.md') expect(index).toContain(`](${file}`);
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()])
    for (const name of Object.keys(root?.getFields() ?? {}))
      expect(index).toContain(`[${name}](${root?.name}.md#`);
});

test('a deprecation, a default, the form of a type and its uses are shown', () => {
  const small = buildSchema(`
    "The root." type Query { "All. And more." accounts(ids: [Ref!]! = ["a"]): [Size!] @deprecated(reason: "Since 1.1: use account.") }
    "A size." enum Size { "Small." S "Large." L @deprecated(reason: "Since 1.2: use S.") }
    "An id." scalar Ref
  `);
  const made = renderReference(small, new Map([['Size', new Set(['GET /sizes'])]]));
  expect([...made.keys()].toSorted()).toEqual(['Query.md', 'README.md', 'Ref.md', 'Size.md']);
  expect(made.get('Query.md')).toContain(
    'Type: \\[[Size](Size.md)!\\]\n\n**Deprecated.** Since 1.1: use account.\n\nAll. And more.\n\n' +
      'Arguments:\n\n- `ids` (\\[[Ref](Ref.md)!\\]!, default `["a"]`): ',
  );
  expect(made.get('Size.md')).toMatch(/### L\n\n\*\*Deprecated\.\*\* Since 1\.2: use S\.\n\nLarge\./);
  expect(made.get('Size.md')).toContain('- [Query.accounts](Query.md#accounts)');
  expect(made.get('Size.md')).toContain('[GET /sizes](../service-fields.md#get-sizes)');
  expect(made.get('README.md')).toContain('- [accounts](Query.md#accounts): (deprecated) All.\n');
});

test('an operation without a group is an error', () => {
  const small = buildSchema('type Query { unheardOf: Int }');
  expect(() => renderReference(small, new Map())).toThrow('unheardOf');
});
