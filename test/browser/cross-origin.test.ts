import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { at } from '../examples/programs.ts';
import { startAttackPage } from '../support/attack-page.ts';
import { leavesOutBrowser, openPage } from '../support/browser.ts';
import { startGraph, shareGraph } from '../support/graph.ts';
import { postJson } from '../support/http.ts';
import { blocksOf } from '../support/files.ts';

/**
 * The attack as a script for the page: a mutation by every kind of request. It resolves when each was answered, or was
 * refused by the browser; gives the kinds whose answer the page could read.
 */
function attackScript(endpoint: string, mutation: string): string {
  return `(async () => {
    const endpoint = ${JSON.stringify(endpoint)};
    const queryOf = (kind) => 'mutation ' + kind + ' ' + ${JSON.stringify(mutation)};
    const json = (kind) => JSON.stringify({ query: queryOf(kind) });
    const submit = (kind, enctype) => new Promise((done) => {
      document.body.insertAdjacentHTML('beforeend', '<iframe name="' + kind + '"></iframe><form method="POST" target="' +
        kind + '" enctype="' + enctype + '" action="' + endpoint + '"><input name="query"></form>');
      document.querySelector('iframe:last-of-type').addEventListener('load', () => done());
      const form = document.querySelector('form:last-of-type');
      form.query.value = queryOf(kind);
      form.submit();
    });
    const read = [];
    const attempt = async (kind, { path = '', ...call }) => {
      const answer = await fetch(endpoint + path, call).catch(() => null);
      if (answer) read.push(kind);
    };
    const post = (kind, body, headers = {}) => attempt(kind, { method: 'POST', body, headers });
    const get = (kind, headers = {}) => attempt(kind, { path: '?query=' + encodeURIComponent(queryOf(kind)), headers });
    await Promise.all([
      submit('Form', 'application/x-www-form-urlencoded'),
      submit('Multipart', 'multipart/form-data'),
      post('PlainText', json('PlainText'), { 'content-type': 'text/plain' }),
      post('BlobWithoutType', new Blob([json('BlobWithoutType')])),
      get('Get'),
      get('GetMessage', { accept: 'message/x' }),
      post('Json', json('Json'), { 'content-type': 'application/json', 'x-api-key': 'any' }),
    ]);
    navigator.sendBeacon(endpoint, json('Beacon'));
    // A beacon tells nothing of its end; what is sent after it on the same connection comes after it.
    await fetch(endpoint, { mode: 'no-cors' }).catch(() => null);
    return read;
  })()`;
}

const INPUT = 'input: { accountIds: ["MWFjOjQxMDIwMQ"], variants: [{ text: "Hello" }] }';
const MUTATION = `{ createDraft(${INPUT}) { outcome } }`;

/** What a server responds, as method and status; a browser does not report what it withholds from a page. */
function watchAnswers(url: string): () => string[] {
  const answers: string[] = [];
  const { host } = new URL(url);
  const onFinish = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.headers.host === host) answers.push(`${request.method} ${response.statusCode}`);
  };
  subscribe('http.server.response.finish', onFinish);
  onTestFinished(() => void unsubscribe('http.server.response.finish', onFinish));
  return () => answers.toSorted();
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
    const posts = Array<string>(5).fill('POST 415');
    const refused = ['GET 405', 'GET 405', 'GET 406', 'OPTIONS 403', ...posts];
    await expect.poll(answers).toEqual(refused);
    expect(graph.sandbox.requests.count()).toBe(0);
    // The same mutation is one that would be executed, and be seen.
    await postJson(endpoint, { query: `mutation ${MUTATION}` }, graph.caller.key);
    expect(answers()).toEqual([...refused, 'POST 200'].toSorted());
    expect(graph.sandbox.requests.count()).toBe(1);
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
});
