import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Config } from '../config.ts';
import { isLoopback } from '../config/setting.ts';
import type { Log } from '../observability/log.ts';
import { Refusal, type Exchange } from './exchange.ts';

/** How long a browser may cache a preflight response, in seconds: changes are rare and not urgent. */
const MAX_AGE_SECONDS = 600;

const RESPONSE_HEADERS = 'x-request-id, retry-after';

/**
 * Tells a browser whether a page of another origin may read the response: only if its exact origin is configured.
 * Nothing that a browser sends automatically authenticates a caller here, so credentials are never allowed.
 */
export function setCorsHeaders({ request, headers }: Exchange, config: Config): void {
  // Also if no origin matches: a cache must not serve that response to an origin that does.
  headers['vary'] = 'origin';
  const { origin } = request.headers;
  if (origin === undefined || !config.allowedOrigins.includes(origin)) return;
  headers['access-control-allow-origin'] = origin;
  headers['access-control-expose-headers'] = RESPONSE_HEADERS;
}

/** Returns the origin of the page whose preflight request this is; null for any other request. */
export function originOfPreflight({ method, headers }: IncomingMessage): string | null {
  const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
  return isPreflight ? (headers.origin ?? null) : null;
}

/** Tells a browser what pages of an allowed origin may send: whatever headers they ask for. */
export function grantPreflight(exchange: Exchange, { getQueries }: Config): void {
  exchange.send(204, {
    'access-control-allow-methods': getQueries ? 'GET, POST' : 'POST',
    'access-control-allow-headers': exchange.request.headers['access-control-request-headers'] ?? '',
    'access-control-max-age': String(MAX_AGE_SECONDS),
  });
}

/**
 * Whether a WebSocket upgrade may come from its origin; browsers send no preflight for it. A request without an origin
 * does not come from a browser, and needs credentials like any other.
 */
export function mayOpenSocket({ headers }: IncomingMessage, { allowedOrigins, host }: Config): boolean {
  const { origin } = headers;
  return origin === undefined || allowedOrigins.includes(origin) || isOwnPage(origin, headers.host, host);
}

// GraphiQL is a page of this server. With DNS rebinding, a foreign page looks like one: its host name resolves to this
// machine, and Origin and Host both contain that name. So while the server only listens to this machine, only names
// that always mean this machine are accepted. Behind a TLS proxy, and under any other name of this machine, the origin
// differs from what the server sees and has to be configured.
function isOwnPage(origin: string, host: string | undefined, listensOn: string): boolean {
  if (host === undefined || !URL.canParse(`http://${host}`)) return false;
  const own = new URL(`http://${host}`);
  return own.origin === origin && (isLoopback(own.hostname) || !isLoopback(listensOn));
}

/** Rejects pages of origins that are not allowed, and tells callers and the operator which setting allows them. */
export class RefusedOrigins {
  readonly #log: Pick<Log, 'warn'>;
  readonly #logged = new Set<string>();

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log;
  }

  /**
   * Creates the rejection of a request from an origin. The first one of each origin is logged.
   *
   * @param headers - Those of the request, such as its `origin`.
   * @param asked - What the page tried to do, such as `open a WebSocket`.
   */
  refuse({ origin = '' }: IncomingHttpHeaders, asked: string): Refusal {
    const known = shown(origin);
    const message =
      known === null
        ? `A page without an origin is not allowed to ${asked} here. Serve the page over HTTP, and add its origin to ${SETTING}.`
        : `A page from ${known} is not allowed to ${asked} here. To allow it, add ${known} to ${SETTING}.`;
    if (!this.#logged.has(origin) && this.#logged.size < MAX_LOGGED) {
      this.#logged.add(origin);
      this.#log.warn({ origin: known, setting: SETTING }, `refused a page from another origin: ${message}`);
      if (this.#logged.size === MAX_LOGGED) this.#log.warn({}, 'further refused origins are not logged');
    }
    return new Refusal(403, message);
  }
}

const SETTING = 'ALLOWED_ORIGINS';
/** Maximum number of logged origins, because anybody can invent others. */
const MAX_LOGGED = 100;
/** Longer than any origin of a page: a domain name has at most 253 characters. */
const LONGEST_ORIGIN = 280;

/** Returns an origin as a browser spells it; null for anything else, such as the `null` of a page from a file. */
function shown(origin: string): string | null {
  if (origin.length > LONGEST_ORIGIN || !URL.canParse(origin)) return null;
  return new URL(origin).origin === origin ? origin : null;
}
