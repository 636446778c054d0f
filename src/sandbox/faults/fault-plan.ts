import type { EndpointName } from '../endpoints.ts';
import type { Fault, Faults } from './fault.ts';

interface Planned {
  readonly fault: Fault;
  skip: number;
  remaining: number;
  hits: number;
}

/** The faults that are set up, and the choice of the one that strikes a request. */
export interface FaultPlan {
  readonly faults: Faults;
  take(endpoint: EndpointName | null, owner: string | null): Fault | null;
}

/** A plan without faults. */
export function createFaultPlan(): FaultPlan {
  let planned: Planned[] = [];
  return {
    faults: {
      add(fault) {
        const entry: Planned = { fault, skip: fault.skip ?? 0, remaining: fault.times ?? 1, hits: 0 };
        planned.push(entry);
        return {
          get hits() {
            return entry.hits;
          },
          get remaining() {
            return entry.remaining;
          },
          remove() {
            entry.remaining = 0;
            planned = planned.filter((other) => other !== entry);
          },
        };
      },
      clear() {
        planned = [];
      },
    },
    take(endpoint, owner) {
      for (const entry of planned) {
        if (!strikes(entry, endpoint, owner)) continue;
        if (entry.skip > 0) {
          entry.skip -= 1;
          continue;
        }
        entry.remaining -= 1;
        entry.hits += 1;
        return entry.fault;
      }
      return null;
    },
  };
}

function strikes(
  { fault, remaining }: Planned,
  endpoint: EndpointName | null,
  owner: string | null,
): boolean {
  if (remaining <= 0 || endpoint === null) return false;
  const meant = fault.endpoint === '*' || fault.endpoint === endpoint;
  return meant && (fault.owner === undefined || fault.owner === owner);
}
