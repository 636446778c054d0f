import manifest from '../../../package.json' with { type: 'json' };
import { SECTIONS } from '../../../site/pages.js';

const SUMMARY = `# ${manifest.name}

> ${manifest.description}

Send GraphQL by POST to \`/graphql\`, with the credentials of the service in \`x-api-key\` (current surface) or
\`authorization: Bearer TOKEN\` (legacy surface). Give every write an \`idempotencyKey\`, and read \`outcome\` and
\`userErrors\` of its payload. \`npm ci && npm start\` starts everything on a sandbox, whose key is \`demo-key-harbour\`.`;

const section = (title: string, lines: readonly string[]): string => `## ${title}\n\n${lines.join('\n')}`;

/** Renders llms.txt, in the format of llmstxt.org: the schema and the pages of the site. */
export function llmsText(): string {
  const schema = '- [schema.graphql](schema.graphql): The whole schema, with descriptions.';
  const sections = SECTIONS.map(({ title, pages }) => {
    const lines = pages.map((page) => `- [${page.title}](${page.file}): ${page.about}`);
    // Programs that are short of room may leave this part out.
    return section(
      title === 'Project' ? 'Optional' : title,
      title === 'Reference' ? [schema, ...lines] : lines,
    );
  });
  return `${[SUMMARY, ...sections].join('\n\n')}\n`;
}
