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
/** Settings of at least this length may have two wrong letters. */
const LONG = 10;

/**
 * Returns a function that finds the setting that a name was probably meant to be; null if it is one itself, or resembles
 * none. Every start asks it about each variable of the environment.
 */
export function spellingOf(settings: readonly string[]): (name: string) => string | null {
  const known = new Set(settings);
  /** Without one of three or more words, such as `CURRENT_URL` or `TIMEZONE`. */
  const shortened = new Map(
    settings.toReversed().flatMap((setting) => shorterThan(setting).map((letters) => [letters, setting])),
  );
  return (name) => {
    if (known.has(name) || NOT_MEANT.has(name) || OTHERS.test(name)) return null;
    const spelt = name.toUpperCase();
    const letters = spelt.replaceAll('_', '');
    const lacking = letters.length < SHORTEST_WITHOUT_WORD ? undefined : shortened.get(letters);
    const near = (most: number, shortest: number): string | undefined =>
      settings.find((setting) => setting.length >= shortest && isWithin(most, spelt, setting));
    return lacking ?? (spelt.length < SHORTEST ? null : (near(1, SHORTEST) ?? near(2, LONG) ?? null));
  };
}

function shorterThan(setting: string): string[] {
  const words = setting.split('_');
  return words.length < 3 ? [] : words.map((_word, missing) => words.toSpliced(missing, 1).join(''));
}

/** Whether at most so many letters were added, left out, replaced, or swapped with the next one. */
function isWithin(most: number, spelt: string, setting: string): boolean {
  if (Math.abs(spelt.length - setting.length) > most) return false;
  let at = 0;
  while (at < spelt.length && spelt[at] === setting[at]) at += 1;
  const [rest, meant] = [spelt.slice(at), setting.slice(at)];
  if (rest === meant || most === 0) return rest === meant;
  const isSwapped = rest[0] === meant[1] && rest[1] === meant[0];
  return (
    isWithin(most - 1, rest.slice(1), meant.slice(1)) ||
    isWithin(most - 1, rest.slice(1), meant) ||
    isWithin(most - 1, rest, meant.slice(1)) ||
    (isSwapped && isWithin(most - 1, rest.slice(2), meant.slice(2)))
  );
}
