import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { at } from '../examples/programs.ts';
import { startAttackPage, listen } from '../support/attack-page.ts';
import { leavesOutBrowser, openPage } from '../support/browser.ts';
import { startGraph, shareGraph } from '../support/graph.ts';
import { postJson } from '../support/http.ts';
import { blocksOf } from '../support/files.ts';

/** A server that takes a query in any form, from anywhere: what a weak build would do. */
interface WeakServer {
  readonly endpoint: string;
  /** The kinds of requests whose mutation it has carried out. */
  readonly carriedOut: ReadonlySet<string>;
}

/** Starts a weak server on a free port; it is ended with the test. */
async function startWeakServer(): Promise<WeakServer> {
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
const REQUEST_KINDS = [
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
function attackScript(endpoint: string, mutation: string): string {
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

const INPUT = 'input: { accountIds: ["MWFjOjQxMDIwMQ"], variants: [{ text: "Hello" }] }';
const MUTATION = `{ createDraft(${INPUT}) { outcome } }`;

interface Answered {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What a server responds, by method; a browser does not report what it withholds from a page. */
function watchAnswers(url: string): { readonly method: string; readonly status: number }[] {
  const answers: { method: string; status: number }[] = [];
  const { host } = new URL(url);
  const onFinish = (message: unknown): void => {
    const { request, response } = message as Answered;
    if (request.headers.host !== host) return;
    answers.push({ method: request.method ?? '', status: response.statusCode });
  };
  subscribe('http.server.response.finish', onFinish);
  onTestFinished(() => void unsubscribe('http.server.response.finish', onFinish));
  return answers;
}

const jsonPost = (endpoint: string, key: string): string => `fetch(${JSON.stringify(endpoint)}, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': ${JSON.stringify(key)} },
  body: ${JSON.stringify(JSON.stringify({ query: `mutation ${MUTATION}` }))},
}).then(async (answer) => [answer.headers.get('x-request-id') !== null, await answer.json()], () => 'refused')`;

const openSocket = (endpoint: string): string => `new Promise((resolve) => {
  const socket = new WebSocket(${JSON.stringify(endpoint.replace('http', 'ws'))}, 'graphql-transport-ws');
  socket.onopen = () => socket.send('{"type":"connection_init"}');
  socket.onmessage = ({ data }) => { resolve(data); socket.close(); };
  socket.onclose = ({ code }) => resolve(code);
})`;

/** Opens a page of another site. */
async function openAttacker(): Promise<{ readonly page: Page; readonly origin: string }> {
  const { url, origin } = await startAttackPage();
  const { page } = await openPage();
  await page.goto(url);
  return { page, origin };
}

describe.skipIf(leavesOutBrowser())('a page of another site in a browser', () => {
  const graph = shareGraph({ explorer: true });

  test('cannot have a mutation executed, by whatever kind of request', async () => {
    const { page } = await openAttacker();
    const endpoint = `${graph.url}/graphql`;
    const answers = watchAnswers(graph.url);
    expect(await page.evaluate(attackScript(endpoint, MUTATION))).toEqual([]);
    // Seven of the kinds arrive, two of them by GET like the script's last request; of JSON the preflight alone does.
    const told = (): string[] => answers.map(({ method, status }) => `${method} ${status}`).toSorted();
    const posts = Array<string>(5).fill('POST 415');
    const refused = ['GET 405', 'GET 405', 'GET 406', 'OPTIONS 403', ...posts];
    await expect.poll(told).toEqual(refused);
    expect(graph.sandbox.requests.count()).toBe(0);
    // The same mutation is one that would be executed, and be seen.
    await postJson(endpoint, { query: `mutation ${MUTATION}` }, graph.caller.key);
    expect(told()).toEqual([...refused, 'POST 200'].toSorted());
    expect(graph.sandbox.requests.count()).toBe(1);
  });

  test('has all of them executed by a server that is less strict', async () => {
    const weak = await startWeakServer();
    const { page } = await openAttacker();
    await page.evaluate(attackScript(weak.endpoint, MUTATION));
    await expect.poll(() => [...weak.carriedOut].toSorted()).toEqual([...REQUEST_KINDS].toSorted());
  });

  test('may send mutations as JSON, read the responses, and open a socket only if its origin is allowed', async () => {
    const { page, origin } = await openAttacker();
    const open = await startGraph({ environment: { ALLOWED_ORIGINS: origin } });
    const key = open.caller.key['x-api-key'] ?? '';
    expect(await page.evaluate(jsonPost(`${open.url}/graphql`, key))).toMatchObject([
      true,
      { data: { createDraft: { outcome: 'COMPLETED' } } },
    ]);
    expect(await page.evaluate(jsonPost(`${graph.url}/graphql`, key))).toBe('refused');
    expect([open.sandbox.requests.count(), graph.sandbox.requests.count()]).toEqual([1, 0]);
    expect(await page.evaluate(openSocket(`${open.url}/graphql`))).toBe('{"type":"connection_ack"}');
    expect(await page.evaluate(openSocket(`${graph.url}/graphql`))).toBe(1006);
  });

  test('such as that of the README lists the accounts of the key that is entered', async () => {
    const { page, origin } = await openAttacker();
    const { url, sandbox } = await startGraph({ environment: { ALLOWED_ORIGINS: origin } });
    expect(blocksOf('5. Call it from a browser', 'sh')[0]).toMatch(/^ALLOWED_ORIGINS=http:\S+ npm start\n$/);
    await page.setContent(at({ url }, blocksOf('5. Call it from a browser', 'html')[0]));
    await page.fill('input', sandbox.owners[0].apiKey);
    await page.click('button');
    await expect.poll(() => page.textContent('pre')).toContain('Kelpgate Roasters');
  });

  test('differs from GraphiQL, which may open a socket by each name of this machine', async () => {
    const { page } = await openPage();
    // The page and its policy are what counts, not its scripts, which take seconds.
    await page.route('**/explorer/**', (route) => route.abort());
    for (const own of [graph.url, graph.url.replace('127.0.0.1', 'localhost')]) {
      await page.goto(`${own}/graphql`);
      expect(await page.evaluate(openSocket(`${own}/graphql`))).toBe('{"type":"connection_ack"}');
    }
  });
});
