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
 * a clock change, given twice, or cannot be converted to the service's clock. The schema accepts exactly one choice.
 */
export function timesOf(
  timing: TimingInput,
  context: WriteContext,
  problems: Problems,
): readonly string[] | null {
  const { scheduledAtLocal, scheduledAt } = timing;
  if (scheduledAtLocal != null) return checked('scheduledAtLocal', scheduledAtLocal, { context, problems });
  if (scheduledAt != null) return checked('scheduledAt', scheduledAt, { context, problems });
  return null;
}

type Time = string | Date;

function checked(
  name: keyof TimingInput,
  given: Time | readonly Time[],
  { context, problems }: { readonly context: WriteContext; readonly problems: Problems },
): readonly string[] {
  const { serviceTimeZone } = context;
  const locals: string[] = [];
  for (const [index, time] of checkable([given].flat()).entries()) {
    const path = ['timing', name, ...(Array.isArray(given) ? [index] : [])];
    if (typeof time === 'string') locals.push(time);
    else if (serviceTimeZone === null) {
      problems.add(['timing', name], NO_ZONE);
      return [];
    } else {
      locals.push(localOf(time, serviceTimeZone));
      if (time.getTime() % 60_000 !== 0) problems.add(path, `${time.toISOString()} is not a whole minute.`);
    }
    const problem = problemOfTime(locals[index] ?? '', serviceTimeZone, Date.now());
    if (problem !== null) problems.add(path, problem);
  }
  problems.elements(['timing', name], locals, 'time');
  return locals;
}

const NO_ZONE =
  'Times with an offset cannot be used because the service’s time zone is not configured; use times on the service’s clock.';
