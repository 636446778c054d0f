import { onTestFinished, vi } from 'vitest';

/** Lets every deadline of a call to the service pass after so many milliseconds, whatever the call allows. */
export function shortenDeadlines(deadlineMs: number): void {
  const original = AbortSignal.timeout.bind(AbortSignal);
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => original(deadlineMs));
  onTestFinished(() => {
    spy.mockRestore();
  });
}
