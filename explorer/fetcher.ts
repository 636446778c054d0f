import type { Fetcher, FetcherOpts, FetcherParams } from '@graphiql/toolkit';
import { getOperationAST, OperationTypeNode, type ExecutionResult } from 'graphql';
import { createClient, type Client } from 'graphql-ws';
import { asSent } from './headers.ts';

const INTROSPECTION = 'IntrospectionQuery';

/** What came of an operation, one after the other, until it is unsubscribed from. */
type Results = Exclude<Awaited<ReturnType<Fetcher>>, ExecutionResult | AsyncIterable<ExecutionResult>>;

/** What takes the results. */
interface Sink {
  next(result: ExecutionResult): void;
  error(error: unknown): void;
  complete(): void;
}

/** One operation, and where it goes. */
interface Sending {
  readonly address: URL;
  readonly params: FetcherParams;
  readonly headers: FetcherOpts['headers'];
}

/**
 * Sends GraphiQL's operations: subscriptions over one WebSocket, each with headers of its own, so that each tab may have
 * its own credentials; everything else by POST. Either ends when it is stopped.
 */
export function createFetcher(endpoint: string, startingHeaders: Readonly<Record<string, string>>): Fetcher {
  const address = new URL(endpoint, location.href);
  const socket = createClient({ url: address.href.replace(/^http/, 'ws') });
  let headersOfFirst: FetcherOpts['headers'] = startingHeaders;
  return (params, { headers, documentAST } = {}) => {
    if (params.operationName === INTROSPECTION) {
      // The first one is sent before there is an editor that could tell its headers.
      const known = headers ?? headersOfFirst;
      headersOfFirst = undefined;
      return introspect({ address, params, headers: known });
    }
    const operation = documentAST && getOperationAST(documentAST, params.operationName);
    return operation?.operation === OperationTypeNode.SUBSCRIPTION
      ? follow(socket, params, headers)
      : answerTo({ address, params, headers });
  };
}

function resultsOf(start: (sink: Sink) => () => void): Results {
  // GraphiQL always gives all three functions, as an object.
  return { subscribe: (sink) => ({ unsubscribe: start(sink as Sink) }) };
}

function follow(socket: Client, params: FetcherParams, headers: FetcherOpts['headers']): Results {
  const payload = {
    query: params.query,
    operationName: params.operationName ?? null,
    variables: (params.variables ?? {}) as Record<string, unknown>,
    extensions: { headers: asSent(headers) },
  };
  return resultsOf((sink) =>
    socket.subscribe(payload, {
      next: (result) => sink.next(result as ExecutionResult),
      error: (error) => sink.error(inWords(error)),
      complete: () => sink.complete(),
    }),
  );
}

function inWords(error: unknown): unknown {
  if (!(error instanceof CloseEvent)) return error;
  const reason = error.reason === '' ? '' : `: ${error.reason}`;
  return failure(`The server closed the connection, with code ${error.code}${reason}.`, error);
}

// GraphiQL would show the stack.
function failure(message: string, cause: unknown): Error {
  const error = new Error(message, { cause });
  delete error.stack;
  return error;
}

function answerTo(sending: Sending): Results {
  return resultsOf((sink) => {
    const stopping = new AbortController();
    void deliver(sink, sending, stopping.signal);
    return () => stopping.abort();
  });
}

async function deliver(sink: Sink, sending: Sending, signal: AbortSignal): Promise<void> {
  try {
    sink.next(await post(sending, signal));
    sink.complete();
  } catch (error) {
    if (!signal.aborted) sink.error(error);
  }
}

// A refusal has no data, and GraphiQL would take that for a server that knows no subscriptions, and ask again. It says the
// same of each field.
async function introspect(sending: Sending): Promise<ExecutionResult> {
  const result = await post(sending);
  return result.errors ? { data: null, errors: result.errors.slice(0, 1) } : result;
}

async function post({ address, params, headers }: Sending, signal?: AbortSignal): Promise<ExecutionResult> {
  const request = new Request(address, {
    method: 'POST',
    headers: {
      ...asSent(headers),
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json;q=0.9',
    },
    body: JSON.stringify(params),
    signal: signal ?? null,
  });
  const response = await fetch(request).catch((cause: unknown) => {
    throw failure('The server cannot be reached.', cause);
  });
  return (await response.json().catch((cause: unknown) => {
    throw failure(`The server answered with status ${response.status}, and not with JSON.`, cause);
  })) as ExecutionResult;
}
