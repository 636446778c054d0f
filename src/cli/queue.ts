import {
  calendarOfQueue,
  csvOfQueue,
  readQueue,
  tableOfQueue,
  type QueueListing,
} from '../../packages/schedule/src/queue.ts';
import { ConfigError } from '../config.ts';
import { openCommandGraph, problemOfCommand } from './command-graph.ts';

/** The output format of the queue, a plain text table by default, and where to read it. */
export interface QueueOptions {
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly ics?: boolean;
  /** URL of a running server's graph. */
  readonly server?: string;
}

/** Prints the whole current queue. The exit status is 1 if it can't be read. */
export async function queue({ server, ...format }: QueueOptions): Promise<void> {
  if (Object.values(format).filter(Boolean).length > 1)
    throw new ConfigError(['queue: --json, --csv and --ics cannot be combined']);
  const { graph, address, timeZone, close } = await openCommandGraph({ server });
  try {
    const listing = await readQueue(graph);
    process.stdout.write(textOf(listing, format, timeZone));
    process.stderr.write(remarksOn(listing, format));
  } catch (error) {
    process.stderr.write(`${problemOfCommand(error, address)}\n`);
    process.exitCode = 1;
  } finally {
    await close();
  }
}

function textOf({ rows }: QueueListing, { json, csv, ics }: QueueOptions, timeZone: string | null): string {
  if (json === true) return `${JSON.stringify(rows, null, 2)}\n`;
  if (csv === true) return csvOfQueue(rows);
  return ics === true ? calendarOfQueue(rows, { now: new Date(), timeZone }) : tableOfQueue(rows);
}

// Omissions are reported separately from the output, which may go into a file.
function remarksOn({ rows, unreadableRows }: QueueListing, { ics }: QueueOptions): string {
  const timeless = ics === true ? rows.filter(({ scheduledAtLocal }) => scheduledAtLocal === null).length : 0;
  return [
    ...(unreadableRows > 0 ? [`Omitted: ${countOf(unreadableRows)} without an id.\n`] : []),
    ...(timeless > 0 ? [`Omitted: ${countOf(timeless)} with an unreadable time.\n`] : []),
  ].join('');
}

const countOf = (count: number): string => `${count} ${count === 1 ? 'post' : 'posts'}`;
