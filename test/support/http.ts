import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { request, type Dispatcher } from 'undici';
import { expect, onTestFinished } from 'vitest';

/** A whole answer over HTTP, whatever its status. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
}

/** What is sent, with headers exactly as given. */
export interface HttpCall {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: Dispatcher.DispatchOptions['body'];
}

/** Sends a request and reads the whole answer; nothing is added, followed or decoded. */
export async function send(url: string, { method = 'GET', headers = {}, body = null }: HttpCall = {}) {
  // A connection that is kept would belong to whatever server gets the port next.
  const answer = await request(url, { method, headers, body, reset: true });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  const { statusCode: status, headers: answered } = answer;
  return { status, headers: answered, body: bytes, text: bytes.toString() } as HttpReply;
}

export async function postJson(url: string, body: unknown, headers: HttpCall['headers'] = {}) {
  const all = { 'content-type': 'application/json', ...headers };
  return await send(url, { method: 'POST', headers: all, body: JSON.stringify(body) });
}

/** Posts an operation for a caller that leaves before its answer has ended, or with the test at the latest. */
export function startPost(url: string, operation: object, headers: Readonly<Record<string, string>> = {}) {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const answer = fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(operation),
    signal: leaving.signal,
  });
  const gone = answer.catch(() => undefined);
  return {
    answer,
    /** Leaves; done once the answer has come or will never come. */
    leave: async (): Promise<void> => {
      leaving.abort();
      await gone;
    },
  };
}

/** A subscription that has no event unless somebody asks for a text. */
export const FOLLOW = 'subscription { aiGenerationFinished { id } }';

/** Starts a stream of events, for which the caller may leave as well. */
export const startStream = (url: string, query: string, headers: Readonly<Record<string, string>> = {}) =>
  startPost(url, { query }, { accept: 'text/event-stream', ...headers });

/** Opens a connection to a server by hand; it is destroyed when the test ends. */
export function openConnection(url: string, options: Partial<TcpNetConnectOpts> = {}): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname.replace(/^\[|\]$/g, ''), ...options });
  onTestFinished(() => void socket.destroy());
  // A server that has closed may reset what is still under way.
  return socket.on('error', () => undefined);
}

/** Waits until a connection is closed, also by a reset, which is an error first. */
export async function closeOf(socket: Socket): Promise<void> {
  await new Promise((resolve) => socket.once('close', resolve));
}

/** The body of an answer as JSON, open to any test. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test asserts on any shape
export function jsonOf({ text }: HttpReply): any {
  return JSON.parse(text);
}

interface Refusal {
  readonly code?: string;
  readonly message?: unknown;
  readonly retryable?: boolean;
}

/** Checks that a request was turned away in the way of all refusals, with a code and the request's id. */
export function expectRefusal(
  reply: HttpReply,
  status: number,
  { code = 'BAD_USER_INPUT', message = expect.any(String), retryable = false }: Refusal = {},
): void {
  expect(reply.status).toBe(status);
  expect(reply.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  });
  const extensions = { code, retryable, requestId: reply.headers['x-request-id'] };
  expect(jsonOf(reply)).toEqual({ errors: [{ message, extensions }] });
}

/** The beginning of an operation by POST, as bytes; other headers may follow. */
export const POST_HEAD = 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';

/** Writes bytes to a server as they are, and gives all that it sends until it closes the connection. */
export async function exchange(url: string, ...writes: readonly (string | Buffer)[]): Promise<string> {
  const socket = openConnection(url);
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  for (const bytes of writes) socket.write(bytes);
  // The server may close while bytes are still under way; what it said before counts.
  await closeOf(socket);
  return received;
}

/** The status codes of the answers in what a server sent. */
export function statusesIn(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
}

/** Reads the metrics of a server; fails where it serves none. */
export async function scrape(url: string) {
  const { status, text } = await send(`${url}/metrics`);
  if (status !== 200) throw new Error(`/metrics answers ${status}`);
  const lines = [...text.matchAll(/^([^#\n].*) (\S+)$/gm)];
  const values = new Map(lines.map(([, name = '', value]) => [name, Number(value)]));
  return {
    text,
    /** Each series with its labels, as `name{label="value"}`. */
    series: [...values.keys()] as readonly string[],
    /** The value of a series; 0 where it is not there yet. */
    value: (series: string) => values.get(series) ?? 0,
  };
}
