import type { CallDescription } from '../../observability/tracing.ts';
import type { Endpoint } from '../endpoint.ts';

/** The host and port of a surface. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** The host and port of an address. */
export function serverOf({ hostname, port, protocol }: URL): ServerAddress {
  const standard = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? standard : Number(port) };
}

/**
 * Describes a call for its span, following the semantic conventions for HTTP clients. `url.full` is omitted because the
 * URL of a call contains ids, and may contain the access token.
 *
 * @param attempt - number of the attempt, from 1
 */
export function describeCall(
  { name, method, path, surface }: Endpoint,
  server: ServerAddress | null,
  attempt: number,
): CallDescription {
  return {
    name,
    attributes: {
      'http.request.method': method,
      'url.template': path,
      ...(server && { 'server.address': server.host, 'server.port': server.port }),
      ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
      'social_publishing.surface': surface,
    },
  };
}
