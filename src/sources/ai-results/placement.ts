import type { PushSettings } from '../../config/live-results.ts';

/** The name that the key goes by, wherever the service's own name for its header can't be meant. */
export const KEY_NAME = 'apiKey';

/** The headers of a handshake that show the key, if it is to be shown there. */
export function headersWith(apiKey: string, { auth }: PushSettings): Record<string, string> {
  return auth.includes('header') ? { 'x-api-key': apiKey } : {};
}

/** The query that shows the key, if it is to be shown there. */
export function queryWith(apiKey: string, { auth }: PushSettings): Record<string, string> {
  return auth.includes('query') ? { [KEY_NAME]: apiKey } : {};
}
