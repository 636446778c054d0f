import { badParameter } from '../refusal.ts';

/** Reads one query parameter by name; an empty one is treated as absent. */
export type Query = (name: string) => string | undefined;

/** Reads a whole number of at least 1; 400 for anything else. */
export function positiveInteger(query: Query, name: string, fallback: number): number {
  const text = query(name);
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || !Number.isSafeInteger(value)) {
    throw badParameter(name, 'must be a whole number of at least 1.');
  }
  return value;
}

/** Reads one of the listed words, or undefined if absent; 400 for any other word. */
export function oneOf<const T extends string>(
  query: Query,
  name: string,
  words: readonly T[],
): T | undefined {
  const text = query(name);
  if (text === undefined || text === '') return undefined;
  const word = words.find((entry) => entry === text);
  if (word === undefined) throw badParameter(name, `must be one of ${words.join(', ')}.`);
  return word;
}

/** Reads comma-separated whole numbers, or undefined if absent; 400 if any is not a whole number. */
export function idList(query: Query, name: string): ReadonlySet<number> | undefined {
  const text = query(name);
  if (text === undefined || text === '') return undefined;
  const parts = text.split(',').map((part) => part.trim());
  if (!parts.every((part) => /^\d+$/.test(part))) {
    throw badParameter(name, 'must be ids separated by commas.');
  }
  return new Set(parts.map(Number));
}

/** Creates a text filter: case-insensitive containment; everything passes if the parameter is absent. */
export function containing(query: Query, name: string): (text: string) => boolean {
  const wanted = (query(name) ?? '').toLowerCase();
  return (text) => text.toLowerCase().includes(wanted);
}
