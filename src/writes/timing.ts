import { localOf, problemOfTime } from '../service-time.ts';
import { checkable, type Problems } from './problems.ts';

/** The clock that times are checked against. */
interface Clock {
  /** Time zone of the service's wall clock, if the operator configured one. */
  readonly timeZone: string | null;
  readonly nowMs: number;
}

/** The path of a list of times, or of one time in it. */
type Place = (...index: number[]) => readonly (string | number)[];

/**
 * Returns the wall-clock times of a timing, `YYYY-MM-DDTHH:mm`. Reports times that are past, within a clock change,
 * given twice, or cannot be converted to the service's clock.
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
  }: { readonly problems: Problems; readonly paths: { readonly at: Place; readonly atInstants: Place } },
): string[] | null {
  if (timing.at != null) return checked(timing.at, clock, { problems, place: paths.at });
  if (timing.atInstants == null) return null;
  const { timeZone } = clock;
  if (timeZone === null) {
    problems.add(
      paths.atInstants(),
      'Times with an offset cannot be used because the service’s time zone is not configured; use times on the service’s clock.',
    );
    return [];
  }
  const instants = checkable(timing.atInstants);
  for (const [index, instant] of instants.entries()) {
    if (instant.getTime() % 60_000 !== 0)
      problems.add(paths.atInstants(index), `${instant.toISOString()} is not a whole minute.`);
  }
  const locals = instants.map((instant) => localOf(instant, timeZone));
  return checked(locals, clock, { problems, place: paths.atInstants });
}

function checked(
  locals: readonly string[],
  clock: Clock,
  { problems, place }: { readonly problems: Problems; readonly place: Place },
): string[] {
  problems.elements(place(), locals, 'time');
  for (const [index, local] of checkable(locals).entries()) {
    const problem = problemOfTime(local, clock.timeZone, clock.nowMs);
    if (problem !== null) problems.add(place(index), problem);
  }
  return [...locals];
}
