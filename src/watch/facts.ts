import { SourceError } from '../sources/errors.ts';
import { SourceRecord, wireOf } from '../sources/view.ts';
import type { Facts } from './observation.ts';

/** Reads facts, each by the name of the field that shows it; facts that cannot be read are omitted. */
export function factsOf<V>(readers: Readonly<Record<string, (from: V) => unknown>>, from: V): Facts {
  const facts: Record<string, string> = {};
  for (const [name, read] of Object.entries(readers)) {
    const fact = factOf(() => read(from));
    if (fact !== undefined) facts[name] = fact;
  }
  return facts;
}

function factOf(read: () => unknown): string | undefined {
  try {
    return JSON.stringify(read() ?? null, withoutViews);
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}

function withoutViews(_name: string, value: unknown): unknown {
  return value instanceof SourceRecord ? wireOf(value) : value;
}

/** Removes the query of a URL: signatures differ each time, but what they give access to does not. */
export function withoutQuery(address: string | URL | null): string | null {
  return address === null ? null : String(address).replace(/[?#].*$/s, '');
}
