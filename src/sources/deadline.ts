import type { HttpRequest } from './http.ts';

/** How long an exchange may take, in milliseconds; an object, so that a test can be in a hurry. */
export const deadlines = {
  of: ({ endpoint, deadlineMs }: Pick<HttpRequest, 'endpoint' | 'deadlineMs'>): number =>
    deadlineMs ?? endpoint.deadlineMs,
};
