import type { Command } from 'commander';
import type { CheckOptions } from './check.ts';
import type { QueueOptions } from './queue.ts';
import type { ScheduleOptions } from './schedule.ts';
import type { WatchOptions } from './watch.ts';
import type { SettingHelp } from '../config.ts';
import { ownVersion } from '../own-files.ts';

/**
 * Runs the command that the arguments of a command line name, and loads nothing of the others. A failure that the
 * operator can do something about is explained, and ends the process with status 1; any other one is thrown.
 */
export async function runProgram(args: readonly string[]): Promise<void> {
  try {
    // Nothing else needs parsing: the parser would take a twentieth of the time until the server answers.
    if (['', 'start'].includes(args.join(' '))) await (await import('./start.ts')).start();
    else await (await createProgram(args)).parseAsync(args, { from: 'user' });
  } catch (error) {
    const { adviceOn } = await import('./failure.ts');
    const advice = adviceOn(error);
    if (advice === null) throw error;
    process.stderr.write(`${advice}\n`);
    process.exit(1);
  }
}

async function createProgram(args: readonly string[]): Promise<Command> {
  const [{ Command }, { settingsHelp }] = await Promise.all([import('commander'), import('../config.ts')]);
  const program = new Command('social-publishing-graphql')
    .description('One GraphQL API over both HTTP surfaces of a social publishing service.')
    .version(ownVersion())
    .showHelpAfterError('Settings are environment variables, such as PORT=4100; --help lists them.')
    .addHelpText('after', `\nEnvironment variables, also read from .env:\n${linesOf(settingsHelp())}`);
  addCommands(program, args);
  addSchedule(program);
  return program;
}

function addCommands(program: Command, [word = '-']: readonly string[]): void {
  program
    // The default command would take an unknown command for its own argument, and commander would suggest none.
    .command('start', { isDefault: word.startsWith('-') })
    .description(
      'start the GraphQL server; uses the sandbox if no service is configured and SANDBOX allows it',
    )
    .action(async () => (await import('./start.ts')).start());

  program
    .command('sandbox')
    .description('start only the sandbox')
    .action(async () => (await import('./sandbox.ts')).sandbox());

  program
    .command('check')
    .description('check connectivity, credentials and response shapes')
    .option('--json', 'print JSON')
    .action(async (options: CheckOptions) => (await import('./check.ts')).check(options));

  program
    .command('watch')
    .description('watch the queue and account health for changes, using API_KEY')
    .option('--webhook <url>', 'send each change to this URL, signed with WEBHOOK_SECRET')
    .option('--print', 'print each change as one line of JSON')
    .action(async (options: WatchOptions) => (await import('./watch.ts')).watch(options));

  program
    .command('mcp')
    .description('start an MCP server on standard input and output, using API_KEY and ACCESS_TOKEN')
    .action(async () => (await import('./mcp.ts')).mcp());

  program
    .command('queue')
    .description('print the queued posts, using API_KEY')
    .option('--server <url>', 'read it from a running server at this URL')
    .option('--json', 'print JSON')
    .option('--csv', 'print CSV for spreadsheet programs')
    .option('--ics', 'print a calendar (iCalendar)')
    .action(async (options: QueueOptions) => (await import('./queue.ts')).queue(options));

  program
    .command('schema')
    .description('print the GraphQL schema')
    .action(async () => {
      const { printedSchema } = await import('../schema/index.ts');
      process.stdout.write(printedSchema());
    });
}

function addSchedule(program: Command): void {
  program
    .command('schedule <file>')
    .description('check the posts in a CSV file and, with --send, create each of them once, using API_KEY')
    .option('--send', 'create the posts; without it, they are only checked')
    .option('--sandbox', 'use a temporary sandbox, even if a service is configured')
    .option(
      '--server <url>',
      'send through a running server at this URL, instead of opening one in this process',
    )
    .option('--skip-invalid', 'with --send, skip invalid rows; otherwise one invalid row prevents sending')
    .option('--send-changed', 'also send rows that changed after they were sent; both posts then exist')
    .option('--per-minute <number>', 'maximum number of rows sent per minute', '60')
    .option(
      '--results <file>',
      'file that reports what was sent (default: posts.results.jsonl beside posts.csv)',
    )
    .option('--json', 'print JSON; with --send, one object per line')
    .addHelpText(
      'after',
      `
Exit status:
  0  success
  1  a row is invalid, was rejected or was not sent, or only some of its posts were created
  3  it is unknown whether some rows were sent; run the command again

Columns: account, time or placement, text and more; see docs/bulk-scheduling.md.`,
    )
    .action(async (file: string, options: ScheduleOptions) =>
      (await import('./schedule.ts')).schedule(file, options),
    );
}

/** A line for each setting. */
function linesOf(help: readonly SettingHelp[]): string {
  const width = Math.max(...help.map(({ name }) => name.length));
  return help
    .map(
      ({ name, description, default: unset }) =>
        `  ${name.padEnd(width)}  ${description}${unset ? ` (${unset})` : ''}`,
    )
    .join('\n');
}
