import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { SECTIONS } from '../../../site/pages.js';

const ROOT = resolve(import.meta.dirname, '../../..');

const SUMMARY = `# ${manifest.name}

> ${manifest.description}

Send GraphQL by POST to \`/graphql\`, with the credentials of the service in \`x-api-key\` (current surface) or
\`authorization: Bearer TOKEN\` (legacy surface). Give every write an \`idempotencyKey\`, and read \`outcome\` and
\`userErrors\` of its payload. \`npm ci && npm start\` starts everything on a sandbox, whose key is \`demo-key-harbour\`.`;

const section = (title: string, lines: readonly string[]): string => `## ${title}\n\n${lines.join('\n')}`;

// `npm run docs` writes it anew. The format is that of llmstxt.org.
test('llms.txt lists the schema and the pages of the site', async () => {
  const schema = '- [schema.graphql](schema.graphql): The whole schema, with descriptions.';
  const sections = SECTIONS.map(({ title, pages }) => {
    const lines = pages.map((page) => `- [${page.title}](${page.file}): ${page.about}`);
    // Programs that are short of room may leave this part out.
    return section(
      title === 'Project' ? 'Optional' : title,
      title === 'Reference' ? [schema, ...lines] : lines,
    );
  });
  await expect(`${[SUMMARY, ...sections].join('\n\n')}\n`).toMatchFileSnapshot(join(ROOT, 'llms.txt'));
});
