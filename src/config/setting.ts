import { isIP } from 'node:net';

/** A row of the table of settings. */
export interface Setting<T> {
  /** The name of the environment variable. */
  readonly name: string;
  /** The default, as the help shows it; an empty string if there is none. */
  readonly default: string;
  readonly description: string;
  /**
   * Reads a value; an empty one counts as unset.
   *
   * @throws InvalidValue
   */
  readonly read: (value: string) => T;
}

/** The value of a setting is not valid; the message continues a line that begins with the name of the setting. */
export class InvalidValue extends Error {
  override readonly name = 'InvalidValue';
}

/**
 * Declares a setting; `describe` completes it with what the help says, and with another text for its default if needed.
 *
 * @param parse Reads a value, or the default if there is none. The messages of forms that may hold a credential never
 *   repeat the value.
 * @param words The values to choose from, if they are few.
 */
export function setting<T>(
  name: string,
  unset: string,
  parse: (value: string) => T,
  words: readonly string[] = [],
) {
  const choices = words.length > 0 ? ` [${words.join(' | ')}]` : '';
  return {
    describe: (sentence: string, shown = unset): Setting<T> => ({
      name,
      default: shown,
      description: `${sentence}${choices}`,
      read: (value) => parse(value || unset),
    }),
  };
}

/** A setting without a default, which is null if it is not set. */
export function optional<T>(name: string, parse: (value: string) => T) {
  return setting(name, '', (value) => (value === '' ? null : parse(value)));
}

/** Any text; null if there is none. */
export function text(name: string) {
  return optional(name, (value) => value);
}

/** One of several words. */
export function choice<const T extends string>(name: string, unset: T, words: readonly T[]) {
  return setting(name, unset, wordOf(words), words);
}

/** A switch. */
export function onOff(name: string, unset: 'on' | 'off') {
  const words = ['on', 'off'] as const;
  return setting(name, unset, (value) => wordOf(words)(value) === 'on', words);
}

/** A switch that is null by default: on while only this machine can reach the server. */
export function whilePrivate(name: string) {
  const words = ['auto', 'on', 'off'] as const;
  const switches = { auto: null, on: true, off: false };
  return setting<boolean | null>(name, 'auto', (value) => switches[wordOf(words)(value)], words);
}

function wordOf<T extends string>(words: readonly T[]) {
  const alternatives = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  return (value: string): T => {
    const word = words.find((one) => one === value);
    if (word === undefined) throw new InvalidValue(`is ${quoted(value)}; it must be ${alternatives}`);
    return word;
  };
}

/** Longer values are not shown, since they may be credentials in the wrong place. */
const MOST_SHOWN = 24;

/** Returns a wrong value in quotation marks, if it is short enough to be shown. */
export function quoted(value: string): string {
  return value.length > MOST_SHOWN ? `a text of ${value.length} characters` : `"${value}"`;
}

/** A whole number within bounds. */
export function whole(name: string, unset: number, [least, most]: readonly [number, number]) {
  return setting(name, String(unset), (value) => {
    if (!Number.isInteger(Number(value)))
      throw new InvalidValue(`is ${quoted(value)}; it must be a whole number`);
    return within(value, [least, most], Number);
  });
}

/** A duration in milliseconds, written as a number with its unit, or as a bare number of seconds. */
export function duration(name: string, unset: string, [least, most]: readonly [string, string]) {
  return setting(name, unset, (value) => {
    if (!DURATION.test(value))
      throw new InvalidValue(
        `is ${quoted(value)}; write a number and its unit, such as 500ms, 90s, 10m or 1h`,
      );
    return within(value, [least, most], millisecondsOf);
  });
}

const DURATION = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)?$/;
const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

function millisecondsOf(value: string): number {
  const [, number, unit = 's'] = DURATION.exec(value) ?? [];
  return Math.round(Number(number) * (UNITS_MS[unit] ?? 0));
}

function within<T extends string | number>(
  value: string,
  [least, most]: readonly [T, T],
  numberOf: (value: string | T) => number,
): number {
  const number = numberOf(value);
  if (number < numberOf(least)) throw new InvalidValue(`is ${value}; the minimum is ${least}`);
  if (number > numberOf(most)) throw new InvalidValue(`is ${value}; the maximum is ${most}`);
  return number;
}

/** Reads texts that are separated by commas. */
export function separated(value: string): string[] {
  return value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** The IANA name of a time zone. */
export function timeZone(name: string): string {
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
    return name;
  } catch {
    throw new InvalidValue(`is ${quoted(name)}; write the name of a time zone, such as Europe/Paris`);
  }
}

/** Whether an address can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/** A URL with one of several schemes: an encrypted one anywhere, http or ws on this machine only. */
export function address(...schemes: readonly string[]) {
  return (value: string): URL => {
    const url = urlOf(value);
    const scheme = url.protocol.slice(0, -1);
    if (!schemes.includes(scheme))
      throw new InvalidValue(
        `is not a URL that begins with ${schemes.map((one) => `${one}://`).join(' or ')}`,
      );
    if (url.username !== '' || url.password !== '')
      throw new InvalidValue('contains a user name or password, which is not allowed');
    if ((scheme === 'http' || scheme === 'ws') && !isLoopback(url.hostname))
      throw new InvalidValue(`uses unencrypted ${scheme} to another machine; use ${scheme}s`);
    return url;
  };
}

/** The URL of a Redis, with user and password if it requires them. */
export function redisUrl(value: string): string {
  const { href, protocol, hostname, pathname, username, password } = urlOf(value);
  if (!/^rediss?:$/.test(protocol) || hostname === '')
    throw new InvalidValue('is not a URL that begins with redis:// or rediss://');
  if (!/^\/?\d*$/.test(pathname)) throw new InvalidValue('has a path that is not a database number');
  if (![username, password].every(isDecodable))
    throw new InvalidValue('contains a % that must be written as %25');
  // Normalised for the library, which treats REDISS: as a connection without TLS.
  return href;
}

function urlOf(value: string): URL {
  if (!URL.canParse(value)) throw new InvalidValue('is not a URL');
  const url = new URL(value);
  if (url.search !== '' || url.hash !== '')
    throw new InvalidValue('contains a query or a fragment, which is not allowed');
  return url;
}

/** Whether the percent-encoding of a text is valid. */
export function isDecodable(encoded: string): boolean {
  try {
    return decodeURIComponent(encoded) !== null;
  } catch {
    return false;
  }
}
