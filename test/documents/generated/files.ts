import { execFileSync } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import { typedDocuments } from '../../../packages/client/generate.js';
import { SECTIONS } from '../../../site/pages.js';
import type { SettingHelp } from '../../../src/config.ts';
import { SETTINGS } from '../../../src/config/settings.ts';
import { printedSchema, schema } from '../../../src/schema/index.ts';
import { renderReference } from './reference.ts';
import { serviceCalls, serviceFieldsPage } from './service-fields.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** The folder that holds nothing but generated files. */
const REFERENCE = 'docs/reference';
/** Where Desk has its documents, and what its generated file imports. */
const DESK = [join(ROOT, 'packages/desk'), '../../client/src/index.ts'] as const;

/** Every generated file that is committed, by its path in the repository. */
export type GeneratedFiles = ReadonlyMap<string, string>;

/** Generates them from the sources, and changes nothing. */
export async function generatedFiles(): Promise<GeneratedFiles> {
  const sdl = printedSchema();
  const pages = [...renderReference(schema, serviceCalls())];
  const generator = join(ROOT, 'examples/graphql-env.js');
  const typesOfExamples = execFileSync(process.execPath, [generator], { input: sdl, encoding: 'utf8' });
  return new Map([
    ['schema.graphql', sdl],
    ['packages/client/src/documents.ts', await typedDocuments(sdl)],
    ['packages/desk/src/documents.ts', await typedDocuments(sdl, ...DESK)],
    ['examples/graphql-env.d.ts', typesOfExamples],
    ...pages.map(([file, text]) => [`${REFERENCE}/${file}`, text] as const),
    ['docs/service-fields.md', serviceFieldsPage()],
    ['docs/settings.md', settingsPage()],
    ['llms.txt', llmsText()],
  ]);
}

/** Writes the files below a folder, and removes pages of types that are gone. */
export async function replaceFiles(root: string, files: GeneratedFiles): Promise<void> {
  for (const [path, text] of files) await writeFile(join(root, path), text);
  for (const path of await stalePages(root, files)) await rm(join(root, path));
}

/** Lists the pages of the reference that are not generated any more. */
export async function stalePages(root: string, files: GeneratedFiles): Promise<string[]> {
  const present = await readdir(join(root, REFERENCE));
  return present.map((file) => `${REFERENCE}/${file}`).filter((path) => !files.has(path));
}

const SETTINGS_INTRODUCTION = `# Settings

Every setting of the server, with its default. Settings come from the environment, and from a file named \`.env\` in the
folder where the process starts. The environment takes precedence, even with an empty value, which leaves the setting unset.
The file and those that settings name are UTF-8, with or without a byte order mark, or UTF-16 with one. In \`.env\`, a value
that contains a \`#\` needs quotation marks. A value that is not valid stops the start with the reason. So does a name that
looks like a misspelt setting, unless the setting itself is set: the name then belongs to another program. Every unknown
name in \`.env\` is reported. \`SANDBOX_PORT\` and \`SANDBOX_DATA\` are ignored if an address of the service is set. A length of
time is a number with its unit (\`500ms\`, \`90s\`, \`10m\`, \`1h\`); a number alone is seconds. This page is generated from the same
descriptions as \`node dist/main.js --help\`; [operations](operations.md) describes what the settings do.
`;

/** Text in a cell of a table. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const HEADINGS: Readonly<Record<keyof typeof SETTINGS, string>> = {
  service: 'The service',
  sandbox: 'The sandbox',
  calls: 'Calls to the service',
  oauth: 'The OAuth app of the legacy surface',
  aiSocket: 'Live results',
  live: 'Live results',
  operator: 'Access',
  access: 'Access',
  process: 'The process',
  exposed: 'The process',
  records: 'Records of writes, and Redis',
  redis: 'Records of writes, and Redis',
  sockets: 'WebSockets and event streams',
  limits: 'Limits of an operation',
  webhooks: 'Webhooks',
  mcp: 'Tools for assistants',
};

function settingsPage(): string {
  const headings = [...new Set(Object.values(HEADINGS))].map((heading) => {
    const rows = Object.entries(SETTINGS)
      .filter(([key]) => HEADINGS[key as keyof typeof SETTINGS] === heading)
      .flatMap(([, group]): readonly SettingHelp[] => Object.values(group))
      .map(({ name, description, default: unset }) => {
        const value = unset === '' ? '' : `\`${cell(unset)}\``;
        return `| \`${name}\` | ${value} | ${cell(description)} |\n`;
      });
    const head = '| Setting | Default | What it sets |\n| --- | --- | --- |';
    return `\n## ${heading}\n\n${head}\n${rows.join('')}`;
  });
  return `${SETTINGS_INTRODUCTION}${headings.join('')}`;
}

const SUMMARY = `# ${manifest.name}

> ${manifest.description}

Send GraphQL by POST to \`/graphql\`, with the credentials of the service in \`x-api-key\` (current surface) or
\`authorization: Bearer TOKEN\` (legacy surface). Give every write an \`idempotencyKey\`, and read \`outcome\` and
\`userErrors\` of its payload. \`npm ci && npm start\` starts everything on a sandbox, whose key is \`demo-key-harbour\`.`;

const section = (title: string, lines: readonly string[]): string => `## ${title}\n\n${lines.join('\n')}`;

/** Renders llms.txt, in the format of llmstxt.org: the schema and the pages of the site. */
function llmsText(): string {
  const sdl = '- [schema.graphql](schema.graphql): The whole schema, with descriptions.';
  const sections = SECTIONS.map(({ title, pages }) => {
    const lines = pages.map((page) => `- [${page.title}](${page.file}): ${page.about}`);
    // Programs that are short of room may leave this part out.
    return section(title === 'Project' ? 'Optional' : title, title === 'Reference' ? [sdl, ...lines] : lines);
  });
  return `${[SUMMARY, ...sections].join('\n\n')}\n`;
}
