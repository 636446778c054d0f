import { serverAudits } from 'graphql-http';
import { expect, test } from 'vitest';
import { startServer } from '../support/server.ts';

/** Sends as the audits want, with the header that the server asks of a query by GET. */
const fetchFn: typeof fetch = async (input, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set('graphql-require-preflight', '1');
  return await fetch(input, { ...init, headers });
};

test('the server passes all 61 audits of GraphQL over HTTP', async () => {
  const { endpoint } = await startServer({ GET_QUERIES: 'on', INTROSPECTION: 'on' });
  const audits = serverAudits({ url: endpoint, fetchFn });
  expect(audits).toHaveLength(61);
  const failed: string[] = [];
  for (const audit of audits) {
    const result = await audit.fn();
    if (result.status !== 'ok') failed.push(`${audit.id} ${audit.name}: ${result.reason}`);
  }
  expect(failed).toEqual([]);
});
