import { cleanResult } from '../current/openai.ts';
import { parseJson } from '../json.ts';

/** Maximum depth at which results are found in a message. */
const MAX_DEPTH = 6;
/** Maximum number of results read from one message. */
const MAX_RESULTS = 100;

/** Properties that may enclose a result. */
const ENCLOSURES = ['response', 'data', 'payload'] as const;

/**
 * Returns the results in a message of the push socket, without their secrets. The service does not document its
 * messages: a result may be bare, enclosed, JSON within a string, or in an array with other values.
 */
export function resultsIn(message: unknown): unknown[] {
  const results: unknown[] = [];
  if (typeof message === 'string') collect(message, MAX_DEPTH, results);
  else collect(parsedAgain(message), MAX_DEPTH, results);
  return results.map(cleanResult);
}

// socket.io parses its messages itself, and leaves half characters in them.
function parsedAgain(message: unknown): unknown {
  try {
    return parseJson(JSON.stringify(message));
  } catch {
    return null;
  }
}

function collect(value: unknown, depth: number, results: unknown[]): void {
  if (depth === 0 || results.length >= MAX_RESULTS) return;
  if (typeof value === 'string') collectFromText(value, depth, results);
  else if (Array.isArray(value)) for (const element of value) collect(element, depth - 1, results);
  else if (typeof value === 'object' && value !== null) collectFromObject(value, depth, results);
}

function collectFromText(text: string, depth: number, results: unknown[]): void {
  if (!/^\s*[[{"]/.test(text)) return;
  try {
    collect(parseJson(text), depth - 1, results);
  } catch {
    // A string that is not JSON is text, not a result.
    return;
  }
}

function collectFromObject(value: object, depth: number, results: unknown[]): void {
  if ('contentId' in value && value.contentId != null && value.contentId !== '') {
    results.push(value);
    return;
  }
  for (const name of ENCLOSURES) {
    if (Object.hasOwn(value, name)) collect((value as Record<string, unknown>)[name], depth - 1, results);
  }
}
