#!/usr/bin/env node
import { Command } from 'commander';

// Before anything else is loaded: graphql checks this once, and is twice as slow without it.
process.env['NODE_ENV'] ??= 'production';

const program = new Command('social-publishing-graphql').description(
  'One GraphQL API over both HTTP surfaces of a social publishing service.',
);

program
  .command('start', { isDefault: true })
  .description('serve the graph; on the sandbox when no address of the service is configured')
  .action(async () => (await import('./commands/start.ts')).start());

program
  .command('sandbox')
  .description('serve the sandbox alone')
  .action(async () => (await import('./commands/sandbox.ts')).sandbox());

program
  .command('schema')
  .description('print the schema')
  .action(async () => {
    const { printedSchema } = await import('./schema/index.ts');
    process.stdout.write(printedSchema());
  });

const { settingsHelp } = await import('./config.ts');
const settings = settingsHelp().map(
  ({ name, description, default: unset }) =>
    `  ${name.padEnd(23)} ${description}${unset ? ` (${unset})` : ''}`,
);
program.addHelpText('after', `\nEnvironment, also read from a file named .env:\n${settings.join('\n')}`);

await program.parseAsync();
