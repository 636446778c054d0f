import type { EndpointName } from '../endpoints.ts';
import type { Fault, FaultHandle, Faults } from './fault.ts';

interface Planned {
  readonly id: number;
  readonly fault: Fault;
  skip: number;
  remaining: number;
  hits: number;
}

/** A fault of the plan, with its number on the sandbox's own pages. */
export interface ListedFault {
  readonly id: number;
  readonly fault: Fault;
  readonly handle: FaultHandle;
}

/** The configured faults, and the choice of the one that strikes a request. */
export interface FaultPlan {
  readonly faults: Faults;
  take(endpoint: EndpointName | null, owner: string | null): Fault | null;
  /** Returns every fault that was added and not removed, oldest first. */
  list(): readonly ListedFault[];
}

/** Creates a plan without faults. */
export function createFaultPlan(): FaultPlan {
  let planned: Planned[] = [];
  let lastId = 0;
  const remove = (entry: Planned): void => {
    entry.remaining = 0;
    planned = planned.filter((other) => other !== entry);
  };
  return {
    faults: {
      add(fault) {
        lastId += 1;
        const entry = { id: lastId, fault, skip: fault.skip ?? 0, remaining: fault.times ?? 1, hits: 0 };
        planned.push(entry);
        return handleOf(entry, remove);
      },
      clear() {
        planned = [];
      },
    },
    list: () =>
      planned.map((entry) => ({ id: entry.id, fault: entry.fault, handle: handleOf(entry, remove) })),
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

function handleOf(entry: Planned, remove: (entry: Planned) => void): FaultHandle {
  return {
    get hits() {
      return entry.hits;
    },
    get remaining() {
      return entry.remaining;
    },
    remove: () => remove(entry),
  };
}

/** The calls that carry no owner's credential. */
const OF_NOBODY: readonly EndpointName[] = ['GET /oauth/', 'POST /oauth/accesstoken'];

function strikes(
  { fault, remaining }: Planned,
  endpoint: EndpointName | null,
  owner: string | null,
): boolean {
  if (remaining <= 0 || endpoint === null) return false;
  if (fault.endpoint !== '*' && fault.endpoint !== endpoint) return false;
  const isOfNobody = fault.endpoint === endpoint && OF_NOBODY.includes(endpoint);
  return isOfNobody || fault.owner === undefined || fault.owner === owner;
}
