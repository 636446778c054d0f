import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { freePort } from './network.ts';
import { startGraph, type GraphOptions, type RunningGraph } from './graph.ts';
import { send } from './http.ts';

export type Fields = Readonly<Record<string, string>>;
type Served = Pick<RunningGraph, 'url'>;

/** A registered address that the sandbox's app may lead back to. */
export const CALLBACK = 'http://127.0.0.1:4321/connect/callback';

/** The configuration of the sandbox's own app. */
export function oauthEnvironment(redirectUris: string = CALLBACK) {
  return {
    OAUTH_CLIENT_ID: 'demo-client',
    OAUTH_CLIENT_SECRET: 'demo-client-secret-3f9ab71c',
    OAUTH_REDIRECT_URIS: redirectUris,
  };
}

/** Where an app sends a person, with changes of the query. */
export function authorizationPath(sandbox: Sandbox, changes: Fields = {}): string {
  const base = { client_id: sandbox.oauthApp.clientId, redirect_uri: CALLBACK, response_type: 'code' };
  return `/oauth/?${new URLSearchParams({ ...base, scope: 'read,write', ...changes }).toString()}`;
}

/** Logs in at a consent address as the first owner, and decides; gives where the service leads back to. */
export async function consentAt(sandbox: Sandbox, address: string): Promise<URL> {
  const asked = await visit(address, '');
  // The service leads to its login first.
  const login = await visit(new URL(asked.location, address).href, '');
  const [owner] = sandbox.owners;
  const consent = await submit(sandbox, login, { login: owner.login, password: owner.password });
  const { location } = await submit(sandbox, consent, { decision: 'allow' });
  return new URL(location);
}

/** An authorization code of the sandbox for its first owner, good for one exchange. */
export async function freshCode(sandbox: Sandbox): Promise<string> {
  const back = await consentAt(sandbox, sandbox.url + authorizationPath(sandbox));
  return back.searchParams.get('code') ?? '';
}

/** A page of the service in a browser. */
export interface Page {
  readonly status: number;
  readonly html: string;
  readonly cookie: string;
  /** Where it leads by itself; empty where it stays. */
  readonly location: string;
}

/** Fills in the form of a page and sends it. */
export async function submit(sandbox: Sandbox, page: Page, fields: Fields): Promise<Page> {
  const action = /action="([^"]+)"/.exec(page.html)?.[1] ?? '';
  const hidden = [...page.html.matchAll(/type="hidden" name="([^"]+)" value="([^"]+)"/g)];
  const values = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
  return await visit(sandbox.url + action, page.cookie, { ...values, ...fields });
}

/** Opens a page, with the cookie of the one before, and follows no redirect. */
export async function visit(url: string, cookie: string, fields?: Fields): Promise<Page> {
  const { status, headers, text } = await send(url, {
    method: fields ? 'POST' : 'GET',
    headers: { cookie, ...(fields ? { 'content-type': 'application/x-www-form-urlencoded' } : {}) },
    body: fields ? new URLSearchParams(fields).toString() : null,
  });
  const [set = cookie] = [headers['set-cookie'] ?? []].flat();
  const location = String(headers['location'] ?? '');
  return { status, html: text, cookie: set.split(';')[0] ?? '', location };
}

/** A graph whose own `/connect/callback` is where the sandbox leads back to. */
export async function startConnectable({ environment = {}, ...options }: GraphOptions = {}) {
  const port = await freePort();
  const app = oauthEnvironment(`http://127.0.0.1:${port}/connect/callback`);
  return await startGraph({ ...options, environment: { PORT: String(port), ...app, ...environment } });
}

/** Begins at `/connect`, as a browser does: gives the cookie that it holds, as `name=value`, and where it was sent. */
export async function begin({ url }: Served, address = `${url}/connect`) {
  const reply = await send(address);
  const consentUrl = new URL(String(reply.headers['location']));
  const [cookie = ''] = String(reply.headers['set-cookie']).split(';');
  return { reply, cookie, consentUrl, state: consentUrl.searchParams.get('state') ?? '' };
}

/** Comes back to the callback with a query, and with a cookie or without. */
export async function comeBack({ url }: Served, query: URLSearchParams | string, cookie: string | null) {
  return await send(`${url}/connect/callback?${query}`, { headers: cookie === null ? {} : { cookie } });
}

/** Begins, consents, and comes back with whatever the service sent. */
export async function connectThrough(graph: Pick<RunningGraph, 'url' | 'sandbox'>, address?: string) {
  const begun = await begin(graph, address);
  const back = await consentAt(graph.sandbox, begun.consentUrl.href);
  return { begun, back, reply: await comeBack(graph, back.searchParams, begun.cookie) };
}
