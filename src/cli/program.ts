import { Command } from 'commander';
import type { CheckOptions } from './check.ts';
import type { QueueOptions } from './queue.ts';
import type { ScheduleOptions } from './schedule.ts';
import type { WatchOptions } from './watch.ts';
import { ownVersion } from './version.ts';

/**
 * Runs the command that the arguments of a command line name, and loads nothing of the others. A failure that the
 * operator can do something about is explained, and ends the process with status 1; any other one is thrown.
 */
export async function runProgram(args: readonly string[]): Promise<void> {
  const program = new Command('social-publishing-graphql')
    .description('One GraphQL API over both HTTP surfaces of a social publishing service.')
    .version(ownVersion())
    .showHelpAfterError('Settings come from the environment, such as PORT=4100; --help lists them.')
    .addHelpText('after', `\nEnvironment, also read from a file named .env:\n${await settings()}`);
  addServers(program, args);
  addCheck(program);
  addFollowers(program);
  addSchedule(program);
  addPrinters(program);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    const { adviceOn } = await import('./failure.ts');
    const advice = adviceOn(error);
    if (advice === null) throw error;
    process.stderr.write(`${advice}\n`);
    process.exit(1);
  }
}

function addServers(program: Command, [word = '-']: readonly string[]): void {
  program
    // The default command would take an unknown command for its own argument, and commander would suggest none.
    .command('start', { isDefault: word.startsWith('-') })
    .description('serve the graph; on the sandbox if no address of the service is set and SANDBOX allows it')
    .action(async () => (await import('./start.ts')).start());

  program
    .command('sandbox')
    .description('serve the sandbox alone')
    .action(async () => (await import('./sandbox.ts')).sandbox());
}

function addCheck(program: Command): void {
  program
    .command('check')
    .description('ask the service for one of everything: reachable? credentials accepted? as documented?')
    .option('--json', 'tell it as JSON')
    .action(async (options: CheckOptions) => (await import('./check.ts')).check(options));
}

function addFollowers(program: Command): void {
  program
    .command('watch')
    .description('tell what changes in the queue and in the health of the accounts, with the key in API_KEY')
    .option('--webhook <url>', 'send each change to this address, signed with WEBHOOK_SECRET')
    .option('--print', 'write each change to standard output, as one line of JSON')
    .action(async (options: WatchOptions) => (await import('./watch.ts')).watch(options));

  program
    .command('mcp')
    .description(
      'serve tools for an assistant on standard input and output, with the credentials in API_KEY and ACCESS_TOKEN',
    )
    .action(async () => (await import('./mcp.ts')).mcp());
}

function addSchedule(program: Command): void {
  program
    .command('schedule <file>')
    .description(
      'check the posts of a CSV file, and with --send create each of them once, with the key in API_KEY',
    )
    .option('--send', 'create the posts; without it nothing is sent that has an effect')
    .option('--sandbox', 'use a sandbox that ends with the command, even if a service is configured')
    .option(
      '--skip-invalid',
      'with --send, send the other rows where some are wrong; otherwise nothing is sent',
    )
    .option('--per-minute <number>', 'maximum number of rows sent per minute', '60')
    .option(
      '--results <file>',
      'what was sent, for the next run (default: next to the file, posts.results.jsonl for posts.csv)',
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
      (await import('./schedule.ts')).schedule(file, options),
    );
}

function addPrinters(program: Command): void {
  program
    .command('queue')
    .description('print the posts that wait in the queue, with the key in API_KEY')
    .option('--json', 'as JSON')
    .option('--csv', 'as CSV for spreadsheet programs')
    .option('--ics', 'as a calendar (iCalendar)')
    .action(async (options: QueueOptions) => (await import('./queue.ts')).queue(options));

  program
    .command('schema')
    .description('print the schema')
    .action(async () => {
      const { printedSchema } = await import('../schema/index.ts');
      process.stdout.write(printedSchema());
    });
}

/** A line for each setting. */
async function settings(): Promise<string> {
  const { settingsHelp } = await import('../config.ts');
  const help = settingsHelp();
  const width = Math.max(...help.map(({ name }) => name.length));
  return help
    .map(
      ({ name, description, default: unset }) =>
        `  ${name.padEnd(width)}  ${description}${unset ? ` (${unset})` : ''}`,
    )
    .join('\n');
}
