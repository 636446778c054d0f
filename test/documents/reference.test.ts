import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { renderReference } from './generated/reference.ts';
import { serviceCalls } from './generated/service-fields.ts';

const pages = renderReference(schema, serviceCalls());

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
