import type { HashCredential } from '../../coordination/credential-hash.ts';
import type { SocketLimits } from '../../config/sockets.ts';
import type { Credentials } from '../../operation/credentials.ts';
import type { AcceptedCredentials } from '../../sources/accepted-credentials.ts';
import type { Surface } from '../../sources/errors.ts';
import { networkOf } from '../network.ts';

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
   * Counts the socket as its caller's from the credentials that it presents. The last ones count, until the service has
   * accepted one of them. False when the caller has too many.
   */
  claim(credentials: Credentials): boolean;
  /** Frees the place; once, however often it is called. */
  readonly leave: () => void;
}

/** What the places are counted by. */
export interface SeatParts {
  readonly limits: SeatLimits;
  /** Names credentials by what tells nothing of them. */
  readonly hashCredential: HashCredential;
  readonly accepted: AcceptedCredentials;
}

/**
 * The share of all places that only sockets with an accepted credential may have. Made-up credentials cost nothing, and
 * addresses not much: with many of both, somebody can take all the others.
 */
export const KEPT_SHARE = 1 / 4;

/**
 * Makes the places of one process. A socket counts as one of its address until the service has accepted a credential of
 * its: a credential alone would be no bound, since anybody can make up as many as they like.
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
  /** Those of which the service has accepted no credential. */
  readonly unknown: Tally;
  /** The same for each network. */
  readonly networks: Tally;
  /** Those that have presented a credential, accepted or not, for each credential. */
  readonly callers: Tally;
}

/** Where a socket is counted: under some names of a tally. */
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

/** Counts one under other names; false, and as before, where there is no room. */
function change(tally: Tally, from: readonly string[], to: readonly string[]): boolean {
  leave({ tally, names: from });
  if (enterAll([{ tally, names: to }])) return true;
  enter({ tally, names: from });
  return false;
}

/** Those who wait for a credential to be accepted. */
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
