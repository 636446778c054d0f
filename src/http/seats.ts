import type { ServerResponse } from 'node:http';
import { isIPv4 } from 'node:net';
import type { SocketLimits } from '../config.ts';
import type { Credentials } from '../operation/credentials.ts';
import type { Services } from '../services.ts';
import type { Surface } from '../sources/errors.ts';

/** How many seats there are. */
export type SeatLimits = Pick<SocketLimits, 'maxSockets' | 'maxPerCredential' | 'maxAnonymousPerAddress'>;

/**
 * The share of all seats reserved for callers with an accepted credential. Invented credentials are free, and addresses
 * are cheap: with many of both, somebody could take all other seats.
 */
const RESERVED_SHARE = 1 / 4;

/**
 * The seats of one process: every caller waiting for events takes one, over a WebSocket or server-sent events.
 *
 * A seat is counted for each credential that its caller has presented. Until the service has accepted one of them, it
 * is also counted for the caller's network: anybody can invent any number of credentials.
 */
export class Seats {
  readonly #limits: SeatLimits;
  readonly #services: Pick<Services, 'hashCredential' | 'acceptedCredentials'>;
  readonly #ofCredential = new Counter();
  readonly #ofNetwork = new Counter();
  readonly #unproven = new Set<Place>();
  #taken = 0;

  constructor(limits: SeatLimits, services: Pick<Services, 'hashCredential' | 'acceptedCredentials'>) {
    this.#limits = limits;
    this.#services = services;
    services.acceptedCredentials.onAccepted((name) => {
      for (const place of this.#unproven) if (place.names.includes(name)) this.#prove(place);
    });
  }

  /** Takes a seat for a caller at an address, with the credentials of its request; null if none is free. */
  take(address: string, credentials: Credentials): Seat | null {
    const { maxSockets, maxAnonymousPerAddress } = this.#limits;
    const names = this.#namesOf(credentials);
    if (this.#taken >= maxSockets || !this.#hasRoom(names)) return null;
    const place: Place = { network: networkOf(address), names };
    if (!this.#isProven(names)) {
      const maxUnproven = maxSockets - Math.floor(maxSockets * RESERVED_SHARE);
      const inNetwork = this.#ofNetwork.count(place.network);
      if (this.#unproven.size >= maxUnproven || inNetwork >= maxAnonymousPerAddress) return null;
      this.#unproven.add(place);
      this.#ofNetwork.add([place.network], 1);
    }
    this.#taken += 1;
    this.#ofCredential.add(names, 1);
    let isFree = false;
    const leave = (): void => {
      if (!isFree) this.#leave(place);
      isFree = true;
    };
    return { claim: (next) => this.#claim(place, next), leave };
  }

  #claim(place: Place, credentials: Credentials): boolean {
    const names = this.#namesOf(credentials);
    if (!this.#unproven.has(place) || names.length === 0) return true;
    this.#ofCredential.add(place.names, -1);
    const hasRoom = this.#hasRoom(names);
    if (hasRoom) place.names = names;
    this.#ofCredential.add(place.names, 1);
    if (this.#isProven(place.names)) this.#prove(place);
    return hasRoom;
  }

  #leave(place: Place): void {
    this.#taken -= 1;
    this.#ofCredential.add(place.names, -1);
    this.#prove(place);
  }

  // From now on it is no longer counted for its network.
  #prove(place: Place): void {
    if (this.#unproven.delete(place)) this.#ofNetwork.add([place.network], -1);
  }

  #hasRoom(names: readonly string[]): boolean {
    return names.every((name) => this.#ofCredential.count(name) < this.#limits.maxPerCredential);
  }

  #isProven(names: readonly string[]): boolean {
    return names.some((name) => this.#services.acceptedCredentials.has(name));
  }

  #namesOf(credentials: Credentials): readonly string[] {
    return SURFACES.flatMap((surface) => {
      const credential = credentials[surface];
      return credential.state === 'given' ? [this.#services.hashCredential(surface, credential.value)] : [];
    });
  }
}

const SURFACES: readonly Surface[] = ['current', 'legacy'];

/** The seat of one caller. */
export interface Seat {
  /**
   * Assigns the seat to the caller with these credentials. The latest ones count until the service has accepted one of
   * them. Returns false if the caller has too many seats.
   */
  readonly claim: (credentials: Credentials) => boolean;
  /** Frees the seat; further calls have no effect. */
  readonly leave: () => void;
}

/** What a seat is counted for. */
interface Place {
  readonly network: string;
  /** The names of its caller's credentials. */
  names: readonly string[];
}

/** Counts by name. */
class Counter {
  readonly #counts = new Map<string, number>();

  count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(names: readonly string[], by: 1 | -1): void {
    for (const name of names) {
      const count = this.count(name) + by;
      if (count === 0) this.#counts.delete(name);
      else this.#counts.set(name, count);
    }
  }
}

/** The responses of one server that are streams of server-sent events. */
export class EventStreams {
  readonly #seats: Seats;
  readonly #open = new Set<ServerResponse>();
  #isClosed = false;

  constructor(seats: Seats) {
    this.#seats = seats;
  }

  /** Registers a stream. Returns false if its caller has disconnected, or no seat is free. */
  enter(response: ServerResponse, address: string, credentials: Credentials): boolean {
    // It would be told that its subscription is complete, and not come back.
    if (this.#isClosed) response.destroy();
    // The close of the connection would not be noticed again.
    const seat = response.destroyed ? null : this.#seats.take(address, credentials);
    if (seat === null) return false;
    this.#open.add(response);
    response.once('close', () => {
      this.#open.delete(response);
      seat.leave();
    });
    return true;
  }

  /**
   * Ends all streams, also those that begin later. A stream has no end of its own; its reader reconnects to the next server.
   */
  close(): void {
    this.#isClosed = true;
    for (const response of this.#open) response.destroy();
  }
}

/** The groups of an IPv6 address, and those of them that name its network. */
const ADDRESS_GROUPS = 8;
const NETWORK_GROUPS = 4;

/** Returns what an address is counted as: itself, or for IPv6 its /64 network, which belongs to one customer. */
function networkOf(address: string): string {
  const bare = address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
  if (isIPv4(bare)) return bare;
  const [before = [], after] = bare.split('::').map((side) => side.split(':').filter(Boolean));
  const zeros = after ? ADDRESS_GROUPS - before.length - after.length : 0;
  const groups = [...before, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...(after ?? [])];
  return groups.slice(0, NETWORK_GROUPS).join(':');
}
