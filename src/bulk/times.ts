import { readDisplayTime } from '../sources/wall-clock.ts';

/** The time of a post, as given in a cell. */
export type CellTime = { readonly local: string } | { readonly instant: Date } | { readonly problem: string };

const INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s?(?:Z|[+-]\d\d:?\d\d)$/i;
/** If the parts of a date are separated by dots, the day always comes first. */
const WITH_DOTS = /^(\d{1,2})\.(\d{1,2})\.(\d{4})[,\s]+(\d{1,2}:\d\d(?::\d\d)?)$/;
const SLASHES = /^\d{1,2}[/-]\d{1,2}[/-]\d{2,4}\b/;
const SECONDS = /:\d\d:(?!00)\d\d/;

const FORM = 'Write it as 2030-01-15 09:00.';

/** Parses a time of the service's clock (`YYYY-MM-DDTHH:mm`), or an instant if it has an offset. */
export function readTime(cell: string): CellTime {
  const text = cell.trim().replaceAll(/[\u00A0\u202F]/g, ' ');
  if (SECONDS.test(text)) return { problem: `is not a whole minute. ${FORM}` };
  if (INSTANT.test(text)) return instantIn(text);
  if (SLASHES.test(text)) return { problem: `can be read in two ways, day or month first. ${FORM}` };
  const [, day = '', month = '', year = '', clock = ''] = WITH_DOTS.exec(text) ?? [];
  const local = readDisplayTime(year === '' ? text : `${year}-${padded(month)}-${padded(day)} ${clock}`);
  return local === null ? { problem: `is not a time. ${FORM}` } : { local };
}

function instantIn(text: string): CellTime {
  const instant = new Date(text.replace(' ', 'T').replace(' ', '').toUpperCase());
  return Number.isNaN(instant.getTime()) ? { problem: `is not a time. ${FORM}` } : { instant };
}

function padded(part: string): string {
  return part.padStart(2, '0');
}
