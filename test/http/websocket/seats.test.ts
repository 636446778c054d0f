import { expect, test } from 'vitest';
import type { Credentials } from '../../../src/operation/credentials.ts';
import { createCredentialHash } from '../../../src/coordination/credential-hash.ts';
import { Seats, type SeatParts } from '../../../src/http/seats.ts';
import { createAcceptedCredentials } from '../../../src/sources/accepted-credentials.ts';

type SeatLimits = SeatParts['limits'];

const LIMITS: SeatLimits = { maxSockets: 10, maxPerCredential: 3, maxAnonymousPerAddress: 2 };
const NOBODY: Credentials = { current: { state: 'missing' }, legacy: { state: 'missing' } };
const key = (value: string): Credentials => ({ ...NOBODY, current: { state: 'given', value } });
const token = (value: string): Credentials => ({ ...NOBODY, legacy: { state: 'given', value } });
const hashCredential = createCredentialHash('a secret');

/** Seats, where the service has accepted some API keys. */
function seatsOf(limits: Partial<SeatLimits> = {}, ...keys: readonly string[]) {
  const accepted = createAcceptedCredentials();
  const seats = new Seats({ limits: { ...LIMITS, ...limits }, hashCredential, accepted });
  const judge = (value: string, isAccepted = true): void =>
    accepted.note(hashCredential('current', value), isAccepted);
  for (const one of keys) judge(one);
  return Object.assign(seats, { judge });
}

test('an address has its seats, and another address its own', () => {
  const seats = seatsOf();
  const taken = [1, 2].map(() => seats.take('10.0.0.1', NOBODY));
  expect(taken.every(Boolean)).toBe(true);
  expect(seats.take('10.0.0.1', NOBODY)).toBe(null);
  expect(seats.take('10.0.0.2', NOBODY)).not.toBe(null);
  taken[0]?.leave();
  expect(seats.take('10.0.0.1', NOBODY)).not.toBe(null);
});

test('an unusable credential is none', () => {
  const seats = seatsOf({ maxAnonymousPerAddress: 1 });
  const unusable: Credentials = { current: { state: 'unusable' }, legacy: { state: 'unusable' } };
  const seat = seats.take('10.0.0.1', unusable);
  expect(seat?.claim(unusable)).toBe(true);
  expect(seats.take('10.0.0.1', unusable)).toBe(null);
});

test('who has an accepted credential is not counted under the address', () => {
  const seats = seatsOf({ maxAnonymousPerAddress: 0 }, 'a', 'b');
  for (const _ of [1, 2, 3]) expect(seats.take('10.0.0.1', key('a'))).not.toBe(null);
  expect(seats.take('10.0.0.1', key('a'))).toBe(null);
  expect(seats.take('10.0.0.1', key('b'))).not.toBe(null);
  expect(seats.take('10.0.0.1', key('c'))).toBe(null);
});

test('who has one that was not accepted yet is counted under the address and under the credential', () => {
  const seats = seatsOf({ maxPerCredential: 1 });
  expect(seats.take('10.0.0.1', key('a'))).not.toBe(null);
  expect(seats.take('10.0.0.1', key('a'))).toBe(null);
  expect(seats.take('10.0.0.2', key('a'))).toBe(null);
  expect(seats.take('10.0.0.1', key('b'))).not.toBe(null);
  expect(seats.take('10.0.0.1', key('c'))).toBe(null);
});

test('who presents an accepted one later frees the seat of the address then', () => {
  const seats = seatsOf({ maxAnonymousPerAddress: 1 }, 'a');
  const seat = seats.take('10.0.0.1', NOBODY);
  expect(seat?.claim(key('made up'))).toBe(true);
  expect(seats.take('10.0.0.1', NOBODY)).toBe(null);
  expect(seat?.claim(key('a'))).toBe(true);
  expect(seats.take('10.0.0.1', NOBODY)).not.toBe(null);
});

test('the seats of a credential are freed at the address when it is accepted, and stay free', () => {
  const seats = seatsOf({}, 'b');
  const [one, two] = [seats.take('10.0.0.1', key('a')), seats.take('10.0.0.1', NOBODY)];
  two?.claim(key('a'));
  expect(seats.take('10.0.0.1', NOBODY)).toBe(null);
  seats.judge('a');
  const others = [seats.take('10.0.0.1', NOBODY), seats.take('10.0.0.1', NOBODY)];
  expect(others).not.toContain(null);
  expect(seats.take('10.0.0.1', NOBODY)).toBe(null);
  one?.leave();
  two?.leave();
  expect(seats.take('10.0.0.1', NOBODY)).toBe(null);
  for (const _ of [1, 2, 3]) expect(seats.take('10.0.0.1', key('a'))).not.toBe(null);
});

test('a credential that is refused later is bound by the address again', () => {
  const seats = seatsOf({ maxAnonymousPerAddress: 1 }, 'a');
  for (const _ of [1, 2]) expect(seats.take('10.0.0.1', key('a'))).not.toBe(null);
  seats.judge('a', false);
  expect(seats.take('10.0.0.1', key('a'))).not.toBe(null);
  expect(seats.take('10.0.0.1', key('b'))).toBe(null);
});

