import type { HashCredential } from '../../coordination/credential-hash.ts';
import type { SocketLimits } from '../../config.ts';
import type { Credentials } from '../../operation/credentials.ts';
import type { AcceptedCredentials } from '../../sources/accepted-credentials.ts';
import type { Surface } from '../../sources/errors.ts';
import { networkOf } from '../network.ts';

/** Limits on the number of sockets. */
export type SeatLimits = Pick<SocketLimits, 'maxSockets' | 'maxPerCredential' | 'maxAnonymousPerAddress'>;

/** The seats for sockets of one process. */
export interface Seats {
  /** Takes a seat for a socket from an address, with the credentials of its upgrade; null if none is free. */
  take(address: string, credentials: Credentials): Seat | null;
}

/** The seat of one socket. */
export interface Seat {
  /**
   * Assigns the socket to the caller with these credentials. The latest ones count until the service has accepted one
   * of them. Returns false if the caller has too many sockets.
   */
  claim(credentials: Credentials): boolean;
  /** Frees the seat; further calls have no effect. */
  readonly leave: () => void;
}

/** The inputs of counting seats. */
export interface SeatParts {
  readonly limits: SeatLimits;
  /** Returns names for credentials that reveal nothing about them. */
  readonly hashCredential: HashCredential;
  readonly accepted: AcceptedCredentials;
}

/**
 * The share of all seats reserved for sockets with an accepted credential. Invented credentials are free, and addresses
 * are cheap: with many of both, somebody could take all other seats.
 */
export const KEPT_SHARE = 1 / 4;

/**
 * Creates the seats of one process. A socket counts towards its address until the service has accepted one of its
 * credentials: a credential alone would be no limit, because anybody can invent any number.
 */
export function createSeats({ limits, hashCredential, accepted }: SeatParts): Seats {
  const tallies: Tallies = {
    all: createTally(limits.maxSockets),
    unknown: createTally(limits.maxSockets - Math.floor(limits.maxSockets * KEPT_SHARE)),
    networks: createTally(limits.maxAnonymousPerAddress),
    callers: createTally(limits.maxPerCredential),
  };
  const waiting = createWaiting();
  accepted.onAccepted((name) => waiting.tell(name));
  const namesOf = (credentials: Credentials): readonly string[] =>
    credentialNames(credentials, hashCredential);
  const isKnown = (names: readonly string[]): boolean => names.some((name) => accepted.has(name));
  return {
    take(address, credentials) {
      const names = namesOf(credentials);
      const unknown = isKnown(names) ? [] : placesOfUnknown(tallies, networkOf(address));
      const places = [{ tally: tallies.all, names: ALL }, { tally: tallies.callers, names }, ...unknown];
      return enterAll(places) ? sitDown(names, unknown) : null;
    },
  };

  function sitDown(first: readonly string[], unknown: readonly Place[]): Seat {
    let names = first;
    let isFree = false;
    let isUnknown = unknown.length > 0;
    const becomeKnown = (): void => {
      isUnknown = false;
      waiting.remove(names, becomeKnown);
      unknown.forEach(leave);
    };
    if (isUnknown) waiting.add(names, becomeKnown);
    return {
      claim(credentials) {
        const next = namesOf(credentials);
        if (isFree || !isUnknown || next.length === 0) return true;
        if (!change(tallies.callers, names, next)) return false;
        waiting.remove(names, becomeKnown);
        names = next;
        waiting.add(names, becomeKnown);
        if (isKnown(names)) becomeKnown();
        return true;
      },
      leave() {
        if (isFree) return;
        isFree = true;
        if (isUnknown) becomeKnown();
        leave({ tally: tallies.callers, names });
        leave({ tally: tallies.all, names: ALL });
      },
    };
  }
}

interface Tallies {
  readonly all: Tally;
  /** Sockets without an accepted credential. */
  readonly unknown: Tally;
  /** The same, for each network. */
  readonly networks: Tally;
  /** Sockets that have presented a credential, accepted or not, for each credential. */
  readonly callers: Tally;
}

/** Where a socket is counted: under certain names of a tally. */
interface Place {
  readonly tally: Tally;
  readonly names: readonly string[];
}

const ALL = ['all'];

function placesOfUnknown({ unknown, networks }: Tallies, network: string): Place[] {
  return [
    { tally: unknown, names: ALL },
    { tally: networks, names: [network] },
  ];
}

interface Tally {
  readonly counts: Map<string, number>;
  readonly limit: number;
}

function createTally(limit: number): Tally {
  return { counts: new Map(), limit };
}

function hasRoom({ tally: { counts, limit }, names }: Place): boolean {
  return names.every((name) => (counts.get(name) ?? 0) < limit);
}

function enterAll(places: readonly Place[]): boolean {
  if (!places.every(hasRoom)) return false;
  places.forEach(enter);
  return true;
}

function enter({ tally: { counts }, names }: Place): void {
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
}

function leave({ tally: { counts }, names }: Place): void {
  for (const name of names) {
    const left = (counts.get(name) ?? 0) - 1;
    if (left > 0) counts.set(name, left);
    else counts.delete(name);
  }
}

/** Moves a count to other names. Returns false, without a change, if there is no room. */
function change(tally: Tally, from: readonly string[], to: readonly string[]): boolean {
  leave({ tally, names: from });
  if (enterAll([{ tally, names: to }])) return true;
  enter({ tally, names: from });
  return false;
}

/** Callbacks waiting for a credential to be accepted. */
function createWaiting() {
  const listeners = new Map<string, Set<() => void>>();
  return {
    add(names: readonly string[], listener: () => void): void {
      for (const name of names) listeners.set(name, (listeners.get(name) ?? new Set()).add(listener));
    },
    remove(names: readonly string[], listener: () => void): void {
      for (const name of names) {
        const all = listeners.get(name);
        all?.delete(listener);
        if (all?.size === 0) listeners.delete(name);
      }
    },
    tell(name: string): void {
      for (const listener of listeners.get(name) ?? []) listener();
    },
  };
}

const SURFACES: readonly Surface[] = ['current', 'legacy'];

function credentialNames(credentials: Credentials, hashCredential: HashCredential): string[] {
  return SURFACES.flatMap((surface) => {
    const credential = credentials[surface];
    return credential.state === 'given' ? [hashCredential(surface, credential.value)] : [];
  });
}
