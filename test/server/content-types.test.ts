import { expect, test } from 'vitest';
import { jsonOf, send } from '../support/raw-http.ts';
import { LOCAL_QUERY, startServer } from '../support/server.ts';

const BODY = JSON.stringify({ query: LOCAL_QUERY });

/** Every legal way to say JSON in UTF-8. */
const LEGAL = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
  'application/json ; charset=utf-8',
  'application/json; charset=UTF-8',
  'application/json; charset="utf-8"',
  'APPLICATION/JSON',
  'Application/Json; Charset=Utf-8',
  '   application/json',
];

/** What a page of another site could send without asking, what is no JSON, and what is JSON in another encoding. */
const ILLEGAL = [
  undefined,
  '',
  'text/plain',
  'text/plain; charset=utf-8',
  'text/plain; application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data; boundary=application/json',
  'message/x',
  'application/graphql',
  'application/graphql+json',
  'application/graphql-response+json',
  'application/octet-stream',
  'application/jsonx',
  'application/json2',
  'xapplication/json',
  'application/json; charset=utf-16',
  'application/json; charset=utf-7',
  'application/json; charset=latin1',
  'application/json; charset=utf-8; charset=utf-16',
  'application/json, text/plain',
  'text/plain, application/json',
  'application/json; text/plain',
  'json',
  '*/*',
];

test.each(LEGAL)('a body under %j is read', async (type) => {
  const { endpoint } = await startServer();
  const reply = await send(endpoint, { method: 'POST', headers: { 'content-type': type }, body: BODY });
  expect(reply.status).toBe(200);
  expect(jsonOf(reply).data.surfaces).toHaveLength(2);
});

test.each(ILLEGAL)('a body under %j is refused unread', async (type) => {
  const { endpoint } = await startServer();
  const headers = type === undefined ? {} : { 'content-type': type };
  const reply = await send(endpoint, { method: 'POST', headers, body: Buffer.from(BODY) });
  expect(reply.status).toBe(415);
  expect(reply.headers['accept']).toBe('application/json');
  expect(jsonOf(reply).errors[0].extensions.code).toBe('BAD_USER_INPUT');
  expect(reply.text).not.toContain('"data"');
});

test.each(ILLEGAL.slice(1))('a query by GET under %j is refused', async (type) => {
  const { endpoint } = await startServer({ GET_QUERIES: 'on' });
  const headers = { 'graphql-require-preflight': '1', 'content-type': type ?? '' };
  const reply = await send(`${endpoint}?query=${encodeURIComponent(LOCAL_QUERY)}`, { headers });
  expect(reply.status).toBe(415);
});

test.each([undefined, ...LEGAL])('a query by GET under %j is read', async (type) => {
  const { endpoint } = await startServer({ GET_QUERIES: 'on' });
  const headers = {
    'graphql-require-preflight': '1',
    ...(type === undefined ? {} : { 'content-type': type }),
  };
  const reply = await send(`${endpoint}?query=${encodeURIComponent(LOCAL_QUERY)}`, { headers });
  expect(reply.status).toBe(200);
});

test('no page of another site is given leave to read or send anything', async () => {
  const { endpoint } = await startServer();
  const origins = ['https://evil.example', 'null', 'http://localhost:4000', 'http://127.0.0.1'];
  for (const origin of origins) {
    const preflight = await send(endpoint, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });
    const direct = await send(endpoint, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: BODY,
    });
    for (const { headers } of [preflight, direct]) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  }
});
