import { isIP } from 'node:net';
import { z } from 'zod';

/** Whether an address can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/** A port number; 0 means any free port. */
export function port() {
  return whole(0, 65_535);
}

/** An integer within bounds. */
export function whole(least: number, most: number) {
  return z.string().transform((value, check) => {
    const problem = problemOfNumber(value, least, most);
    if (problem === null) return Number(value);
    check.addIssue(problem);
    return z.NEVER;
  });
}

function problemOfNumber(value: string, least: number, most: number): string | null {
  const number = Number(value);
  if (!Number.isInteger(number)) return `is ${quoted(value)}; it must be a whole number`;
  if (number < least) return `is ${value}; the minimum is ${least}`;
  return number > most ? `is ${value}; the maximum is ${most}` : null;
}

/** One of several words. */
export function choice<const T extends readonly [string, ...string[]]>(words: T) {
  return z.enum(words, { error: ({ input }) => `is ${quoted(input)}; it must be ${alternatives(words)}` });
}

function alternatives(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** Longer values are not shown, since they may be credentials in the wrong place. */
const MOST_SHOWN = 24;

function quoted(value: unknown): string {
  const text = String(value);
  return text.length > MOST_SHOWN ? `a value of ${text.length} characters` : `"${text}"`;
}

/** Addresses, separated by commas; none by default. */
export function redirectUris() {
  return listed().refine((uris) => uris.every((uri) => URL.canParse(uri)), 'contains an invalid URL');
}

/** Origins of pages, separated by commas and spelt as browsers spell them; none by default. */
export function origins() {
  return listed().refine(
    (texts) => texts.every(isWebOrigin),
    'contains an invalid origin; write https://app.example, in lower case, without a path or a trailing slash',
  );
}

function isWebOrigin(text: string): boolean {
  // Browsers omit the default port of a scheme, and so does the origin of a URL, which would let an asterisk pass.
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** Header names, separated by commas, in lower case; none by default. An asterisk would mean all of them. */
export function headerNames() {
  return listed()
    .transform((names) => names.map((name) => name.toLowerCase()))
    .refine((names) => names.every((name) => /^[\w-]+$/.test(name)), 'contains an invalid header name');
}

function listed() {
  return z
    .string()
    .default('')
    .transform((value) =>
      value
        .split(',')
        .map((text) => text.trim())
        .filter((text) => text !== ''),
    );
}

/** The IANA name of a time zone; null if there is none. */
export function timeZone() {
  return z
    .string()
    .optional()
    .transform((value) => value ?? null)
    .refine((value) => value === null || isTimeZone(value), {
      error: ({ input }) => `is ${quoted(input)}; write the name of a time zone, such as Europe/Paris`,
    });
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The base URL of a surface: https anywhere, http on this machine; null if there is none. */
export function baseUrl() {
  return address(['https:', 'http:']);
}

/** The URL of a push socket: wss: or https: anywhere, ws: or http: on this machine; null if there is none. */
export function socketUrl() {
  return address(['wss:', 'ws:', 'https:', 'http:']);
}

function address(protocols: readonly string[]) {
  return z
    .string()
    .optional()
    .transform((value, check) => {
      if (value === undefined) return null;
      const problem = problemOfAddress(value, protocols);
      if (problem === null) return new URL(value);
      check.addIssue(problem);
      return z.NEVER;
    });
}

// The messages never repeat the value: it may hold a password.
function problemOfAddress(value: string, protocols: readonly string[]): string | null {
  if (!URL.canParse(value)) return 'is not a URL';
  const url = new URL(value);
  const names = protocols.map((protocol) => protocol.slice(0, -1));
  if (!protocols.includes(url.protocol))
    return `is not a URL that begins with ${names.map((name) => `${name}://`).join(' or ')}`;
  if (url.username !== '' || url.password !== '')
    return 'contains a user name or password, which is not allowed';
  if (url.search !== '' || url.hash !== '') return 'contains a query or a fragment, which is not allowed';
  const isPlain = url.protocol === 'http:' || url.protocol === 'ws:';
  if (isPlain && !isLoopback(url.hostname))
    return `uses unencrypted ${url.protocol.slice(0, -1)} to another machine; use ${url.protocol.slice(0, -1)}s`;
  return null;
}

/** The URL of a Redis, with user and password if it requires them; null if there is none. */
export function redisUrl() {
  return z
    .string()
    .optional()
    .transform((value, check) => {
      if (value === undefined) return null;
      const problem = problemOfRedis(value);
      // Normalised for the library, which treats REDISS: as a connection without TLS.
      if (problem === null) return new URL(value).href;
      check.addIssue(problem);
      return z.NEVER;
    });
}

function problemOfRedis(value: string): string | null {
  if (!URL.canParse(value)) return 'is not a URL';
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(value);
  if (!/^rediss?:$/.test(protocol) || hostname === '')
    return 'is not a URL that begins with redis:// or rediss://';
  if (search !== '' || hash !== '') return 'contains a query or a fragment, which is not allowed';
  if (!/^\/?\d*$/.test(pathname)) return 'has a path that is not a database number';
  return [username, password].every(isDecodable) ? null : 'contains a % that must be written as %25';
}

/** Whether the percent-encoding of a text is valid. */
export function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== null;
  } catch {
    return false;
  }
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** A duration in milliseconds, given as a number with its unit, or as a bare number of seconds. */
export function duration(unset: string, { least, most }: { readonly least: string; readonly most: string }) {
  return z
    .string()
    .default(unset)
    .transform((value, check) => {
      const ms = millisecondsOf(value);
      const problem = problemOfDuration(value, ms, [least, most]);
      if (ms !== null && problem === null) return ms;
      check.addIssue(problem ?? '');
      return z.NEVER;
    })
    .meta({ unset });
}

function problemOfDuration(value: string, ms: number | null, [least, most]: [string, string]): string | null {
  if (ms === null) return `is ${quoted(value)}; write a number and its unit, such as 500ms, 90s, 10m or 1h`;
  if (ms < (millisecondsOf(least) ?? 0)) return `is ${value}; the minimum is ${least}`;
  return ms > (millisecondsOf(most) ?? 0) ? `is ${value}; the maximum is ${most}` : null;
}

function millisecondsOf(value: string): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)?$/.exec(value);
  return match ? Math.round(Number(match[1]) * (UNITS_MS[match[2] ?? 's'] ?? 0)) : null;
}

/** A key or token; null if there is none. The messages never repeat it. */
export function credential() {
  return z
    .string()
    .optional()
    .transform((value) => value ?? null)
    .refine(
      (value) => value === null || isToken(value),
      'is not a key or token: it contains spaces, quotation marks or characters outside ASCII',
    );
}

/** Minimum length of a token that identifies callers. */
const SHORTEST_TOKEN = 16;

/** Tokens of callers, separated by commas; none by default. */
export function clientTokens() {
  return listed()
    .refine(
      (tokens) => tokens.every(isToken),
      'contains a token with spaces, quotation marks or characters outside ASCII',
    )
    .refine(
      (tokens) => tokens.every((token) => token.length >= SHORTEST_TOKEN),
      `contains a token of fewer than ${SHORTEST_TOKEN} characters, which could be guessed`,
    );
}

function isToken(value: string): boolean {
  return /^[!#-&(-_a-~]{1,4096}$/.test(value);
}

/** A switch that defaults to on while only this machine can reach the server. */
export function whilePrivate() {
  return choice(['auto', 'on', 'off']).default('auto');
}

/** A switch. */
export function onOff(unset: 'on' | 'off') {
  return choice(['on', 'off']).default(unset);
}
