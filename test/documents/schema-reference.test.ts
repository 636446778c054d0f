import { introspectionFromSchema } from 'graphql';
import { renderSchema } from 'graphql-markdown';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';

const REFERENCE = resolve(import.meta.dirname, '../../docs/schema.md');

// `npm run docs` writes it anew.
test('docs/schema.md is the reference of the schema', async () => {
  const lines: string[] = [];
  renderSchema(introspectionFromSchema(schema), {
    title: 'The graph',
    prologue:
      'Made from the schema, whose descriptions it holds. [schema.graphql](../schema.graphql) is the same for programs.',
    skipTableOfContents: false,
    printer: (line) => lines.push(line),
  });
  await expect(`${lines.join('\n').trimEnd()}\n`).toMatchFileSnapshot(REFERENCE);
});
