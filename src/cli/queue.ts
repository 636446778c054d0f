import { calendarOfQueue } from '../bulk/queue-calendar.ts';
import { csvOfQueue } from '../bulk/queue-csv.ts';
import { readQueueRows, type QueueListing, type QueueRow } from '../bulk/queue-rows.ts';
import { textTable, type TextColumn } from '../bulk/text-table.ts';
import { ConfigError, type Config } from '../config.ts';
import { configFromEnvironment, SERVES_NOBODY } from './environment.ts';
import { openOperatorSession } from './operator-session.ts';
import { problemOfReading, readingLog } from './reading.ts';

/** The output format of the queue; a plain text table by default. */
export interface QueueOptions {
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly ics?: boolean;
}

/** Prints the whole current queue. The exit status is 1 if it can't be read. */
export async function queue(options: QueueOptions): Promise<void> {
  if (Object.values(options).filter(Boolean).length > 1)
    throw new ConfigError(['queue: --json, --csv and --ics cannot be combined']);
  const config = configFromEnvironment(SERVES_NOBODY);
  const session = await openOperatorSession({ ...config, redis: null, sandboxPort: 0 }, readingLog(config));
  try {
    const listing = await readQueueRows(session.makeContext());
    process.stdout.write(textOf(listing, options, session.services.config));
    process.stderr.write(remarksOn(listing, options));
  } catch (error) {
    process.stderr.write(`${problemOfReading(error)}\n`);
    process.exitCode = 1;
  } finally {
    await session.close();
  }
}

function textOf(
  { rows }: QueueListing,
  { json, csv, ics }: QueueOptions,
  { serviceTimeZone }: Config,
): string {
  if (json === true) return `${JSON.stringify(rows, null, 2)}\n`;
  if (csv === true) return csvOfQueue(rows);
  if (ics === true) return calendarOfQueue(rows, { now: new Date(), timeZone: serviceTimeZone });
  const lines = [...textTable(COLUMNS, rows), '', countOf(rows.length)];
  return lines.map((line) => `${line}\n`).join('');
}

const COLUMNS: readonly TextColumn<QueueRow>[] = [
  {
    title: 'Time',
    most: 32,
    cell: ({ scheduledAtLocal, scheduledLabel }) =>
      scheduledAtLocal?.replace('T', ' ') ?? scheduledLabel ?? '',
  },
  { title: 'Account', most: 36, cell: ({ accountLabel }) => accountLabel ?? '' },
  { title: 'Network', most: 16, cell: ({ network }) => network },
  { title: 'Text', most: 70, cell: ({ title, text }) => text || title || '' },
  { title: 'Obstacles', most: 40, cell: ({ obstacles }) => obstacles.join(', ') },
];

// Omissions are reported separately from the output, which may go into a file.
function remarksOn({ rows, unreadableRows }: QueueListing, { ics }: QueueOptions): string {
  const timeless = ics === true ? rows.filter(({ scheduledAtLocal }) => scheduledAtLocal === null).length : 0;
  return [
    ...(unreadableRows > 0 ? [`Omitted: ${countOf(unreadableRows)} without an id.\n`] : []),
    ...(timeless > 0 ? [`Omitted: ${countOf(timeless)} with an unreadable time.\n`] : []),
  ].join('');
}

const countOf = (count: number): string => `${count} ${count === 1 ? 'post' : 'posts'}`;
