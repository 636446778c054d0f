import type { Endpoint } from './endpoint.ts';

interface TimedRequest {
  readonly endpoint: Endpoint;
  readonly deadlineMs?: number;
}

/** How long an exchange may take, in milliseconds; an object, so that a test can be in a hurry. */
export const deadlines = {
  of: ({ endpoint, deadlineMs }: TimedRequest): number => deadlineMs ?? endpoint.deadlineMs,
};
