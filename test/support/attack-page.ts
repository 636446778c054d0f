import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A page of another site, and what it sends when it is told to. */
export interface AttackPage {
  /** Address of the page, whose origin is none of ours. */
  readonly url: string;
  readonly origin: string;
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves an empty page on a port of its own; it is ended with the test. */
export async function startAttackPage(): Promise<AttackPage> {
  const page =
    '<!doctype html><meta charset="utf-8"><title>Another site</title><link rel="icon" href="data:,">';
  const origin = await listen(
    createServer((_request, response) => response.setHeader('content-type', 'text/html').end(page)),
  );
  return { url: `${origin}/`, origin };
}

/** A server that takes a query in any form, from anywhere: what a weak build would do. */
export interface WeakServer {
  readonly endpoint: string;
  /** The kinds of requests whose mutation it has carried out. */
  readonly carriedOut: ReadonlySet<string>;
}

/** Starts a weak server on a free port; it is ended with the test. */
export async function startWeakServer(): Promise<WeakServer> {
  const carriedOut = new Set<string>();
  const carryOut = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await textOf(request);
    // The name of the operation says by which kind of request it came.
    const [, kind] = /mutation (\w+)/.exec(text) ?? [];
    if (request.method !== 'OPTIONS' && kind !== undefined) carriedOut.add(kind);
    response.setHeader('access-control-allow-origin', request.headers.origin ?? '*');
    response.setHeader('access-control-allow-headers', 'content-type, x-api-key');
    response.setHeader('content-type', 'application/json').end('{"data":{}}');
  };
  const server = createServer((request, response) => {
    carryOut(request, response).catch(() => response.destroy());
  });
  return { endpoint: `${await listen(server)}/graphql`, carriedOut };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = decodeURIComponent(request.url ?? '');
  for await (const chunk of request) text += String(chunk);
  return decodeURIComponent(text.replaceAll('+', ' ').replaceAll(/%(?![\dA-F]{2})/gi, '%25'));
}

/** The kinds of requests that a page can send to another site. */
export const REQUEST_KINDS = [
  'Form',
  'Multipart',
  'PlainText',
  'BlobWithoutType',
  'Get',
  'GetMessage',
  'Beacon',
  'Json',
] as const;

/**
 * The attack as a script for the page: a mutation by every kind of request. It resolves when each was answered, or was
 * refused by the browser; gives the kinds whose answer the page could read.
 */
export function attackScript(endpoint: string, mutation: string): string {
  return `(async () => {
    const endpoint = ${JSON.stringify(endpoint)};
    const queryOf = (kind) => 'mutation ' + kind + ' ' + ${JSON.stringify(mutation)};
    const json = (kind) => JSON.stringify({ query: queryOf(kind) });
    const address = (kind) => endpoint + '?query=' + encodeURIComponent(queryOf(kind));
    const submit = (kind, enctype) => new Promise((done) => {
      const frame = Object.assign(document.createElement('iframe'), { name: kind });
      document.body.append(frame);
      const form = Object.assign(document.createElement('form'), {
        method: 'POST', action: endpoint, enctype, target: kind,
      });
      const field = Object.assign(document.createElement('input'), { name: 'query', value: queryOf(kind) });
      form.append(field);
      document.body.append(form);
      frame.addEventListener('load', () => done());
      form.submit();
    });
    const post = (body, headers = {}) => fetch(endpoint, { method: 'POST', body, headers });
    const read = [];
    const trying = async (kind, sending) => {
      const answer = await sending().catch(() => null);
      if (answer && answer.type !== 'opaque') read.push(kind);
    };
    await Promise.all([
      submit('Form', 'application/x-www-form-urlencoded'),
      submit('Multipart', 'multipart/form-data'),
      trying('PlainText', () => post(json('PlainText'), { 'content-type': 'text/plain' })),
      trying('BlobWithoutType', () => post(new Blob([json('BlobWithoutType')]))),
      trying('Get', () => fetch(address('Get'))),
      trying('GetMessage', () => fetch(address('GetMessage'), { headers: { accept: 'message/x' } })),
      trying('Json', () => post(json('Json'), { 'content-type': 'application/json', 'x-api-key': 'any' })),
    ]);
    navigator.sendBeacon(endpoint, json('Beacon'));
    // A beacon tells nothing of its end; what is sent after it on the same connection comes after it.
    await fetch(endpoint, { mode: 'no-cors' }).catch(() => null);
    return read;
  })()`;
}
