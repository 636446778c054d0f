/** The milliseconds of processor time that something takes: those in which other processes had their turn don't count. */
export function cpuMsOf(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** What is so quick that the ratio of two measurements says nothing, in milliseconds. */
const LEAST_MS = 10;

/** What something takes for so much, and how that grows. */
export interface Cost {
  readonly ms: number;
  /** How many times longer than for a quarter: about 4 where the time is proportional, 16 where it grows with the square. */
  readonly growth: number;
}

/** Measures something with a size and with a quarter of it. */
export function costOf(run: (size: number) => unknown, size: number): Cost {
  // The first run compiles.
  run(size / 4);
  const quarter = Math.min(
    cpuMsOf(() => run(size / 4)),
    cpuMsOf(() => run(size / 4)),
  );
  const whole = Math.min(
    cpuMsOf(() => run(size)),
    cpuMsOf(() => run(size)),
  );
  return { ms: whole, growth: whole / Math.max(quarter, LEAST_MS) };
}

/** More than this is not proportional. */
export const MOST_GROWTH = 10;
