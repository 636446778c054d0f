import { localOf, problemOfTime } from '../service-time.ts';
import type { WriteContext } from './context.ts';
import { checkable, type Problems } from './problems.ts';

/** When something is published: one of three alternatives, the last two a single time or several. */
export interface TimingInput {
  readonly placement?: string | null | undefined;
  readonly scheduledAtLocal?: string | readonly string[] | null | undefined;
  readonly scheduledAt?: Date | readonly Date[] | null | undefined;
}

/**
 * Returns the wall-clock times of a timing, `YYYY-MM-DDTHH:mm`; null if it has none. Reports times that are past, within
 * a clock change, given twice, or cannot be converted to the service's clock, and a choice of none or several.
 */
export function timesOf(
  { placement, scheduledAtLocal, scheduledAt }: TimingInput,
  context: WriteContext,
  problems: Problems,
): readonly string[] | null {
  let times: readonly string[] | null = null;
  if (scheduledAtLocal != null) times = checked('scheduledAtLocal', scheduledAtLocal, { context, problems });
  else if (scheduledAt != null) times = convertedTimes(scheduledAt, context, problems);
  if (Number(placement != null) + Number(scheduledAtLocal != null) + Number(scheduledAt != null) !== 1)
    problems.add(
      ['timing'],
      'Choose exactly one of these: a placement, times on the service’s clock, or times with an offset.',
    );
  return times;
}

function convertedTimes(
  instants: Date | readonly Date[],
  context: WriteContext,
  problems: Problems,
): readonly string[] {
  const path = ['timing', 'scheduledAt'];
  const { serviceTimeZone } = context;
  if (serviceTimeZone === null) {
    problems.add(
      path,
      'Times with an offset cannot be used because the service’s time zone is not configured; use times on the service’s clock.',
    );
    return [];
  }
  const list = instants instanceof Date ? [instants] : checkable(instants);
  for (const [index, instant] of list.entries())
    if (instant.getTime() % 60_000 !== 0)
      problems.add(
        instants === instant ? path : [...path, index],
        `${instant.toISOString()} is not a whole minute.`,
      );
  const locals =
    instants instanceof Date
      ? localOf(instants, serviceTimeZone)
      : list.map((instant) => localOf(instant, serviceTimeZone));
  return checked('scheduledAt', locals, { context, problems });
}

function checked(
  name: keyof TimingInput,
  times: string | readonly string[],
  { context, problems }: { readonly context: WriteContext; readonly problems: Problems },
): readonly string[] {
  const list = typeof times === 'string' ? [times] : times;
  problems.elements(['timing', name], list, 'time');
  for (const [index, local] of checkable(list).entries()) {
    const problem = problemOfTime(local, context.serviceTimeZone, context.writes.now());
    if (problem !== null)
      problems.add(typeof times === 'string' ? ['timing', name] : ['timing', name, index], problem);
  }
  return list;
}
