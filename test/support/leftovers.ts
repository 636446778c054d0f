import { expect } from 'vitest';
import type { InspectedHeap } from './inspected-heap.ts';
import { scrape } from './scrape.ts';

/** A server whose insides a test looks at. */
export interface Inspected {
  readonly url: string;
  readonly heap: InspectedHeap;
}

/** What is left in a server. */
export interface Leftovers {
  readonly timers: number;
  readonly usedMiB: number;
}

/** Does something so many times, so much of it at once. */
export async function repeat(times: number, atOnce: number, act: () => Promise<unknown>): Promise<void> {
  let left = times;
  const work = async (): Promise<void> => {
    while ((left -= 1) >= 0) await act();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

/** What the server says that is open. */
export async function gaugesOf({ url }: Pick<Inspected, 'url'>): Promise<Record<string, number>> {
  const { series, value } = await scrape(url);
  const names = series.filter((name) => /^(?:graphql_\w+_open|live_channels_open)$/.test(name));
  return Object.fromEntries(names.map((name) => [name, value(name)]));
}

/** Waits until a server has nothing open but what the test keeps open, and gives what is left in it then. */
export async function leftIn(server: Inspected, open: Readonly<Record<string, number>>): Promise<Leftovers> {
  await expect.poll(() => gaugesOf(server)).toEqual(open);
  const count = async (kind: string): Promise<number> => (await server.heap.resources())[kind] ?? 0;
  // The inspector has one; connections that nothing happens on are closed after a second.
  const kept = Object.values(open).some((number) => number > 0) ? 1 : 0;
  await expect.poll(() => count('TCPSocketWrap')).toBeLessThanOrEqual(1 + kept);
  return { timers: await count('Timeout'), usedMiB: await server.heap.usedMiB() };
}
