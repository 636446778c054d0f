import type { ServerResponse } from 'node:http';
import type { ErrorCode } from '../schema/errors.ts';
import type { Refusal } from './admission.ts';

/** Answers with JSON. */
export function sendJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

/** Turns a request away, in the form of a GraphQL answer. */
export function refuse(response: ServerResponse, requestId: string, refusal: Refusal): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, message, code = codeOf(status), headers = {} } = refusal;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const extensions = { code, retryable: status === 503, requestId };
  sendJson(response, status, { errors: [{ message, extensions }] });
}

function codeOf(status: number): ErrorCode {
  if (status === 413 || status === 431) return 'LIMIT_EXCEEDED';
  if (status === 503) return 'OVERLOADED';
  return status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_USER_INPUT';
}
