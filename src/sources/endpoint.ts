import type { Surface } from './errors.ts';

/**
 * One call of the service, as constants. The functions that make them fail with a SourceError of any kind: `rejected` for
 * a 4xx status or a flagged failure, `unauthenticated` for 401, `rate-limited` for 429, `unavailable` for 5xx, and
 * `malformed` for a response without the documented result. After `unavailable`, `timeout` and `malformed`, a write may
 * have taken effect.
 */
export interface Endpoint extends EndpointRules {
  /** As spelt by the service's interface: method, space, path template. */
  readonly name: string;
  readonly surface: Surface;
  readonly method: 'GET' | 'POST';
  /** Path template; `{name}` is replaced by an encoded segment. */
  readonly path: string;
}

interface EndpointRules {
  /** True only for plain reads, where repeating the call changes nothing. The HTTP method does not show it. */
  readonly repeatable: boolean;
  /**
   * Milliseconds within which the complete response must arrive: of a read from its beginning, with waiting and retries;
   * of a write from when it is sent.
   */
  readonly deadlineMs: number;
  /** Largest accepted response, in bytes. */
  readonly maxBodyBytes: number;
  /** True if the response holds connected accounts, whose credentials are removed when it is parsed. */
  readonly answersAccounts?: boolean;
}

/** Declares an endpoint; the legacy surface writes `:id` for `{id}`. */
export function endpoint(
  surface: Surface,
  name: `${Endpoint['method']} /${string}`,
  rules: EndpointRules,
): Endpoint {
  const method = name.startsWith('GET') ? 'GET' : 'POST';
  const path = name.slice(method.length + 1).replaceAll(/:(\w+)/g, '{$1}');
  return { name, surface, method, path, ...rules };
}

const MIB = 1024 * 1024;

/** A read that returns a list: up to 8 MiB within 15 s. */
export const LIST_READ = { repeatable: true, deadlineMs: 15_000, maxBodyBytes: 8 * MIB } as const;

/** A read of one record: up to 1 MiB within 15 s. */
export const RECORD_READ = { ...LIST_READ, maxBodyBytes: MIB } as const;

/** A call with an effect, whatever its HTTP method: sent once, with 25 s to respond. */
export const WRITE = { repeatable: false, deadlineMs: 25_000, maxBodyBytes: MIB } as const;
