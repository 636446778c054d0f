import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { begin, comeBack, startConnectable } from '../support/connecting.ts';
import { consentAt } from '../support/consent.ts';
import type { RunningGraph } from '../support/graph.ts';
import { send, statusesIn } from '../support/raw-http.ts';

// Nobody needs a login to begin an authorisation: one caller may begin ten thousand, for which there is room, and more.

/** Places in all. */
const PLACES = 10_000;
const AT_ONCE = 50;
/** A busy machine takes a minute for so many. */
const PATIENCE_MS = 240_000;

/** Begins authorisations from another address of this machine than the tests have; gives how many had which status. */
async function attack({ url }: RunningGraph, count: number): Promise<ReadonlyMap<number, number>> {
  const statuses = new Map<number, number>();
  for (let sent = 0; sent < count; sent += AT_ONCE)
    for (const status of await beginOver(url, Math.min(AT_ONCE, count - sent)))
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
  return statuses;
}

/** Sends so many requests over one connection before the first is answered: a client for each costs more than the server. */
async function beginOver(url: string, count: number): Promise<readonly number[]> {
  const { host, hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, localAddress: '127.0.0.2' });
  onTestFinished(() => void socket.destroy());
  const head = `GET /connect HTTP/1.1\r\nhost: ${host}\r\n`;
  socket.write(`${head}\r\n`.repeat(count - 1) + `${head}connection: close\r\n\r\n`);
  return statusesIn(Buffer.concat((await socket.toArray()) as Buffer[]).toString());
}

/** Begins, and consents while something else goes on; gives the status of the return. */
async function connectBeside(graph: RunningGraph, event: () => Promise<void>): Promise<number> {
  const { consentUrl, cookie } = await begin(graph);
  const back = await consentAt(graph.sandbox, consentUrl.href);
  await event();
  return (await comeBack(graph, back.searchParams, cookie)).status;
}

test('those that one address begins take nobody’s from them, and no place of another', async () => {
  const graph = await startConnectable();
  const status = await connectBeside(graph, async () => {
    expect([...(await attack(graph, 100))]).toEqual([
      [302, 20],
      [429, 80],
    ]);
    expect((await begin(graph)).reply.status).toBe(302);
  });
  expect(status).toBe(200);
});

test(
  'what one address is refused takes no place; where all are taken, those who have one keep it',
  async () => {
    // With the one that is there before, one place is left for others.
    const mine = PLACES - 2;
    const graph = await startConnectable({ environment: { MAX_AUTHORIZATIONS_PER_ADDRESS: String(mine) } });
    const status = await connectBeside(graph, async () => {
      expect([...(await attack(graph, PLACES))]).toEqual([
        [302, mine],
        [429, PLACES - mine],
      ]);
      expect((await begin(graph)).reply.status).toBe(302);
      const reply = await send(`${graph.url}/connect`);
      expect([reply.status, reply.headers['retry-after']]).toEqual([503, '600']);
      expect(reply.text).toContain('Too many authorisations are in progress.');
    });
    expect(status).toBe(200);
  },
  PATIENCE_MS,
);

test('who has begun too many is told in words, and when to come back', async () => {
  const graph = await startConnectable({ environment: { MAX_AUTHORIZATIONS_PER_ADDRESS: '2' } });
  const { cookie } = await begin(graph);
  await begin(graph);
  const reply = await send(`${graph.url}/connect`);
  expect([reply.status, reply.headers['retry-after']]).toEqual([429, '600']);
  expect(reply.headers['content-type']).toContain('text/html');
  expect(reply.text).toContain('Too many authorisations from your network are in progress.');
  expect(reply.headers['set-cookie']).toBeUndefined();
  const headers = { cookie };
  expect((await send(`${graph.url}/connect`, { headers })).status).toBe(302);
  expect((await send(`${graph.url}/connect`)).status).toBe(429);
});

test('a browser that begins again and again has one that counts, the last', async () => {
  const graph = await startConnectable({ environment: { MAX_AUTHORIZATIONS_PER_ADDRESS: '1' } });
  let { cookie } = await begin(graph);
  let consentUrl = '';
  for (let time = 0; time < 5; time += 1) {
    const reply = await send(`${graph.url}/connect`, { headers: { cookie } });
    expect(reply.status).toBe(302);
    consentUrl = String(reply.headers['location']);
    [cookie = ''] = String(reply.headers['set-cookie']).split(';');
  }
  const back = await consentAt(graph.sandbox, consentUrl);
  expect((await comeBack(graph, back.searchParams, cookie)).status).toBe(200);
});
