import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../config.ts';
import { isLoopback } from '../config/setting.ts';
import { CLIENT_TOKEN_HEADER } from './access.ts';
import { PREFLIGHT_HEADERS } from './admission.ts';
import type { ClosingResponse } from './closing-response.ts';

/** How long a browser may remember what it was told of an origin, in seconds: changes are rare, and not urgent. */
const MAX_AGE_SECONDS = 600;

// Our own, what Apollo's clients say of themselves and of the operation, and what tracing sends along.
const REQUEST_HEADERS =
  `content-type, x-api-key, authorization, ${CLIENT_TOKEN_HEADER}, ${PREFLIGHT_HEADERS.join(', ')},
  apollographql-client-name, apollographql-client-version, x-apollo-operation-id, x-apollo-operation-type,
  traceparent, tracestate, baggage`.split(/,\s+/);
const RESPONSE_HEADERS = 'x-request-id, retry-after';

/**
 * Tells a browser whether a page of another origin may read the answer: only where its origin is configured, to the
 * letter. Nothing that a browser sends by itself authenticates a caller here, so credentials are never allowed.
 */
export function tellOrigin(request: IncomingMessage, response: ClosingResponse, config: Config): void {
  // Also where no origin matches: a cache must not give that answer to an origin that does.
  response.standing['vary'] = 'origin';
  const { origin } = request.headers;
  if (origin === undefined || !config.allowedOrigins.includes(origin)) return;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', RESPONSE_HEADERS);
}

/** The origin of a page for which a browser asks whether it may send a request; null for any other request. */
export function originOfPreflight({ method, headers }: IncomingMessage): string | null {
  const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
  return isPreflight ? (headers.origin ?? null) : null;
}

/** Tells a browser what pages of an allowed origin may send; `headers` are those of the path. */
export function grantPreflight(
  response: ServerResponse,
  { corsHeaders, getQueries }: Config,
  headers: readonly string[] = [],
): void {
  response
    .writeHead(204, {
      'access-control-allow-methods': getQueries ? 'GET, POST' : 'POST',
      'access-control-allow-headers': [...new Set([...REQUEST_HEADERS, ...headers, ...corsHeaders])].join(
        ', ',
      ),
      'access-control-max-age': String(MAX_AGE_SECONDS),
    })
    .end();
}

/**
 * Whether an upgrade to a WebSocket may come from where it comes from; browsers ask for no leave here. Without an origin
 * it is no browser's, and has to present credentials like everyone.
 */
export function mayOpenSocket({ headers }: IncomingMessage, { allowedOrigins, host }: Config): boolean {
  const { origin } = headers;
  return origin === undefined || allowedOrigins.includes(origin) || isOwnPage(origin, headers.host, host);
}

// GraphiQL is a page of ours. A foreign name that its owner lets lead to this machine (DNS rebinding) makes a foreign
// page look like one of ours: Origin and Host agree, and both bear that name. So while nobody but this machine is
// listened to, only names that always mean this machine count as ours. Behind a proxy that speaks TLS, and by any name
// of this machine's own, the origin differs from what we see of ourselves: it has to be configured.
function isOwnPage(origin: string, host: string | undefined, listensOn: string): boolean {
  if (host === undefined || !URL.canParse(`http://${host}`)) return false;
  const own = new URL(`http://${host}`);
  return own.origin === origin && (isLoopback(own.hostname) || !isLoopback(listensOn));
}
