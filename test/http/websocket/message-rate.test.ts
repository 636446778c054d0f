import { expect, test } from 'vitest';
import { createMessageRate } from '../../../src/http/websocket/connection.ts';

function countedAt(limits: { readonly messagesPerSecond: number; readonly messageBurst: number }) {
  const clock = { ms: 0 };
  const isInTime = createMessageRate(limits, () => clock.ms);
  const send = (count: number): number => Array.from({ length: count }, isInTime).filter(Boolean).length;
  return { clock, send };
}

test('a burst may come at once after the first message, and no more', () => {
  const { send } = countedAt({ messagesPerSecond: 20, messageBurst: 50 });
  expect(send(51)).toBe(51);
  expect(send(10)).toBe(0);
});

test('the first message is free once only, however long it is ago', () => {
  const { clock, send } = countedAt({ messagesPerSecond: 20, messageBurst: 50 });
  send(51);
  clock.ms += 1_000_000;
  expect(send(60)).toBe(50);
});

test('in the long run so many come a second', () => {
  const { clock, send } = countedAt({ messagesPerSecond: 20, messageBurst: 50 });
  send(51);
  for (let second = 0; second < 100; second += 1) {
    clock.ms += 1_000;
    expect(send(20)).toBe(20);
  }
  expect(send(1)).toBe(0);
});

test('a message at a time is allowed again as soon as there is room for it', () => {
  const { clock, send } = countedAt({ messagesPerSecond: 20, messageBurst: 1 });
  expect(send(2)).toBe(2);
  clock.ms += 49;
  expect(send(1)).toBe(0);
});

test('a clock that stands still gives nothing', () => {
  const { send } = countedAt({ messagesPerSecond: 1_000_000, messageBurst: 1 });
  expect(send(100)).toBe(2);
});
