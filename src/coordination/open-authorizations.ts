/** The authorisations that were begun in a browser and have not come back, each by its random state. */
export interface OpenAuthorizations {
  /** Opens one, unless too many are open. None that is open is ever given up for another. */
  open(state: string, origin: Origin): Promise<Opening>;
  /** True for one that is open, the first time that it is asked for. */
  take(state: string): Promise<boolean>;
}

/** Who begins an authorisation. */
export interface Origin {
  /** The network of the browser's address. */
  readonly network: string;
  /** Most authorisations that may be open of one network. */
  readonly limit: number;
}

/** What came of opening one: it is open, or as many are as may be, of its network or of all. */
export type Opening = 'open' | 'network-full' | 'full';

/** How long an authorisation may take, in milliseconds. */
export const AUTHORIZATION_MS = 10 * 60 * 1_000;
/** Most that are open at once, of all processes: in Redis they take less than 6 MB. */
export const MAX_OPEN = 10_000;

interface Open {
  readonly network: string;
  readonly endsAt: number;
}

/** Those that were begun in this process. */
export function createOpenAuthorizations(): OpenAuthorizations {
  // In the order in which they end.
  const all = new Map<string, Open>();
  const counts = new Map<string, number>();
  const close = (state: string): Open | undefined => {
    const open = all.get(state);
    if (open === undefined) return undefined;
    all.delete(state);
    const left = (counts.get(open.network) ?? 0) - 1;
    if (left > 0) counts.set(open.network, left);
    else counts.delete(open.network);
    return open;
  };
  const forgetEnded = (now: number): void => {
    for (const [state, { endsAt }] of all) {
      if (endsAt > now) return;
      close(state);
    }
  };
  const open = (state: string, { network, limit }: Origin): Opening => {
    const now = performance.now();
    forgetEnded(now);
    const count = counts.get(network) ?? 0;
    if (count >= limit) return 'network-full';
    if (all.size >= MAX_OPEN) return 'full';
    counts.set(network, count + 1);
    all.set(state, { network, endsAt: now + AUTHORIZATION_MS });
    return 'open';
  };
  return {
    open: (state, origin) => Promise.resolve(open(state, origin)),
    take: (state) => Promise.resolve((close(state)?.endsAt ?? 0) > performance.now()),
  };
}