test('a seat that was left is not counted when its credential is accepted', () => {
  const seats = seatsOf({ maxAnonymousPerAddress: 1 });
  const left = seats.take('10.0.0.1', key('a'));
  left?.leave();
  expect(seats.take('10.0.0.1', NOBODY)).not.toBe(null);
  seats.judge('a');
  expect(seats.take('10.0.0.1', NOBODY)).toBe(null);
});

test('who has too many stays where it was', () => {
  const seats = seatsOf({ maxPerCredential: 1, maxAnonymousPerAddress: 1 }, 'a', 'b');
  seats.take('10.0.0.9', key('a'));
  const seat = seats.take('10.0.0.1', NOBODY);
  expect(seat?.claim(key('a'))).toBe(false);
  expect(seats.take('10.0.0.1', NOBODY)).toBe(null);
  expect(seat?.claim(key('b'))).toBe(true);
  expect(seats.take('10.0.0.1', NOBODY)).not.toBe(null);
});

test('the first accepted credentials count, and each of them', () => {
  const seats = seatsOf({ maxPerCredential: 1 }, 'a', 'b');
  const both: Credentials = {
    current: { state: 'given', value: 'a' },
    legacy: { state: 'given', value: 'a' },
  };
  const seat = seats.take('10.0.0.1', both);
  expect(seats.take('10.0.0.1', key('a'))).toBe(null);
  expect(seats.take('10.0.0.1', token('a'))).toBe(null);
  expect(seat?.claim(key('b'))).toBe(true);
  expect(seats.take('10.0.0.1', key('b'))).not.toBe(null);
  seat?.leave();
  expect(seats.take('10.0.0.1', key('a'))).not.toBe(null);
  expect(seats.take('10.0.0.1', token('a'))).not.toBe(null);
});

/** Takes seats with a new key for each, at an address for so many of them; gives how many it got. */
function takeMany(seats: Seats, count: number, perAddress = count): number {
  const taken = Array.from({ length: count }, (_, index) => {
    const place = Math.floor(index / perAddress);
    return seats.take(`10.${place >> 16}.${(place >> 8) & 255}.${place & 255}`, key(`made up ${index}`));
  });
  return taken.filter(Boolean).length;
}

const MANY: SeatLimits = { maxSockets: 10_000, maxPerCredential: 100, maxAnonymousPerAddress: 20 };

test('ten thousand made-up keys get the seats of their address, or three quarters of all from many', () => {
  const fromOne = seatsOf(MANY, 'a');
  expect(takeMany(fromOne, 10_000)).toBe(20);
  expect(fromOne.take('192.0.2.1', key('new'))).not.toBe(null);
  const fromMany = seatsOf(MANY, 'a');
  expect(takeMany(fromMany, 10_000, 20)).toBe(7_500);
  expect(fromMany.take('192.0.2.1', key('new'))).toBe(null);
  for (let count = 0; count < 100; count += 1) expect(fromMany.take('192.0.2.1', key('a'))).not.toBe(null);
});

test('they would get all of them if a credential counted that nobody has accepted', () => {
  const accepted = { has: () => true, note: () => undefined, onAccepted: () => undefined };
  const seats = new Seats({ limits: MANY, hashCredential, accepted });
  expect(takeMany(seats, 10_000)).toBe(10_000);
  expect(seats.take('192.0.2.1', key('a'))).toBe(null);
});

test('a refusal takes nothing', () => {
  const seats = seatsOf({ maxSockets: 1, maxPerCredential: 1, maxAnonymousPerAddress: 1 }, 'a');
  const seat = seats.take('10.0.0.1', key('a'));
  for (const _ of [1, 2, 3]) {
    expect(seats.take('10.0.0.1', key('b'))).toBe(null);
    expect(seats.take('10.0.0.1', NOBODY)).toBe(null);
  }
  seat?.leave();
  expect(seats.take('10.0.0.1', key('b'))).not.toBe(null);
});

test('a seat is freed once, and claims nothing afterwards', () => {
  const seats = seatsOf({ maxSockets: 2, maxPerCredential: 1 });
  const [seat] = [seats.take('10.0.0.1', NOBODY), seats.take('10.0.0.1', NOBODY)];
  seat?.leave();
  seat?.leave();
  expect(seat?.claim(key('a'))).toBe(true);
  expect(seats.take('10.0.0.2', key('a'))).not.toBe(null);
  expect(seats.take('10.0.0.3', NOBODY)).toBe(null);
});

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:1:2:3', true],
  ['2001:db8::1', '2001:db8:0:0:9::', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['fe80::1%eth0', 'fe80::2%eth1', true],
  ['::1', '::2', true],
  ['10.0.0.1', '::ffff:10.0.0.1', true],
  ['::ffff:10.0.0.1', '::ffff:10.0.0.2', false],
  ['10.0.0.1', '10.0.0.2', false],
])('%s and %s are the same network: %s', (one, other, isSame) => {
  const seats = seatsOf({ maxAnonymousPerAddress: 1 });
  seats.take(one, NOBODY);
  expect(seats.take(other, NOBODY) === null).toBe(isSame);
});
