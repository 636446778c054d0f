import type { EndpointName } from '../../src/sandbox/endpoints.ts';
import type { Fault } from '../../src/sandbox/faults/fault.ts';

/** Stands for a field that is not sent at all. */
export const MISSING = Symbol('missing');

type Tree = Record<string, unknown>;

/**
 * A fault that puts a value into the first record of an answer, every time it is asked for. `wire` is the field's own
 * name, dotted where it lies deeper; `record` is the index of another record of a list.
 */
export function changingRecord(endpoint: EndpointName, wire: string, value: unknown, record = 0): Fault {
  return {
    kind: 'rewrite',
    endpoint,
    times: Number.POSITIVE_INFINITY,
    change: (answer) => {
      put(recordOf(answer, record), wire.split('.'), value);
      return answer;
    },
  };
}

/** A fault that puts values into the payload of a list of the current surface, beside its records. */
export function changingPage(endpoint: EndpointName, values: Readonly<Record<string, unknown>>): Fault {
  return {
    kind: 'rewrite',
    endpoint,
    times: Number.POSITIVE_INFINITY,
    change: (answer) => {
      const { response } = answer as { readonly response: Tree };
      for (const [name, value] of Object.entries(values)) put(response, [name], value);
      return answer;
    },
  };
}

// The three shapes of a good answer: a bare list, a page, one record.
function recordOf(answer: unknown, index: number): Tree {
  if (Array.isArray(answer)) return answer[index] as Tree;
  const { response } = answer as { readonly response: Tree & { readonly list?: readonly Tree[] } };
  return response.list?.[index] ?? response;
}

function put(target: Tree, [name = '', ...deeper]: readonly string[], value: unknown): void {
  if (deeper.length > 0) put(target[name] as Tree, deeper, value);
  else if (value === MISSING) delete target[name];
  else target[name] = value;
}
