/** Names that look like a setting but belong to other programs. */
const NOT_MEANT: ReadonlySet<string> = new Set([
  'APP_KEY',
  'CLIENT_ID',
  'CLIENT_SECRET',
  'REDIS_TIMEOUT',
  'SOCKET_URL',
]);
/** The variables of OpenTelemetry, which are not checked here, and those that npm sets in dozens. */
const OTHERS = /^(?:OTEL|npm)_/i;
/** Shorter names resemble too many other words when a letter is wrong. */
const SHORTEST = 6;
/** The same when a word is missing, counted without underscores. */
const SHORTEST_WITHOUT_WORD = 8;
/** Names of at least this length may have two wrong letters. */
const LONG = 10;
/** Maximum number of wrong letters. */
const MOST = 2;

const single = (text: string): string => text.replaceAll(/(.)\1/g, '$1');

/**
 * Returns a function that finds the setting that a name was probably meant to be; null if it is one itself, or resembles
 * none. Every start asks it about each variable of the environment.
 */
export function spellingOf(settings: readonly string[]): (name: string) => string | null {
  const known = new Set(settings);
  /** With a letter typed twice, such as `PORTT`. */
  const singled = new Map(settings.map((setting) => [single(setting), setting]));
  /** Without one of three or more words, such as `CURRENT_URL` or `TIMEZONE`. */
  const shortened = new Map(
    settings.toReversed().flatMap((setting) => shorterThan(setting).map((letters) => [letters, setting])),
  );
  return (name) => {
    if (known.has(name) || NOT_MEANT.has(name) || OTHERS.test(name)) return null;
    const spelt = name.toUpperCase();
    const letters = spelt.replaceAll('_', '');
    const lacking = letters.length < SHORTEST_WITHOUT_WORD ? undefined : shortened.get(letters);
    return (
      (known.has(spelt) ? undefined : singled.get(single(spelt))) ?? lacking ?? nearestTo(spelt, settings)
    );
  };
}

function shorterThan(setting: string): string[] {
  const words = setting.split('_');
  return words.length < 3 ? [] : words.map((_word, missing) => words.toSpliced(missing, 1).join(''));
}

/** Finds the setting that differs from a name in a letter or two. */
function nearestTo(spelt: string, settings: readonly string[]): string | null {
  if (spelt.length < SHORTEST) return null;
  // Most are first ruled out by length.
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
