import type { PushSettings } from '../../config.ts';

/** The name of the key wherever the service's own header name cannot be meant. */
export const KEY_NAME = 'apiKey';

/** Returns the handshake headers that contain the key, if it is sent in a header. */
export function headersWith(apiKey: string, { auth }: PushSettings): Record<string, string> {
  return auth.includes('header') ? { 'x-api-key': apiKey } : {};
}

/** Returns the query parameters that contain the key, if it is sent in the query. */
export function queryWith(apiKey: string, { auth }: PushSettings): Record<string, string> {
  return auth.includes('query') ? { [KEY_NAME]: apiKey } : {};
}
