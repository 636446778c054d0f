import { serverAudits } from 'graphql-http';
import { expect, test } from 'vitest';
import { startServer } from '../support/server.ts';

/** Sends as the audits want, with the header that the server asks of a query by GET. */
const fetchFn: typeof fetch = async (input, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set('graphql-require-preflight', '1');
  return await fetch(input, { ...init, headers });
};

const NAMES = serverAudits({ url: '', fetchFn }).map(({ id, name }) => [id, name] as const);

test('there are 61 audits', () => {
  expect(NAMES).toHaveLength(61);
});

test.each(NAMES)('audit %s: %s', async (auditId) => {
  const { endpoint } = await startServer({ GET_QUERIES: 'on', INTROSPECTION: 'on' });
  const audit = serverAudits({ url: endpoint, fetchFn }).find(({ id }) => id === auditId);
  const result = await audit?.fn();
  expect(result?.status === 'ok' ? 'ok' : result?.reason).toBe('ok');
});
