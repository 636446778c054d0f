import { readDisplayTime } from '../sources/wall-clock.ts';
import { quoted } from '../writes/problems.ts';

/** The time of a post, as given in a cell. */
export type CellTime = { readonly local: string } | { readonly instant: Date } | { readonly problem: string };

const INSTANT = /^(\d{4}-\d\d-\d\d[T\s]\d\d:\d\d)\s?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/i;
/** If the parts of a date are separated by dots, the day always comes first; the time of day may have a dot, too. */
const WITH_DOTS = /^(\d{1,2})\.(\d{1,2})\.(\d{4})[,\s]+(\d{1,2})[:.](\d\d)$/;
const ZERO_SECONDS = /([:.]\d\d):00(?:[.,]0+)?(?![\d:])/;
const SECONDS = /:\d\d[:.,]\d/;
const SLASHES = /(?:^|\s)\d{1,2}[/-]\d{1,2}[/-]\d{2,4}\b/;
const SERIAL_NUMBER = /^\d{5}(?:[.,]\d+)?$/;
const LEADING_WORD = /^\p{L}+\.?,?\s+/u;

const FORM = 'Write it as 2030-01-15 09:00.';

/** Parses a time of the service's clock (`YYYY-MM-DDTHH:mm`), or an instant if it has an offset. */
export function readTime(cell: string): CellTime {
  const text = cell.trim().replace(ZERO_SECONDS, '$1');
  const [, clock, offset = ''] = INSTANT.exec(text) ?? [];
  const local = readLocal(clock ?? text);
  if (local === null) return { problem: `${quoted(cell.trim())} ${reasonOf(text)} ${FORM}` };
  return clock === undefined ? { local } : { instant: new Date(`${local}${offset.toUpperCase()}`) };
}

function readLocal(text: string): string | null {
  if (SECONDS.test(text)) return null;
  return readDisplayTime(text.replace(WITH_DOTS, '$3-$2-$1 $4:$5'));
}

function reasonOf(text: string): string {
  if (SECONDS.test(text)) return 'is not a whole minute.';
  if (SLASHES.test(text)) return 'is ambiguous: the day or the month may be first.';
  if (SERIAL_NUMBER.test(text)) return 'is the number that a spreadsheet program stores for a time.';
  if (readLocal(`${text} 00:00`) !== null) return 'is a date without a time of day.';
  if (readLocal(text.replace(LEADING_WORD, '')) !== null)
    return 'has a day of the week that does not match the date or is not in English.';
  return /\p{L}{3}/u.test(text)
    ? 'is not a time; only English month names are understood.'
    : 'is not a time.';
}
