import type { HttpAnswer } from './http-answer.ts';

/** How long the service asks to be left alone, in milliseconds, by its header `retry-after`; null where it does not. */
export function retryAfterOf({ headers }: Pick<HttpAnswer, 'headers'>): number | null {
  const header = headers['retry-after'];
  if (typeof header !== 'string') return null;
  if (/^\d+$/.test(header)) return Math.min(Number(header) * 1_000, Number.MAX_SAFE_INTEGER);
  // Date.parse makes dates of almost anything; HTTP's own end in GMT.
  const at = header.endsWith('GMT') ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}
