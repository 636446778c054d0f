import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ClosingResponse } from '../../src/http/closing-response.ts';
import { createEventStreams } from '../../src/http/event-streams.ts';

/** A response on whose connection somebody still is, and what has its caller leave. */
async function startResponse() {
  const server = createServer({ ServerResponse: ClosingResponse }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const call = get({ port: (server.address() as AddressInfo).port, agent: false }).on(
    'error',
    () => undefined,
  );
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ClosingResponse];
  const leave = async (): Promise<void> => {
    const closed = once(response, 'close');
    call.destroy();
    await closed;
  };
  return { response, leave };
}

/** Places that count who is on them. */
function countedSeats() {
  const counts = { taken: 0 };
  const seats = {
    take: () => {
      counts.taken += 1;
      return { claim: () => true, leave: () => void (counts.taken -= 1) };
    },
  };
  return { seats, counts };
}

const NOBODY = { current: { state: 'missing' }, legacy: { state: 'missing' } } as const;

test('who asks after the end of a response is told at once, and everybody once', async () => {
  const { response, leave } = await startResponse();
  const told: string[] = [];
  response.whenClosed(() => told.push('before'));
  expect(told).toEqual([]);
  await leave();
  expect(told).toEqual(['before']);
  response.whenClosed(() => told.push('after'));
  expect(told).toEqual(['before', 'after']);
});

/** The head of a response, and the names of its headers as often as they are there. */
async function headOf(write: (response: ClosingResponse) => void) {
  const server = createServer({ ServerResponse: ClosingResponse }, (_request, response) => {
    response.standing['cache-control'] = 'no-store';
    response.standing['vary'] = 'origin';
    write(response);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const call = get({ port: (server.address() as AddressInfo).port, agent: false });
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  const { statusCode, statusMessage, headers, rawHeaders } = response;
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  expect(names).toEqual([...new Set(names)]);
  return { statusCode, statusMessage, 'cache-control': headers['cache-control'], vary: headers.vary };
}

test('every response has the standing headers, and others of their names in their place', async () => {
  const standing = { statusCode: 200, statusMessage: 'OK', 'cache-control': 'no-store', vary: 'origin' };
  expect(await headOf((response) => response.end())).toEqual(standing);
  expect(await headOf((response) => response.writeHead(200).end())).toEqual(standing);
  const longer = { ...standing, 'cache-control': 'max-age=1' };
  const header = { 'cache-control': 'max-age=1' };
  expect(await headOf((response) => response.writeHead(200, header).end())).toEqual(longer);
  expect(await headOf((response) => response.setHeader('Cache-Control', 'max-age=1').end())).toEqual(longer);
  expect(
    await headOf((response) => response.setHeader('Vary', 'accept').writeHead(200, header).end()),
  ).toEqual({
    ...longer,
    vary: 'accept',
  });
  expect(await headOf((response) => response.writeHead(201, 'Made', header).end())).toEqual({
    ...longer,
    statusCode: 201,
    statusMessage: 'Made',
  });
  expect(await headOf((response) => response.writeHead(200, ['Vary', 'accept']).end())).toEqual({
    ...standing,
    vary: 'accept',
  });
});

test('a stream gives its place back when its caller leaves, and takes none when the caller has left', async () => {
  const { seats, counts } = countedSeats();
  const streams = createEventStreams(seats);
  const { response, leave } = await startResponse();
  expect(streams.enter(response, '127.0.0.1', NOBODY)).toBe(true);
  expect([counts.taken, streams.open()]).toEqual([1, [response]]);
  await leave();
  expect([counts.taken, streams.open()]).toEqual([0, []]);
  expect(streams.enter(response, '127.0.0.1', NOBODY)).toBe(false);
  expect([counts.taken, streams.open()]).toEqual([0, []]);
});
