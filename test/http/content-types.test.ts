import { expect, test } from 'vitest';
import { eachCase } from '../support/each-case.ts';
import { jsonOf, send } from '../support/raw-http.ts';
import { LOCAL_QUERY, shareServer } from '../support/server.ts';

const server = shareServer();
const withGet = shareServer({ GET_QUERIES: 'on' });

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
  'application/json;',
  'application/json ; ; charset=utf-8 ;',
  'application/json; charset=utf-8; boundary=x',
  'application/json; boundary=x; CHARSET="UTF-8"',
  'application/json; charset=utf8',
  'application/json; odata.metadata=minimal; IEEE754Compatible=true',
  'application/json; profile="https://example.com/a; charset=latin1"',
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
  'application/json; charset=latin1;',
  'application/json; boundary=x; charset="latin1"',
  'application/json; charset=utf-8x',
  'application/json; charset="utf-8"x',
  'application/json; charset',
  'application/json; charset=',
  'application/json; boundary="x',
  'application/json; charset=utf-8; charset=utf-16',
  'application/json, text/plain',
  'text/plain, application/json',
  'application/json; text/plain',
  'json',
  '*/*',
];

test('a body is read under every legal spelling of JSON in UTF-8', () =>
  eachCase(LEGAL, async (type) => {
    const { endpoint } = server;
    const reply = await send(endpoint, { method: 'POST', headers: { 'content-type': type }, body: BODY });
    expect(reply.status).toBe(200);
    expect(jsonOf(reply).data.surfaces).toHaveLength(2);
  }));

test('a body under any other content type is refused unread with 415', () =>
  eachCase(ILLEGAL, async (type) => {
    const { endpoint } = server;
    const headers = type === undefined ? {} : { 'content-type': type };
    const reply = await send(endpoint, { method: 'POST', headers, body: Buffer.from(BODY) });
    expect(reply.status).toBe(415);
    expect(reply.headers['accept']).toBe('application/json');
    expect(jsonOf(reply).errors[0].extensions.code).toBe('BAD_USER_INPUT');
    expect(reply.text).not.toContain('"data"');
  }));

test('a query by GET with a content type that is not JSON in UTF-8 is refused', () =>
  eachCase(ILLEGAL.slice(1), async (type) => {
    const { endpoint } = withGet;
    const headers = { 'graphql-require-preflight': '1', 'content-type': type ?? '' };
    const reply = await send(`${endpoint}?query=${encodeURIComponent(LOCAL_QUERY)}`, { headers });
    expect(reply.status).toBe(415);
  }));

test('a query by GET is answered with a legal content type and without one', () =>
  eachCase([undefined, ...LEGAL], async (type) => {
    const { endpoint } = withGet;
    const headers = {
      'graphql-require-preflight': '1',
      ...(type === undefined ? {} : { 'content-type': type }),
    };
    const reply = await send(`${endpoint}?query=${encodeURIComponent(LOCAL_QUERY)}`, { headers });
    expect(reply.status).toBe(200);
  }));

test('no page of another site is given leave to read or send anything', async () => {
  const { endpoint } = server;
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
