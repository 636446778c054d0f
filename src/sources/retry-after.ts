import type { HttpAnswer } from './http-answer.ts';

/** Returns the pause requested by the `retry-after` header, in milliseconds; null if there is none. */
export function retryAfterOf({ headers }: Pick<HttpAnswer, 'headers'>): number | null {
  const header = headers['retry-after'];
  if (typeof header !== 'string') return null;
  if (/^\d+$/.test(header)) return Math.min(Number(header) * 1_000, Number.MAX_SAFE_INTEGER);
  // Date.parse accepts almost anything; HTTP dates end in GMT.
  const at = header.endsWith('GMT') ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}
