import { onTestFinished, vi } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { deadlines } from '../../src/sources/upstream/call.ts';

/** Lets the deadlines of one call of the service, or of all, pass after so many milliseconds, whatever they allow. */
export function shortenDeadlines({ endpoint, ms = 300 }: { endpoint?: EndpointName; ms?: number }): void {
  const original = deadlines.of;
  const spy = vi
    .spyOn(deadlines, 'of')
    .mockImplementation((request) =>
      endpoint === undefined || endpoint === request.endpoint.name ? ms : original(request),
    );
  onTestFinished(() => {
    spy.mockRestore();
  });
}
