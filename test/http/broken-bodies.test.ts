import { once } from 'node:events';
import { connect } from 'node:net';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { send, statusesIn } from '../support/raw-http.ts';
import { LOCAL_QUERY, shareServer } from '../support/server.ts';

const SECRET = 'planted-key-in-the-body';
const server = shareServer();

const VALID = Buffer.from(
  JSON.stringify({ query: LOCAL_QUERY, variables: { apiKey: SECRET }, extensions: { [SECRET]: 1 } }),
);
const flips = fc.array(fc.tuple(fc.nat({ max: VALID.length - 1 }), fc.nat({ max: 7 })), {
  minLength: 1,
  maxLength: 3,
});

test('a body with flipped bits is answered or refused, and nothing of it is repeated', async () => {
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(flips, async (bits) => {
      const body = Buffer.from(VALID);
      for (const [at, bit] of bits) body[at] = (body[at] ?? 0) ^ (1 << bit);
      const headers = { 'content-type': 'application/json' };
      const { status, text } = await send(server.endpoint, { method: 'POST', headers, body });
      expect([200, 400]).toContain(status);
      expect(text).not.toContain('planted');
      if (status === 400) refused += 1;
    }),
  );
  expect(refused).toBeGreaterThan(0);
  expect(server.log.join('')).not.toMatch(/planted|unexpected/);
});

/** What the server answers to the headers of a request whose body never comes. */
async function answerToHeaders(headers: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.write(`POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${headers}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer.toString();
}

test('a compressed body is refused by its headers, before a byte of it could be inflated', async () => {
  for (const encoding of ['gzip', 'deflate', 'br', 'gzip, gzip']) {
    const answer = await answerToHeaders(`content-encoding: ${encoding}\r\ncontent-length: 500000`);
    expect(statusesIn(answer), encoding).toEqual([415]);
  }
});
