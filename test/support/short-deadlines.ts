import { onTestFinished, vi } from 'vitest';
import { deadlines } from '../../src/sources/deadline.ts';

/** Lets every deadline of a call to the service pass after so many milliseconds, whatever the call allows. */
export function shortenDeadlines(deadlineMs: number): void {
  const original = deadlines.start;
  const spy = vi
    .spyOn(deadlines, 'start')
    .mockImplementation((_ms, onPassed) => original(deadlineMs, onPassed));
  onTestFinished(() => {
    spy.mockRestore();
  });
}
