import { expect, test } from 'vitest';
import { createRequestRecorder, type LoggedRequest } from '../src/request-log.ts';

const requestAt = (at: number): LoggedRequest => ({ at, path: '/oauth/accounts' }) as LoggedRequest;

test('the log keeps the last ten thousand requests at least, and no more than twice as many', () => {
  const recorder = createRequestRecorder();
  for (let at = 0; at < 20_000; at += 1) recorder.record(requestAt(at));
  const { log } = recorder;
  expect(log.count()).toBe(20_000);
  recorder.record(requestAt(20_000));
  expect([log.all[0]?.at, log.all.at(-1)?.at, log.count()]).toEqual([10_000, 20_000, 10_001]);
});
