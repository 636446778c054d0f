import type { Surface } from './errors.ts';

/** One call of the service, as constants. Whether it may be repeated never follows from its HTTP method. */
export interface Endpoint {
  /** As the service's interface spells it: method, blank, path template. */
  readonly name: string;
  readonly surface: Surface;
  readonly method: 'GET' | 'POST';
  /** Path template; `{name}` stands for an encoded segment. */
  readonly path: string;
  /** True for the plain reads alone: asking twice changes nothing. */
  readonly repeatable: boolean;
  /** Milliseconds until the whole answer must be there. */
  readonly deadlineMs: number;
  /** Largest answer that is read, in bytes. */
  readonly maxBodyBytes: number;
  /** True where the answer carries secrets that the caller asked for (a token, a billing session). */
  readonly answersSecrets: boolean;
}

const MIB = 1024 * 1024;

/** A read whose answer is a list: up to 8 MiB within 15 s. */
export const LIST_READ = {
  repeatable: true,
  deadlineMs: 15_000,
  maxBodyBytes: 8 * MIB,
  answersSecrets: false,
} as const;

/** A read of one record: up to 1 MiB within 15 s. */
export const RECORD_READ = { ...LIST_READ, maxBodyBytes: MIB } as const;

/** A call with an effect, whatever its HTTP method: sent once, 25 s to answer. */
export const WRITE = {
  repeatable: false,
  deadlineMs: 25_000,
  maxBodyBytes: MIB,
  answersSecrets: false,
} as const;

/**
 * Puts encoded values into a path template.
 *
 * Throws a RangeError for `.`, `..` and the empty text, which would name another resource even when encoded.
 */
export function fillPath(template: string, values: Readonly<Record<string, string>>): string {
  if (!template.includes('{')) return template;
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '';
    if (value === '' || value === '.' || value === '..')
      throw new RangeError(`${name} is not a path segment`);
    return encodeURIComponent(value);
  });
}
