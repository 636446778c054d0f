import { isIPv4 } from 'node:net';
import type { HashCredential } from '../../coordination/credential-hash.ts';
import type { SocketLimits } from '../../config/sockets.ts';
import type { Credentials } from '../../operation/credentials.ts';
import type { Surface } from '../../sources/errors.ts';

/** How many sockets there may be. */
export type SeatLimits = Pick<SocketLimits, 'maxSockets' | 'maxPerCredential' | 'maxAnonymousPerAddress'>;

/** The places for sockets of one process. */
export interface Seats {
  /** A place for a socket from an address, with the credentials of its upgrade; null when none is free. */
  take(address: string, credentials: Credentials): Seat | null;
}

/** The place of one socket. */
export interface Seat {
  /**
   * Counts the socket as its caller's from the first credentials that it presents, and as its address's no longer. False
   * when the caller has too many.
   */
  claim(credentials: Credentials): boolean;
  /** Frees the place; once, however often it is called. */
  readonly leave: () => void;
}

/** Makes the places of one process; credentials are counted by names that tell nothing of them. */
export function createSeats(limits: SeatLimits, hashCredential: HashCredential): Seats {
  const all = createTally(limits.maxSockets);
  const anonymous = createTally(limits.maxAnonymousPerAddress);
  const callers = createTally(limits.maxPerCredential);
  const byCaller = (credentials: Credentials): Place | null => {
    const names = namesOf(credentials, hashCredential);
    return names.length === 0 ? null : { tally: callers, names };
  };
  return {
    take(address, credentials) {
      const place = byCaller(credentials) ?? { tally: anonymous, names: [networkOf(address)] };
      if (!enter(place)) return null;
      if (enter({ tally: all, names: ALL })) return sitDown(place);
      leave(place);
      return null;
    },
  };

  function sitDown(first: Place): Seat {
    let place: Place | null = first;
    return {
      claim(credentials) {
        const next = byCaller(credentials);
        if (place?.tally !== anonymous || next === null) return true;
        if (!enter(next)) return false;
        leave(place);
        place = next;
        return true;
      },
      leave() {
        if (place === null) return;
        leave(place);
        leave({ tally: all, names: ALL });
        place = null;
      },
    };
  }
}

/** Where a socket is counted, beside all: under its address, or under each of its caller's credentials. */
interface Place {
  readonly tally: Tally;
  readonly names: readonly string[];
}

const ALL = ['all'];

interface Tally {
  readonly counts: Map<string, number>;
  readonly limit: number;
}

function createTally(limit: number): Tally {
  return { counts: new Map(), limit };
}

function enter({ tally: { counts, limit }, names }: Place): boolean {
  if (names.some((name) => (counts.get(name) ?? 0) >= limit)) return false;
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return true;
}

function leave({ tally: { counts }, names }: Place): void {
  for (const name of names) {
    const left = (counts.get(name) ?? 0) - 1;
    if (left > 0) counts.set(name, left);
    else counts.delete(name);
  }
}

const SURFACES: readonly Surface[] = ['current', 'legacy'];

function namesOf(credentials: Credentials, hashCredential: HashCredential): string[] {
  return SURFACES.flatMap((surface) => {
    const credential = credentials[surface];
    return credential.state === 'given' ? [hashCredential(surface, credential.value)] : [];
  });
}

const GROUPS = 8;
const GROUPS_OF_NETWORK = 4;

/** What an address is counted as: itself, or under IPv6 the network of 64 bits, all of which one customer has. */
function networkOf(address: string): string {
  const bare = address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
  if (isIPv4(bare)) return bare;
  const [before = [], after] = bare.split('::').map((side) => side.split(':').filter(Boolean));
  const zeros = after ? GROUPS - before.length - after.length : 0;
  const groups = [...before, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...(after ?? [])];
  return groups.slice(0, GROUPS_OF_NETWORK).join(':');
}
