import { localOf, problemOfTime } from '../service-time.ts';
import type { Problems } from './problems.ts';

/** The clock that times are checked against. */
export interface Clock {
  /** Zone of the service's wall clock, where the operator states one. */
  readonly timeZone: string | null;
  readonly nowMs: number;
}

type Path = readonly (string | number)[];

/**
 * The service's wall-clock times of a timing, `YYYY-MM-DDTHH:mm`. Notes what is past, falls into a clock change, stands
 * there twice, or can't be told in the service's clock.
 */
export function wallClockTimes(
  timing: {
    readonly at?: readonly string[] | null | undefined;
    readonly atInstants?: readonly Date[] | null | undefined;
  },
  clock: Clock,
  {
    problems,
    paths,
  }: { readonly problems: Problems; readonly paths: { readonly at: Path; readonly atInstants: Path } },
): string[] | null {
  if (timing.at != null) return checked(timing.at, clock, { problems, path: paths.at });
  if (timing.atInstants == null) return null;
  const { timeZone } = clock;
  if (timeZone === null) {
    problems.add(
      paths.atInstants,
      'needs SERVICE_TIME_ZONE, which this server was not told; use wall-clock times.',
    );
    return [];
  }
  for (const [index, instant] of timing.atInstants.entries()) {
    if (instant.getTime() % 60_000 !== 0)
      problems.add([...paths.atInstants, index], 'is not a whole minute.');
  }
  const locals = timing.atInstants.map((instant) => localOf(instant, timeZone));
  return checked(locals, clock, { problems, path: paths.atInstants });
}

function checked(
  locals: readonly string[],
  clock: Clock,
  { problems, path }: { readonly problems: Problems; readonly path: Path },
): string[] {
  problems.elements(path, locals);
  for (const [index, local] of locals.entries()) {
    const problem = problemOfTime(local, clock.timeZone, clock.nowMs);
    if (problem !== null) problems.add([...path, index], problem);
  }
  return [...locals];
}
