import { expect, test } from 'vitest';
import type { Credentials } from '../../../src/operation/credentials.ts';
import { createCredentialHash } from '../../../src/coordination/credential-hash.ts';
import { createSeats, type SeatLimits } from '../../../src/http/websocket/seats.ts';

const LIMITS: SeatLimits = { maxSockets: 10, maxPerCredential: 3, maxAnonymousPerAddress: 2 };
const NOBODY: Credentials = { current: { state: 'missing' }, legacy: { state: 'missing' } };
const key = (value: string): Credentials => ({ ...NOBODY, current: { state: 'given', value } });
const token = (value: string): Credentials => ({ ...NOBODY, legacy: { state: 'given', value } });
const seatsOf = (limits: Partial<SeatLimits> = {}) =>
  createSeats({ ...LIMITS, ...limits }, createCredentialHash());

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

test('who presents a credential at once is not counted under the address', () => {
  const seats = seatsOf({ maxAnonymousPerAddress: 0 });
  for (const _ of [1, 2, 3]) expect(seats.take('10.0.0.1', key('a'))).not.toBe(null);
  expect(seats.take('10.0.0.1', key('a'))).toBe(null);
  expect(seats.take('10.0.0.1', key('b'))).not.toBe(null);
});

test('who presents one later frees the seat of the address then', () => {
  const seats = seatsOf({ maxAnonymousPerAddress: 1 });
  const seat = seats.take('10.0.0.1', NOBODY);
  expect(seats.take('10.0.0.1', NOBODY)).toBe(null);
  expect(seat?.claim(key('a'))).toBe(true);
  expect(seats.take('10.0.0.1', NOBODY)).not.toBe(null);
});

test('who has too many stays where it was', () => {
  const seats = seatsOf({ maxPerCredential: 1, maxAnonymousPerAddress: 1 });
  seats.take('10.0.0.9', key('a'));
  const seat = seats.take('10.0.0.1', NOBODY);
  expect(seat?.claim(key('a'))).toBe(false);
  expect(seats.take('10.0.0.1', NOBODY)).toBe(null);
  expect(seat?.claim(key('b'))).toBe(true);
});

test('only the first credentials count, and each of them', () => {
  const seats = seatsOf({ maxPerCredential: 1 });
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

test('a refusal takes nothing', () => {
  const seats = seatsOf({ maxSockets: 1, maxPerCredential: 1, maxAnonymousPerAddress: 1 });
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
