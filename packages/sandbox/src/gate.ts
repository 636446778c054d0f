import type { IncomingMessage, ServerResponse } from 'node:http';
import { readAnswer, writeAnswer } from './answer.ts';
import type { Answer } from './answer.ts';
import type { Control, OwnRequest } from './control/control.ts';
import type { Caller } from './credentials.ts';
import { matchEndpoint } from './endpoints.ts';
import type { FaultPlan } from './faults/fault-plan.ts';
import { perform } from './faults/perform.ts';
import type { LoggedRequest, RequestRecorder } from './request-log.ts';
import type { Routes, Service } from './service.ts';
import { readFields } from './wire/form.ts';

/** The parts of the gate between the raw server and the app. */
export interface GateParts {
  readonly app: Routes;
  readonly service: Service;
  readonly plan: FaultPlan;
  readonly recorder: RequestRecorder;
  /** The sandbox's own paths, which are exempt from faults and not logged. */
  readonly control: Control;
}

/** A request whose body is read and whose caller is known. */
interface Received {
  readonly url: URL;
  readonly body: Buffer;
  readonly caller: Caller;
}

/** Handles node's raw requests: reads and logs each, then applies a fault or runs the app. */
export function createGate(parts: GateParts): (req: IncomingMessage, res: ServerResponse) => void {
  return (req, res) => {
    const answered = parts.recorder.opened();
    res.once('close', answered);
    pass(req, res, parts).catch((error: unknown) => giveUp(res, error));
  };
}

/**
 * Ends a failed exchange: an invalid URL, or a test's rewrite that throws.
 *
 * A caller that disconnects in the middle of its body ends here too; then nobody can receive a response.
 */
function giveUp(res: ServerResponse, error: unknown): void {
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return;
  }
  res.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' });
  res.end(`The sandbox failed: ${error instanceof Error ? error.message : String(error)}`);
}

/** Logs the handshakes of push sockets, which are not calls of the interface. */
export function handshakeLogger(service: Service, recorder: RequestRecorder): (req: IncomingMessage) => void {
  return (req) => {
    const url = addressOf(req);
    const caller = callerOf(req, { url, fields: {} }, service);
    recorder.record(logEntry(req, { url, body: Buffer.alloc(0), caller }, service));
  };
}

async function pass(req: IncomingMessage, res: ServerResponse, parts: GateParts): Promise<void> {
  const received = await receive(req, parts.service);
  const own = await parts.control(ownRequest(req, received));
  if (own) return writeAnswer(res, own);
  const entry = logEntry(req, received, parts.service);
  parts.recorder.record(entry);
  res.once('finish', () => (entry.status = res.statusCode));
  const run = () => runApp(req, received, parts.app);
  const endpoint = matchEndpoint(entry.method, received.url.pathname);
  const fault = parts.plan.take(entry.endpoint, entry.owner);
  entry.fault = fault?.kind ?? null;
  if (fault && endpoint) return perform(fault, { req, res, endpoint, run });
  return writeAnswer(res, await run());
}

function ownRequest({ method = 'GET', headers }: IncomingMessage, { url, body }: Received): OwnRequest {
  const { accept = '', 'content-type': contentType = '' } = headers;
  return { method, path: url.pathname, accept, contentType, body: body.toString('utf8') };
}

function logEntry(req: IncomingMessage, { url, body, caller }: Received, { clock }: Service): LoggedRequest {
  const [path = ''] = (req.url ?? '').split('?');
  const method = req.method ?? '';
  return {
    // The app reads the URL with its dot segments resolved, so the name must be derived from that.
    endpoint: matchEndpoint(method, url.pathname)?.name ?? null,
    method,
    path,
    query: url.searchParams,
    headers: req.headers,
    rawHeaders: req.rawHeaders,
    body: body.toString('utf8'),
    owner: (caller.byKey ?? caller.byToken)?.credentials.name ?? null,
    at: clock.now(),
    fault: null,
    status: null,
  };
}

async function receive(req: IncomingMessage, service: Service): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const url = addressOf(req);
  const fields = await readFields(req.headers['content-type'] ?? '', body);
  return { url, body, caller: callerOf(req, { url, fields }, service) };
}

/** Returns the URL of the request line; the Host header is ignored. */
function addressOf({ url = '/' }: IncomingMessage): URL {
  return new URL(url.startsWith('/') ? `http://localhost${url}` : url);
}

function callerOf(
  req: IncomingMessage,
  { url, fields }: { readonly url: URL; readonly fields: Readonly<Record<string, unknown>> },
  { credentials }: Service,
): Caller {
  const header = (name: string) => {
    const value = req.headers[name];
    return typeof value === 'string' ? value : null;
  };
  return credentials.identify({ header, query: url.searchParams, fields });
}

async function runApp(req: IncomingMessage, { url, body, caller }: Received, app: Routes): Promise<Answer> {
  const method = req.method ?? 'GET';
  // The router would answer HEAD by running the GET, and some of the GETs here change things.
  if (method !== 'GET' && method !== 'POST') {
    return { status: 405, headers: [['allow', 'GET, POST']], body: Buffer.alloc(0) };
  }
  const headers = new Headers();
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    headers.append(req.rawHeaders[index] ?? '', req.rawHeaders[index + 1] ?? '');
  }
  const init = method === 'POST' ? { method, headers, body: new Uint8Array(body) } : { method, headers };
  return readAnswer(await app.fetch(new Request(url, init), { caller }));
}
