import type { CallDescription } from '../../observability/tracing.ts';
import type { Endpoint } from '../endpoint.ts';

/** Where a surface is, as its address says. */
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
 * What the span of a call says, by the semantic conventions for HTTP clients. There is no `url.full`: the address of a call
 * holds ids, and may hold the access token.
 *
 * @param attempt - which attempt of the call it is, from 1
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
