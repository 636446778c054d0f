import { settingsHelp } from '../../../src/config.ts';

const INTRODUCTION = `# Settings

Every setting of the server, with its default. Settings come from the environment, and from a file named \`.env\` in the
folder where the process starts (UTF-8, or UTF-16 with a byte order mark). A value that is not valid stops the start with the
reason. So does a name that looks like a misspelt setting, unless the setting itself is set: the name then belongs to another
program. Every unknown name in \`.env\` is reported. Settings of the sandbox are ignored if an address of the service is set.
A length of time is a number with its unit (\`500ms\`, \`90s\`, \`10m\`, \`1h\`); a number alone is seconds. This page is
generated from the same descriptions as \`node dist/main.js --help\`; [operations](operations.md) describes what the settings
do.
`;

/** Text in a cell of a table. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Renders docs/settings.md. */
export function settingsPage(): string {
  const settings = settingsHelp();
  const groups = [...new Set(settings.map(({ group }) => group))].map((name) => {
    const rows = settings
      .filter(({ group }) => group === name)
      .map(({ name: setting, description, default: unset }) => {
        const value = unset === '' ? '' : `\`${cell(unset)}\``;
        return `| \`${setting}\` | ${value} | ${cell(description)} |`;
      });
    return [
      `\n## ${name}\n`,
      '| Setting | Default | What it sets |',
      '| --- | --- | --- |',
      ...rows,
      '',
    ].join('\n');
  });
  return `${INTRODUCTION}${groups.join('')}`;
}
