import type { Log } from '../observability/log.ts';
import type { Refusal } from './admission.ts';

/** Rejects pages of origins that are not allowed, and tells callers and the operator which setting allows them. */
export interface RefusedOrigins {
  /**
   * Creates the rejection of a request from an origin. The first one of each origin is logged.
   *
   * @param origin - The value of the request's `origin` header.
   * @param asked - What the page tried to do, such as `open a WebSocket`.
   */
  refuse(origin: string, asked: string): Refusal;
}

/** Maximum number of logged origins, because anybody can invent others. */
const MAX_LOGGED = 100;

/** Creates the rejections of one server. */
export function createRefusedOrigins(log: Pick<Log, 'warn'>): RefusedOrigins {
  const logged = new Set<string>();
  return {
    refuse(origin, asked) {
      const message = `${whoAsked(origin)} is not allowed to ${asked} here. ${remedyFor(origin)}`;
      if (!logged.has(origin) && logged.size < MAX_LOGGED) {
        logged.add(origin);
        log.warn(
          { origin: shown(origin), setting: SETTING },
          `refused a page from another origin: ${message}`,
        );
        if (logged.size === MAX_LOGGED) log.warn({}, `further refused origins are not logged`);
      }
      return { status: 403, message };
    },
  };
}

const SETTING = 'ALLOWED_ORIGINS';

function whoAsked(origin: string): string {
  const known = shown(origin);
  return known === null ? 'A page without an origin' : `A page from ${known}`;
}

function remedyFor(origin: string): string {
  const known = shown(origin);
  return known === null
    ? `Serve the page over HTTP, and add its origin to ${SETTING}.`
    : `To allow it, add ${known} to ${SETTING}.`;
}

/** Longer than any origin of a page: a domain name has at most 253 characters. */
const LONGEST_ORIGIN = 280;

/** Returns an origin as a browser spells it; null for anything else, such as the `null` of a page from a file. */
function shown(origin: string): string | null {
  if (origin.length > LONGEST_ORIGIN || !URL.canParse(origin)) return null;
  return new URL(origin).origin === origin ? origin : null;
}
