import { expect, test } from 'vitest';
import { eachCase } from '../support/each-case.ts';
import { exchange, jsonOf, postJson, send, statusesIn, type HttpReply } from '../support/raw-http.ts';
import { LOCAL_QUERY, shareServer } from '../support/server.ts';

const server = shareServer();

const LIMIT = 512 * 1024;
const BODY = JSON.stringify({ query: LOCAL_QUERY });
const JSON_TYPE = { 'content-type': 'application/json' };

/** Checks that a request was turned away in the way of all refusals, with a code and the request's id. */
function expectRefusal(reply: HttpReply, status: number, code: string): void {
  expect(reply.status).toBe(status);
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(reply.headers['cache-control']).toBe('no-store');
  const { errors, ...rest } = jsonOf(reply);
  expect(rest).toEqual({});
  expect(errors).toEqual([
    {
      message: expect.any(String) as string,
      extensions: { code, retryable: false, requestId: reply.headers['x-request-id'] },
    },
  ]);
}

test('a query by POST as JSON is answered, with an id and without a trace in any cache', async () => {
  const { endpoint } = server;
  const reply = await postJson(endpoint, { query: LOCAL_QUERY });
  expect(reply.status).toBe(200);
  expect(jsonOf(reply).data.surfaces).toHaveLength(2);
  expect(reply.headers['cache-control']).toBe('no-store');
  expect(reply.headers['x-content-type-options']).toBe('nosniff');
  expect(reply.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
});

test('only POST carries GraphQL; any other method is refused', () =>
  eachCase(
    ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'],
    async (method) => {
      const { endpoint } = server;
      const received = await exchange(
        endpoint,
        `${method} /graphql?query=%7Bsurfaces%7Bsurface%7D%7D HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
      );
      expect([400, 405]).toContain(statusesIn(received)[0]);
      if (statusesIn(received)[0] === 405) expect(received).toMatch(/^allow: POST\r$/m);
      expect(received).not.toContain('isConfigured');
      expect(received).not.toContain('"data"');
    },
  ));

test('a refused method is told like every refusal', async () => {
  const { endpoint } = server;
  expectRefusal(await send(endpoint), 405, 'BAD_USER_INPUT');
  expectRefusal(
    await send(endpoint, { method: 'PUT', headers: JSON_TYPE, body: BODY }),
    405,
    'BAD_USER_INPUT',
  );
});

test('a compressed body is refused without being inflated', () =>
  eachCase(
    ['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', 'x-gzip', 'GZIP', 'identity, gzip', 'compress'],
    async (encoding) => {
      const { endpoint } = server;
      const headers = { ...JSON_TYPE, 'content-encoding': encoding };
      const reply = await send(endpoint, { method: 'POST', headers, body: Buffer.alloc(2_000) });
      expectRefusal(reply, 415, 'BAD_USER_INPUT');
      expect(reply.headers['accept-encoding']).toBe('identity');
    },
  ));

test('content-encoding identity is none', async () => {
  const { endpoint } = server;
  expect((await postJson(endpoint, { query: LOCAL_QUERY }, { 'content-encoding': 'identity' })).status).toBe(
    200,
  );
});

test('a body whose length is not told is refused', async () => {
  const { endpoint } = server;
  const received = await exchange(
    endpoint,
    'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n',
  );
  expect(statusesIn(received)).toEqual([411]);
  expect(received).toContain('BAD_USER_INPUT');
});

const bodyOf = (bytes: number): string =>
  `${BODY.slice(0, -1)},"x":"${'x'.repeat(bytes - BODY.length - 7)}"}`;

test('a body of exactly the limit is read', async () => {
  const { endpoint } = server;
  const body = JSON.stringify({ query: `${LOCAL_QUERY} #${'x'.repeat(1_000)}` });
  const padded = body + ' '.repeat(LIMIT - body.length);
  expect((await send(endpoint, { method: 'POST', headers: JSON_TYPE, body: padded })).status).toBe(200);
});

test('a body beyond the limit is refused by its announced length, before it is read', async () => {
  const { endpoint } = server;
  const received = await exchange(
    endpoint,
    `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${LIMIT + 1}\r\n\r\n`,
  );
  expect(statusesIn(received)).toEqual([413]);
  expect(received).toContain('LIMIT_EXCEEDED');
});

test('a body beyond the limit is refused with an answer when it comes in chunks without a length', async () => {
  const { endpoint } = server;
  const chunk = 'x'.repeat(64 * 1024);
  const frames = Array.from({ length: 9 }, () => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  const received = await exchange(
    endpoint,
    `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
    ...frames,
  );
  expect(statusesIn(received)).toEqual([413]);
  expect(received).toContain('LIMIT_EXCEEDED');
});

test('a body beyond the limit that has been sent in full is refused with an answer', async () => {
  const { endpoint } = server;
  const reply = await send(endpoint, { method: 'POST', headers: JSON_TYPE, body: bodyOf(LIMIT + 1) });
  expectRefusal(reply, 413, 'LIMIT_EXCEEDED');
});

test('a body that is not JSON is refused, and nothing of it is repeated', () =>
  eachCase(
    ['', ' ', '{', '{"query":', 'query=1', '\u0000', '{"query":"{x}"}}', "{'query':'{x}'}", '\ufeff', 'NaN'],
    async (start) => {
      const { endpoint, log } = server;
      const reply = await send(endpoint, {
        method: 'POST',
        headers: JSON_TYPE,
        body: `${start}planted-secret`,
      });
      expectRefusal(reply, 400, 'BAD_USER_INPUT');
      expect(reply.text).not.toContain('planted');
      expect(log.join('')).not.toContain('planted');
    },
  ));

test('a body that is not UTF-8 is refused', async () => {
  const { endpoint } = server;
  for (const bytes of [
    [0xff, 0xfe, 0x7b, 0x00],
    [0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d],
    [0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d],
  ]) {
    const reply = await send(endpoint, { method: 'POST', headers: JSON_TYPE, body: Buffer.from(bytes) });
    expectRefusal(reply, 400, 'BAD_USER_INPUT');
  }
});

test('a batch of operations is refused, however many there are', () =>
  eachCase([0, 1, 2, 11, 10_000], async (count) => {
    const { endpoint } = server;
    const reply = await postJson(
      endpoint,
      Array.from({ length: count }, () => ({ query: '{x}' })),
    );
    expectRefusal(reply, 400, 'BAD_USER_INPUT');
  }));

test('JSON that is not an object is not an operation', () =>
  eachCase(['null', '7', '"{ surfaces { surface } }"', 'true'], async (body) => {
    const { endpoint } = server;
    expectRefusal(await send(endpoint, { method: 'POST', headers: JSON_TYPE, body }), 400, 'BAD_USER_INPUT');
  }));
