import { consentAt, oauthEnvironment } from './consent.ts';
import { freePort } from './free-port.ts';
import { startGraph, type GraphOptions, type RunningGraph } from './graph.ts';
import { send, type HttpReply } from './raw-http.ts';

/** A graph whose own `/connect/callback` is where the sandbox leads back to. */
export async function startConnectable({
  environment = {},
  ...options
}: GraphOptions = {}): Promise<RunningGraph> {
  const port = await freePort();
  const app = oauthEnvironment(`http://127.0.0.1:${port}/connect/callback`);
  return await startGraph({ ...options, environment: { PORT: String(port), ...app, ...environment } });
}

/** A browser that has begun at `/connect`: the cookie that it holds, and where it was sent. */
export interface Begun {
  readonly reply: HttpReply;
  /** `name=value` of the cookie. */
  readonly cookie: string;
  readonly consentUrl: URL;
  readonly state: string;
}

/** Begins an authorisation. */
export async function begin({ url }: Pick<RunningGraph, 'url'>, address = `${url}/connect`): Promise<Begun> {
  const reply = await send(address);
  const consentUrl = new URL(String(reply.headers['location']));
  const [cookie = ''] = String(reply.headers['set-cookie']).split(';');
  return { reply, cookie, consentUrl, state: consentUrl.searchParams.get('state') ?? '' };
}

/** Comes back to the callback with a query, and with a cookie or without. */
export async function comeBack(
  { url }: Pick<RunningGraph, 'url'>,
  query: URLSearchParams | string,
  cookie: string | null,
): Promise<HttpReply> {
  return await send(`${url}/connect/callback?${query}`, { headers: cookie === null ? {} : { cookie } });
}

/** Begins, consents, and comes back with whatever the service sent. */
export async function connectThrough(
  graph: RunningGraph,
  decision: 'allow' | 'deny' = 'allow',
  address?: string,
): Promise<{ readonly begun: Begun; readonly back: URL; readonly reply: HttpReply }> {
  const begun = await begin(graph, address);
  const back = await consentAt(graph.sandbox, begun.consentUrl.href, decision);
  return { begun, back, reply: await comeBack(graph, back.searchParams, begun.cookie) };
}
