import { createClient, type Client, type ClientOptions } from '../src/client.ts';
import { WebSocket } from 'ws';
import type { RunningGraph } from '../../../test/support/graph.ts';

/** A client of a running graph, with the API key of the sandbox's first owner; over another way where a test has one. */
export function clientOf(
  { url, sandbox }: RunningGraph,
  { way = url, ...options }: Partial<ClientOptions> & { readonly way?: string } = {},
): Client {
  const credentials = { apiKey: sandbox.owners[0].apiKey };
  return createClient({ url: `${way}/graphql`, credentials, webSocketImpl: WebSocket, ...options });
}

/** A response of the graph, or of something before it. */
export const respond = (body: unknown, init: ResponseInit = {}): Response =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), init);

/** A client whose requests are answered by the test, one after the other. */
export function scriptedClient(
  answers: readonly (() => Response | Promise<Response>)[],
  options: Partial<ClientOptions> = {},
): { readonly client: Client; readonly sent: { readonly headers: Headers; readonly body: SentBody }[] } {
  const sent: { headers: Headers; body: SentBody }[] = [];
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    const answer = answers[sent.length];
    sent.push({ headers: new Headers(init?.headers), body: JSON.parse(init?.body as string) as SentBody });
    if (!answer) throw new Error('the script has no further answer');
    return await answer();
  };
  return { client: createClient({ url: 'http://127.0.0.1/graphql', fetch, ...options }), sent };
}

interface SentBody {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}
