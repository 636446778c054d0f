import type { ServerResponse } from 'node:http';
import { isIPv4 } from 'node:net';
import type { HashCredential } from '../coordination/credential-hash.ts';
import type { SocketLimits } from '../config.ts';
import type { Credentials } from '../operation/credentials.ts';
import type { AcceptedCredentials } from '../sources/accepted-credentials.ts';
import type { Surface } from '../sources/errors.ts';

/** The inputs of counting seats. */
export interface SeatParts {
  readonly limits: Pick<SocketLimits, 'maxSockets' | 'maxPerCredential' | 'maxAnonymousPerAddress'>;
  /** Returns names for credentials that reveal nothing about them. */
  readonly hashCredential: HashCredential;
  readonly accepted: AcceptedCredentials;
}

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
  readonly #parts: SeatParts;
  readonly #ofCredential = new Groups();
  readonly #unproven = new Groups();
  #taken = 0;

  constructor(parts: SeatParts) {
    this.#parts = parts;
    parts.accepted.onAccepted((name) => {
      for (const seat of this.#ofCredential.members(name)) seat.prove();
    });
  }

  /** Takes a seat for a caller at an address, with the credentials of its request; null if none is free. */
  take(address: string, credentials: Credentials): Seat | null {
    const { maxSockets, maxAnonymousPerAddress } = this.#parts.limits;
    const names = this.#namesOf(credentials);
    const network = networkOf(address);
    const isProven = this.#isProven(names);
    if (this.#taken >= maxSockets || !this.#hasRoom(names)) return null;
    const maxUnproven = maxSockets - Math.floor(maxSockets * RESERVED_SHARE);
    const isCrowded =
      this.#unproven.size >= maxUnproven || this.#unproven.count(network) >= maxAnonymousPerAddress;
    return !isProven && isCrowded ? null : this.#seat(names, isProven ? null : network);
  }

  #seat(first: readonly string[], network: string | null): Seat {
    let names = first;
    let isUnproven = network !== null;
    let isFree = false;
    const seat: Seat = {
      claim: (credentials) => {
        const next = this.#namesOf(credentials);
        if (isFree || !isUnproven || next.length === 0) return true;
        this.#ofCredential.remove(names, seat);
        const hasRoom = this.#hasRoom(next);
        if (hasRoom) names = next;
        this.#ofCredential.add(names, seat);
        if (this.#isProven(names)) seat.prove();
        return hasRoom;
      },
      prove: () => {
        isUnproven = false;
        if (network !== null) this.#unproven.remove([network], seat);
      },
      leave: () => {
        if (isFree) return;
        isFree = true;
        this.#taken -= 1;
        this.#ofCredential.remove(names, seat);
        seat.prove();
      },
    };
    this.#taken += 1;
    this.#ofCredential.add(names, seat);
    if (network !== null) this.#unproven.add([network], seat);
    return seat;
  }

  #hasRoom(names: readonly string[]): boolean {
    return names.every((name) => this.#ofCredential.count(name) < this.#parts.limits.maxPerCredential);
  }

  #isProven(names: readonly string[]): boolean {
    return names.some((name) => this.#parts.accepted.has(name));
  }

  #namesOf(credentials: Credentials): readonly string[] {
    return SURFACES.flatMap((surface) => {
      const credential = credentials[surface];
      return credential.state === 'given' ? [this.#parts.hashCredential(surface, credential.value)] : [];
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
  /** Stops counting the seat for its network, because the service has accepted one of its credentials. */
  readonly prove: () => void;
  /** Frees the seat; further calls have no effect. */
  readonly leave: () => void;
}

/** Seats grouped by names; a seat may be in several groups. */
class Groups {
  readonly #groups = new Map<string, Set<Seat>>();
  /** The number of seats in all groups, each as often as it is in one. */
  size = 0;

  count(name: string): number {
    return this.#groups.get(name)?.size ?? 0;
  }

  members(name: string): readonly Seat[] {
    return [...(this.#groups.get(name) ?? [])];
  }

  add(names: readonly string[], seat: Seat): void {
    for (const name of names) {
      const group = this.#groups.get(name) ?? new Set();
      this.#groups.set(name, group.add(seat));
      this.size += 1;
    }
  }

  remove(names: readonly string[], seat: Seat): void {
    for (const name of names) {
      const group = this.#groups.get(name);
      if (group?.delete(seat)) this.size -= 1;
      if (group?.size === 0) this.#groups.delete(name);
    }
  }
}

/** Maximum number of unsent bytes of one stream; a stream with a slower reader is closed. */
const MAX_UNSENT_BYTES = 1024 * 1024;
const CHECK_INTERVAL_MS = 1_000;

/** The responses of one server that are streams of server-sent events. */
export class EventStreams {
  readonly #seats: Seats;
  readonly #open = new Set<ServerResponse>();

  constructor(seats: Seats) {
    this.#seats = seats;
  }

  /** Registers a stream. Returns false if its caller has disconnected, or no seat is free. */
  enter(response: ServerResponse, address: string, credentials: Credentials): boolean {
    // The close of the connection would not be noticed again.
    const seat = response.destroyed ? null : this.#seats.take(address, credentials);
    if (seat === null) return false;
    this.#open.add(response);
    const timer = setInterval(() => {
      if (response.writableLength > MAX_UNSENT_BYTES) response.destroy();
    }, CHECK_INTERVAL_MS).unref();
    response.once('close', () => {
      this.#open.delete(response);
      clearInterval(timer);
      seat.leave();
    });
    return true;
  }

  /** Ends all streams. A stream has no end of its own; its reader reconnects to the next server. */
  close(): void {
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
