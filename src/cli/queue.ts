import { readQueue, remarksOn, textOf, type QueueFormat } from '../../packages/schedule/src/queue.ts';
import { ConfigError } from '../config.ts';
import { configHere, openGraphHere, openServerGraph, problemOfCommand } from './command-graph.ts';

/** The output format of the queue, and where to read it. */
export interface QueueOptions extends QueueFormat {
  /** URL of a running server's graph. */
  readonly server?: string;
}

/** Prints the whole current queue. The exit status is 1 if it can't be read. */
export async function queue({ server, ...format }: QueueOptions): Promise<void> {
  if (Object.values(format).filter(Boolean).length > 1)
    throw new ConfigError(['queue: --json, --csv and --ics cannot be combined']);
  const { graph, address, timeZone, close } =
    server === undefined ? await openGraphHere(configHere(), null) : openServerGraph(server);
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
