/** Names that look like a setting but belong to other programs. */
const NOT_MEANT: ReadonlySet<string> = new Set([
  'APP_KEY',
  'CLIENT_ID',
  'CLIENT_SECRET',
  'REDIS_TIMEOUT',
  'SOCKET_URL',
]);
/** The variables of OpenTelemetry, whose names are not checked here. */
const OPEN_TELEMETRY = /^OTEL_/i;
/** Shorter names resemble too many other words when a letter is wrong. */
const SHORTEST = 6;
/** The same when a word is missing, counted without underscores. */
const SHORTEST_WITHOUT_WORD = 8;
/** Names of at least this length may have two wrong letters. */
const LONG = 10;
/** Maximum number of wrong letters. */
const MOST = 2;

/** Finds the setting that a name was probably meant to be; null if it is one itself, or resembles none. */
export function meantBy(name: string, settings: readonly string[]): string | null {
  if (settings.includes(name) || NOT_MEANT.has(name) || OPEN_TELEMETRY.test(name)) return null;
  const spelt = name.toUpperCase();
  return (
    settings.find((setting) => doublesLetter(spelt, setting) || lacksWord(spelt, setting)) ??
    nearestTo(spelt, settings)
  );
}

const single = (text: string): string => text.replaceAll(/(.)\1/g, '$1');

/** Whether a name is a setting with a letter typed twice, such as `PORTT`. */
function doublesLetter(name: string, setting: string): boolean {
  return name !== setting && single(name) === single(setting);
}

/** Whether a name is a setting of three or more words without one of them, such as `CURRENT_URL` or `TIMEZONE`. */
function lacksWord(name: string, setting: string): boolean {
  const letters = name.replaceAll('_', '');
  const words = setting.split('_');
  if (letters.length < SHORTEST_WITHOUT_WORD || words.length < 3) return false;
  return words.some((_word, missing) => words.toSpliced(missing, 1).join('') === letters);
}

/** Finds the setting that differs from a name in a letter or two. */
function nearestTo(spelt: string, settings: readonly string[]): string | null {
  if (spelt.length < SHORTEST) return null;
  // Every start compares each environment variable with each setting, so most are first ruled out by length.
  const similar = settings.filter((setting) => Math.abs(setting.length - spelt.length) <= MOST);
  const distances = similar.map((setting) => ({ setting, distance: distanceBetween(spelt, setting) }));
  const [nearest] = distances.toSorted((one, other) => one.distance - other.distance);
  if (nearest === undefined || nearest.setting.length < SHORTEST) return null;
  return nearest.distance <= (nearest.setting.length < LONG ? 1 : MOST) ? nearest.setting : null;
}

/**
 * Counts the letters to add, remove, replace or swap with the next one to turn one text into the other; stops counting
 * beyond MOST.
 */
function distanceBetween(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let at = 1; at <= other.length; at += 1) {
      const isSame = one[row - 1] === other[at - 1];
      const isSwapped = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      next[at] = Math.min(
        (last[at] ?? 0) + 1,
        (next[at - 1] ?? 0) + 1,
        (last[at - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    if (Math.min(...next) > MOST) return MOST + 1;
    [before, last] = [last, next];
  }
  return last[other.length] ?? 0;
}
