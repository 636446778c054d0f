import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { writeAnswer } from '../answer.ts';
import type { Answer } from '../answer.ts';
import type { Endpoint } from '../endpoints.ts';
import { fromJson, toJson } from '../wire/json.ts';
import type { Fault } from './fault.ts';
import { dribble, sendCut, sendReset, streamHuge } from './broken-transfer.ts';

/** One request in progress, with a function to run its call. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly endpoint: Endpoint;
  run(): Promise<Answer>;
}

const JSON_HEAD = { status: 200, headers: [['content-type', 'application/json; charset=utf-8']] } as const;
const DISGUISES: readonly Fault['kind'][] = ['rewrite', 'delay', 'dribble', 'gzip', 'content-type'];

/** Responds to a request as a fault specifies. */
export async function perform(fault: Fault, exchange: Exchange): Promise<void> {
  const { req, res, endpoint } = exchange;
  const effect = fault.effect ?? (DISGUISES.includes(fault.kind) ? 'done' : 'none');
  if (fault.kind === 'delay' && effect === 'none') return performLate(fault.ms, exchange);
  const done = effect === 'done' || fault.kind === 'rewrite';
  const answer = done || !endpoint.changes ? await exchange.run() : madeUpAnswer(endpoint);
  switch (fault.kind) {
    case 'status':
      return writeAnswer(res, statusAnswer(fault));
    case 'reset-before-headers':
      req.socket.resetAndDestroy();
      return;
    case 'reset-in-body':
      return sendReset(res, answer);
    case 'never-answer':
      return;
    case 'delay':
      await wait(fault.ms, res);
      return writeAnswer(res, answer);
    case 'cut-body':
      return sendCut(res, answer, fault);
    case 'malformed-json':
      return writeAnswer(res, {
        ...JSON_HEAD,
        body: Buffer.from(fault.text ?? '{"message":"Success","response":{"list":[{'),
      });
    case 'dribble':
      return dribble(res, answer, fault);
    case 'redirect':
      return writeAnswer(res, redirectAnswer(fault.location, fault.status ?? 302));
    case 'huge-body':
      return streamHuge(res, fault);
    case 'gzip':
      return writeAnswer(res, gzipped(answer, fault.inflatedBytes));
    case 'content-type':
      return writeAnswer(res, underType(answer, fault.contentType));
    case 'empty-body':
      return writeAnswer(res, { ...JSON_HEAD, status: fault.status ?? 200, body: Buffer.alloc(0) });
    case 'raw':
      return fault.write(req, res);
    case 'rewrite':
      return writeAnswer(res, {
        ...answer,
        body: Buffer.from(toJson(fault.change(fromJson(String(answer.body))))),
      });
  }
}

async function performLate(ms: number, exchange: Exchange): Promise<void> {
  await wait(ms, exchange.res);
  if (!exchange.res.destroyed) writeAnswer(exchange.res, await exchange.run());
}

/** Waits, but stops when the connection closes. */
function wait(ms: number, res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    res.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Returns a made-up response for a call that must not run. */
function madeUpAnswer(endpoint: Endpoint): Answer {
  const note = 'made up, the call did not run';
  const body =
    endpoint.surface === 'legacy' ? { error: 0, data: { note } } : { message: note, response: { note } };
  return { ...JSON_HEAD, body: Buffer.from(toJson(body)) };
}

function statusAnswer(fault: Fault & { kind: 'status' }): Answer {
  const { body = '' } = fault;
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
  const headers = new Map([['content-type', type], ...Object.entries(fault.headers ?? {})]);
  return {
    status: fault.status,
    headers: [...headers],
    body: Buffer.from(typeof body === 'string' ? body : toJson(body)),
  };
}

function redirectAnswer(location: string, status: number): Answer {
  return { status, headers: [['location', location]], body: Buffer.alloc(0) };
}

function gzipped(answer: Answer, inflatedBytes: number | undefined): Answer {
  const plain = inflatedBytes === undefined ? answer.body : Buffer.alloc(inflatedBytes, '0');
  return { ...answer, headers: [...answer.headers, ['content-encoding', 'gzip']], body: gzipSync(plain) };
}

function underType(answer: Answer, contentType: string | null): Answer {
  const others = answer.headers.filter(([name]) => name !== 'content-type');
  return { ...answer, headers: contentType === null ? others : [...others, ['content-type', contentType]] };
}
