import type { StartingHeaders } from './options.ts';

// What a server sends with the explorer.

/**
 * Returns the policy of a page and its files. Everything is a file of the server, and nothing else may be contacted; 'self'
 * includes its WebSocket. GraphiQL's editor also needs a worker and fonts, sets its sizes and colours with inline styles,
 * and draws its squiggles from data URLs.
 */
export function contentSecurityPolicy({ isEditor }: { readonly isEditor: boolean }): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    isEditor ? "style-src 'self' 'unsafe-inline'" : "style-src 'self'",
    ...(isEditor ? ["worker-src 'self'", "font-src 'self'"] : []),
    isEditor ? "img-src 'self' data:" : "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  ttf: 'font/ttf',
  woff: 'font/woff',
  woff2: 'font/woff2',
};

/** Returns the media type of a file. */
export function typeOf(name: string): string {
  return TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
}

/** The headers for a server that is a sandbox: its own credentials. */
export function headersOfSandbox({
  apiKey,
  accessToken,
}: {
  readonly apiKey: string;
  readonly accessToken: string;
}): StartingHeaders {
  return {
    note: [
      'For the sandbox. The key gives access to the',
      'current surface, the token to the legacy',
      'surface.',
    ],
    values: { 'x-api-key': apiKey, authorization: `Bearer ${accessToken}` },
    toFillIn: false,
  };
}

/**
 * The headers that callers of any other server fill in. Those for which it has a credential of its own are left out: a
 * placeholder would override it.
 */
export function headersToFillIn(missing: {
  /** The header of the token that it requires of its clients; null if it requires none. */
  readonly clientToken: string | null;
  readonly apiKey: boolean;
  readonly accessToken: boolean;
}): StartingHeaders {
  const values = {
    ...(missing.clientToken !== null && { [missing.clientToken]: 'YOUR-CLIENT-TOKEN' }),
    ...(missing.apiKey && { 'x-api-key': 'YOUR API KEY' }),
    ...(missing.accessToken && { authorization: 'Bearer YOUR ACCESS TOKEN' }),
  };
  if (Object.keys(values).length === 0)
    return { note: ['This server supplies its own credentials.'], values, toFillIn: false };
  const note = [
    'Fill in what you have, and delete the rest.',
    'The key gives access to the current surface,',
    'the token to the legacy surface.',
    'Nothing is stored: a reload clears this.',
  ];
  return { note, values, toFillIn: true };
}
