/** The authorisations started in a browser and not yet completed, by their random states. */
export interface OpenAuthorizations {
  /** Opens one, unless too many are open. An open one is never dropped for another. */
  open(state: string, origin: Origin): Promise<Opening>;
  /** Returns true for an open one, the first time that it is requested. */
  take(state: string): Promise<boolean>;
}

/** The origin of an authorisation. */
export interface Origin {
  /** The network of the browser's address. */
  readonly network: string;
  /** Maximum number of open authorisations per network. */
  readonly limit: number;
}

/** The result of opening one: it is open, or the limit of its network or of all is reached. */
export type Opening = 'open' | 'network-full' | 'full';

/** How long an authorisation may take, in milliseconds. */
export const AUTHORIZATION_MS = 10 * 60 * 1_000;
/** Maximum number open at once in all processes: in Redis they take less than 6 MB. */
export const MAX_OPEN = 10_000;

interface Open {
  readonly network: string;
  readonly endsAt: number;
}

/** Stores the authorisations started in this process. */
export function createOpenAuthorizations(): OpenAuthorizations {
  // In order of their ends.
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
