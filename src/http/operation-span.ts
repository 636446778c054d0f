import type { IncomingMessage, ServerResponse } from 'node:http';
import { isTracing, startOperationSpan, type OperationSpan } from '../observability/tracing.ts';
import { presentError } from '../schema/errors.ts';
import type { HeaderBag } from './access.ts';
import type { Exchange } from './exchange.ts';

/**
 * Starts the span of a GraphQL request, which ends when the response is closed unless it is ended earlier. Returns null
 * if no spans are recorded.
 */
export function spanOfRequest(path: string, { request, response }: Exchange): OperationSpan | null {
  if (!isTracing()) return null;
  const { method, httpVersion, headers } = request;
  const attributes = {
    'http.request.method': method,
    'http.route': path,
    'url.scheme': 'http',
    'network.protocol.version': httpVersion,
    ...addressOf(path, request),
  };
  const span = startOperationSpan(attributes, headers);
  if (span !== null) response.once('close', () => endWith(span, response));
  return span;
}

function endWith(span: OperationSpan, response: ServerResponse): void {
  if (!response.writableFinished) span.fail('cancelled');
  span.end(response.headersSent ? response.statusCode : null);
}

/**
 * Starts the span of an operation over a socket. Its parent comes from `headers`, those of the message, not from the
 * headers of the socket: a socket may carry thousands of operations.
 */
export function spanOfMessage(
  path: string,
  request: Pick<IncomingMessage, 'socket'>,
  headers: HeaderBag,
): OperationSpan | null {
  if (!isTracing()) return null;
  const attributes = { 'network.protocol.name': 'websocket', ...addressOf(path, request) };
  return startOperationSpan(attributes, headers);
}

// The local address of the connection, because the caller chooses `Host`.
function addressOf(path: string, { socket: { localAddress, localPort } }: Pick<IncomingMessage, 'socket'>) {
  return {
    'url.path': path,
    ...(localAddress !== undefined && { 'server.address': localAddress }),
    ...(localPort !== undefined && { 'server.port': localPort }),
  };
}

/** Records the code of a result's first error on a span, if it has one. */
export function noteErrors(span: OperationSpan | null | undefined, { errors }: Result): void {
  if (span && errors && errors.length > 0) span.fail(codeOf(errors[0]));
}

interface Result {
  readonly errors?: readonly unknown[] | undefined;
}

function codeOf(error: unknown): string {
  const { error: presented, isCancelled } = presentError(error, '');
  return isCancelled ? 'cancelled' : String(presented.extensions['code']);
}

/** Ends a span once its operation has a result, or its stream of results has started. */
export async function spanned<T extends object>(
  span: OperationSpan | null,
  run: () => T | Promise<T>,
): Promise<T> {
  if (span === null) return await run();
  try {
    const result = await run();
    noteErrors(span, result);
    return result;
  } catch (error) {
    noteErrors(span, { errors: [error] });
    throw error;
  } finally {
    span.end();
  }
}
