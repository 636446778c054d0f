import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { limitAge, PING_INTERVAL_MS, watchPeer } from '../../../src/http/websocket/lifetime.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A socket that only tells what is done to it. */
function fakeSocket(isAnswering = (): boolean => true) {
  const done: string[] = [];
  const socket = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    ping() {
      done.push('ping');
      if (isAnswering()) socket.emit('pong');
    },
    terminate: () => void done.push('terminate'),
    close: (code: number) => void done.push(`close ${code}`),
  });
  return { socket: socket as unknown as WebSocket, done, emit: (name: string) => socket.emit(name) };
}

test('a peer that answers is asked again and again, and left alone', () => {
  const { socket, done } = fakeSocket();
  watchPeer(socket, PING_INTERVAL_MS);
  vi.advanceTimersByTime(120_000);
  expect(done).toEqual(Array<string>(10).fill('ping'));
});

test.each([0, 1, 11_999, 12_000, 12_001, 23_999])(
  'a peer that falls silent after %d ms is found out within 25 seconds',
  (silentAt) => {
    const startedAt = Date.now();
    const { socket, done } = fakeSocket(() => Date.now() - startedAt < silentAt);
    watchPeer(socket, PING_INTERVAL_MS);
    vi.advanceTimersByTime(silentAt + 25_000);
    expect(done).toContain('terminate');
  },
);

test('nothing is left of a socket that has closed', () => {
  const { socket, emit } = fakeSocket();
  watchPeer(socket, PING_INTERVAL_MS);
  limitAge(socket, 3_600_000, () => false);
  expect(vi.getTimerCount()).toBe(2);
  emit('close');
  expect(vi.getTimerCount()).toBe(0);
});

test('sockets are closed with 1012 when they are old enough, give or take a tenth, and not together', () => {
  const hour = 3_600_000;
  const sockets = Array.from({ length: 200 }, () => fakeSocket());
  for (const { socket } of sockets) limitAge(socket, hour, () => false);
  const closed = (): number => sockets.filter(({ done }) => done[0] === 'close 1012').length;
  vi.advanceTimersByTime(hour * 0.9 - 1);
  expect(closed()).toBe(0);
  vi.advanceTimersByTime(hour * 0.1);
  expect(closed()).toBeGreaterThan(50);
  expect(closed()).toBeLessThan(150);
  vi.advanceTimersByTime(hour * 0.1 + 2);
  expect(closed()).toBe(200);
});

test('a socket on which something is executed gets a little longer, and not for ever', () => {
  let isExecuting = true;
  const [first, second] = [fakeSocket(), fakeSocket()];
  limitAge(first.socket, 1_000, () => isExecuting);
  limitAge(second.socket, 1_000, () => true);
  vi.advanceTimersByTime(20_000);
  expect(first.done).toEqual([]);
  isExecuting = false;
  vi.advanceTimersByTime(1_000);
  expect(first.done).toEqual(['close 1012']);
  expect(second.done).toEqual([]);
  vi.advanceTimersByTime(80_000);
  expect(second.done).toEqual(['close 1012']);
});
