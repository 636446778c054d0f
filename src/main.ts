#!/usr/bin/env node
import { Command } from 'commander';
import type { QueueOptions } from './cli/queue.ts';
import type { ScheduleOptions } from './cli/schedule.ts';
import { ownVersion } from './cli/version.ts';

// Set before anything else is loaded: graphql checks this once, and is twice as slow without it.
process.env['NODE_ENV'] ??= 'production';

// Ignore EPIPE: the reader closed the pipe, as `| head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const program = new Command('social-publishing-graphql')
  .description('One GraphQL API over both HTTP surfaces of a social publishing service.')
  .version(ownVersion())
  .showHelpAfterError('Settings come from the environment, such as PORT=4100; --help lists them.');

// The default command would take an unknown command for its own argument, and commander would suggest none.
const [word = '-'] = process.argv.slice(2);

program
  .command('start', { isDefault: word.startsWith('-') })
  .description('serve the graph; on the sandbox when no address of the service is configured')
  .action(async () => (await import('./cli/start.ts')).start());

program
  .command('sandbox')
  .description('serve the sandbox alone')
  .action(async () => (await import('./cli/sandbox.ts')).sandbox());

program
  .command('check')
  .description('ask the service for one of everything: reachable? credentials accepted? as documented?')
  .option('--json', 'tell it as JSON')
  .action(async (options: { readonly json?: boolean }) => (await import('./cli/check.ts')).check(options));

program
  .command('watch')
  .description('tell what changes in the queue and in the health of the accounts, with the key in API_KEY')
  .option('--webhook <url>', 'send each change to this address, signed with WEBHOOK_SECRET')
  .option('--print', 'write each change to standard output, as one line of JSON')
  .action(async (options: { readonly webhook?: string; readonly print?: boolean }) =>
    (await import('./cli/watch.ts')).watch(options),
  );

program
  .command('mcp')
  .description(
    'serve tools for an assistant on standard input and output, with the credentials in API_KEY and ACCESS_TOKEN',
  )
  .action(async () => (await import('./cli/mcp.ts')).mcp());

program
  .command('schedule <file>')
  .description(
    'check the posts of a CSV file, and with --send create each of them once, with the key in API_KEY',
  )
  .option('--send', 'create the posts; without it nothing is sent that has an effect')
  .option(
    '--skip-invalid',
    'with --send, send the other rows where some are wrong; otherwise nothing is sent',
  )
  .option('--per-minute <number>', 'maximum number of rows sent per minute', '60')
  .option(
    '--results <file>',
    'what was sent, for the next run (default: <file>.results.jsonl beside the file)',
  )
  .option('--json', 'tell it as JSON; with --send as one object a line')
  .addHelpText(
    'after',
    `
Exit status:
  0  all is well
  1  something is wrong, was refused or was not sent
  3  it is not known of some rows whether they were sent: run it again

Columns: account, time or placement, text and more; see docs/bulk-scheduling.md.`,
  )
  .action(async (file: string, options: ScheduleOptions) =>
    (await import('./cli/schedule.ts')).schedule(file, options),
  );

program
  .command('queue')
  .description('print the posts that wait in the queue, with the key in API_KEY')
  .option('--json', 'as JSON')
  .option('--csv', 'as CSV for spreadsheet programs')
  .option('--ics', 'as a calendar (iCalendar)')
  .action(async (options: QueueOptions) => (await import('./cli/queue.ts')).queue(options));

program
  .command('schema')
  .description('print the schema')
  .action(async () => {
    const { printedSchema } = await import('./schema/index.ts');
    process.stdout.write(printedSchema());
  });

const { settingsHelp } = await import('./config.ts');
const help = settingsHelp();
const width = Math.max(...help.map(({ name }) => name.length));
const settings = help.map(
  ({ name, description, default: unset }) =>
    `  ${name.padEnd(width)}  ${description}${unset ? ` (${unset})` : ''}`,
);
program.addHelpText('after', `\nEnvironment, also read from a file named .env:\n${settings.join('\n')}`);

try {
  await program.parseAsync();
} catch (error) {
  const { adviceOn } = await import('./cli/failure.ts');
  const advice = adviceOn(error);
  if (advice === null) throw error;
  process.stderr.write(`${advice}\n`);
  process.exit(1);
}
